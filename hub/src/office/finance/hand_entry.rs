//! Entries that a person writes: entries, reversals, opening balances.

use crate::columns;
use crate::db::failure::{Failure, is_overflow};
use crate::office::finance::account::Chart;
use crate::office::finance::opening_items::{self, Expected, OpeningItem};
use crate::office::finance::writer::{Writer, check_text};
use crate::table::day_lock;
use crate::table::hub;
use crate::table::journal::{self, Kind, NewEntry};
use crate::table::store::is_known;
use domain::model::base::currency::Currency;
use domain::model::base::figures::Money;
use domain::model::base::limits::{SHORT_ID_BYTES_MAX, TEXT_CHARS_MAX};
use domain::model::base::refusal::Refusal;
use domain::model::people::user::Role;
use domain::rules::books::entry_by_hand::{self, EntryLine, HandLine, LINES_MAX, LINES_MIN, OpeningLine};
use edge::{ApiError, Code, ids};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use sqlx::AnyConnection;

/// An entry by hand.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewJournalEntry")]
pub struct New {
    /// Day in the books. It must be open in every book of the lines and not after today.
    date: Date,
    /// Text of the entry. Null for none.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    memo: String,
    /// Lines of the entry, 2 to 500.
    #[schemars(length(min = LINES_MIN, max = LINES_MAX))]
    lines: Vec<HandLine>,
}

/// Opening balance of a book.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "OpeningBalance")]
pub struct Opening {
    /// Store that the book belongs to. Empty for head office's own book.
    #[serde(default)]
    #[schemars(length(max = SHORT_ID_BYTES_MAX))]
    pub store_id: String,
    /// Day in the books. It must be open and not after today.
    date: Date,
    /// Lines, up to 500. If they do not balance, the difference is posted to account 3010.
    #[schemars(length(max = LINES_MAX))]
    lines: Vec<OpeningLine>,
    /// Unsettled payments of a store, at most 500 together with the lines. Each is posted to the account of its payment
    /// method and settled like the payments that the store reports.
    #[serde(default)]
    #[schemars(length(max = LINES_MAX))]
    items: Vec<OpeningItem>,
    /// Text of the entry. Null for none.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    memo: Option<String>,
}

/// Request body for the reversal of an entry.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "JournalReversal")]
pub struct Reversal {
    /// Day in the books. Defaults to the entry's own day if that is open in all books of the entry, otherwise to the
    /// first day after it that is open in all of them.
    date: Option<Date>,
    /// Reason given for the reversal.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    reason: String,
}

/// Data of an entry that its reversal needs.
struct Written {
    entry_id: String,
    store_id: String,
    entry_no: i64,
    entry_date: Date,
    kind: Kind,
    group_id: Option<String>,
    reversed_by: Option<String>,
    debit_total: Money,
}

const WRITTEN: &str = "SELECT entry_id, store_id, entry_no, entry_date, kind, group_id, debit_total, \
                       (SELECT MIN(r.entry_id) FROM journal r WHERE r.reverses = journal.entry_id \
                       AND r.store_id = journal.store_id) AS reversed_by FROM journal";

