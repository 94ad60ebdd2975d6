//! Exports of the journal for accounting programs: each entry is in exactly one, by its book and number.

use crate::columns;
use crate::db::document::{decode, encode};
use crate::db::failure::Failure;
use crate::office::finance::account::Chart;
use crate::office::finance::locking::BOOKS_MAX;
use crate::table::counter::{Turn, take_turn};
use domain::model::base::figures::Money;
use domain::model::base::limits::SHORT_ID_BYTES_MAX;
use domain::model::base::money::sum;
use domain::model::base::time::UtcMs;
use edge::{ApiError, ids};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::{AnyConnection, AnyPool};
use std::collections::BTreeSet;

/// Longest name of a tax rate, in characters.
const TAX_RATE_CHARS_MAX: usize = 64;
/// Fewest lines of a file: those of the smallest entry.
const LINES_MIN: i64 = 2;
/// Most lines of a file, whatever program reads it.
const LINES_MAX: i64 = 10_000;

/// Program that reads the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "JournalExportFormat")]
pub enum Format {
    /// All fields of the journal, one row for each line.
    Csv,
    /// Journal entries for QuickBooks Online, which finds accounts by their names.
    Quickbooks,
    /// Manual journals for Xero.
    Xero,
}

impl Format {
    /// Most lines that the program reads from one file.
    const fn lines_max(self) -> i64 {
        match self {
            Self::Csv => LINES_MAX,
            Self::Quickbooks => 1_000,
            Self::Xero => 300,
        }
    }
}

/// Request body of `POST /api/finance/exports`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewJournalExport")]
pub struct New {
    /// Program that reads the file.
    format: Format,
    /// Books whose entries are exported: IDs of stores, and an empty text for head office's own book. Omitted for all
    /// books.
    #[schemars(length(min = 1, max = BOOKS_MAX), inner(length(max = SHORT_ID_BYTES_MAX)))]
    store_ids: Option<Vec<String>>,
    /// Name of a tax rate in the accounting program, written in each line. Required for Xero, and not allowed for
    /// others.
    #[schemars(length(min = 1, max = TAX_RATE_CHARS_MAX))]
    tax_rate_name: Option<String>,
    /// Most lines of the file. Defaults to what the program reads: 10000 (`csv`), 1000 (`quickbooks`) or 300 (`xero`),
    /// which are also the largest values. An entry is never split, so an entry with more lines is exported alone.
    #[schemars(range(min = LINES_MIN, max = LINES_MAX))]
    lines_max: Option<i64>,
}

/// Entries of a book in an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ExportedBook")]
pub struct Span {
    /// Store that the book belongs to. Empty for head office's own book.
    pub store_id: String,
    /// Number of the first entry.
    pub from_no: i64,
    /// Number of the last entry.
    pub to_no: i64,
}

/// An account with lines in an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExportedAccount {
    /// Account number.
    pub account: String,
    /// Name of the account.
    pub name: String,
    /// Code of the account in the accounting program. Null if it has none.
    pub export_code: Option<String>,
}

/// An export of the journal. It never changes, and neither does its file.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "JournalExport")]
pub struct Export {
    /// ID of the export, `jex_…`.
    pub export_id: String,
    /// Number of the export, from 1 without a gap.
    pub export_no: i64,
    /// Program that reads the file.
    pub format: Format,
    /// Name of the tax rate in each line. Null if the format has none.
    pub tax_rate_name: Option<String>,
    /// Entries of the export: all between two numbers of each book.
    pub books: Vec<Span>,
    /// Number of entries.
    pub entries_count: i64,
    /// Number of lines of these entries.
    pub lines_count: i64,
    /// Sum of the debits, which equals the sum of the credits, in minor currency units.
    pub total: Money,
    /// Accounts of these lines, as they were when the export was created.
    pub accounts: Vec<ExportedAccount>,
    /// When the export was created.
    pub created_at: UtcMs,
    /// User who created the export.
    pub created_by: String,
}

/// Answer of `POST /api/finance/exports`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "NextJournalExport")]
pub struct Next {
    /// The new export. Null if all entries are in exports already.
    pub export: Option<Export>,
    /// Whether entries are left for another export.
    pub more: bool,
}

