//! Entries of the books as head office reads them, down to the document as the store reported it.

use crate::columns;
use crate::db::column::Columns;
use crate::db::document::decode;
use crate::db::filter::Conditions;
use crate::projection::members::own_expiry;
use crate::table::journal::Kind;
use crate::table::record::text;
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use domain::wire::record::Record;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::BTreeMap;

/// An entry without its lines.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "JournalEntry")]
pub struct View {
    /// ID of the entry, `jrn_…`.
    pub entry_id: String,
    /// Number of the entry, from 1 in each book, without a gap.
    pub entry_no: i64,
    /// Store that the book belongs to. Empty for head office's own book.
    pub store_id: String,
    /// Day of the entry in the books.
    pub entry_date: Date,
    /// Day that the entry belongs to. Null if it is `entry_date`.
    pub reference_date: Option<Date>,
    /// Origin of the entry.
    pub kind: Kind,
    /// Document or event that the entry comes from.
    pub cause: Cause,
    /// Unique key of the event or document that caused the entry; each key has one entry per book.
    pub cause_key: String,
    /// ID shared by the entries of several books that a user wrote as one. Null for all other entries.
    pub group_id: Option<String>,
    /// Text of the entry, such as a receipt number, a bag number or a reason. Null if there is none.
    pub memo: Option<String>,
    /// Sum of the debits, which equals the sum of the credits, in minor currency units.
    pub total: Money,
    /// ID of the entry that it reverses. Null if it is not a reversal.
    pub reverses: Option<String>,
    /// ID of the entry that reverses it. Null if it was not reversed.
    pub reversed_by: Option<String>,
    /// User who wrote the entry. Null if it was posted automatically.
    pub created_by: Option<String>,
    /// When the entry was created.
    pub created_at: UtcMs,
}

/// Document or event that an entry comes from.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EntryCause")]
pub struct Cause {
    /// Type of the document: `transaction`, `return`, `shift`, `cash_movement`, `deposit`, `receiving`,
    /// `supplier_return`, `transfer`, `adjustment`, `opname` or `stock`; for head office `manual`, `opening`, `entry`
    /// or `month`.
    #[serde(rename = "type")]
    pub kind: String,
    /// ID of the document.
    pub id: String,
    /// ID of the store's event. Null for an entry of head office.
    pub event_id: Option<String>,
}

/// An entry with its lines.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "JournalEntryWithLines")]
pub struct Whole {
    /// The entry without its lines.
    #[serde(flatten)]
    pub entry: View,
    /// Lines of the entry, ordered by account.
    pub lines: Vec<Line>,
    /// Figures of the document as the store reported them. Null for an entry of head office.
    #[schemars(with = "Option<Map<String, Value>>")]
    pub source: Option<Value>,
}

/// A line of an entry. Exactly one of `debit` and `credit` is above 0.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "JournalLine")]
pub struct Line {
    /// Line number, from 1.
    pub line_no: i64,
    /// Account number.
    pub account: String,
    /// Debit amount in minor currency units.
    pub debit: Money,
    /// Credit amount in minor currency units.
    pub credit: Money,
}

/// An entry in the list, with its lines if `include` asks for them.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListedJournalEntry")]
pub struct Listed {
    /// The entry.
    #[serde(flatten)]
    pub entry: View,
    /// Lines of the entry, ordered by account. Only with `include=lines`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<Line>>,
}

/// Filters of the list of entries.
#[derive(Default)]
pub struct Filter {
    /// Only entries of this book.
    pub store_id: Option<String>,
    /// Only entries of head office's own book (true), or only entries of stores' books (false).
    pub head_office: Option<bool>,
    /// Only entries of this day in the books or later.
    pub from: Option<Date>,
    /// Only entries of this day in the books or earlier.
    pub to: Option<Date>,
    /// Only entries with a line on this account.
    pub account: Option<String>,
    /// Only entries of this origin.
    pub kind: Option<Kind>,
    /// Only entries of this document.
    pub cause_id: Option<String>,
    /// Late entries only, or all others.
    pub late: Option<bool>,
    /// Only entries of the book with a higher number than this, by number, lowest first.
    pub after_no: Option<i64>,
}

/// Position of a page: the day, book and number of the last item before it.
pub type Bookmark = (Date, String, i64);

const COLUMNS: &str = "entry_id, entry_no, store_id, entry_date, reference_date, kind, cause_type, cause_id, event_id, \
                       cause_key, group_id, memo, debit_total, reverses, created_by, created_at, \
                       (SELECT MIN(r.entry_id) FROM journal r WHERE r.reverses = journal.entry_id \
                       AND r.store_id = journal.store_id) AS reversed_by";

fn view(row: &AnyRow) -> Result<View, sqlx::Error> {
    let cause = columns!(row => Cause { kind: "cause_type", id: "cause_id", event_id });
    Ok(columns!(row => View {
        entry_id, entry_no, store_id, entry_date, reference_date, kind, cause_key, group_id, memo, total: "debit_total",
        reverses, reversed_by, created_by, created_at;
        cause = cause,
    }))
}

/// ID of the entry with a number of a book. `None` if the book has none.
pub async fn id_at(
    connection: &mut AnyConnection,
    store_id: &str,
    entry_no: i64,
) -> Result<Option<String>, sqlx::Error> {
    let sql = "SELECT entry_id FROM journal WHERE store_id = $1 AND entry_no = $2";
    sqlx::query_scalar(sql).bind(store_id).bind(entry_no).fetch_optional(connection).await
}

