//! `GET /api/members/search`: by a part of a member's search terms, or by a whole phone number or code.

use super::shown;
use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::{failed, stored};
use actors::HeadOffice;
use domain::model::base::ids::MemberId;
use domain::model::base::search::words;
use domain::model::base::time::UtcMs;
use domain::model::people::member::{Member, MemberKey, MemberState};
use domain::rules::people::member::{MemberView, SEARCH_CHARS_MIN, digits, e164};
use edge::page::{Cursor, Limit, cursor};
use edge::{ApiError, Doc, Reply};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The longest text that is searched for, in characters.
const QUERY_CHARS_MAX: usize = 256;

/// A number with fewer characters is not yet typed to its end.
const PHONE_CHARS_MIN: usize = 9;

pub const SEARCH: Doc = Doc::of("Members", "Search members").query::<Query>().answers::<Found>(concat!(
    r#"{"items": ["#,
    include_str!("../examples/member.json"),
    r#"], "next_cursor": null, "head_office": "not_needed", "as_of": "2026-11-20T02:06:00.000Z"}"#
));

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Beginnings of words of the name, the beginning of the code or the e-mail address, or digits of the phone number;
    /// at least 2 characters.
    q: Option<String>,
    /// A whole phone number, in any spelling.
    phone: Option<String>,
    /// A whole code of a member.
    code: Option<String>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// A page of members.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FoundMembers")]
struct Found {
    /// Items of this page.
    items: Vec<MemberView>,
    /// Cursor of the next page. Null on the last page.
    next_cursor: Option<String>,
    /// Whether head office was asked. It is asked if this store has no member with the given whole phone number, e-mail
    /// address or code.
    head_office: HeadOffice,
    /// Profiles and points are up to date with head office as of this time, by head office's clock. Null if head office
    /// was never reached.
    as_of: Option<UtcMs>,
}

/// `GET /api/members/search`
pub async fn search(request: Request) -> Answered {
    let query: Query = request.query()?;
    let after = query.cursor.as_ref().map(Cursor::read::<MemberId>).transpose()?;
    let mut head_office = HeadOffice::NotNeeded;
    let mut found = match (&query.q, &query.phone, &query.code) {
        (Some(text), None, None) => {
            let mut found = by_text(&request, text, after.as_ref(), query.limit)?;
            if found.is_empty() && after.is_none() {
                head_office =
                    request.state.store.look_up_members(whole(&request, text)).await.map_err(failed)?;
            }
            if head_office == HeadOffice::Asked {
                found = by_text(&request, text, None, query.limit)?;
            }
            found
        }
        (None, Some(phone), None) => {
            let code = &request.state.store.rules().policy.country_code.clone();
            let phone = e164(phone, code).map_err(|why| ApiError::invalid_query("phone", why.problem()))?;
            let key = MemberKey::Phone(phone);
            head_office = request.state.store.look_up_members(vec![key.clone()]).await.map_err(failed)?;
            by_key(&request, &key)?
        }
        (None, None, Some(code)) => {
            let key = MemberKey::Code(code.trim().to_owned());
            head_office = request.state.store.look_up_members(vec![key.clone()]).await.map_err(failed)?;
            by_key(&request, &key)?
        }
        _ => return Err(ApiError::invalid_query("q", "is missing: send one of q, phone and code")),
    };
    // Cut before it is filtered: a page may lack merged members, never a cursor.
    let more = found.len() > query.limit.0;
    found.truncate(query.limit.0);
    let last = found.last().filter(|_| more).map(|member| cursor(&member.member_id));
    let mut living: Vec<Member> = Vec::with_capacity(found.len());
    for member in found {
        // Found by a former term of a member that is merged into another one.
        let member = if member.merged_into.is_some() {
            request.state.store.member(&member.member_id).map_err(failed)?
        } else {
            member
        };
        let shown = living.iter().any(|other| other.member_id == member.member_id);
        if !shown && matches!(member.state, MemberState::Active | MemberState::Blocked) {
            living.push(member);
        }
    }
    let items = living.iter().map(|member| shown(&request, member)).collect::<Result<Vec<_>, _>>()?;
    let as_of = request.state.store.members_as_of().map_err(failed)?;
    Ok(Reply::ok(&Found { items, next_cursor: last, as_of, head_office }))
}

/// Members whose words match the text, or whose number does if it may be a phone number.
fn by_text(
    request: &Request,
    text: &str,
    after: Option<&MemberId>,
    limit: Limit,
) -> Result<Vec<Member>, ApiError> {
    if text.trim().chars().count() < SEARCH_CHARS_MIN || text.chars().count() > QUERY_CHARS_MAX {
        return Err(ApiError::invalid_query("q", "must have 2 to 256 characters"));
    }
    let storage = request.state.store.storage();
    let mut found = Vec::new();
    let country_code = &request.state.store.rules().policy.country_code.clone();
    let number = digits(text, country_code).map(|digits| BTreeSet::from([digits]));
    // A whole number finds its member in any spelling; its digits are words of the member.
    let whole = e164(text, country_code).ok();
    let whole = whole.and_then(|whole| Some(BTreeSet::from([whole.strip_prefix('+')?.to_owned()])));
    for typed in [Some(words([text])), number, whole].into_iter().flatten() {
        found.extend(storage.members().search_members(&typed, after, limit.one_more()).map_err(stored)?);
    }
    found.sort_by(|a: &Member, b: &Member| a.member_id.cmp(&b.member_id));
    found.dedup_by(|a, b| a.member_id == b.member_id);
    Ok(found)
}

/// Keys of a text that is a whole e-mail address or phone number. A shorter one is still being typed.
fn whole(request: &Request, text: &str) -> Vec<MemberKey> {
    let text = text.trim();
    if text.contains('@') {
        return vec![MemberKey::Email(text.to_lowercase())];
    }
    let phone = e164(text, &request.state.store.rules().policy.country_code);
    phone.ok().filter(|_| text.len() >= PHONE_CHARS_MIN).map(MemberKey::Phone).into_iter().collect()
}

fn by_key(request: &Request, key: &MemberKey) -> Result<Vec<Member>, ApiError> {
    let store = &request.state.store;
    let id = store.storage().members().member_by_key(key).map_err(stored)?;
    Ok(id.map(|id| store.member(&id).map_err(failed)).transpose()?.into_iter().collect())
}
