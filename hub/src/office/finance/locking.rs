//! Locking the days of books, and opening them again.

use crate::db::failure::Failure;
use crate::db::insert;
use crate::office::finance::readiness::{self, Teller};
use crate::office::finance::writer::{Writer, check_text};
use crate::row;
use crate::table::day_lock::{self, BookSpan, Lock};
use crate::table::journal;
use domain::model::base::limits::{SHORT_ID_BYTES_MAX, TEXT_CHARS_MAX};
use domain::model::base::refusal::{NotReady, Refusal};
use domain::rules::books::locked_days::LockedDays;
use edge::ApiError;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use std::collections::{BTreeMap, BTreeSet};

/// Most reasons for not being ready that an answer names.
const FORCED_MAX: usize = 100;
/// Most books that a request names.
pub const BOOKS_MAX: usize = 10_000;

/// Request body for the lock of days.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "DayLock")]
pub struct LockRequest {
    /// Stores of the books; an empty text stands for head office's own book. Null for all books.
    #[schemars(length(min = 1, max = BOOKS_MAX), inner(length(max = SHORT_ID_BYTES_MAX)))]
    pub store_ids: Option<Vec<String>>,
    /// Whether to lock the days although something is not ready.
    #[serde(default)]
    pub force: bool,
    /// Reason for the lock. Required with `force`.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: Option<String>,
}

/// Request body for the unlock of a day.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "DayUnlock")]
pub struct Unlock {
    /// Store that the book belongs to. Empty for head office's own book.
    #[serde(default)]
    #[schemars(length(max = SHORT_ID_BYTES_MAX))]
    pub store_id: String,
    /// Reason for the unlock.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: String,
}

/// Result of the lock.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LockedDays")]
pub struct Locked {
    /// Days that are now locked and were open before.
    pub locked: Vec<Span>,
    /// Problems that `force` overrode, at most 100.
    pub forced: Vec<NotReady>,
    /// Number of further problems that `forced` omits.
    pub more: usize,
    /// Open settlements of these days. They do not prevent the lock.
    pub warnings: Vec<NotReady>,
}

/// Days of a book that were locked at once.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LockedSpan")]
pub struct Span {
    /// Store that the book belongs to. Empty for head office's own book.
    pub store_id: String,
    /// First day. Null for all days before `to`.
    pub from: Option<Date>,
    /// Last day.
    pub to: Date,
}

impl Writer<'_> {
    /// Locks every open day of books until one, in one commit.
    ///
    /// # Errors
    /// 422 for a day that is not over; 409 `not_ready`.
    pub async fn lock(
        &self,
        connection: &mut AnyConnection,
        through: Date,
        ask: &LockRequest,
    ) -> Result<Locked, Failure> {
        if ask.force || ask.reason.is_some() {
            check_text("reason", ask.reason.as_deref().unwrap_or_default())?;
        }
        let books = books(all(&mut *connection).await?, ask.store_ids.as_deref())?;
        take(connection, &books).await?;
        // The reports of stores are read once no other transaction posts in these books: the lock is valid for what was
        // checked.
        let tellers = readiness::tellers(&mut *connection).await?;
        if books.contains("") {
            self.check_over(through)?;
        }
        let concerned: Vec<&Teller> =
            tellers.iter().filter(|teller| books.contains(teller.store_id.as_str())).collect();
        if let Some(early) = concerned.iter().find(|teller| !teller.is_over(through, self.now)) {
            return Err(ApiError::field(
                "date",
                format!("must be a day that is over in store {}", early.store_id),
            )
            .into());
        }
        let locked = locked(connection, &books).await?;
        let open: Vec<BookSpan> = locked
            .iter()
            .flat_map(|(book, days)| days.open_until(through).into_iter().map(|span| (book.clone(), span)))
            .collect();
        let mut problems = problems(connection, &concerned, &locked, through).await?;
        if !problems.is_empty() && !ask.force {
            return Err(ApiError::from(Refusal::NotReady(problems)).into());
        }
        let lock = Lock { at: self.now, by: self.by, reason: ask.reason.as_deref() };
        day_lock::add(connection, &open, &lock).await?;
        let span = |(store_id, (from, to))| Span { store_id, from: day_lock::shown_first(from), to };
        let more = problems.len().saturating_sub(FORCED_MAX);
        problems.truncate(FORCED_MAX);
        let locked = open.into_iter().map(span).collect();
        let warnings = warnings(connection, ask.store_ids.as_deref(), through).await?;
        Ok(Locked { locked, forced: problems, more, warnings })
    }

    /// 422 for a day that is not over at head office.
    pub fn check_over(&self, day: Date) -> Result<(), ApiError> {
        if day >= self.today {
            return Err(ApiError::field("date", "must be a day that is over at head office"));
        }
        Ok(())
    }

    /// Opens a day of a book again; entries that went elsewhere meanwhile stay there.
    ///
    /// # Errors
    /// 422; 409 `invalid_state` for a day that is open, or of a closed month.
    pub async fn unlock(
        &self,
        connection: &mut AnyConnection,
        day: Date,
        ask: &Unlock,
    ) -> Result<(), Failure> {
        check_text("reason", &ask.reason)?;
        let book = ask.store_id.as_str();
        if !book.is_empty() && !crate::table::store::is_known(connection, book).await? {
            return Err(ApiError::field("store_id", "is not a store").into());
        }
        let refuse = |state: &str, allowed: &[&str]| {
            let allowed = allowed.iter().map(|step| (*step).to_owned()).collect();
            Failure::from(ApiError::from(Refusal::InvalidState { state: state.to_owned(), allowed }))
        };
        if closed_through(connection).await?.is_some_and(|last| day <= last) {
            return Err(refuse("closed", &["reopen"]));
        }
        journal::numbers(connection, book, 0).await?;
        let days = day_lock::of_book(connection, book, day).await?;
        let (span, left) = days.without(day).ok_or_else(|| refuse("open", &["lock"]))?;
        Ok(day_lock::split(connection, book, span, &left).await?)
    }
}