/// The latest first, after a place; with `after_no` in the order of the numbers of a book.
pub async fn list(
    connection: &mut AnyConnection,
    filter: &Filter,
    before: Option<&Bookmark>,
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let day = |day: Option<Date>| day.map(|day| day.to_string());
    // A date and a number need no quoting.
    let beyond = before.map(|(date, _, number)| match filter.after_no {
        Some(_) => format!("store_id = ? AND entry_no > {number}"),
        None => format!("(entry_date, store_id, entry_no) < ('{date}', ?, {number})"),
    });
    let beyond = beyond.unwrap_or_default();
    let conditions = Conditions::default()
        .text("store_id = ?", filter.store_id.as_deref())
        .plain("store_id = ''", filter.head_office == Some(true))
        .plain("store_id <> ''", filter.head_office == Some(false))
        .text("entry_date >= ?", day(filter.from).as_deref())
        .text("entry_date <= ?", day(filter.to).as_deref())
        .text(
            "EXISTS (SELECT 1 FROM journal_lines l WHERE l.store_id = journal.store_id \
             AND l.entry_no = journal.entry_no AND l.account = ?)",
            filter.account.as_deref(),
        )
        .text("kind = ?", filter.kind.map(Kind::name))
        // Said to the planner: the index of kinds leaves events out.
        .plain("kind <> 'event'", filter.kind.is_some_and(|kind| kind != Kind::Event))
        .text("cause_id = ?", filter.cause_id.as_deref())
        .plain("reference_date IS NOT NULL", filter.late == Some(true))
        .plain("reference_date IS NULL", filter.late == Some(false))
        .number("entry_no > ?", filter.after_no)
        .text(&beyond, before.map(|(_, book, _)| book.as_str()));
    let order = match filter.after_no {
        Some(_) => "store_id, entry_no",
        None => "entry_date DESC, store_id DESC, entry_no DESC",
    };
    let sql = format!("SELECT {COLUMNS} FROM journal WHERE {{}} ORDER BY {order} LIMIT {limit}");
    conditions.query(&sql).fetch_all(connection).await?.iter().map(view).collect()
}

/// The lines of entries, one statement for each book.
pub async fn with_lines(
    connection: &mut AnyConnection,
    entries: Vec<View>,
) -> Result<Vec<Listed>, sqlx::Error> {
    let mut numbers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for entry in &entries {
        numbers.entry(&entry.store_id).or_default().push(entry.entry_no.to_string());
    }
    let mut lines: BTreeMap<(String, i64), Vec<Line>> = BTreeMap::new();
    for (book, numbers) in numbers {
        let sql = format!(
            "SELECT entry_no, line_no, account, debit, credit FROM journal_lines \
             WHERE store_id = $1 AND entry_no IN ({}) ORDER BY entry_no, line_no",
            numbers.join(", ")
        );
        for row in sqlx::query(AssertSqlSafe(sql)).bind(book).fetch_all(&mut *connection).await? {
            lines.entry((book.to_owned(), row.cell("entry_no")?)).or_default().push(line(&row)?);
        }
    }
    let listed = |entry: View| {
        let lines = lines.remove(&(entry.store_id.clone(), entry.entry_no));
        Listed { entry, lines: Some(lines.unwrap_or_default()) }
    };
    Ok(entries.into_iter().map(listed).collect())
}

fn line(row: &AnyRow) -> Result<Line, sqlx::Error> {
    Ok(columns!(row => Line { line_no, account, debit, credit }))
}

/// One entry with its lines, and its document as the store reported it.
pub async fn read(connection: &mut AnyConnection, entry_id: &str) -> Result<Option<Whole>, sqlx::Error> {
    let sql = format!("SELECT {COLUMNS}, cause_store_id FROM journal WHERE entry_id = $1 LIMIT 1");
    let row = sqlx::query(AssertSqlSafe(sql)).bind(entry_id).fetch_optional(&mut *connection).await?;
    let Some(row) = row else { return Ok(None) };
    let (entry, teller) = (view(&row)?, row.cell::<String>("cause_store_id")?);
    let sql = "SELECT line_no, account, debit, credit FROM journal_lines WHERE store_id = $1 AND entry_no = $2 \
               ORDER BY line_no";
    let rows =
        sqlx::query(sql).bind(&entry.store_id).bind(entry.entry_no).fetch_all(&mut *connection).await?;
    let lines = rows.iter().map(line).collect::<Result<_, sqlx::Error>>()?;
    let source = match &entry.cause.event_id {
        Some(event_id) => source(connection, &teller, event_id).await?,
        None => None,
    };
    Ok(Some(Whole { entry, lines, source }))
}

async fn source(
    connection: &mut AnyConnection,
    store_id: &str,
    event_id: &str,
) -> Result<Option<Value>, sqlx::Error> {
    if store_id.is_empty() {
        let own = own_expiry::read(connection, event_id).await?;
        return Ok(own.and_then(|event| serde_json::to_value(event.payload).ok()));
    }
    let sql = "SELECT r.record, r.encoding FROM events e JOIN records r ON r.store_id = e.store_id \
               AND r.epoch = e.epoch AND r.seq = e.seq WHERE e.store_id = $1 AND e.event_id = $2";
    let row = sqlx::query(sql).bind(store_id).bind(event_id).fetch_one(connection).await?;
    let record: Record<Value> = decode(&text(&row)?)?;
    Ok(Some(record.payload))
}
