//! Members at head office: the same fields as the stores write, written as one more of their owners.

use crate::db::failure::Failure;
use crate::db::filter::{Bound, Conditions, escaped, span_utc};
use crate::projection::announce::FeedUpdates;
use crate::projection::fields::{self, MEMBER, STATE, Writer};
use crate::table::member;
use crate::{columns, feed, secret};
use domain::model::base::figures::Points;
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::model::hub::hlc::Clock;
use domain::model::people::member::MemberState;
use domain::rules::people::member::{ChangeMember, NewMember, digits, e164, reachable};
use domain::wire::feed::lane;
use domain::wire::record::FieldWrite;
use edge::{ApiError, ids};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use sqlx::{AnyConnection, Row};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The country of numbers without one.
const COUNTRY_CODE: &str = "62";

/// A member as head office sees it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "HubMember")]
pub struct View {
    /// ID of the member, `mbr_…`.
    pub member_id: String,
    /// Card number or other code of the member. Null for none.
    pub code: Option<String>,
    /// Name of the member. Null if it is not known.
    pub name: Option<String>,
    /// Phone number in E.164 format. Null for none.
    pub phone: Option<String>,
    /// E-mail address in lower case. Null for none.
    pub email: Option<String>,
    /// Birthday of the member. Null if it is not known.
    pub birth_date: Option<Date>,
    /// Tier of the member. Null if it has none.
    pub tier: Option<String>,
    /// State of the member. Null if it is not known.
    pub state: Option<MemberState>,
    /// Sum of the points entries of all stores.
    pub points_balance: Points,
    /// When the member was registered, at any store or at head office.
    pub joined_at: UtcMs,
    /// When the member was last changed, by the clock of the store or of head office.
    pub updated_at: UtcMs,
    /// Version of the record: the latest write time of its fields.
    pub version: String,
}

/// One member; for a merged one, the member that it was merged into.
///
/// # Errors
/// 404.
pub async fn read(connection: &mut AnyConnection, id: &str) -> Result<View, Failure> {
    let living = member::end(connection, id).await?;
    let id = living.as_str();
    let sql = "SELECT version, created_at FROM shared_records WHERE resource = 'member' AND id = $1";
    let row = sqlx::query(sql).bind(id).fetch_optional(&mut *connection).await?;
    let row = row.ok_or_else(|| ApiError::not_found("the member"))?;
    let known = fields::read(connection, MEMBER, id).await?;
    let (version, joined_at): (String, UtcMs) = columns!(row => (version, created_at));
    let text = |name: &str| known.get(name)?.value.as_str().map(str::to_owned);
    let state = known.get("state").and_then(|field| serde_json::from_value(field.value.clone()).ok());
    Ok(View {
        member_id: id.to_owned(),
        code: text("code"),
        name: text("name"),
        phone: text("phone"),
        email: text("email"),
        birth_date: text("birth_date").and_then(|date| date.parse().ok()),
        tier: text("tier"),
        state,
        points_balance: member::balance(connection, id).await?,
        joined_at,
        updated_at: fields::at(&version).map_or(joined_at, UtcMs),
        version,
    })
}

/// Filters of the list of members.
#[derive(Debug, Default)]
pub struct Filter {
    /// A name, number or code contains it.
    pub q: Option<String>,
    /// Only those in this state.
    pub state: Option<MemberState>,
    /// Only those of this tier.
    pub tier: Option<String>,
    /// Registered on this day (UTC) or later.
    pub from: Option<Date>,
    /// Registered on this day (UTC) or earlier.
    pub to: Option<Date>,
    /// Only those that changed then or later, by change.
    pub updated_from: Option<UtcMs>,
}

/// A member in the list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListedMember")]
pub struct Listed {
    /// The member.
    #[serde(flatten)]
    pub member: View,
    /// When the hub last changed the member or its points, by the hub's clock.
    pub changed_at: UtcMs,
}

/// Position of a page: the member and change of the last item before it.
pub type Bookmark = (String, i64);

/// Order of changes.
const CHANGED: [&str; 2] = ["r.updated_at", "r.id"];

