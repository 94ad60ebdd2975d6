//! Months: closed in order once everything in them is proven, opened again from the last one, and the end of a year.

use crate::columns;
use crate::db::Engine;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::db::guarded::guarded;
use crate::office::finance::locking::{LockRequest, closed_through};
use crate::office::finance::proof::{self, Proven};
use crate::office::finance::writer::{Writer, check_text};
use crate::table::hub;
use crate::table::journal::{self, Kind, NewEntry};
use domain::model::base::figures::Money;
use domain::model::base::limits::TEXT_CHARS_MAX;
use domain::model::base::refusal::{NotReady, NotReadyCode, Refusal};
use domain::model::base::time::UtcMs;
use domain::rules::books::entry_by_hand::{EntryLine, mirror};
use domain::rules::books::month::Month;
use domain::rules::books::posting::plan::RETAINED;
use edge::{ApiError, ids};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::BTreeMap;

/// A month of the books.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Period")]
pub struct View {
    /// The month, `YYYY-MM`.
    pub month: Month,
    /// Whether the month is closed.
    pub state: State,
    /// When the month was closed. Null while it is open.
    pub closed_at: Option<UtcMs>,
    /// User who closed the month. Null while it is open.
    pub closed_by: Option<String>,
    /// Income less expenses of all books in minor currency units, without the transfer to equity at the end of a fiscal
    /// year. Negative for a loss.
    pub result: Money,
}

/// Whether a month is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PeriodState")]
pub enum State {
    /// The month is open.
    Open,
    /// The month is closed: its days are locked in every book.
    Closed,
}

/// Request body for the reopening of a month.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PeriodReopening")]
pub struct Reopen {
    /// Reason for the reopening.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: String,
}

/// The month that may be closed next: after the last closed one; if none is closed, the month of the first entry,
/// though any later one that has ended may be the first.
pub async fn open_month(connection: &mut AnyConnection, today: Date) -> Result<Month, sqlx::Error> {
    if let Some(last) = closed_through(&mut *connection).await? {
        return Ok(Month::of(last).next());
    }
    let row = sqlx::query("SELECT MIN(entry_date) AS first FROM ledger_days").fetch_one(connection).await?;
    Ok(Month::of(row.cell::<Option<Date>>("first")?.unwrap_or(today)))
}

/// The months of a year that have begun, from the month of the first entry on, the last first.
pub async fn list(connection: &mut AnyConnection, year: i16, today: Date) -> Result<Vec<View>, sqlx::Error> {
    let sql = "SELECT MIN(entry_date) AS first FROM ledger_days";
    let row = sqlx::query(sql).fetch_one(&mut *connection).await?;
    let first = Month::of(row.cell::<Option<Date>>("first")?.unwrap_or(today));
    let mut months = Vec::new();
    for month in Month::of_year(year).filter(|month| (first..=Month::of(today)).contains(month)) {
        months.push(view(connection, month).await?);
    }
    Ok(months)
}

pub async fn view(connection: &mut AnyConnection, month: Month) -> Result<View, sqlx::Error> {
    // The first month that was closed took all before it with it.
    let sql = "SELECT closed_at, closed_by FROM periods WHERE last_date >= $1 ORDER BY last_date LIMIT 1";
    let closed = sqlx::query(sql).bind(month.last().to_string()).fetch_optional(&mut *connection).await?;
    let (closed_at, closed_by) = match &closed {
        Some(row) => columns!(row => (closed_at, closed_by)),
        None => (None, None),
    };
    let sql = "SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM (SELECT credit - debit AS amount FROM ledger_days \
               WHERE entry_date >= $1 AND entry_date <= $2 AND account >= '4' AND account < '8' UNION ALL \
               SELECT l.debit - l.credit FROM journal j JOIN journal_lines l ON l.store_id = j.store_id \
               AND l.entry_no = j.entry_no WHERE j.kind = 'year_end' AND j.kind <> 'event' \
               AND j.entry_date >= $1 AND j.entry_date <= $2 \
               AND l.account >= '4' AND l.account < '8') moved";
    let sql = guarded(Engine::of_connection(connection), sql);
    let query =
        sqlx::query_scalar(AssertSqlSafe(sql)).bind(month.first().to_string()).bind(month.last().to_string());
    let result = query.fetch_one(connection).await.map(Money::new)?;
    let state = if closed.is_some() { State::Closed } else { State::Open };
    Ok(View { month, state, closed_at, closed_by, result })
}

