//! Days of books, with what is known of each, and whether they are locked.

use crate::columns;
use crate::db::column::Columns;
use crate::db::filter::Conditions;
use crate::office::finance::readiness::{self, Teller};
use domain::model::base::time::UtcMs;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

/// A day of a book.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BookDay")]
pub struct View {
    /// Store that the book belongs to. Empty for head office's own book.
    pub store_id: String,
    /// Business day of the book.
    pub business_date: Date,
    /// Whether entries may still be dated on the day.
    pub state: State,
    /// Whether the store sealed the day.
    pub sealed: bool,
    /// Whether the store has reported all records of the day after it ended.
    pub complete: bool,
    /// Number of shifts that are not closed.
    pub shifts_open: i64,
    /// Number of parked records of the store, of any day.
    pub parked: i64,
    /// State of the day's settlement. Null if there is none.
    pub settlement_state: Option<String>,
    /// Number of entries with this day in the books.
    pub entries: i64,
    /// Number of entries that belong to this day and have a later day in the books.
    pub late_out: i64,
    /// Number of entries with this day in the books that belong to an earlier day.
    pub late_in: i64,
    /// When the day was locked. Null while it is open.
    pub locked_at: Option<UtcMs>,
    /// User who locked the day or closed its month. Null while it is open.
    pub locked_by: Option<String>,
    /// Reason given for the lock. Null if none was given.
    pub reason: Option<String>,
}

impl View {
    /// An open day of a book on which nothing happened.
    pub fn untouched(store_id: String, business_date: Date) -> Self {
        Self {
            store_id,
            business_date,
            state: State::Open,
            sealed: false,
            complete: true,
            shifts_open: 0,
            parked: 0,
            settlement_state: None,
            entries: 0,
            late_out: 0,
            late_in: 0,
            locked_at: None,
            locked_by: None,
            reason: None,
        }
    }
}

/// Whether entries may still be dated on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "BookDayState")]
pub enum State {
    /// Entries may be dated on the day.
    Open,
    /// Entries are dated on the first open day after it.
    Locked,
}

/// Filters of the list of days.
#[derive(Default)]
pub struct Filter {
    /// Only days of this book.
    pub store_id: Option<String>,
    /// Only this day or later.
    pub from: Option<Date>,
    /// Only this day or earlier.
    pub to: Option<Date>,
    /// Only open or only locked days.
    pub state: Option<State>,
}

/// Position of an item in the list: its day and book.
pub type Bookmark = (Date, String);

/// Tables with days of books: each with its column of the day, and a condition.
const KNOWN: [(&str, &str, &str); 5] = [
    ("store_days", "business_date", "1 = 1"),
    ("shifts", "business_date", "1 = 1"),
    ("ledger_days", "entry_date", "1 = 1"),
    ("journal", "reference_date", "d.reference_date IS NOT NULL"),
    ("day_locks", "last_date", "1 = 1"),
];

/// Whether the day `d` is locked.
const LOCKED: &str = "(EXISTS (SELECT 1 FROM day_locks l WHERE l.store_id = d.store_id \
                      AND l.first_date <= d.business_date AND l.last_date >= d.business_date) \
                      OR EXISTS (SELECT 1 FROM periods p WHERE p.last_date >= d.business_date))";

/// Columns that [`view`] reads, of the day `d`, its lock `l` and its closed month `p`.
const COLUMNS: &str = "d.store_id, d.business_date, \
    COALESCE((SELECT s.sealed FROM store_days s WHERE s.store_id = d.store_id \
        AND s.business_date = d.business_date), 0) AS sealed, \
    (SELECT COUNT(*) FROM shifts s WHERE s.store_id = d.store_id AND s.business_date = d.business_date \
        AND s.state IN ('open', 'ended')) AS shifts_open, \
    (SELECT COUNT(*) FROM journal j WHERE j.store_id = d.store_id AND j.entry_date = d.business_date) AS entries, \
    (SELECT COUNT(*) FROM journal j WHERE j.store_id = d.store_id AND j.reference_date = d.business_date) AS late_out, \
    (SELECT COUNT(*) FROM journal j WHERE j.store_id = d.store_id AND j.entry_date = d.business_date \
        AND j.reference_date IS NOT NULL) AS late_in, \
    (SELECT t.state FROM settlements t WHERE t.store_id = d.store_id \
        AND t.business_date = d.business_date) AS settlement_state, \
    l.locked_at, l.locked_by, l.reason, p.closed_at, p.closed_by";

