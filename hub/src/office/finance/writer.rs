//! The writer of entries by hand, and the common checks of these entries.

use crate::db::failure::Failure;
use crate::http::Request;
use crate::http::command::Tx;
use crate::office::finance::account::Chart;
use crate::table::day_lock;
use crate::table::journal::{self, Kind, NewEntry};
use domain::model::base::limits::TEXT_CHARS_MAX;
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::model::people::user::Role;
use edge::ApiError;
use jiff::civil::{Date, date};
use sqlx::AnyConnection;

/// Earliest day of an entry by hand: an earlier one is a slip.
const EARLIEST: Date = date(2000, 1, 1);

/// Context of a write: user and time.
#[derive(Debug, Clone)]
pub struct Writer<'a> {
    /// ID of the user.
    pub by: &'a str,
    /// Role of the user.
    pub role: Role,
    /// Time of the write.
    pub now: UtcMs,
    /// The date at head office.
    pub today: Date,
}

impl<'a> Tx<'a> {
    /// The caller as a writer of the books, once no other manual posting can be written until this transaction ends.
    ///
    /// # Errors
    /// A database error.
    pub async fn writer(&mut self) -> Result<Writer<'a>, Failure> {
        take_turn(self.connection).await?;
        Ok(Writer { by: &self.caller.user_id.0, role: self.caller.role, now: self.now, today: self.today })
    }
}

impl<'a> Writer<'a> {
    /// The caller, once no other manual posting can be written until this transaction ends.
    ///
    /// # Errors
    /// A database error.
    pub async fn alone(
        connection: &mut AnyConnection,
        request: &'a Request,
        now: UtcMs,
    ) -> Result<Self, Failure> {
        take_turn(connection).await?;
        let caller = request.caller()?;
        Ok(Self { by: &caller.user_id.0, role: caller.role, now, today: request.state.today(now) })
    }

    /// 422 for a day in the future, or before the beginning of all books.
    pub fn check_not_later(&self, path: &str, date: Date) -> Result<(), ApiError> {
        if date > self.today {
            return Err(ApiError::field(path, format!("must not be after today, {}", self.today)));
        }
        if date < EARLIEST {
            return Err(ApiError::field(path, format!("must not be before {EARLIEST}")));
        }
        Ok(())
    }

    /// The next number of a book, which is locked from here on, for an entry of that day.
    ///
    /// # Errors
    /// 409 `day_locked`.
    pub async fn dated(
        &self,
        connection: &mut AnyConnection,
        book: &str,
        date: Date,
    ) -> Result<i64, Failure> {
        let entry_no = journal::numbers(connection, book, 1).await?;
        let next_open_date = day_lock::of_book(connection, book, date).await?.first_open(date);
        if next_open_date != date {
            let store_id = book.to_owned();
            return Err(ApiError::from(Refusal::DayLocked { store_id, date, next_open_date }).into());
        }
        Ok(entry_no)
    }

    /// Adds entries to their books.
    ///
    /// # Errors
    /// 422 for a line on an account that is closed, or that is next to a list which has nothing of such an entry.
    pub async fn add(&self, connection: &mut AnyConnection, entries: Vec<NewEntry>) -> Result<(), Failure> {
        if entries.is_empty() {
            return Ok(());
        }
        Chart::read(&mut *connection).await?.check_entries(&entries)?;
        Ok(journal::add(connection, entries, self.now).await?)
    }

    /// An entry of theirs that nothing is in yet.
    pub fn entry(&self, kind: Kind) -> NewEntry {
        let cause_type = match kind {
            Kind::Event | Kind::Reversal => "entry",
            Kind::Manual => "manual",
            Kind::Opening => "opening",
            Kind::YearEnd => "month",
            Kind::Settlement => "settlement",
            Kind::Bank => "statement",
            Kind::Invoice => "invoice",
            Kind::Payment => "payment",
            Kind::CreditNote => "credit_note",
        };
        NewEntry {
            book: String::new(),
            entry_no: 0,
            entry_id: String::new(),
            entry_date: self.today,
            reference_date: None,
            kind,
            cause_type,
            cause_id: String::new(),
            cause_store_id: String::new(),
            event_id: None,
            cause_key: String::new(),
            group_id: None,
            memo: None,
            reverses: None,
            created_by: Some(self.by.to_owned()),
            lines: Vec::new(),
        }
    }
}

/// Blocks other entries by hand until this transaction ends.
///
/// # Errors
/// A database error.
pub async fn take_turn(connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    let sql = "UPDATE books_turn SET turn = turn + 1 WHERE singleton = 1";
    sqlx::query(sql).execute(connection).await?;
    Ok(())
}

/// 422 for a text that is empty or too long.
pub fn check_text(path: &str, text: &str) -> Result<(), ApiError> {
    if text.trim().is_empty() || text.chars().count() > TEXT_CHARS_MAX {
        return Err(ApiError::field(path, "must have 1 to 500 characters"));
    }
    Ok(())
}

/// 422 for a key, where given, that is too long to be one. The path is made only for a refusal.
pub fn check_bytes(
    path: impl FnOnce() -> String,
    key: Option<&str>,
    bytes_max: usize,
) -> Result<(), ApiError> {
    if key.is_some_and(|key| key.len() > bytes_max) {
        return Err(ApiError::field(path(), format!("must be at most {bytes_max} bytes")));
    }
    Ok(())
}