fn refuse(state: &str, allowed: Month) -> Failure {
    let allowed = vec![allowed.to_string()];
    ApiError::from(Refusal::InvalidState { state: state.to_owned(), allowed }).into()
}

impl Writer<'_> {
    /// Closes a month: locks its open days, then proves the books again if there were postings since the last proof.
    ///
    /// # Errors
    /// 422 for a month that has not ended; 409 `duplicate`, `invalid_state`, `not_ready`.
    pub async fn close(
        &self,
        connection: &mut AnyConnection,
        month: Month,
        first_month: i8,
        (ask, proven): (&LockRequest, Proven),
    ) -> Result<(), Failure> {
        if month.last() >= self.today {
            return Err(ApiError::field("month", "must be a month that has ended").into());
        }
        let closed = closed_through(&mut *connection).await?;
        if closed.is_some_and(|last| month.last() <= last) {
            let id = month.to_string();
            return Err(ApiError::from(Refusal::Duplicate { what: "period", id }).into());
        }
        // Books that begin in the middle of a year are not closed month by month from the first entry on.
        if let Some(next) = closed.map(|last| Month::of(last).next()).filter(|next| *next != month) {
            return Err(refuse("open", next));
        }
        self.lock(connection, month.last(), ask).await?;
        let mut problems = suspense(&mut *connection, month.last()).await?;
        let proofs = proof::of_locked(&mut *connection, proven, self.now).await?;
        problems.extend(proofs.proofs.iter().filter(|proof| !proof.ok).map(|proof| NotReady {
            code: NotReadyCode::ProofFailed,
            store_id: String::new(),
            date: None,
            id: Some(proof.name.to_owned()),
            message: format!("{}: {} in the books, {} in the lists", proof.name, proof.left, proof.right),
        }));
        if !problems.is_empty() {
            return Err(ApiError::from(Refusal::NotReady(problems)).into());
        }
        if month.ends_year(first_month) {
            self.end_year(connection, month).await?;
        }
        let sql = "INSERT INTO periods (month, last_date, closed_at, closed_by) VALUES ($1, $2, $3, $4)";
        let query = sqlx::query(sql).bind(month.to_string()).bind(month.last().to_string());
        query.bind(self.now.0).bind(self.by).execute(connection).await?;
        Ok(())
    }

    /// Reopens the last closed month; its days stay locked until a person opens them.
    ///
    /// # Errors
    /// 422; 409 `invalid_state`.
    pub async fn reopen(
        &self,
        connection: &mut AnyConnection,
        month: Month,
        ask: &Reopen,
    ) -> Result<(), Failure> {
        check_text("reason", &ask.reason)?;
        let last = closed_through(&mut *connection).await?.map(Month::of);
        match last {
            Some(last) if last == month => {}
            Some(last) => return Err(refuse(if month < last { "closed" } else { "open" }, last)),
            None => {
                let (state, allowed) = ("open".to_owned(), Vec::new());
                return Err(ApiError::from(Refusal::InvalidState { state, allowed }).into());
            }
        }
        let sql = "DELETE FROM periods WHERE month = $1";
        sqlx::query(sql).bind(month.to_string()).execute(&mut *connection).await?;
        let mut back = Vec::new();
        for (entry_id, book, entry_no) in year_ends(connection, month).await? {
            let lines = mirror(lines(connection, &book, entry_no).await?);
            let cause_key = format!("{entry_id}:reverse");
            let memo = Some(ask.reason.clone());
            let named =
                NewEntry { cause_key, memo, reverses: Some(entry_id), lines, ..self.entry(Kind::YearEnd) };
            back.push(self.of_month(connection, book, month, named).await?);
        }
        self.add(connection, back).await
    }

    /// Brings income and expense of every book to equity.
    async fn end_year(&self, connection: &mut AnyConnection, month: Month) -> Result<(), Failure> {
        let sql = "SELECT store_id, account, CAST(SUM(debit - credit) AS BIGINT) AS balance FROM ledger_days \
                   WHERE entry_date <= $1 AND account >= '4' AND account < '8' GROUP BY store_id, account \
                   HAVING SUM(debit - credit) <> 0 ORDER BY store_id, account";
        let mut books: BTreeMap<String, Vec<EntryLine>> = BTreeMap::new();
        let rows = sqlx::query(sql).bind(month.last().to_string()).fetch_all(&mut *connection).await?;
        for row in rows {
            let (book, account, balance): (String, String, Money) =
                columns!(row => (store_id, account, balance));
            books.entry(book).or_default().push(EntryLine::of(account, balance.saturating_neg()));
        }
        let mut entries = Vec::new();
        for (book, mut lines) in books {
            let sum =
                |sum: Money, line: &EntryLine| sum.saturating_add(line.debit).saturating_sub(line.credit);
            let rest = lines.iter().fold(Money::ZERO, sum).saturating_neg();
            if rest != 0 {
                lines.push(EntryLine::of(String::from(RETAINED), rest));
            }
            let sql =
                "SELECT COUNT(*) FROM journal WHERE store_id = $1 AND cause_id = $2 AND kind = 'year_end'";
            let query = sqlx::query_scalar(sql).bind(&book).bind(month.to_string());
            let before: i64 = query.fetch_one(&mut *connection).await?;
            let cause_key = match before {
                0 => format!("{month}:year_end"),
                taken_back => format!("{month}:year_end#{taken_back}"),
            };
            let named = NewEntry { cause_key, lines, ..self.entry(Kind::YearEnd) };
            entries.push(self.of_month(connection, book, month, named).await?);
        }
        self.add(connection, entries).await
    }

    /// An entry of the end of a month, on its last day.
    async fn of_month(
        &self,
        connection: &mut AnyConnection,
        book: String,
        month: Month,
        entry: NewEntry,
    ) -> Result<NewEntry, sqlx::Error> {
        let entry_no = journal::numbers(connection, &book, 1).await?;
        let (entry_id, cause_id, entry_date) = (ids::new("jrn_"), month.to_string(), month.last());
        Ok(NewEntry { book, entry_no, entry_id, cause_id, entry_date, ..entry })
    }
}

