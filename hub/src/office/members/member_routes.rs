//! Members at head office.

use crate::http::bound_page::{after, cut};
use crate::http::change::{self, begun};
use crate::http::{Answered, Request, bound_page};
use crate::office::members::erase::{self, Erase};
use crate::office::members::member::{self, View};
use crate::office::members::merge::{self, By, Merge};
use crate::office::members::points_list::{self, PointsQuery};
use domain::model::base::answer::Answer;
use domain::model::people::member::MemberState;
use domain::rules::people::member::{ChangeMember, NewMember};
use edge::page::{Cursor, Limit, List};
use edge::{Code, Doc, Reply, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

const MEMBER: &str = r#"{"member_id": "mbr_1", "code": null, "name": "Ani", "phone": "+628111", "email": null,
    "birth_date": null, "tier": null, "state": "active", "points_balance": 12,
    "joined_at": "2026-11-20T02:06:34.739Z", "updated_at": "2026-11-20T02:06:34.739Z",
    "version": "1795140394739-00000-hub"}"#;

pub const LIST: Doc = Doc::of("Members", "List members; `q` searches names, phone numbers and codes")
    .query::<Search>()
    .answers::<List<View>>(r#"{"items": [], "next_cursor": null}"#);
pub const READ: Doc = Doc::of("Members", "Retrieve a member").answers::<View>(MEMBER);
pub const POINTS: Doc = Doc::of("Members", "List a member's point movements in all stores, newest first")
    .query::<PointsQuery>()
    .lists::<points_list::View>(
        r#"{"member_id": "mbr_1", "store_id": null, "event_id": "exp_mbr_1_1", "business_date": "2026-11-20",
    "at": "2026-11-19T20:00:34.739Z", "points": -12, "reason": "expire", "reference_id": "exp_mbr_1_1",
    "expires": null, "balance_after": 0}"#,
    );
pub const CREATE: Doc = Doc::of("Members", "Register a member for all stores")
    .body::<NewMember>(r#"{"name": "Ani", "phone": "0811 1000 001"}"#)
    .creates::<View>(MEMBER)
    .refuses(&[Code::Duplicate]);
pub const CHANGE: Doc = Doc::of("Members", "Update a member")
    .body::<ChangeMember>(r#"{"name": "Ani S."}"#)
    .answers::<View>(MEMBER)
    .refuses(&[Code::Duplicate]);

pub const MERGE: Doc = Doc::of(
    "Members",
    "Merge a member into another one: points and sales move, and the old id still resolves",
)
.body::<Merge>(r#"{"into": "mbr_2"}"#)
.answers::<View>(MEMBER)
.refuses(&[Code::InvalidState]);

pub const ERASE: Doc = Doc::of(
    "Members",
    "Erase a member's personal data at head office and all stores; sales and points keep the id",
)
.body::<Erase>(r#"{"reason": "asked for by letter of 2026-11-19"}"#)
.answers::<View>(
    r#"{"member_id": "mbr_1", "code": null, "name": "erased", "phone": null, "email": null, "birth_date": null,
    "tier": null, "state": "erased", "points_balance": 12, "joined_at": "2026-11-20T02:06:34.739Z",
    "updated_at": "2026-11-21T02:06:34.739Z", "version": "1795226794739-00000-hub"}"#,
)
.refuses(&[Code::InvalidState]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Search {
    /// A part of a name, number or code.
    q: Option<String>,
    /// Only those in this state; who goes on as another member is not listed.
    state: Option<MemberState>,
    /// Only those of this tier.
    tier: Option<String>,
    /// Only those registered on this day (UTC) or later.
    from: Option<Date>,
    /// Only those registered on this day (UTC) or earlier.
    to: Option<Date>,
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// `GET /api/members`
pub async fn list(request: Request) -> Answered {
    let Search { q, state, tier, from, to, limit, cursor } = request.query()?;
    change::check_q(q.as_deref())?;
    let after = bound_page::after_in::<String>(&request, cursor.as_ref())?.unwrap_or_default();
    let filter = member::Filter { q, state, tier, from, to };
    let items = member::list(request.state.db.pool(), &filter, &after, change::one_more(limit)).await?;
    Ok(Reply::ok(&bound_page::cut_in(&request, items, limit, |item| item.member_id.clone())?))
}

/// `GET /api/members/:id`
pub async fn read(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    Ok(Reply::ok(&member::read(&mut connection, request.param("id")).await?))
}

/// `GET /api/members/:id/points`
pub async fn points(request: Request) -> Answered {
    let ask: PointsQuery = request.query()?;
    let mut read = request.state.db.read().await?;
    let limit = change::one_more(ask.limit);
    let items = points_list::list(&mut read, request.param("id"), after(&ask)?, limit).await?;
    Ok(Reply::ok(&cut(&ask, items, points_list::place)))
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

/// `POST /api/members/:id/erase`
pub async fn erase(request: Request) -> Answered {
    let asked: Erase = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let by = By { user_id: &request.caller()?.user_id, clock: &request.state.clock, now };
    let erased = erase::erase(&mut keyed.write, request.param("id"), &asked, &by).await?;
    let done = ("member.erased", json!({"member_id": erased.member_id, "reason": asked.reason}));
    change::finish_audited(&request, keyed, done, Answer::ok(&erased)).await
}
