//! Settlements: listed, made, matched again and approved.

use crate::http::change::one_more;
use crate::http::csv_rows;
use crate::http::filtered_list::FilteredList;
use crate::http::prelude::*;
use crate::office::finance::writer::check_text;
use crate::office::reports::completeness::{self, CompleteList};
use crate::office::settlement::day_settlement::{self as settlement, Detail, Listed, SettlementsQuery};
use crate::office::settlement::lines::new_line::NewLines;
use crate::office::settlement::{item, matching, source};
use crate::projection::settlement::shift_difference;
use crate::table;
use crate::table::store::is_known;
use crate::table::{hub, journal};
use domain::model::base::limits::{SHORT_ID_BYTES_MAX, TEXT_CHARS_MAX};
use domain::model::base::refusal::Refusal;
use domain::rules::books::locked_days::BEGINNING;
use edge::{Doc, csv};
use jiff::civil::Date;
use sqlx::AnyConnection;

/// A settlement with all its figures, for descriptions of routes.
pub const DETAIL: &str = r#"{"settlement_id": "stl_1", "store_id": "S001", "business_date": "2026-11-19",
    "state": "reconciled", "forced": false, "note": null, "approved_by": null, "approved_at": null, "by_method": [
    {"method": "card", "sales": 416250, "refunds": -62160, "expected": 354090, "matched": 270840, "fee": 4995,
    "net": 265845, "difference": 0, "open": 83250, "carried_in": 0, "carried_out": 83250, "late": 0}], "fee": 4995, "difference": 0, "net": 265845,
    "cash": {"shifts": [{"shift_id": "shf_1", "register_id": "main", "expected": 200000, "counted": 200000, "variance": 0}],
    "expected": 200000, "counted": 200000, "variance": 0, "pay_in": 0, "pay_out": 0, "drops": 0, "deposits": 0},
    "exceptions": {"open": 0, "resolved": 1}, "completeness": {"stores_expected": 1, "stores_complete": 1,
    "missing": [], "as_of": "2026-11-20T02:06:34.739Z"}, "entries": []}"#;
const ITEM: &str = r#"{"item_id": "pay_1", "store_id": "S001", "kind": "payment", "method": "card",
    "account": "1110", "business_date": "2026-11-19", "settlement_date": "2026-11-19", "entry_date": "2026-11-19", "amount": 83250,
    "reference": "C-1003", "document_id": "trx_1", "receipt_no": "S001-main-00000006", "register_id": "main",
    "occurred_at": "2026-11-19T05:00:00.000Z", "contra_of": null, "state": "open", "match_id": null, "late": false,
    "carried_until": null}"#;

pub const ROUTES: &[Route<Hub>] = &[
    Route::get("/api/settlement-items", FINANCE, ITEMS, answers!(items)),
    get("/api/settlements", FINANCE, "Settlement").summary("List settlements, newest first")
        .query::<SettlementsQuery>()
        .answers::<CompleteList<Listed>>(
            r#"{"items": [{"settlement_id": "stl_1", "store_id": "S001", "business_date": "2026-11-19",
        "state": "reconciled", "forced": false, "note": null, "approved_by": null, "approved_at": null,
        "expected": 354090, "open": 83250, "fee": 4995, "net": 265845, "exceptions_open": 0}], "next_cursor": null,
        "completeness": {"stores_expected": 1, "stores_complete": 1, "missing": [],
        "as_of": "2026-11-20T02:06:34.739Z"}}"#,
            answers!(list),
        ),
    post("/api/settlements", FINANCE, "Settlement").summary("Create a day's settlement before its store seals the day")
    .refuses(&[Code::InvalidState, Code::Duplicate])
    .creates::<New>(
        r#"{"store_id": "S001", "business_date": "2026-11-19", "force": true, "reason": "the shop burnt down"}"#,
        DETAIL,
    ),
    get("/api/settlements/:id", FINANCE, "Settlement").summary("Retrieve the settlement of a store's day")
        .answers::<Detail>(DETAIL, answers!(read)),
    get("/api/settlements/:id/items", FINANCE, "Settlement").summary("List the items of a settlement, newest first")
        .query::<item::SettlementItemsQuery>()
        .refuses(&[Code::NotFound])
        .lists_as::<CompleteList<item::View>>(ITEM, completeness::EXAMPLE, answers!(items_of_day)),
    post("/api/settlements/:id/match", FINANCE, "Settlement").summary("Match a settlement's open items again")
        .step::<Rematch>(DETAIL),
    post("/api/settlements/:id/approve", FINANCE, "Settlement").summary("Approve and post a settlement; its day is locked")
    .refuses(&[Code::InvalidState])
    .command_or_default::<Approval>(r#"{"note": "as reported"}"#, DETAIL),
];

