//! Tables `journal`, `journal_lines`, `ledger_days` and `books`: entries, numbered without a gap in each book, with the
//! sums of every account and day.

use crate::db::column::Column;
use crate::db::insert;
use crate::row;
use crate::table::journal_counts;
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use domain::rules::books::entry_by_hand::EntryLine;
use domain::rules::books::posting::Poster;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Error, Row};
use std::collections::BTreeMap;

/// Head office's own book in numbers of exported entries. No store has this ID.
pub const OWN_BOOK: &str = "HO";

/// Cause of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "EntryKind")]
pub enum Kind {
    /// An event of a store.
    Event,
    /// An entry by hand.
    Manual,
    /// The reversal of an entry by hand.
    Reversal,
    /// Opening balance of a book, written by a user.
    Opening,
    /// The end of a fiscal year.
    YearEnd,
    /// An approved match, or a user's decision on items without a match.
    Settlement,
    /// A line of a bank that belongs to no settlement.
    Bank,
    /// A supplier's invoice.
    Invoice,
    /// A payment to a supplier.
    Payment,
    /// A supplier's credit note.
    CreditNote,
}

impl Kind {
    const ALL: [Self; 10] = [
        Self::Event,
        Self::Manual,
        Self::Reversal,
        Self::Opening,
        Self::YearEnd,
        Self::Settlement,
        Self::Bank,
        Self::Invoice,
        Self::Payment,
        Self::CreditNote,
    ];

    /// The name in the table and the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Manual => "manual",
            Self::Reversal => "reversal",
            Self::Opening => "opening",
            Self::YearEnd => "year_end",
            Self::Settlement => "settlement",
            Self::Bank => "bank",
            Self::Invoice => "invoice",
            Self::Payment => "payment",
            Self::CreditNote => "credit_note",
        }
    }
}

impl Kind {
    /// Poster of such entries, if an account may refuse them: reports of stores, reversals and the end of a
    /// year are posted in any state of the account.
    pub fn poster(self) -> Option<Poster> {
        match self {
            Self::Event | Self::Reversal | Self::YearEnd => None,
            Self::Manual => Some(Poster::Person),
            Self::Opening => Some(Poster::Opening),
            Self::Settlement => Some(Poster::Settlement),
            Self::Bank => Some(Poster::Bank),
            Self::Invoice | Self::Payment | Self::CreditNote => Some(Poster::Payables),
        }
    }
}

impl Column for Kind {
    fn read(row: &AnyRow, name: &str) -> Result<Self, Error> {
        let kind: &str = row.try_get(name)?;
        let unknown = || Error::Decode(format!("unknown kind of entry {kind}").into());
        Self::ALL.into_iter().find(|known| known.name() == kind).ok_or_else(unknown)
    }
}

/// An entry to be added to its book.
pub struct NewEntry {
    /// Store of the book. Empty for head office.
    pub book: String,
    /// Number of the entry, one of [`numbers`].
    pub entry_no: i64,
    /// ID of the entry, `jrn_…`.
    pub entry_id: String,
    /// Day of the entry in the books.
    pub entry_date: Date,
    /// Day that the document belongs to. Null if it is the day in the books.
    pub reference_date: Option<Date>,
    /// Origin of the entry.
    pub kind: Kind,
    /// Type of the document that it comes from.
    pub cause_type: &'static str,
    /// ID of the document.
    pub cause_id: String,
    /// Store that reported the document. Empty if none did.
    pub cause_store_id: String,
    /// ID of the event that reported it.
    pub event_id: Option<String>,
    /// Key of the cause. Each key has one entry per book.
    pub cause_key: String,
    /// ID of the group that it was written with.
    pub group_id: Option<String>,
    /// Text of the entry, for people.
    pub memo: Option<String>,
    /// The entry that it reverses.
    pub reverses: Option<String>,
    /// User who wrote the entry. Null if it was posted automatically.
    pub created_by: Option<String>,
    /// Lines of the entry, balanced.
    pub lines: Vec<EntryLine>,
}

/// Takes `count` numbers of a book, and returns the first. The book is locked until the transaction ends.
pub async fn numbers(connection: &mut AnyConnection, book: &str, count: usize) -> Result<i64, Error> {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let sql = "INSERT INTO books (store_id, next_entry_no) VALUES ($1, $2) ON CONFLICT (store_id) \
               DO UPDATE SET next_entry_no = books.next_entry_no + excluded.next_entry_no - 1 \
               RETURNING next_entry_no";
    let query = sqlx::query_scalar(sql).bind(book).bind(count.saturating_add(1));
    let next: i64 = query.fetch_one(connection).await?;
    Ok(next.saturating_sub(count))
}

/// Number of entries in all books, by their numbers.
pub async fn posted(connection: &mut AnyConnection) -> Result<i64, Error> {
    let sql = "SELECT CAST(COALESCE(SUM(next_entry_no - 1), 0) AS BIGINT) FROM books";
    sqlx::query_scalar(sql).fetch_one(connection).await
}

/// Adds entries to their books, and their sums to the days of their accounts.
pub async fn add(connection: &mut AnyConnection, entries: Vec<NewEntry>, now: UtcMs) -> Result<(), Error> {
    let (mut journal, mut lines) = (Vec::new(), Vec::new());
    let mut days: BTreeMap<(String, String, String), [Money; 2]> = BTreeMap::new();
    for entry in entries {
        let (book, entry_no, entry_date) = (entry.book, entry.entry_no, entry.entry_date.to_string());
        let mut totals = [Money::ZERO; 2];
        for (line_no, line) in (1_i64..).zip(entry.lines) {
            let EntryLine { account, debit, credit } = line;
            let day = days.entry((book.clone(), entry_date.clone(), account.clone())).or_default();
            for sums in [day, &mut totals] {
                for (sum, part) in sums.iter_mut().zip([debit, credit]) {
                    *sum = sum.saturating_add(part);
                }
            }
            lines.push(row! { store_id: book.as_str(), entry_no, line_no, account, debit, credit });
        }
        journal_counts::note(entry.kind, entry.reference_date.is_some());
        let [debit_total, credit_total] = totals;
        journal.push(row! {
            store_id: book, entry_no, entry_id: entry.entry_id, entry_date,
            reference_date: entry.reference_date.map(|day| day.to_string()), kind: entry.kind.name(),
            cause_type: entry.cause_type, cause_id: entry.cause_id, cause_store_id: entry.cause_store_id,
            event_id: entry.event_id, cause_key: entry.cause_key, memo: entry.memo, debit_total, credit_total,
            group_id: entry.group_id, reverses: entry.reverses, created_by: entry.created_by, created_at: now.0,
        });
    }
    insert::rows(connection, "journal", "", journal).await?;
    insert::rows(connection, "journal_lines", "", lines).await?;
    let day = |((store_id, entry_date, account), [debit, credit]): ((String, String, String), [Money; 2])| {
        row! { store_id, entry_date, account, debit, credit }
    };
    let key = ["store_id", "entry_date", "account"];
    insert::sums(connection, "ledger_days", &key, days.into_iter().map(day).collect()).await
}
