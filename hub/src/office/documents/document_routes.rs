//! Documents as stores reported them, for tracing a figure to its source.

use crate::http::change::one_more;
use crate::http::filtered_list::FilteredList;
use crate::http::route::{FINANCE, answers};
use crate::http::{Answered, Request};
use crate::office::documents::day::{self, DaysQuery};
use crate::office::documents::deposit::{self, DepositsQuery};
use crate::office::documents::entries::OfStore;
use crate::office::documents::return_document::{self, ReturnsQuery};
use crate::office::documents::return_parts;
use crate::office::documents::sale_parts;
use crate::office::documents::shift::{self, ShiftsQuery};
use crate::office::documents::transaction::{self, TransactionsQuery};
use crate::office::reports::completeness::{CompleteList, EXAMPLE};
use crate::state::hub::Hub;
use edge::page::List;
use edge::{ApiError, Doc, Reply, Route, clock};

pub const ROUTES: &[Route<Hub>] = &[
    Route::get("/api/transactions", FINANCE, TRANSACTIONS, answers!(transactions)),
    Route::get("/api/transactions/:id", FINANCE, TRANSACTION, answers!(transaction)),
    Route::get("/api/returns", FINANCE, RETURNS, answers!(returns)),
    Route::get("/api/returns/:id", FINANCE, RETURN, answers!(return_document)),
    Route::get("/api/shifts", FINANCE, SHIFTS, answers!(shifts)),
    Route::get("/api/shifts/:id", FINANCE, SHIFT, answers!(shift)),
    Route::get("/api/days", FINANCE, DAYS, answers!(days)),
    Route::get("/api/days/:store_id/:date", FINANCE, DAY, answers!(day)),
    Route::get("/api/deposits", FINANCE, DEPOSITS, answers!(deposits)),
];

const GROUP: &str = "Documents of stores";

pub const TRANSACTIONS: Doc = Doc::of(GROUP, "List sales of all stores, newest first, or by change")
    .query::<TransactionsQuery>()
    .lists_as::<CompleteList<sale_parts::Listed>>(
        r#"{"transaction_id": "trx_019aa0c2d0f37c0f8a8a5d3c54a1b2c3", "receipt_no": "S001-till-1-00000042",
            "state": "paid", "business_date": "2026-11-20", "store_id": "S001", "event_id": "evt_019aa0c2d2c5",
            "register_id": "till-1", "shift_id": "shf_019aa0b1f6e2", "cashier_id": "usr_019a9f00a1b2",
            "member_id": null, "items_count": 2, "subtotal": 30000, "discount": 1000, "tax": 3190, "rounding": 0,
            "total": 32190, "paid_at": "2026-11-20T02:06:34.739Z",
            "updated_at": "2026-11-20T02:06:35.102Z"}"#,
        EXAMPLE,
    );
pub const TRANSACTION: Doc =
    Doc::of(GROUP, "Retrieve a sale as last reported by its store, and its state in the books")
        .query::<OfStore>()
        .answers::<transaction::Detail>(include_str!("examples/transaction.json"));
pub const RETURNS: Doc = Doc::of(GROUP, "List returns of all stores, newest first, or by change")
    .query::<ReturnsQuery>()
    .lists_as::<CompleteList<return_parts::Listed>>(
    r#"{"return_id": "ret_019aa0c2d0f37c0f8a8a5d3c54a1b2c5", "receipt_no": "S001-till-1-00000043",
            "state": "posted", "transaction_id": "trx_019aa0c2d0f37c0f8a8a5d3c54a1b2c3", "origin_receipt_no": null,
            "store_id": "S001", "event_id": "evt_019aa0c2d2c6", "shift_id": "shf_019aa0b1f6e2",
            "cashier_id": "usr_019a9f00a1b2", "member_id": null, "business_date": "2026-11-20", "refund_total": 16095,
            "rounding": 0, "tax": 1595, "created_at": "2026-11-20T03:06:10.120Z",
            "updated_at": "2026-11-20T03:06:10.480Z"}"#,
    EXAMPLE,
);
pub const RETURN: Doc =
    Doc::of(GROUP, "Retrieve a return as last reported by its store, and its state in the books")
        .query::<OfStore>()
        .answers::<return_document::Detail>(include_str!("examples/return.json"));
pub const SHIFTS: Doc = Doc::of(GROUP, "List shifts of all stores, newest first, or by change")
    .query::<ShiftsQuery>()
    .lists_as::<CompleteList<shift::View>>(include_str!("examples/shift_listed.json"), EXAMPLE);
pub const SHIFT: Doc =
    Doc::of(GROUP, "Retrieve a shift as last reported by its store, and its state in the books")
        .query::<OfStore>()
        .answers::<shift::Detail>(include_str!("examples/shift.json"));
const DAY_EXAMPLE: &str = r#"{"store_id": "S001", "business_date": "2026-11-20", "sealed_at": null, "shifts_open": 1,
    "shifts_closed": 0, "digest": {"result": "match", "compared_at": "2026-11-20T03:06:10.120Z"}, "sales_count": 1,
    "items_count": 2, "gross_sales": 30000, "discounts": 1000, "tax": 3190, "total": 32190, "rounding": 0,
    "returns_count": 0, "returns_total": 0, "returns_rounding": 0, "net_total": 32190,
    "completeness": {"stores_expected": 1, "stores_complete": 1, "missing": [],
            "as_of": "2026-11-21T02:06:34.739Z"}}"#;
pub const DAYS: Doc = Doc::of(GROUP, "List business days of all stores, newest first")
    .query::<DaysQuery>()
    .lists::<day::View>(DAY_EXAMPLE);