/// Every store's book, head office's own, and any other book with entries.
pub async fn all(connection: &mut AnyConnection) -> Result<BTreeSet<String>, sqlx::Error> {
    let sql = "SELECT store_id FROM stores UNION SELECT store_id FROM books UNION SELECT ''";
    Ok(sqlx::query_scalar(sql).fetch_all(connection).await?.into_iter().collect())
}

/// The books that are asked for, by their IDs.
fn books(known: BTreeSet<String>, asked: Option<&[String]>) -> Result<BTreeSet<String>, ApiError> {
    let Some(asked) = asked else { return Ok(known) };
    if asked.is_empty() {
        return Err(ApiError::field("store_ids", "must not be empty: omit it, or send null, for all books"));
    }
    if asked.len() > BOOKS_MAX {
        return Err(ApiError::field("store_ids", format!("must name at most {BOOKS_MAX} books")));
    }
    match asked.iter().position(|book| !known.contains(book)) {
        Some(place) => Err(ApiError::field(format!("store_ids[{place}]"), "is not a store")),
        None => Ok(asked.iter().cloned().collect()),
    }
}

/// Locks the rows of books in their order, so that postings in these books wait, or are waited for.
async fn take(connection: &mut AnyConnection, books: &BTreeSet<String>) -> Result<(), sqlx::Error> {
    let rows = books.iter().map(|book| row! { store_id: book.as_str(), next_entry_no: 1 }).collect();
    let tail = "ON CONFLICT (store_id) DO UPDATE SET next_entry_no = books.next_entry_no";
    insert::rows(connection, "books", tail, rows).await
}

/// The last day of the last closed month.
pub async fn closed_through(connection: &mut AnyConnection) -> Result<Option<Date>, sqlx::Error> {
    let row = sqlx::query("SELECT MAX(last_date) AS last_date FROM periods").fetch_one(connection).await?;
    crate::db::column::Columns::cell(&row, "last_date")
}

/// Locked days of each of these books.
pub async fn locked(
    connection: &mut AnyConnection,
    books: &BTreeSet<String>,
) -> Result<BTreeMap<String, LockedDays>, sqlx::Error> {
    let mut all = day_lock::of_all(&mut *connection).await?;
    let closed = closed_through(connection).await?;
    let of = |book: &String| {
        let mut days = all.remove(book).unwrap_or_default();
        if let Some(last) = closed {
            days.close(last);
        }
        (book.clone(), days)
    };
    Ok(books.iter().map(of).collect())
}

/// Settlements that are open in those books, or in all: at most 100.
async fn warnings(
    connection: &mut AnyConnection,
    asked: Option<&[String]>,
    through: Date,
) -> Result<Vec<NotReady>, sqlx::Error> {
    let Some(asked) = asked else {
        return readiness::unsettled(connection, None, (through, FORCED_MAX)).await;
    };
    let mut found = Vec::new();
    for store_id in asked {
        let left = FORCED_MAX.saturating_sub(found.len());
        found.extend(readiness::unsettled(&mut *connection, Some(store_id), (through, left)).await?);
    }
    Ok(found)
}

/// Problems of the days that are to be locked, of each store from its own first open day on.
async fn problems(
    connection: &mut AnyConnection,
    concerned: &[&Teller],
    locked: &BTreeMap<String, LockedDays>,
    through: Date,
) -> Result<Vec<NotReady>, sqlx::Error> {
    let mut problems = Vec::new();
    for teller in concerned {
        let Some(days) = locked.get(&teller.store_id) else { continue };
        let Some((first, _)) = days.open_until(through).first().copied() else { continue };
        problems.extend(teller.problems(through));
        let unsealed = readiness::unsealed(connection, &teller.store_id, (first, through)).await?;
        let open = unsealed.into_iter().filter(|day| !days.is_locked(*day));
        problems.extend(open.map(|day| teller.not_sealed(day)));
    }
    Ok(problems)
}