const ITEMS: Doc = Doc::of("Settlement", "List items that providers and banks have to settle, newest first")
    .query::<item::ItemsQuery>()
    .lists_as::<CompleteList<item::View>>(ITEM, completeness::EXAMPLE)
    .also(&["text/csv"])
    .sends(&[("X-Next-Cursor", "NextCursor")]);

/// A settlement that a user creates.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewSettlement")]
pub struct New {
    /// Store of the settlement.
    #[schemars(length(min = 1, max = SHORT_ID_BYTES_MAX))]
    store_id: String,
    /// Business day of the settlement.
    business_date: Date,
    /// Whether to create the settlement although its day is not sealed.
    #[serde(default)]
    force: bool,
    /// Reason for the settlement. Required with `force`.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    reason: Option<String>,
}

/// Request body of an approval.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SettlementApproval")]
pub struct Approval {
    /// Note of the approver. Null for none.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    note: Option<String>,
}

async fn list(request: Request) -> Answered {
    let ask: SettlementsQuery = request.query()?;
    let list = FilteredList::of(&request)?;
    // The settlements and the completeness are read from one state of the database.
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let items =
        settlement::list(&mut read, &ask, list.after(ask.cursor.as_ref())?, one_more(ask.limit)).await?;
    let days = (ask.from.unwrap_or(BEGINNING), ask.to.unwrap_or(request.state.today(now)));
    let completeness = completeness::of(&mut *read, ask.store_id.as_deref(), days, now).await?;
    Ok(Reply::ok(&CompleteList::of(list.cut(items, ask.limit, settlement::place), completeness)))
}

async fn read(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    Ok(Reply::ok(&settlement::read(&mut connection, request.param("id")).await?))
}

async fn items_of_day(request: Request) -> Answered {
    let ask: item::SettlementItemsQuery = request.query()?;
    let list = FilteredList::of(&request)?;
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let found = settlement::find(&mut read, request.param("id")).await?;
    let (store_id, day) = (found.store_id.clone(), found.business_date);
    let (filter, today) = (ask.of_day(found.store_id, day), request.state.today(now));
    let items =
        item::list(&mut read, &filter, today, list.after(ask.cursor.as_ref())?, one_more(ask.limit)).await?;
    let completeness = completeness::of(&mut *read, Some(&store_id), (day, day), now).await?;
    Ok(Reply::ok(&CompleteList::of(list.cut(items, ask.limit, item::place), completeness)))
}

async fn items(request: Request) -> Answered {
    let ask: item::ItemsQuery = request.query()?;
    let list = FilteredList::of(&request)?;
    // The items and the completeness are read from one state of the database.
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let today = request.state.today(now);
    let items =
        item::list(&mut read, &ask, today, list.after(ask.cursor.as_ref())?, one_more(ask.limit)).await?;
    let page = list.cut(items, ask.limit, item::place);
    if csv::wanted(&request.headers) {
        let form = (ask.separator, hub::currency(&mut read).await?);
        return Ok(csv_rows::reply(&item::TABLE, &page.items, form, csv_rows::next_cursor(page.next_cursor)));
    }
    let days = (ask.from.unwrap_or(BEGINNING), ask.to.unwrap_or(today));
    let completeness = completeness::of(&mut *read, ask.store_id.as_deref(), days, now).await?;
    Ok(Reply::ok(&CompleteList::of(page, completeness)))
}

