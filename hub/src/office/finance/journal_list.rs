//! The list of journal entries: for people the newest first, for programs in the order of their numbers.

use crate::db::failure::Failure;
use crate::http::filtered_list::FilteredList;
use crate::http::route::{FINANCE, answers};
use crate::http::{Answered, Request, change};
use crate::office::finance::finance_routes::{in_order, reported};
use crate::office::finance::journal::{self, Bookmark, Filter, Listed};
use crate::office::reports::completeness::{self, CompleteList};
use crate::state::hub::Hub;
use crate::table::hub;
use crate::table::journal::Kind;
use domain::model::base::currency::Currency;
use domain::rules::books::locked_days::BEGINNING;
use edge::csv::{self, Cell, Separator};
use edge::page::{Cursor, Limit, List};
use edge::{ApiError, Doc, Reply, Route, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;

pub const ROUTES: &[Route<Hub>] = &[Route::get("/api/finance/journal", FINANCE, JOURNAL, answers!(journal))];

pub const JOURNAL: Doc = Doc::of(
    "Finance",
    "List journal entries of all books, newest first; with `after_no` those of one book by number, lowest first. As CSV \
     the answer is one row for each line, and the header `X-Next-Cursor` has the cursor of the next page",
)
.query::<JournalQuery>()
.lists_as::<CompleteList<Listed>>(
    r#"{"entry_id": "jrn_5a6b7c8d9e0f5a6b7c8d9e0f5a6b7c8d", "entry_no": 1, "store_id": "S001",
            "entry_date": "2026-11-20", "reference_date": null, "kind": "event",
            "cause": {"type": "transaction", "id": "trx_1", "event_id": "evt_1"}, "cause_key": "evt_1",
            "group_id": null, "memo": "S001-main-00000001", "total": 169900, "reverses": null, "reversed_by": null,
            "created_by": null, "created_at": "2026-11-20T02:06:34.739Z"}"#,
    completeness::EXAMPLE,
)
.also(&["text/csv"])
.sends(&[("X-Next-Cursor", "NextCursor")]);

/// Parts that are added to each entry of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "JournalInclude")]
enum Include {
    /// Lines of each entry.
    Lines,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct JournalQuery {
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
    /// Only entries of this store's book. Empty for head office's own book.
    store_id: Option<String>,
    /// Only entries of head office's own book (true), or only entries of stores' books (false).
    head_office: Option<bool>,
    /// Only entries of this day in the books or later.
    from: Option<Date>,
    /// Only entries of this day in the books or earlier.
    to: Option<Date>,
    /// Only entries with a line on this account.
    account: Option<String>,
    /// Only entries of this origin.
    kind: Option<Kind>,
    /// Only entries of this document.
    cause_id: Option<String>,
    /// Only late entries, which belong to an earlier day than their day in the books (true), or only the others
    /// (false).
    late: Option<bool>,
    /// Only entries with a higher `entry_no` than this, lowest first; 0 for all. It needs `store_id`, because each book
    /// has its own numbers. Only `reversed_by` of an entry can change, so continue from the highest number that was
    /// read. The book must have an entry with this number.
    #[schemars(range(min = 0))]
    after_no: Option<i64>,
    /// `entry_id` of the entry with the number `after_no`, as it was read. The request is refused if the book has
    /// another entry with this number: then the hub was restored from a backup, and the number was used again.
    after_id: Option<String>,
    /// `lines`: each entry with its lines.
    include: Option<Include>,
    /// Delimiter of the cells of a CSV answer.
    #[serde(default)]
    separator: Separator,
}

impl JournalQuery {
    fn check(&self) -> Result<(), ApiError> {
        in_order(self.from, self.to)?;
        if self.after_no.is_some_and(|number| number < 0) {
            return Err(ApiError::invalid_query("after_no", "must be 0 or more"));
        }
        if self.after_no.is_some() && self.store_id.is_none() {
            return Err(ApiError::invalid_query("after_no", "needs store_id: each book has its own numbers"));
        }
        if self.after_id.is_some() && self.after_no.is_none_or(|number| number == 0) {
            return Err(ApiError::invalid_query("after_id", "needs after_no, the number of that entry"));
        }
        Ok(())
    }

