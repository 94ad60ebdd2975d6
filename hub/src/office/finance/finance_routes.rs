//! The books of stores: accounts, entries, balances.

use crate::http::change;
use crate::http::csv_rows::{self, Table};
use crate::http::route::{FINANCE, answers};
use crate::http::{Answered, Request};
use crate::office::finance::account::Chart;
use crate::office::finance::account_entries;
use crate::office::finance::journal;
use crate::office::finance::trial_balance::{self, Line};
use crate::office::reports::completeness::{self, Completeness};
use crate::state::hub::Hub;
use crate::table::hub;
use domain::model::base::figures::Money;
use domain::model::base::money::shown_sum;
use domain::model::base::time::UtcMs;
use domain::rules::books::locked_days::BEGINNING;
use edge::csv::{self, Separator};
use edge::page::{Cursor, Limit, List};
use edge::{ApiError, Code, Doc, Reply, Route, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::AnyConnection;

pub const ROUTES: &[Route<Hub>] = &[
    Route::get("/api/finance/accounts/:account/entries", FINANCE, ACCOUNT_ENTRIES, answers!(account_entries)),
    Route::get("/api/finance/journal/:entry_id", FINANCE, ENTRY, answers!(entry)),
    Route::get("/api/finance/trial-balance", FINANCE, TRIAL_BALANCE, answers!(trial_balance)),
];

pub const ACCOUNT_ENTRIES: Doc =
    Doc::of("Finance", "List entries of an account, oldest first, each with the running balance")
        .query::<EntriesQuery>()
        .answers::<AccountEntries>(
            r#"{"opening_balance": 0, "closing_balance": 50000, "items": [
                {"entry_id": "jrn_5a6b7c8d9e0f5a6b7c8d9e0f5a6b7c8d", "entry_no": 1, "line_no": 1, "store_id": "S001",
                "entry_date": "2026-11-20", "reference_date": null, "kind": "event", "memo": "change",
                "debit": 50000, "credit": 0, "balance": 50000}], "next_cursor": null,
                "completeness": {"stores_expected": 1, "stores_complete": 1, "missing": [],
                "as_of": "2026-11-21T02:06:34.739Z"}}"#,
        )
        .refuses(&[Code::ValidationFailed]);
pub const ENTRY: Doc =
    Doc::of("Finance", "Retrieve a journal entry, with its lines and its source document")
        .answers::<journal::Whole>(
            r#"{"entry_id": "jrn_5a6b7c8d9e0f5a6b7c8d9e0f5a6b7c8d", "entry_no": 1, "store_id": "S001",
            "entry_date": "2026-11-20", "reference_date": null, "kind": "event",
            "cause": {"type": "cash_movement", "id": "csh_1", "event_id": "evt_1"}, "cause_key": "evt_1",
            "group_id": null, "memo": "parking", "total": 15000, "reverses": null, "reversed_by": null, "created_by": null,
            "created_at": "2026-11-20T02:06:34.739Z",
            "lines": [{"line_no": 1, "account": "1010", "debit": 0, "credit": 15000},
                {"line_no": 2, "account": "6050", "debit": 15000, "credit": 0}],
            "source": {"business_date": "2026-11-20", "movement": {"cash_id": "csh_1", "amount": 15000}}}"#,
        );
