//! Settlements: listed, made, matched again and approved.

use crate::db::failure::Failure;
use crate::http::bound_page::{after, cut};
use crate::http::change::{self, begun, one_more};
use crate::http::{Answered, Request};
use crate::office::finance::writer::{Writer, begun_alone, check_text};
use crate::office::reports::completeness::{self, CompleteList};
use crate::office::settlement::day_settlement::{self as settlement, Detail, Listed, SettlementsQuery};
use crate::office::settlement::file::new_line::NewLines;
use crate::office::settlement::{item, matching, source};
use crate::projection::settlement::shift_difference;
use crate::table;
use crate::table::journal;
use crate::table::store::is_known;
use domain::model::base::answer::Answer;
use domain::model::base::refusal::Refusal;
use domain::rules::books::locked_days::BEGINNING;
use edge::identity::EmptyBody;
use edge::{ApiError, Code, Doc, Reply, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use sqlx::AnyConnection;

/// A settlement with all its figures, for descriptions of routes.
pub const DETAIL: &str = r#"{"settlement_id": "stl_1", "store_id": "S001", "business_date": "2026-11-19",
    "state": "reconciled", "forced": false, "note": null, "approved_by": null, "approved_at": null, "by_method": [
    {"method": "card", "sales": 416250, "refunds": -62160, "expected": 354090, "matched": 270840, "fee": 4995,
    "net": 265845, "difference": 0, "open": 83250, "carried_in": 0, "carried_out": 83250, "late": 0}], "fee": 4995, "difference": 0, "net": 265845,
    "cash": {"shifts": [{"shift_id": "shf_1", "register_id": "main", "expected": 200000, "counted": 200000, "variance": 0}],
    "expected": 200000, "counted": 200000, "variance": 0, "pay_in": 0, "pay_out": 0, "drops": 0, "deposits": 0},
    "exceptions": {"open": 0, "resolved": 1}, "completeness": {"stores_expected": 1, "stores_complete": 1,
    "missing": [], "as_of": "2026-11-20T02:06:34.739Z", "posting_left": 0}, "entries": []}"#;
const ITEM: &str = r#"{"item_id": "pay_1", "store_id": "S001", "kind": "payment", "method": "card",
    "account": "1110", "business_date": "2026-11-19", "settlement_date": "2026-11-19", "entry_date": "2026-11-19", "amount": 83250,
    "reference": "C-1003", "document_id": "trx_1", "receipt_no": "S001-main-00000006", "register_id": "main",
    "occurred_at": "2026-11-19T05:00:00.000Z", "contra_of": null, "state": "open", "match_id": null, "late": false,
    "carried_until": null}"#;

pub const LIST: Doc = Doc::of("Settlement", "List settlements, newest first")
    .query::<SettlementsQuery>()
    .answers::<CompleteList<Listed>>(
        r#"{"items": [{"settlement_id": "stl_1", "store_id": "S001", "business_date": "2026-11-19",
        "state": "reconciled", "forced": false, "note": null, "approved_by": null, "approved_at": null,
        "expected": 354090, "open": 83250, "fee": 4995, "net": 265845, "exceptions_open": 0}], "next_cursor": null,
        "completeness": {"stores_expected": 1, "stores_complete": 1, "missing": [],
        "as_of": "2026-11-20T02:06:34.739Z", "posting_left": 0}}"#,
    );
pub const READ: Doc =
    Doc::of("Settlement", "Retrieve the settlement of a store's day").answers::<Detail>(DETAIL);
pub const MAKE: Doc = Doc::of("Settlement", "Create the settlement of a day before its store has sealed it")
    .body::<New>(
        r#"{"store_id": "S001", "business_date": "2026-11-19", "force": true, "reason": "the shop burnt down"}"#,
    )
    .creates::<Detail>(DETAIL)
    .refuses(&[Code::InvalidState, Code::Duplicate]);
pub const MATCH: Doc = Doc::of("Settlement", "Match a settlement's open items again")
    .optional_body::<EmptyBody>("{}")
    .answers::<Detail>(DETAIL);
pub const APPROVE: Doc = Doc::of("Settlement", "Approve and post a settlement; its day is locked")
    .optional_body::<Approval>(r#"{"note": "as reported"}"#)
    .answers::<Detail>(DETAIL)
    .refuses(&[Code::InvalidState]);
pub const ITEMS: Doc = Doc::of("Settlement", "List items that providers and banks have to settle, newest first")
    .query::<item::ItemsQuery>()
    .answers::<CompleteList<item::View>>(
        r#"{"items": [{"item_id": "pay_1", "store_id": "S001", "kind": "payment", "method": "card",
        "account": "1110", "business_date": "2026-11-19", "settlement_date": "2026-11-19", "entry_date": "2026-11-19", "amount": 83250,
        "reference": "C-1003", "document_id": "trx_1", "receipt_no": "S001-main-00000006", "register_id": "main",
        "occurred_at": "2026-11-19T05:00:00.000Z", "contra_of": null, "state": "open", "match_id": null, "late": false,
        "carried_until": null}], "next_cursor": null, "completeness": {"stores_expected": 1, "stores_complete": 1,
        "missing": [], "as_of": "2026-11-20T02:06:34.739Z", "posting_left": 0}}"#,
    );