impl Command for New {
    const ACTION: &'static str = "settlement.made";
    type Answer = Detail;
    fn check(&self) -> Result<(), ApiError> {
        if self.force || self.reason.is_some() {
            check_text("reason", self.reason.as_deref().unwrap_or_default())?;
        }
        Ok(())
    }
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Detail>, Failure> {
        let new = self;
        tx.writer().await?.check_not_later("business_date", new.business_date)?;
        let settlement_id = made(tx.connection, &new, tx.now).await?;
        let detail = settlement::read(tx.connection, &settlement_id).await?;
        let details = json!({"settlement_id": settlement_id, "store_id": new.store_id,
            "date": new.business_date, "reason": new.reason});
        Ok(Changed::created(format!("/api/settlements/{settlement_id}"), &detail, details))
    }
}

async fn made(
    connection: &mut AnyConnection,
    new: &New,
    now: domain::model::base::time::UtcMs,
) -> Result<String, Failure> {
    if !is_known(connection, &new.store_id).await? {
        return Err(ApiError::field("store_id", "is not a store").into());
    }
    let day = new.business_date.to_string();
    let sql = "SELECT COUNT(*) FROM store_days WHERE store_id = $1 AND business_date = $2 AND sealed = 1";
    let sealed: i64 =
        sqlx::query_scalar(sql).bind(&new.store_id).bind(&day).fetch_one(&mut *connection).await?;
    if sealed == 0 && !new.force {
        let (state, allowed) = ("not_sealed".to_owned(), vec!["force".to_owned()]);
        return Err(ApiError::from(Refusal::InvalidState { state, allowed }).into());
    }
    journal::numbers(connection, &new.store_id, 0).await?;
    let is_new =
        table::settlement::make(connection, (new.store_id.as_str(), new.business_date), sealed == 0, now)
            .await?;
    if shift_difference::note(connection, &new.store_id, new.business_date, now).await? {
        table::settlement::evaluate(connection, &new.store_id, new.business_date).await?;
    }
    let sql = "SELECT settlement_id FROM settlements WHERE store_id = $1 AND business_date = $2";
    let id: String = sqlx::query_scalar(sql).bind(&new.store_id).bind(&day).fetch_one(connection).await?;
    if is_new { Ok(id) } else { Err(ApiError::from(Refusal::Duplicate { what: "settlement", id }).into()) }
}

without_body!(Rematch);

impl Command for Rematch {
    const ACTION: &'static str = "settlement.matched";
    type Answer = Detail;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Detail>, Failure> {
        tx.writer().await?;
        let found = settlement::find(tx.connection, tx.path.get("id")).await?;
        for known in source::all(tx.connection).await? {
            if known.state == source::State::Active {
                let locked = source::lock(tx.connection, &known.source_id).await?;
                matching::run(tx.connection, &locked, NewLines::default(), (tx.now, tx.today)).await?;
            }
        }
        let detail = settlement::read(tx.connection, &found.settlement_id).await?;
        let details = json!({"settlement_id": found.settlement_id, "store_id": found.store_id});
        Ok(Changed::answer(&detail, details))
    }
}

impl Command for Approval {
    const ACTION: &'static str = "settlement.approved";
    type Answer = Detail;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Detail>, Failure> {
        let (writer, id) = (tx.writer().await?, tx.path.get("id"));
        writer.approve_settlement(tx.connection, id, self.note.as_deref()).await?;
        let detail = settlement::read(tx.connection, id).await?;
        let of = &detail.settlement;
        let details = json!({"settlement_id": id, "store_id": of.store_id, "date": of.business_date,
            "net": detail.net, "fee": detail.fee});
        Ok(Changed::answer(&detail, details))
    }
}