    fn filter(&self) -> Filter {
        Filter {
            store_id: self.store_id.clone(),
            head_office: self.head_office,
            from: self.from,
            to: self.to,
            account: self.account.clone(),
            kind: self.kind,
            cause_id: self.cause_id.clone(),
            late: self.late,
            after_no: self.after_no,
        }
    }
}

/// `GET /api/finance/journal`
pub async fn journal(request: Request) -> Answered {
    let ask: JournalQuery = request.query()?;
    let list = FilteredList::of(&request)?;
    let before: Option<Bookmark> = list.after(ask.cursor.as_ref())?;
    ask.check()?;
    let limit = change::one_more(ask.limit);
    let (mut read, now) = (request.state.db.read().await?, clock::now());
    if let (Some(store_id), Some(number @ 1..)) = (&ask.store_id, ask.after_no) {
        check_place(&mut read, store_id, number, ask.after_id.as_deref()).await?;
    }
    let entries = journal::list(&mut read, &ask.filter(), before.as_ref(), limit).await?;
    let as_csv = csv::wanted(&request.headers);
    let items = if as_csv || ask.include == Some(Include::Lines) {
        journal::with_lines(&mut read, entries).await?
    } else {
        entries.into_iter().map(|entry| Listed { entry, lines: None }).collect()
    };
    let place = |Listed { entry, .. }: &Listed| (entry.entry_date, entry.store_id.clone(), entry.entry_no);
    let page = list.cut(items, ask.limit, place);
    if as_csv {
        return Ok(table(page, (ask.separator, hub::currency(&mut read).await?)));
    }
    let book = if ask.head_office == Some(true) { Some("") } else { ask.store_id.as_deref() };
    let days = (ask.from.unwrap_or(BEGINNING), ask.to.unwrap_or(request.state.today(now)));
    let completeness = reported(&mut read, book, days, now).await?;
    Ok(Reply::ok(&CompleteList::of(page, completeness)))
}

/// Refuses a place that this book does not have, or has for another entry.
///
/// # Errors
/// 400 `invalid_query`; the database's.
async fn check_place(
    connection: &mut AnyConnection,
    store_id: &str,
    number: i64,
    entry_id: Option<&str>,
) -> Result<(), Failure> {
    let found = journal::id_at(connection, store_id, number).await?;
    if found.is_some() && entry_id.is_none_or(|id| found.as_deref() == Some(id)) {
        return Ok(());
    }
    let what = if found.is_some() { "another entry" } else { "no entry" };
    let problem = format!(
        "is {number}, and the book has {what} with this number: check the number and the store. If the entry was read before, the hub was restored from a backup: read this book again with after_no=0"
    );
    Err(ApiError::invalid_query("after_no", problem).into())
}

/// Columns of the CSV answer.
const COLUMNS: [&str; 15] = [
    "store_id",
    "entry_no",
    "entry_date",
    "line_no",
    "account",
    "debit",
    "credit",
    "memo",
    "kind",
    "reference_date",
    "cause_type",
    "cause_id",
    "reverses",
    "entry_id",
    "created_at",
];

/// The entries of a page as CSV, one row for each line.
fn table(page: List<Listed>, (separator, currency): (Separator, Currency)) -> Reply {
    let mut text = csv::Table::new(separator, currency, COLUMNS);
    for Listed { entry, lines } in &page.items {
        let (date, created_at) = (entry.entry_date.to_string(), entry.created_at.to_string());
        let reference_date = entry.reference_date.map(|day| day.to_string());
        for line in lines.iter().flatten() {
            text.line([
                Cell::Text(&entry.store_id),
                Cell::Number(entry.entry_no),
                Cell::Text(&date),
                Cell::Number(line.line_no),
                Cell::Text(&line.account),
                Cell::Amount(line.debit),
                Cell::Amount(line.credit),
                entry.memo.as_deref().into(),
                Cell::Text(entry.kind.name()),
                reference_date.as_deref().into(),
                Cell::Text(&entry.cause.kind),
                Cell::Text(&entry.cause.id),
                entry.reverses.as_deref().into(),
                Cell::Text(&entry.entry_id),
                Cell::Text(&created_at),
            ]);
        }
    }
    let header = ("x-next-cursor", page.next_cursor.unwrap_or_default());
    Reply::WithHeader { content_type: csv::CONTENT_TYPE, header, body: text.finish() }
}