impl Writer<'_> {
    /// 403 for an amount above the limit of entries by hand, unless an administrator writes it.
    async fn check_limit(
        &self,
        connection: &mut AnyConnection,
        limit: Money,
        amount: Money,
    ) -> Result<(), Failure> {
        if limit > 0 && amount > limit && self.role != Role::Admin {
            return Err(beyond(hub::currency(connection).await?, limit, amount).into());
        }
        Ok(())
    }

    /// Writes an entry, one in each book; returns their IDs.
    ///
    /// # Errors
    /// 422; 409 `day_locked`; 403 `approval_required`.
    pub async fn post(
        &self,
        connection: &mut AnyConnection,
        new: &New,
        limit: Money,
    ) -> Result<Vec<String>, Failure> {
        check_text("memo", &new.memo)?;
        self.check_not_later("date", new.date)?;
        let books = entry_by_hand::by_book(&new.lines).map_err(ApiError::from)?;
        Chart::read(connection).await?.check_by_hand(new.lines.iter().map(|line| &line.account))?;
        for (place, line) in new.lines.iter().enumerate() {
            check_book(connection, &format!("lines[{place}].store_id"), &line.store_id).await?;
        }
        let amount = new.lines.iter().map(|line| line.debit).sum::<Money>();
        self.check_limit(connection, limit, amount).await?;
        let ids: Vec<String> = books.keys().map(|_| ids::new("jrn_")).collect();
        let group_id = ids.first().filter(|_| ids.len() > 1).cloned();
        let cause_id = ids.first().cloned().unwrap_or_default();
        let mut entries = Vec::new();
        for ((book, lines), entry_id) in books.into_iter().zip(&ids) {
            let entry_no = self.dated(connection, &book, new.date).await?;
            let cause_key = entry_id.clone();
            let group_id = group_id.clone();
            let named = NewEntry {
                cause_id: cause_id.clone(),
                cause_key,
                group_id,
                lines,
                ..self.entry(Kind::Manual)
            };
            let (entry_id, memo) = (entry_id.clone(), Some(new.memo.clone()));
            entries.push(NewEntry { book, entry_no, entry_id, entry_date: new.date, memo, ..named });
        }
        self.add(connection, entries).await.map_err(added)?;
        Ok(ids)
    }

    /// Writes the opening balance of a book; returns the entry's ID.
    ///
    /// # Errors
    /// 422; 409 `day_locked`, `duplicate`; 403 `approval_required`.
    pub async fn open_book(
        &self,
        connection: &mut AnyConnection,
        opening: &Opening,
        limit: Money,
    ) -> Result<String, Failure> {
        let Opening { store_id: book, date, lines, items, memo } = opening;
        if let Some(memo) = memo {
            check_text("memo", memo)?;
        }
        self.check_not_later("date", *date)?;
        let expected = Expected::of(connection, (book.as_str(), *date), items).await?;
        let all: Vec<OpeningLine> = lines.iter().cloned().chain(expected.lines()).collect();
        let posted = entry_by_hand::opening(&all).map_err(ApiError::from)?;
        let amount = posted.iter().map(|line| line.debit).sum::<Money>();
        self.check_limit(connection, limit, amount).await?;
        Chart::read(connection).await?.check_by_hand(lines.iter().map(|line| &line.account))?;
        check_book(connection, "store_id", book).await?;
        let entry_no = self.dated(connection, book, *date).await?;
        let sql = format!("{WRITTEN} WHERE store_id = $1 AND kind = 'opening' AND kind <> 'event'");
        let before = written(connection, &sql, book).await?;
        if let Some(standing) = before.iter().find(|entry| entry.reversed_by.is_none()) {
            let id = standing.entry_id.clone();
            return Err(ApiError::from(Refusal::Duplicate { what: "opening", id }).into());
        }
        let entry_id = ids::new("jrn_");
        let cause_key = match before.len() {
            0 => "opening".to_owned(),
            taken_back => format!("opening#{taken_back}"),
        };
        let named =
            NewEntry { cause_id: entry_id.clone(), cause_key, lines: posted, ..self.entry(Kind::Opening) };
        let (own, memo) = (book.clone(), memo.clone());
        let dated = NewEntry { book: own, entry_no, entry_date: *date, memo, ..named };
        let entry = NewEntry { entry_id: entry_id.clone(), ..dated };
        self.add(connection, vec![entry]).await.map_err(added)?;
        expected.write(connection, (book.as_str(), entry_id.as_str()), self.now).await?;
        Ok(entry_id)
    }

    /// Reverses an entry by hand, in all its books; returns the IDs of the reversals.
    ///
    /// # Errors
    /// 404; 422; 409 `invalid_state`, `duplicate`, `day_locked`, `not_ready` for an account that is closed; 403
    /// `approval_required`.
    pub async fn reverse(
        &self,
        connection: &mut AnyConnection,
        entry_id: &str,
        asked: &Reversal,
        limit: Money,
    ) -> Result<Vec<String>, Failure> {
        check_text("reason", &asked.reason)?;
        let found = written(connection, &format!("{WRITTEN} WHERE entry_id = $1"), entry_id).await?;
        let named = found.into_iter().next().ok_or_else(|| ApiError::not_found("the entry"))?;
        if !matches!(named.kind, Kind::Manual | Kind::Opening) {
            let (state, allowed) = (named.kind.name().to_owned(), Vec::new());
            return Err(ApiError::from(Refusal::InvalidState { state, allowed }).into());
        }
        if let Some(id) = named.reversed_by {
            return Err(ApiError::from(Refusal::Duplicate { what: "reversal", id }).into());
        }
        let all = match &named.group_id {
            None => vec![named],
            Some(group) => {
                let sql = format!("{WRITTEN} WHERE cause_id = $1 AND group_id = $1");
                let mut all = written(connection, &sql, group).await?;
                // In the order in which all books are locked: the database sorts texts differently.
                all.sort_by(|a, b| a.store_id.cmp(&b.store_id));
                all
            }
        };
        let amount = all.iter().map(|entry| entry.debit_total).sum::<Money>();
        self.check_limit(connection, limit, amount).await?;
        let ids: Vec<String> = all.iter().map(|_| ids::new("jrn_")).collect();
        let group_id = ids.first().filter(|_| ids.len() > 1).cloned();
        let (numbers, entry_date) = self.reversal_date(connection, &all, asked.date).await?;
        let mut entries = Vec::new();
        for ((entry, entry_id), entry_no) in all.into_iter().zip(&ids).zip(numbers) {
            let moved = asked.date.is_none() && entry_date != entry.entry_date;
            let reference_date = moved.then_some(entry.entry_date);
            let lines = entry_by_hand::mirror(lines(connection, &entry).await?);
            let cause_key = format!("{}:reverse", entry.entry_id);
            let (cause_id, reverses) = (entry.entry_id.clone(), Some(entry.entry_id));
            let named = NewEntry { cause_id, cause_key, reverses, lines, ..self.entry(Kind::Reversal) };
            let dated = NewEntry { entry_date, reference_date, memo: Some(asked.reason.clone()), ..named };
            let (entry_id, group_id) = (entry_id.clone(), group_id.clone());
            entries.push(NewEntry { book: entry.store_id, entry_no, entry_id, group_id, ..dated });
        }
        let accounts = entries.iter().flat_map(|entry| &entry.lines).map(|line| &line.account);
        Chart::read(connection).await?.check_not_closed(accounts)?;
        let opened: Vec<(String, Option<String>)> =
            entries.iter().map(|entry| (entry.book.clone(), entry.reverses.clone())).collect();
        self.add(connection, entries).await.map_err(added)?;
        for (book, entry_id) in opened {
            opening_items::withdraw(connection, &book, entry_id.as_deref().unwrap_or_default()).await?;
        }
        Ok(ids)
    }

    /// Takes a number in the book of each of these entries of one day, and returns the day of all their reversals.
    async fn reversal_date(
        &self,
        connection: &mut AnyConnection,
        entries: &[Written],
        asked: Option<Date>,
    ) -> Result<(Vec<i64>, Date), Failure> {
        let own = entries.first().map_or(self.today, |entry| entry.entry_date);
        let mut numbers = Vec::new();
        if let Some(date) = asked {
            self.check_not_later("date", date)?;
            if date < own {
                return Err(ApiError::field("date", "must not be before the entry's own").into());
            }
            for entry in entries {
                numbers.push(self.dated(connection, &entry.store_id, date).await?);
            }
            return Ok((numbers, date));
        }
        for entry in entries {
            numbers.push(journal::numbers(connection, &entry.store_id, 1).await?);
        }
        Ok((numbers, self.first_open(connection, entries, own).await?))
    }

    /// The first day from one on that is open in the books of all these entries, which are locked.
    async fn first_open(
        &self,
        connection: &mut AnyConnection,
        entries: &[Written],
        own: Date,
    ) -> Result<Date, Failure> {
        let mut date = own;
        loop {
            let before = date;
            for entry in entries {
                let book = &entry.store_id;
                date = day_lock::of_book(connection, book, date).await?.first_open(date);
                if date > self.today {
                    let (store_id, next_open_date) = (book.clone(), date);
                    return Err(
                        ApiError::from(Refusal::DayLocked { store_id, date: own, next_open_date }).into()
                    );
                }
            }
            if date == before {
                return Ok(date);
            }
        }
    }
}

