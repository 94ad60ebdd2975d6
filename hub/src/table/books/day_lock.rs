//! `day_locks` and `periods`: which days of a book are locked. Read and written under the book's row.

use crate::columns;
use crate::db::insert;
use crate::row;
use domain::model::base::time::UtcMs;
use domain::rules::books::locked_days::{BEGINNING, LockedDays};
use jiff::civil::Date;
use sqlx::{AnyConnection, Error};
use std::collections::BTreeMap;

/// Days of a book, the first and the last.
pub type BookSpan = (String, (Date, Date));

/// User, time and reason of a lock of days.
#[derive(Debug, Clone)]
pub struct Lock<'a> {
    /// Time of the lock.
    pub at: UtcMs,
    /// User who locked the days.
    pub by: &'a str,
    /// Reason for the lock.
    pub reason: Option<&'a str>,
}

/// The locked days of a book from a day on, including those of closed months. A caller that dates an entry by it holds
/// the book's row: a lock is before the entry or after it.
pub async fn of_book(connection: &mut AnyConnection, book: &str, from: Date) -> Result<LockedDays, Error> {
    let sql = "SELECT first_date, last_date FROM day_locks WHERE store_id = $1 AND last_date >= $2 \
               UNION ALL SELECT '0000-01-01', MAX(last_date) FROM periods HAVING MAX(last_date) >= $2";
    let mut days = LockedDays::default();
    for row in sqlx::query(sql).bind(book).bind(from.to_string()).fetch_all(connection).await? {
        days.lock(columns!(row => (first_date, last_date)));
    }
    Ok(days)
}

/// The locked days of every book with any, without those of closed months.
pub async fn of_all(connection: &mut AnyConnection) -> Result<BTreeMap<String, LockedDays>, Error> {
    let sql = "SELECT store_id, first_date, last_date FROM day_locks";
    let mut books: BTreeMap<String, LockedDays> = BTreeMap::new();
    for row in sqlx::query(sql).fetch_all(connection).await? {
        let (book, first, last): (String, Date, Date) = columns!(row => (store_id, first_date, last_date));
        books.entry(book).or_default().lock((first, last));
    }
    Ok(books)
}

/// Locks days of books, spans that are open.
pub async fn add(connection: &mut AnyConnection, spans: &[BookSpan], lock: &Lock<'_>) -> Result<(), Error> {
    let cells = |(book, (first, last)): &BookSpan| {
        row! {
            store_id: book.as_str(), first_date: first.to_string(), last_date: last.to_string(),
            locked_at: lock.at.0, locked_by: lock.by, reason: lock.reason.map(str::to_owned),
        }
    };
    insert::rows(connection, "day_locks", "", spans.iter().map(cells).collect()).await
}

/// Replaces a span by the remaining parts.
pub async fn split(
    connection: &mut AnyConnection,
    book: &str,
    (_, last): (Date, Date),
    left: &[(Date, Date)],
) -> Result<(), Error> {
    let sql = "DELETE FROM day_locks WHERE store_id = $1 AND last_date = $2 \
               RETURNING locked_at, locked_by, reason";
    let row = sqlx::query(sql).bind(book).bind(last.to_string()).fetch_optional(&mut *connection).await?;
    let Some(row) = row else { return Ok(()) };
    let (at, by, reason): (UtcMs, String, Option<String>) = columns!(row => (locked_at, locked_by, reason));
    let spans: Vec<BookSpan> = left.iter().map(|span| (book.to_owned(), *span)).collect();
    add(connection, &spans, &Lock { at, by: &by, reason: reason.as_deref() }).await
}

/// First day of a book, as it is shown. `None` if it begins with its first entry.
pub fn shown_first(first: Date) -> Option<Date> {
    (first > BEGINNING).then_some(first)
}
