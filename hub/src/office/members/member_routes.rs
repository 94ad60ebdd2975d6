//! Members at head office.

use crate::http::batch::Batch;
use crate::http::change;
use crate::http::filtered_list::FilteredList;
use crate::http::prelude::*;
use crate::office::members::erase::{self, Erase};
use crate::office::members::member::{self, Listed, View};
use crate::office::members::member_batch::MemberItem;
use crate::office::members::merge::{self, By, Merge};
use crate::office::members::points_list::{self, PointsQuery};
use domain::model::base::time::UtcMs;
use domain::model::people::member::MemberState;
use domain::rules::people::member::{ChangeMember, NewMember};
use jiff::civil::Date;

const MEMBER: &str = r#"{"member_id": "mbr_1", "code": null, "name": "Ani", "phone": "+628111", "email": null,
    "birth_date": null, "tier": null, "state": "active", "points_balance": 12,
    "joined_at": "2026-11-20T02:06:34.739Z", "updated_at": "2026-11-20T02:06:34.739Z",
    "version": "1795140394739-00000-hub"}"#;

const ERASED: &str = r#"{"member_id": "mbr_1", "code": null, "name": "erased", "phone": null, "email": null, "birth_date": null,
    "tier": null, "state": "erased", "points_balance": 12, "joined_at": "2026-11-20T02:06:34.739Z",
    "updated_at": "2026-11-21T02:06:34.739Z", "version": "1795226794739-00000-hub"}"#;

const RESULTS: &str = r#"{"items": [{"index": 0, "http_status": 201, "data": {"member_id": "mbr_1", "code": null, "name": "Ani",
    "phone": "+628111", "email": null, "birth_date": null, "tier": null, "state": "active", "points_balance": 0,
    "joined_at": "2026-11-20T02:06:34.739Z", "updated_at": "2026-11-20T02:06:34.739Z", "version": "1795140394739-00000-hub"}},
    {"index": 1, "http_status": 404, "error": {"code": "not_found", "message": "the member was not found",
    "details": {"what": "member"}}}], "done": 1, "refused": 1}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/members", ADMIN, "Members").summary("List members by ID, or by change; `q` searches names, phone numbers and codes")
        .lists::<Search>(""),
    post("/api/members", ADMIN, "Members").summary("Register a member for all stores")
        .refuses(&[Code::Duplicate])
        .creates::<NewMember>(r#"{"name": "Ani", "phone": "0811 1"}"#, MEMBER),
    post("/api/members/batch", ADMIN, "Members").summary("Register or update up to 500 members; each item has its own result")
        .command::<Batch<MemberItem>>(
            r#"{"items": [{"name": "Ani", "phone": "0811 1"}, {"member_id": "mbr_2", "tier": "gold"}]}"#,
            RESULTS,
        ),
    get("/api/members/:id", ADMIN, "Members").summary("Retrieve a member").answers::<View>(MEMBER, answers!(read)),
    get("/api/members/:id/points", ADMIN, "Members").summary("List a member's point movements in all stores, newest first")
    .query::<PointsQuery>()
    .lists_as::<List<points_list::View>>(
        r#"{"member_id": "mbr_1", "store_id": null, "event_id": "exp_mbr_1_1", "business_date": "2026-11-20",
    "at": "2026-11-19T20:00:34.739Z", "points": -12, "reason": "expire", "reference_id": "exp_mbr_1_1",
    "expires": null, "balance_after": 0}"#,
        "{}",
        answers!(points),
    ),
    patch("/api/members/:id", ADMIN, "Members").summary("Update a member")
        .refuses(&[Code::Duplicate])
        .command::<ChangeMember>(r#"{"name": "Ani S."}"#, MEMBER),
    post("/api/members/:id/merge", ADMIN, "Members").summary("Merge a member into another one: points and sales move, and the old ID still finds the member")
    .refuses(&[Code::InvalidState])
    .command::<Merge>(r#"{"into": "mbr_2"}"#, MEMBER),
    post("/api/members/:id/erase", ADMIN, "Members").summary("Erase a member's personal data at head office and all stores; sales and points keep the ID")
    .refuses(&[Code::InvalidState])
    .command::<Erase>(r#"{"reason": "asked for by letter of 2026-11-19"}"#, ERASED),
];

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Text in the name, phone number or code.
    q: Option<String>,
    /// Only those in this state. Merged members are not listed.
    state: Option<MemberState>,
    /// Only those of this tier.
    tier: Option<String>,
    /// Only those registered on this day (UTC) or later.
    from: Option<Date>,
    /// Only those registered on this day (UTC) or earlier.
    to: Option<Date>,
    /// Only those whose `changed_at` is at this time or later. The list then begins with the earliest change.
    updated_from: Option<UtcMs>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

page_query!(Search, q);

impl PagedList for Search {
    type Query = Self;
    type Item = Listed;
    type Position = member::Bookmark;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<Listed>, Failure> {
        let Search { q, state, tier, from, to, updated_from, .. } = page.query.clone();
        let filter = member::Filter { q, state, tier, from, to, updated_from };
        let mut read = page.request.state.db.read().await?;
        member::list(&mut read, &filter, page.after, page.limit).await
    }
    fn position(item: &Listed) -> member::Bookmark {
        (item.member.member_id.clone(), item.changed_at.0)
    }
}

async fn read(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    Ok(Reply::ok(&member::read(&mut connection, request.param("id")).await?))
}

async fn points(request: Request) -> Answered {
    let ask: PointsQuery = request.query()?;
    let list = FilteredList::of(&request)?;
    let mut read = request.state.db.read().await?;
    let limit = change::one_more(ask.limit);
    let items =
        points_list::list(&mut read, request.param("id"), list.after(ask.cursor.as_ref())?, limit).await?;
    Ok(Reply::ok(&list.cut(items, ask.limit, points_list::place)))
}

impl Command for NewMember {
    const ACTION: &'static str = "member.created";
    type Answer = View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<View>, Failure> {
        let made = member::create(tx.connection, &tx.hub.clock, &self, tx.now).await?;
        let details = json!({"member_id": made.member_id});
        Ok(Changed::created(format!("/api/members/{}", made.member_id), &made, details))
    }
}

impl Command for ChangeMember {
    const ACTION: &'static str = "member.changed";
    type Answer = View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<View>, Failure> {
        let (clock, id) = (&tx.hub.clock, tx.path.get("id"));
        let changed = member::change(tx.connection, clock, id, &self, tx.now).await?;
        let details = json!({"member_id": changed.member_id, "fields": tx.field_names()});
        Ok(Changed::answer(&changed, details))
    }
}

impl Command for Merge {
    const ACTION: &'static str = "member.merged";
    type Answer = View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<View>, Failure> {
        let by = By { user_id: &tx.caller.user_id, clock: &tx.hub.clock, now: tx.now };
        let merged = merge::merge(tx.connection, tx.path.get("id"), &self, &by).await?;
        let details = json!({"member_id": tx.path.get("id"), "into": merged.member_id});
        Ok(Changed::answer(&merged, details))
    }
}

impl Command for Erase {
    const ACTION: &'static str = "member.erased";
    type Answer = View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<View>, Failure> {
        let by = By { user_id: &tx.caller.user_id, clock: &tx.hub.clock, now: tx.now };
        let erased = erase::erase(tx.connection, tx.path.get("id"), &self, &by).await?;
        let details = json!({"member_id": erased.member_id, "reason": self.reason});
        Ok(Changed::answer(&erased, details))
    }
}