/// 422 if an account's sum of the day would be larger than the database counts: SQLite reports it by the column's
/// check, PostgreSQL while it adds.
fn added(failure: Failure) -> Failure {
    let Failure::Sql(error) = failure else { return failure };
    let checked = error.as_database_error().is_some_and(|refused| refused.is_check_violation());
    if checked || is_overflow(&error) {
        let problem = "must not make the total of an account for a day too large";
        return ApiError::field("lines", problem).into();
    }
    Failure::Sql(error)
}

/// 403: only an administrator may write that much.
fn beyond(currency: Currency, limit: Money, amount: Money) -> ApiError {
    let shown = currency.decimal(limit);
    let message = format!("only an administrator can write entries above {shown}");
    ApiError::new(Code::ApprovalRequired, message).with_details(json!({"limit": limit, "amount": amount}))
}

async fn check_book(connection: &mut AnyConnection, path: &str, book: &str) -> Result<(), Failure> {
    if book.is_empty() || is_known(connection, book).await? {
        return Ok(());
    }
    Err(ApiError::field(path, "is not a store").into())
}

async fn written(connection: &mut AnyConnection, sql: &str, key: &str) -> Result<Vec<Written>, sqlx::Error> {
    let rows = sqlx::query(sqlx::AssertSqlSafe(sql.to_owned())).bind(key).fetch_all(connection).await?;
    let one = |row: &sqlx::any::AnyRow| {
        Ok(
            columns!(row => Written { entry_id, store_id, entry_no, entry_date, kind, group_id, reversed_by, debit_total }),
        )
    };
    rows.iter().map(one).collect()
}

async fn lines(connection: &mut AnyConnection, entry: &Written) -> Result<Vec<EntryLine>, sqlx::Error> {
    let sql = "SELECT account, debit, credit FROM journal_lines WHERE store_id = $1 AND entry_no = $2 \
               ORDER BY line_no";
    let query = sqlx::query(sql).bind(&entry.store_id).bind(entry.entry_no);
    let rows = query.fetch_all(connection).await?;
    let line = |row: &sqlx::any::AnyRow| Ok(columns!(row => EntryLine { account, debit, credit }));
    rows.iter().map(line).collect()
}