/// The entries of a year's end that were not taken back, `(entry_id, store_id, entry_no)`, in the order in which books are
/// taken.
async fn year_ends(
    connection: &mut AnyConnection,
    month: Month,
) -> Result<Vec<(String, String, i64)>, sqlx::Error> {
    let sql = "SELECT entry_id, store_id, entry_no FROM journal WHERE cause_id = $1 AND kind = 'year_end' \
               AND reverses IS NULL AND NOT EXISTS (SELECT 1 FROM journal r WHERE r.reverses = journal.entry_id \
               AND r.store_id = journal.store_id)";
    let rows = sqlx::query(sql).bind(month.to_string()).fetch_all(connection).await?;
    let end = |row: &sqlx::any::AnyRow| Ok(columns!(row => (entry_id, store_id, entry_no)));
    let mut ends = rows.iter().map(end).collect::<Result<Vec<(String, String, i64)>, sqlx::Error>>()?;
    // Not by the database, which sorts texts differently.
    ends.sort_by(|a, b| a.1.cmp(&b.1));
    Ok(ends)
}

async fn lines(
    connection: &mut AnyConnection,
    book: &str,
    entry_no: i64,
) -> Result<Vec<EntryLine>, sqlx::Error> {
    let sql = "SELECT account, debit, credit FROM journal_lines WHERE store_id = $1 AND entry_no = $2 \
               ORDER BY line_no";
    let rows = sqlx::query(sql).bind(book).bind(entry_no).fetch_all(connection).await?;
    rows.iter().map(|row| Ok(columns!(row => EntryLine { account, debit, credit }))).collect()
}

/// Balance of suspense at the end of a day, book by book.
async fn suspense(connection: &mut AnyConnection, day: Date) -> Result<Vec<NotReady>, sqlx::Error> {
    let sql = "SELECT store_id, CAST(SUM(debit - credit) AS BIGINT) AS balance FROM ledger_days \
               WHERE account = '9990' AND entry_date <= $1 GROUP BY store_id HAVING SUM(debit - credit) <> 0 \
               ORDER BY store_id";
    let currency = hub::currency(&mut *connection).await?;
    let rows = sqlx::query(sql).bind(day.to_string()).fetch_all(connection).await?;
    let problem = |row: &sqlx::any::AnyRow| {
        Ok(NotReady {
            code: NotReadyCode::Suspense,
            store_id: row.cell("store_id")?,
            date: None,
            id: Some("9990".to_owned()),
            message: format!(
                "{} is in the suspense account: post it to the right account",
                currency.decimal(row.cell::<Money>("balance")?)
            ),
        })
    };
    rows.iter().map(problem).collect()
}