pub const TRIAL_BALANCE: Doc =
    Doc::of("Finance", "Report account balances at the end of a day, for the company or for one book")
        .query::<BalanceQuery>()
        .answers::<TrialBalance>(
            r#"{"date": "2026-11-20", "items": [
            {"account": "1010", "name": "Cash in tills", "debit": 50000, "credit": 0, "opening_debit": null,
                "opening_credit": null, "moved_debit": null, "moved_credit": null},
            {"account": "7010", "name": "Other income", "debit": 0, "credit": 50000, "opening_debit": null,
                "opening_credit": null, "moved_debit": null, "moved_credit": null}],
            "total_debit": 50000, "total_credit": 50000,
            "completeness": {"stores_expected": 1, "stores_complete": 1, "missing": [],
            "as_of": "2026-11-21T02:06:34.739Z"}}"#,
        )
        .also(&["text/csv"])
        .sends(&[("X-Completeness", "Completeness")])
        .refuses(&[Code::ValidationFailed]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AccountEntriesQuery")]
struct EntriesQuery {
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
    /// Store of the book. Empty for head office's own book; omitted for all books.
    store_id: Option<String>,
    /// Only entries of this day in the books or later.
    from: Option<Date>,
    /// Only entries of this day in the books or earlier.
    to: Option<Date>,
}

/// Entries of an account with its balances.
#[derive(Serialize, JsonSchema)]
struct AccountEntries {
    /// Balance before the first day, in minor currency units; debit is positive.
    opening_balance: Money,
    /// Balance after the last of these entries, in minor currency units; debit is positive.
    closing_balance: Money,
    /// Entries, oldest first.
    items: Vec<account_entries::View>,
    /// Cursor of the next page. Null on the last page.
    next_cursor: Option<String>,
    /// Completeness: which stores have reported all their records up to the last day.
    completeness: Completeness,
}

/// `GET /api/finance/accounts/:account/entries`
pub async fn account_entries(request: Request) -> Answered {
    let EntriesQuery { limit, cursor, store_id, from, to } = request.query()?;
    in_order(from, to)?;
    // The account's balance and its entries are read from one state.
    let mut read = request.state.db.read().await?;
    let chart = Chart::read(&mut read).await?;
    let account = chart.get(request.param("account")).map(|known| known.account.clone());
    let account = account.ok_or_else(|| ApiError::not_found("the account"))?;
    // A position in one account's entries is not valid in another's, nor among other days: the balance continues from
    // it.
    let list = (account.as_str(), store_id.as_deref(), from, to);
    let after: Option<(account_entries::Bookmark, Value)> = cursor.as_ref().map(Cursor::read).transpose()?;
    if after.as_ref().is_some_and(|(_, of)| *of != json!(list)) {
        return Err(ApiError::invalid_cursor().into());
    }
    let after = after.map(|(place, _)| place);
    let ask = account_entries::EntriesFilter { account: &account, from, to, book: store_id.as_deref() };
    let opening_balance = match from {
        Some(from) => ask.balance(&mut read, Some(from)).await?,
        None => Money::ZERO,
    };
    let closing_balance = ask.balance(&mut read, to.and_then(|to| to.tomorrow().ok())).await?;
    let before = after.as_ref().map_or(opening_balance, |(.., balance)| *balance);
    let items = ask.entries(&mut read, (after.as_ref(), before), change::one_more(limit)).await?;
    let place = |item: &account_entries::View| {
        ((item.entry_date, item.store_id.clone(), (item.entry_no, item.line_no), item.balance), list)
    };
    let List { items, next_cursor } = List::cut(items, limit, place);
    let now = clock::now();
    // The balance of an account covers all days until then.
    let days = (BEGINNING, to.unwrap_or(request.state.today(now)));
    let completeness = reported(&mut read, store_id.as_deref(), days, now).await?;
    Ok(Reply::ok(&AccountEntries { opening_balance, closing_balance, items, next_cursor, completeness }))
}

/// Completeness of these days of a book. Head office's own book waits for no store.
pub async fn reported(
    read: &mut AnyConnection,
    book: Option<&str>,
    days: (Date, Date),
    now: UtcMs,
) -> Result<Completeness, sqlx::Error> {
    if book == Some("") {
        return Ok(Completeness::of_no_store(now));
    }
    completeness::of(read, book, days, now).await
}

/// Checks that the last day is not before the first.
///
/// # Errors
/// 400 `invalid_query`.
pub fn in_order(from: Option<Date>, to: Option<Date>) -> Result<(), ApiError> {
    match (from, to) {
        (Some(from), Some(to)) if from > to => Err(ApiError::invalid_query("from", "must not be after to")),
        _ => Ok(()),
    }
}

/// `GET /api/finance/journal/:entry_id`
pub async fn entry(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    let entry = journal::read(&mut connection, request.param("entry_id")).await?;
    Ok(Reply::ok(&entry.ok_or_else(|| ApiError::not_found("the entry"))?))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TrialBalanceQuery")]
struct BalanceQuery {
    /// Day at whose end the balances are reported.
    date: Date,
    /// Store of the book. Empty for head office's own book; omitted for the whole company.
    store_id: Option<String>,
    /// Only head office's own book.
    #[serde(default)]
    head_office: bool,
    /// First day of the movements. If it is omitted, no movements are reported.
    from: Option<Date>,
    /// Delimiter of the cells of a CSV answer.
    #[serde(default)]
    separator: Separator,
}

/// Balances of all accounts at the end of a day.
#[derive(Serialize, JsonSchema)]
struct TrialBalance {
    /// Day at whose end the balances are reported.
    date: Date,
    /// Balances, ordered by account.
    items: Vec<Line>,
    /// Sum of the debit balances, in minor currency units.
    total_debit: Money,
    /// Sum of the credit balances, in minor currency units.
    total_credit: Money,
    /// Completeness: which stores have reported all their records up to that day.
    completeness: Completeness,
}

/// Columns of the CSV answer.
const TABLE: Table = Table {
    names: &[
        "account",
        "name",
        "debit",
        "credit",
        "opening_debit",
        "opening_credit",
        "moved_debit",
        "moved_credit",
    ],
    numbers: &[],
};

/// `GET /api/finance/trial-balance`
pub async fn trial_balance(request: Request) -> Answered {
    let BalanceQuery { date, store_id, head_office, from, separator } = request.query()?;
    if head_office && store_id.as_ref().is_some_and(|id| !id.is_empty()) {
        return Err(ApiError::invalid_query("head_office", "can't be combined with store_id").into());
    }
    if from.is_some_and(|from| from > date) {
        return Err(ApiError::invalid_query("from", "must not be after date").into());
    }
    let book = if head_office { Some("") } else { store_id.as_deref() };
    // The balances and the completeness are read from one state of the database.
    let mut read = request.state.db.read().await?;
    let chart = Chart::read(&mut read).await?;
    let ask = trial_balance::BalanceFilter { date, from, book };
    let items = trial_balance::rows(&mut read, &chart, &ask).await?;
    let sum = |of: fn(&Line) -> Money| shown_sum(items.iter().map(of));
    let completeness = reported(&mut read, book, (BEGINNING, date), clock::now()).await?;
    if csv::wanted(&request.headers) {
        let form = (separator, hub::currency(&mut read).await?);
        return Ok(csv_rows::reply(&TABLE, &items, form, csv_rows::completeness(completeness.line())));
    }
    let (total_debit, total_credit) = (sum(|line| line.debit), sum(|line| line.credit));
    Ok(Reply::ok(&TrialBalance { date, items, total_debit, total_credit, completeness }))
}