/// A page of members, after a place.
pub async fn list(
    connection: &mut AnyConnection,
    filter: &Filter,
    after: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<Listed>, Failure> {
    let (conditions, sql) = statement(filter, after, limit);
    let rows = conditions.query(&sql).fetch_all(&mut *connection).await?;
    let mut members = Vec::with_capacity(rows.len());
    for row in &rows {
        let member = read(connection, row.try_get("id")?).await?;
        members.push(Listed { member, changed_at: UtcMs(row.try_get("updated_at")?) });
    }
    Ok(members)
}

/// The statement of a page with its parameters: by ID, or by change.
pub fn statement(filter: &Filter, after: Option<Bookmark>, limit: i64) -> (Conditions, String) {
    // Fields are read once, not once a member.
    const FOUND: &str = "r.id IN (SELECT COALESCE(g.merged_into, f.id) FROM fields f \
                         LEFT JOIN member_merges g ON g.member_id = f.id WHERE f.resource = 'member' \
                         AND f.field IN ('name', 'phone', 'email', 'code') AND f.folded LIKE '%' || ? || '%' ESCAPE '!')";
    let has = |field: &str| {
        format!(
            "r.id IN (SELECT f.id FROM fields f WHERE f.resource = 'member' AND f.field = '{field}' AND f.value = ?)"
        )
    };
    let typed = filter.q.as_deref().filter(|q| !q.is_empty()).map(spellings).unwrap_or_default();
    // A field's value is stored as JSON.
    let state = filter.state.map(|state| json!(state).to_string());
    let tier = filter.tier.as_ref().map(|tier| json!(tier).to_string());
    let (from, before) = span_utc(filter.from, filter.to);
    let conditions = Conditions::default().plain("r.resource = 'member'", true);
    let after = after.map(|(id, at)| (Bound::from(id.as_str()), Bound::from(at)));
    let (conditions, order) = match filter.updated_from {
        Some(from) => (conditions.changed(CHANGED, from, after.map(|(id, at)| [at, id])), CHANGED.join(", ")),
        None => (conditions.above(["r.id"], after.map(|(id, _)| [id])), "r.id".to_owned()),
    };
    let conditions = conditions
        .plain("NOT EXISTS (SELECT 1 FROM member_merges g WHERE g.member_id = r.id)", true)
        .any(FOUND, &typed)
        .text(&has("state"), state.as_deref())
        .text(&has("tier"), tier.as_deref())
        .number("r.created_at >= ?", from)
        .number("r.created_at < ?", before);
    (
        conditions,
        format!("SELECT r.id, r.updated_at FROM shared_records r WHERE {{}} ORDER BY {order} LIMIT {limit}"),
    )
}

/// The typed text, and its spellings as stored phone numbers: a whole one in any spelling, or a part of one.
fn spellings(typed: &str) -> Vec<String> {
    let whole = e164(typed, COUNTRY_CODE).ok();
    let part = digits(typed, COUNTRY_CODE);
    let mut spellings = vec![escaped(typed)];
    for number in [whole, part].into_iter().flatten().map(|number| escaped(&number)) {
        if !spellings.contains(&number) {
            spellings.push(number);
        }
    }
    spellings
}

/// Registers a member, known to every store.
///
/// # Errors
/// 422; 409 `duplicate` for a phone, e-mail or code of another member.
pub async fn create(
    connection: &mut AnyConnection,
    clock: &Mutex<Clock>,
    new: &NewMember,
    now: UtcMs,
) -> Result<View, Failure> {
    let written = new.written(COUNTRY_CODE).map_err(ApiError::from)?;
    let id = ids::new("mbr_");
    write(connection, clock, &id, written, now).await
}

/// Changes a member, based on its present values.
///
/// # Errors
/// 404; 422; 409 `duplicate`.
pub async fn change(
    connection: &mut AnyConnection,
    clock: &Mutex<Clock>,
    id: &str,
    change: &ChangeMember,
    now: UtcMs,
) -> Result<View, Failure> {
    let written = change.written(COUNTRY_CODE).map_err(ApiError::from)?;
    let gives_up = |field: &str| written.get(field).is_some_and(Value::is_null);
    let may_be_lost = gives_up("phone") || gives_up("email");
    let living = member::end(connection, id).await?;
    let id = living.as_str();
    if !member::lock(connection, id).await? {
        return Err(ApiError::not_found("the member").into());
    }
    let known = fields::read(connection, MEMBER, id).await?;
    if fields::is_erased(known.get(STATE)) {
        let (state, allowed) = ("erased".to_owned(), Vec::new());
        return Err(ApiError::from(Refusal::InvalidState { state, allowed }).into());
    }
    if may_be_lost {
        let stays = |field: &str| match written.get(field) {
            Some(value) => !value.is_null(),
            None => known.get(field).is_some_and(|now| !now.value.is_null()),
        };
        reachable(stays("phone") || stays("email")).map_err(ApiError::from)?;
    }
    write(connection, clock, id, written, now).await
}

async fn write(
    connection: &mut AnyConnection,
    clock: &Mutex<Clock>,
    id: &str,
    written: BTreeMap<&'static str, Value>,
    now: UtcMs,
) -> Result<View, Failure> {
    let known = fields::read(connection, MEMBER, id).await?;
    let stamp = clock.lock().unwrap_or_else(PoisonError::into_inner).now(now);
    let write = |(field, value): (&'static str, Value)| {
        let base = known.get(field).map(|now| now.by.clone()).unwrap_or_default();
        (field.to_owned(), FieldWrite { value, at: stamp.clone(), base })
    };
    let differing =
        written.into_iter().filter(|(field, value)| known.get(*field).is_none_or(|now| now.value != *value));
    let writes: BTreeMap<String, FieldWrite> = differing.map(write).collect();
    let by = format!("chg_{}", secret::mark());
    let writer = Writer { by: &by, stamp: &stamp, store_id: "", now };
    let mut later = FeedUpdates::default();
    // The lane is locked before the others are read: of two that take one phone, the second sees the first, in whatever
    // process. The lock comes after the member's own row, as in a push.
    feed::take(connection, lane::MEMBERS, 0, now).await?;
    unique(connection, id, &writes).await?;
    fields::write_member(connection, id, &writes, &writer, &mut later).await?;
    let view = read(connection, id).await?;
    later.announce(connection, now).await?;
    Ok(view)
}

/// Two members with one phone, e-mail or code are created only by stores that do not know of each other, never here.
async fn unique(
    connection: &mut AnyConnection,
    id: &str,
    writes: &BTreeMap<String, FieldWrite>,
) -> Result<(), Failure> {
    for field in member::UNIQUE {
        let Some(write) = writes.get(field).filter(|write| !write.value.is_null()) else { continue };
        let other = member::other(connection, id, field, &write.value).await?;
        if let Some(other) = other {
            return Err(ApiError::from(Refusal::Duplicate { what: "member", id: other }).into());
        }
    }
    Ok(())
}