impl New {
    /// # Errors
    /// 422.
    pub fn check(&self) -> Result<(), ApiError> {
        let largest = self.format.lines_max();
        if self.lines_max.is_some_and(|lines| !(LINES_MIN..=largest).contains(&lines)) {
            return Err(ApiError::field(
                "lines_max",
                format!("must be {LINES_MIN} to {largest} for this format"),
            ));
        }
        if self.store_ids.as_ref().is_some_and(|books| !(1..=BOOKS_MAX).contains(&books.len())) {
            return Err(ApiError::field("store_ids", format!("must name 1 to {BOOKS_MAX} books")));
        }
        let mut books = self.store_ids.iter().flatten();
        if let Some(place) = books.position(|book| book.len() > SHORT_ID_BYTES_MAX) {
            return Err(ApiError::field(format!("store_ids[{place}]"), "is not a store"));
        }
        match (&self.tax_rate_name, self.format) {
            (None, Format::Xero) => Err(ApiError::field(
                "tax_rate_name",
                "is missing: Xero needs the name of a tax rate in each line, for example Tax Exempt",
            )),
            (Some(_), Format::Csv | Format::Quickbooks) => {
                Err(ApiError::field("tax_rate_name", "is only for the format xero"))
            }
            (Some(rate), Format::Xero) if !is_name(rate) => Err(ApiError::field(
                "tax_rate_name",
                format!("must have 1 to {TAX_RATE_CHARS_MAX} characters"),
            )),
            _ => Ok(()),
        }
    }
}

fn is_name(text: &str) -> bool {
    let fits = text.chars().count() <= TAX_RATE_CHARS_MAX;
    fits && !text.trim().is_empty() && !text.chars().any(char::is_control)
}

/// Entries that are taken for an export.
#[derive(Default)]
struct Taken {
    books: Vec<Span>,
    entries: i64,
    lines: i64,
    totals: Vec<Money>,
    more: bool,
}

/// Takes the next entries of the books. Two that do this at once take different ones.
///
/// # Errors
/// 422 for a sum above the largest; a database error.
pub async fn next(
    connection: &mut AnyConnection,
    new: New,
    (by, now): (&str, UtcMs),
) -> Result<Next, Failure> {
    take_turn(connection, Turn::JournalExports).await?;
    let taken = take(connection, &new).await?;
    if taken.entries == 0 {
        return Ok(Next { export: None, more: false });
    }
    for book in &taken.books {
        let sql = "INSERT INTO exported_books (store_id, entry_no) VALUES ($1, $2) \
                   ON CONFLICT (store_id) DO UPDATE SET entry_no = excluded.entry_no";
        sqlx::query(sql).bind(&book.store_id).bind(book.to_no).execute(&mut *connection).await?;
    }
    let sql = "SELECT COALESCE(MAX(export_no), 0) + 1 FROM journal_exports";
    let export_no: i64 = sqlx::query_scalar(sql).fetch_one(&mut *connection).await?;
    let accounts = accounts(connection, &taken.books).await?;
    let Taken { books, entries, lines, totals, more } = taken;
    let export = Export {
        export_id: ids::new("jex_"),
        export_no,
        format: new.format,
        tax_rate_name: new.tax_rate_name.map(|rate| rate.trim().to_owned()),
        books,
        entries_count: entries,
        lines_count: lines,
        total: sum("total", totals).map_err(ApiError::from)?,
        accounts,
        created_at: now,
        created_by: by.to_owned(),
    };
    let sql = "INSERT INTO journal_exports (export_no, export_id, document) VALUES ($1, $2, $3)";
    let query = sqlx::query(sql).bind(export_no).bind(&export.export_id).bind(encode(&export)?);
    query.execute(connection).await?;
    Ok(Next { export: Some(export), more })
}

