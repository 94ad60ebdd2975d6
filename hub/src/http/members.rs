//! Members at head office.

use super::change::{self, begun};
use super::{Answered, Request};
use crate::failure::Failure;
use crate::member::merge::{self, By, Merge};
use crate::member::{self, View};
use domain::answer::Answer;
use domain::member::{ChangeMember, NewMember};
use edge::page::{Cursor, Limit, List};
use edge::{ApiError, Code, Doc, Reply, clock};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// The longest search, in bytes.
const Q_BYTES_MAX: usize = 128;
const MEMBER: &str = r#"{"member_id": "mbr_1", "code": null, "name": "Ani", "phone": "+628111", "email": null,
    "birth_date": null, "tier": null, "state": "active", "points_balance": 12,
    "joined_at": "2026-11-20T02:06:34.739Z", "updated_at": "2026-11-20T02:06:34.739Z",
    "version": "1795140394739-00000-hub"}"#;

/// `GET /api/members`
pub const LIST: Doc =
    Doc::of("Members", "List members; with q those of whom a name, number or code contains it")
        .query::<Search>()
        .answers::<List<View>>(r#"{"items": [], "next_cursor": null}"#);
/// `GET /api/members/:id`
pub const READ: Doc = Doc::of("Members", "A member").answers::<View>(MEMBER);
/// `POST /api/members`
pub const CREATE: Doc = Doc::of("Members", "Register a member, known to every store")
    .body::<NewMember>(r#"{"name": "Ani", "phone": "0811 1"}"#)
    .creates::<View>(MEMBER)
    .refuses(&[Code::Duplicate]);
/// `PATCH /api/members/:id`
pub const CHANGE: Doc = Doc::of("Members", "Change a member")
    .body::<ChangeMember>(r#"{"name": "Ani S."}"#)
    .answers::<View>(MEMBER)
    .refuses(&[Code::Duplicate]);

/// `POST /api/members/:id/merge`
pub const MERGE: Doc = Doc::of(
    "Members",
    "Have a member go on as another one: points and sales count for that one, and the id goes on naming it",
)
.body::<Merge>(r#"{"into": "mbr_2"}"#)
.answers::<View>(MEMBER)
.refuses(&[Code::InvalidState]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Search {
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
    q: Option<String>,
}

/// `GET /api/members`
pub async fn list(request: Request) -> Answered {
    let ask: Search = request.query()?;
    let q = ask.q.unwrap_or_default();
    if q.len() > Q_BYTES_MAX {
        return Err(ApiError::invalid_query("q must have at most 128 bytes"));
    }
    let after = change::after(ask.cursor.as_ref())?;
    let items = member::list(request.state.db.pool(), &q, &after, change::one_more(ask.limit)).await?;
    Ok(Reply::ok(&List::cut(items, ask.limit, |item| item.member_id.clone())))
}

/// `GET /api/members/:id`
pub async fn read(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await.map_err(Failure::from)?;
    Ok(Reply::ok(&member::read(&mut connection, request.param("id")).await?))
}

/// `POST /api/members`
pub async fn create(request: Request) -> Answered {
    let new: NewMember = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let made = member::create(&mut keyed.write, &request.state.clock, &new, now).await?;
    let location = format!("/api/members/{}", made.member_id);
    let done = ("member.created", json!({"member_id": made.member_id}));
    change::finish_audited(&request, keyed, done, Answer::created(location, &made)).await
}

/// `PATCH /api/members/:id`
pub async fn change(request: Request) -> Answered {
    let asked: ChangeMember = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let clock = &request.state.clock;
    let changed = member::change(&mut keyed.write, clock, request.param("id"), &asked, now).await?;
    let done =
        ("member.changed", json!({"member_id": changed.member_id, "fields": change::fields(&request)}));
    change::finish_audited(&request, keyed, done, Answer::ok(&changed)).await
}

/// `POST /api/members/:id/merge`
pub async fn merge(request: Request) -> Answered {
    let asked: Merge = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let by = By { user_id: &request.caller()?.user_id, clock: &request.state.clock, now };
    let merged = merge::merge(&mut keyed.write, request.param("id"), &asked, &by).await?;
    let done = ("member.merged", json!({"member_id": request.param("id"), "into": merged.member_id}));
    change::finish_audited(&request, keyed, done, Answer::ok(&merged)).await
}