/// Lists days, the newest first.
pub async fn list(
    connection: &mut AnyConnection,
    filter: &Filter,
    before: Option<&Bookmark>,
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let day = |day: Option<Date>| day.map(|day| day.to_string());
    // A date needs no quoting.
    let older = before.map(|(date, _)| format!("(d.business_date, d.store_id) < ('{date}', ?)"));
    let conditions = Conditions::default()
        .text("d.store_id = ?", filter.store_id.as_deref())
        .text("d.business_date >= ?", day(filter.from).as_deref())
        .text("d.business_date <= ?", day(filter.to).as_deref())
        .plain(LOCKED, filter.state == Some(State::Locked))
        .plain(&format!("NOT {LOCKED}"), filter.state == Some(State::Open))
        .text(older.as_deref().unwrap_or_default(), before.map(|(_, book)| book.as_str()));
    // Of each table only one page of rows is read: the days of the page are among them.
    let of_table = |(table, day, own): &(&str, &str, &str)| {
        format!(
            "SELECT * FROM (SELECT DISTINCT store_id, business_date FROM (SELECT store_id, {day} AS business_date \
             FROM {table} d WHERE {own}) d WHERE {{}} ORDER BY business_date DESC, store_id DESC LIMIT {limit}) {table}"
        )
    };
    let known = KNOWN.iter().map(of_table).collect::<Vec<_>>().join(" UNION ");
    let sql = format!(
        "SELECT {COLUMNS} FROM (SELECT d.store_id, d.business_date FROM ({known}) d \
         ORDER BY d.business_date DESC, d.store_id DESC LIMIT {limit}) d LEFT JOIN day_locks l \
         ON l.store_id = d.store_id AND l.first_date <= d.business_date AND l.last_date >= d.business_date \
         LEFT JOIN periods p ON p.last_date = (SELECT MIN(c.last_date) FROM periods c \
         WHERE c.last_date >= d.business_date) \
         ORDER BY d.business_date DESC, d.store_id DESC"
    );
    let rows = conditions.query(&sql).fetch_all(&mut *connection).await?;
    let tellers = readiness::tellers(&mut *connection).await?;
    let closed = crate::office::finance::locking::closed_through(connection).await?;
    rows.iter().map(|row| view(row, &tellers, closed)).collect()
}

fn view(row: &AnyRow, tellers: &[Teller], closed: Option<Date>) -> Result<View, sqlx::Error> {
    let (store_id, business_date): (String, Date) = columns!(row => (store_id, business_date));
    let (locked_at, closed_at): (Option<UtcMs>, Option<UtcMs>) = columns!(row => (locked_at, closed_at));
    let (locked_by, closed_by): (Option<String>, Option<String>) = columns!(row => (locked_by, closed_by));
    let teller = tellers.iter().find(|teller| teller.store_id == store_id);
    let sealed = row.cell("sealed")?;
    let shifts_open = row.cell("shifts_open")?;
    let reported = teller.is_none_or(|teller| teller.problems(business_date).is_empty());
    let is_locked = locked_at.is_some() || closed.is_some_and(|last| business_date <= last);
    Ok(columns!(row => View {
        entries, late_out, late_in, reason, settlement_state;
        store_id = store_id,
        business_date = business_date,
        state = if is_locked { State::Locked } else { State::Open },
        sealed = sealed,
        complete = reported && shifts_open == 0,
        shifts_open = shifts_open,
        parked = teller.map_or(0, |teller| teller.parked),
        locked_at = locked_at.or(closed_at),
        locked_by = locked_by.or(closed_by),
    }))
}