/// The entries that no export has, book by book, up to the number of lines.
async fn take(connection: &mut AnyConnection, new: &New) -> Result<Taken, sqlx::Error> {
    let lines_max = new.lines_max.unwrap_or(new.format.lines_max());
    let sql = "SELECT b.store_id, COALESCE(x.entry_no, 0) AS entry_no FROM books b \
               LEFT JOIN exported_books x ON x.store_id = b.store_id \
               WHERE b.next_entry_no - 1 > COALESCE(x.entry_no, 0) ORDER BY b.store_id";
    let mut taken = Taken::default();
    for row in sqlx::query(sql).fetch_all(&mut *connection).await? {
        let (store_id, exported): (String, i64) = columns!(row => (store_id, entry_no));
        if new.store_ids.as_ref().is_some_and(|books| !books.contains(&store_id)) {
            continue;
        }
        take_of_book(connection, &mut taken, (&store_id, exported), lines_max).await?;
        if taken.more {
            break;
        }
    }
    Ok(taken)
}

/// Takes the entries of a book that follow a number.
async fn take_of_book(
    connection: &mut AnyConnection,
    taken: &mut Taken,
    (store_id, exported): (&str, i64),
    lines_max: i64,
) -> Result<(), sqlx::Error> {
    // An entry has at least two lines.
    let entries_max = lines_max.saturating_sub(taken.lines) / 2 + 1;
    let sql = "SELECT j.entry_no, j.debit_total, COUNT(*) AS lines FROM journal j \
               JOIN journal_lines l ON l.store_id = j.store_id AND l.entry_no = j.entry_no \
               WHERE j.store_id = $1 AND j.entry_no > $2 \
               GROUP BY j.entry_no, j.debit_total ORDER BY j.entry_no LIMIT $3";
    let query = sqlx::query(sql).bind(store_id).bind(exported).bind(entries_max);
    let mut to_no = exported;
    for row in query.fetch_all(connection).await? {
        let (entry_no, total, lines): (i64, Money, i64) = columns!(row => (entry_no, debit_total, lines));
        if taken.entries > 0 && taken.lines.saturating_add(lines) > lines_max {
            taken.more = true;
            break;
        }
        to_no = entry_no;
        taken.entries = taken.entries.saturating_add(1);
        taken.lines = taken.lines.saturating_add(lines);
        taken.totals.push(total);
    }
    if to_no > exported {
        let from_no = exported.saturating_add(1);
        taken.books.push(Span { store_id: store_id.to_owned(), from_no, to_no });
    }
    Ok(())
}

/// The accounts of these entries' lines.
async fn accounts(
    connection: &mut AnyConnection,
    books: &[Span],
) -> Result<Vec<ExportedAccount>, sqlx::Error> {
    let chart = Chart::read(connection).await?;
    let mut used = BTreeSet::new();
    for Span { store_id, from_no, to_no } in books {
        let sql =
            "SELECT DISTINCT account FROM journal_lines WHERE store_id = $1 AND entry_no BETWEEN $2 AND $3";
        let query = sqlx::query_scalar(sql).bind(store_id).bind(from_no).bind(to_no);
        let accounts: Vec<String> = query.fetch_all(&mut *connection).await?;
        used.extend(accounts);
    }
    let exported = |account: String| {
        let (name, export_code) = (chart.name(&account), chart.export_code(&account));
        ExportedAccount { account, name, export_code }
    };
    Ok(used.into_iter().map(exported).collect())
}

/// One export.
///
/// # Errors
/// 404; a database error.
pub async fn read(connection: &mut AnyConnection, export_id: &str) -> Result<Export, Failure> {
    let sql = "SELECT document FROM journal_exports WHERE export_id = $1";
    let found: Option<String> = sqlx::query_scalar(sql).bind(export_id).fetch_optional(connection).await?;
    Ok(decode(&found.ok_or_else(|| ApiError::not_found("the export"))?)?)
}

/// Exports before a number, the latest first.
///
/// # Errors
/// A database error.
pub async fn list(pool: &AnyPool, before: i64, limit: i64) -> Result<Vec<Export>, sqlx::Error> {
    let sql = "SELECT document FROM journal_exports WHERE export_no < $1 ORDER BY export_no DESC LIMIT $2";
    let rows: Vec<String> = sqlx::query_scalar(sql).bind(before).bind(limit).fetch_all(pool).await?;
    rows.iter().map(|text| decode(text)).collect()
}