pub const ITEMS_OF_DAY: Doc = Doc::of("Settlement", "List the items of a settlement, newest first")
    .query::<item::SettlementItemsQuery>()
    .lists_as::<CompleteList<item::View>>(ITEM, completeness::EXAMPLE)
    .refuses(&[Code::NotFound]);

/// A settlement that a user creates.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewSettlement")]
pub struct New {
    /// Store of the settlement.
    store_id: String,
    /// Business day of the settlement.
    business_date: Date,
    /// Whether to create the settlement although its day is not sealed.
    #[serde(default)]
    force: bool,
    /// Reason for the settlement. Required with `force`.
    reason: Option<String>,
}

/// Request body of an approval.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SettlementApproval")]
pub struct Approval {
    /// Note of the approver. Null for none.
    note: Option<String>,
}

/// `GET /api/settlements`
pub async fn list(request: Request) -> Answered {
    let ask: SettlementsQuery = request.query()?;
    // The settlements and what is complete are of one state of the database.
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let items = settlement::list(&mut read, &ask, after(&ask)?, one_more(ask.limit)).await?;
    let days = (ask.from.unwrap_or(BEGINNING), ask.to.unwrap_or(request.state.today(now)));
    let completeness = completeness::of(&mut *read, ask.store_id.as_deref(), days, now).await?;
    Ok(Reply::ok(&CompleteList::of(cut(&ask, items, settlement::place), completeness)))
}

/// `GET /api/settlements/:id`
pub async fn read(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    Ok(Reply::ok(&settlement::read(&mut connection, request.param("id")).await?))
}

/// `GET /api/settlements/:id/items`
pub async fn items_of_day(request: Request) -> Answered {
    let ask: item::SettlementItemsQuery = request.query()?;
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let found = settlement::find(&mut read, request.param("id")).await?;
    let (store_id, day) = (found.store_id.clone(), found.business_date);
    let (filter, today) = (ask.of_day(found.store_id, day), request.state.today(now));
    let items = item::list(&mut read, &filter, today, after(&ask)?, one_more(ask.limit)).await?;
    let completeness = completeness::of(&mut *read, Some(&store_id), (day, day), now).await?;
    Ok(Reply::ok(&CompleteList::of(cut(&ask, items, item::place), completeness)))
}

/// `GET /api/settlement-items`
pub async fn items(request: Request) -> Answered {
    let ask: item::ItemsQuery = request.query()?;
    // The items and what is complete are of one state of the database.
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let today = request.state.today(now);
    let items = item::list(&mut read, &ask, today, after(&ask)?, one_more(ask.limit)).await?;
    let days = (ask.from.unwrap_or(BEGINNING), ask.to.unwrap_or(today));
    let completeness = completeness::of(&mut *read, ask.store_id.as_deref(), days, now).await?;
    Ok(Reply::ok(&CompleteList::of(cut(&ask, items, item::place), completeness)))
}

/// `POST /api/settlements`
pub async fn make(request: Request) -> Answered {
    let new: New = request.json()?;
    if new.force || new.reason.is_some() {
        check_text("reason", new.reason.as_deref().unwrap_or_default())?;
    }
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let writer = Writer::alone(&mut keyed.write, &request, now).await?;
    writer.check_not_later("business_date", new.business_date)?;
    let settlement_id = made(&mut keyed.write, &new, now).await?;
    let detail = settlement::read(&mut keyed.write, &settlement_id).await?;
    let details = json!({"settlement_id": settlement_id, "store_id": new.store_id, "date": new.business_date,
        "reason": new.reason});
    let answer = Answer::created(format!("/api/settlements/{settlement_id}"), &detail);
    change::finish_audited(&request, keyed, ("settlement.made", details), answer).await
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

/// `POST /api/settlements/:id/match`
pub async fn rematch(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let today = Writer::alone(&mut keyed.write, &request, now).await?.today;
    let found = settlement::find(&mut keyed.write, request.param("id")).await?;
    for known in source::all(&mut keyed.write).await? {
        if known.state == source::State::Active {
            let locked = source::lock(&mut keyed.write, &known.source_id).await?;
            matching::run(&mut keyed.write, &locked, NewLines::default(), (now, today)).await?;
        }
    }
    let detail = settlement::read(&mut keyed.write, &found.settlement_id).await?;
    let details = json!({"settlement_id": found.settlement_id, "store_id": found.store_id});
    change::finish_audited(&request, keyed, ("settlement.matched", details), Answer::ok(&detail)).await
}

/// `POST /api/settlements/:id/approve`
pub async fn approve(request: Request) -> Answered {
    let asked: Approval = request.json()?;
    let (mut keyed, writer) = begun_alone!(request);
    let id = request.param("id");
    writer.approve_settlement(&mut keyed.write, id, asked.note.as_deref()).await?;
    let detail = settlement::read(&mut keyed.write, id).await?;
    let of = &detail.settlement;
    let details = json!({"settlement_id": id, "store_id": of.store_id, "date": of.business_date, "net": detail.net,
        "fee": detail.fee});
    change::finish_audited(&request, keyed, ("settlement.approved", details), Answer::ok(&detail)).await
}