pub const DAY: Doc = Doc::of(GROUP, "Retrieve a store's business day").answers::<day::View>(DAY_EXAMPLE);
pub const DEPOSITS: Doc = Doc::of(GROUP, "List bank deposits of all stores, newest first")
    .query::<DepositsQuery>()
    .lists_as::<CompleteList<deposit::View>>(
        r#"{"deposit_id": "csh_019aa0d3e2b58c6d", "store_id": "S001", "event_id": "evt_019aa0c2d2c7",
            "amount": 1500000, "reverses": null, "bag_no": "B-17", "bank_account": "BCA 123",
            "deposited_at": "2026-11-20T10:00:00.000Z", "business_date": "2026-11-20", "state": "banked",
            "banked": 1499000, "difference": 1000, "statement_line": "sln_019aa0d3e2b58c6d"}"#,
        EXAMPLE,
    );

/// `GET /api/transactions`
pub async fn transactions(request: Request) -> Answered {
    let ask: TransactionsQuery = request.query()?;
    let list = FilteredList::of(&request)?;
    // The list and its completeness are read from one state of the database, here and below.
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let items =
        transaction::list(&mut read, &ask, list.after(ask.cursor.as_ref())?, one_more(ask.limit)).await?;
    let List { items, next_cursor } = list.cut(items, ask.limit, transaction::place);
    let page = List { items: sale_parts::with(&mut read, items, ask.include).await?, next_cursor };
    let days = (ask.store_id.as_deref(), ask.from, ask.to);
    Ok(Reply::ok(&CompleteList::of_days(page, &mut read, days, (request.state.today(now), now)).await?))
}

/// `GET /api/transactions/:id`
pub async fn transaction(request: Request) -> Answered {
    let (of, pool): (OfStore, _) = (request.query()?, request.state.db.pool());
    let found = transaction::read(pool, request.param("id"), &of).await?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("the sale"))?.detail()))
}

/// `GET /api/returns`
pub async fn returns(request: Request) -> Answered {
    let ask: ReturnsQuery = request.query()?;
    let list = FilteredList::of(&request)?;
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let items =
        return_document::list(&mut read, &ask, list.after(ask.cursor.as_ref())?, one_more(ask.limit)).await?;
    let List { items, next_cursor } = list.cut(items, ask.limit, return_document::place);
    let page = List { items: return_parts::with(&mut read, items, ask.include).await?, next_cursor };
    let days = (ask.store_id.as_deref(), ask.from, ask.to);
    Ok(Reply::ok(&CompleteList::of_days(page, &mut read, days, (request.state.today(now), now)).await?))
}

/// `GET /api/returns/:id`
pub async fn return_document(request: Request) -> Answered {
    let (of, pool): (OfStore, _) = (request.query()?, request.state.db.pool());
    let found = return_document::read(pool, request.param("id"), &of).await?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("the return"))?.detail()))
}

/// `GET /api/shifts`
pub async fn shifts(request: Request) -> Answered {
    let ask: ShiftsQuery = request.query()?;
    let list = FilteredList::of(&request)?;
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let items = shift::list(&mut read, &ask, list.after(ask.cursor.as_ref())?, one_more(ask.limit)).await?;
    let List { items, next_cursor } = list.cut(items, ask.limit, shift::place);
    let page = List { items: items.iter().map(shift::StoreShift::view).collect(), next_cursor };
    let days = (ask.store_id.as_deref(), ask.from, ask.to);
    Ok(Reply::ok(&CompleteList::of_days(page, &mut read, days, (request.state.today(now), now)).await?))
}

/// `GET /api/shifts/:id`
pub async fn shift(request: Request) -> Answered {
    let (of, pool): (OfStore, _) = (request.query()?, request.state.db.pool());
    let found = shift::read(pool, request.param("id"), &of).await?;
    let (shift, entries) = found.ok_or_else(|| ApiError::not_found("the shift"))?;
    Ok(Reply::ok(&shift.detail(entries)))
}

/// `GET /api/days`
pub async fn days(request: Request) -> Answered {
    let (ask, pool): (DaysQuery, _) = (request.query()?, request.state.db.pool());
    let list = FilteredList::of(&request)?;
    let items = day::list(pool, &ask, list.after(ask.cursor.as_ref())?, one_more(ask.limit)).await?;
    let List { items, next_cursor } = list.cut(items, ask.limit, day::place);
    let items = day::with_figures(pool, items, clock::now()).await?;
    Ok(Reply::ok(&List { items, next_cursor }))
}

/// `GET /api/days/:store_id/:date`
pub async fn day(request: Request) -> Answered {
    let missing = || ApiError::not_found("the day");
    let (store_id, date) = (request.param("store_id"), request.param("date"));
    let (date, pool) = (date.parse().map_err(|_| missing())?, request.state.db.pool());
    let found = day::read(pool, store_id, date).await?;
    let found = day::with_figures(pool, found.into_iter().collect(), clock::now()).await?;
    Ok(Reply::ok(found.first().ok_or_else(missing)?))
}

/// `GET /api/deposits`
pub async fn deposits(request: Request) -> Answered {
    let ask: DepositsQuery = request.query()?;
    let list = FilteredList::of(&request)?;
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    let items = deposit::list(&mut read, &ask, list.after(ask.cursor.as_ref())?, one_more(ask.limit)).await?;
    let (page, days) =
        (list.cut(items, ask.limit, deposit::place), (ask.store_id.as_deref(), ask.from, ask.to));
    Ok(Reply::ok(&CompleteList::of_days(page, &mut read, days, (request.state.today(now), now)).await?))
}
