//! Entries of one account, with the balance after each.

use crate::columns;
use crate::db::Engine;
use crate::db::filter::Conditions;
use crate::db::guarded::guarded;
use crate::table::journal::Kind;
use domain::model::base::figures::Money;
use domain::model::base::money::shown_sum;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

/// An entry's line on the account.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AccountEntry")]
pub struct View {
    /// ID of the entry, `jrn_…`.
    pub entry_id: String,
    /// Number of the entry, from 1 in each book, without a gap.
    pub entry_no: i64,
    /// Number of the line in the entry, from 1. An entry may have several lines on the account.
    pub line_no: i64,
    /// Store that the book belongs to. Empty for head office's own book.
    pub store_id: String,
    /// Day of the entry in the books.
    pub entry_date: Date,
    /// Day that the entry belongs to. Null if it is `entry_date`.
    pub reference_date: Option<Date>,
    /// Origin of the entry.
    pub kind: Kind,
    /// Text of the entry, such as a receipt number, a bag number or a reason. Null if there is none.
    pub memo: Option<String>,
    /// Debit amount in minor currency units.
    pub debit: Money,
    /// Credit amount in minor currency units.
    pub credit: Money,
    /// Account balance after the entry, in minor currency units; debit is positive.
    pub balance: Money,
}

/// Filters of the list of entries.
pub struct EntriesFilter<'a> {
    /// Number of the account.
    pub account: &'a str,
    /// Only entries of this day in the books or later.
    pub from: Option<Date>,
    /// Only entries of this day in the books or earlier.
    pub to: Option<Date>,
    /// Only entries of this book. `None` for all books.
    pub book: Option<&'a str>,
}

/// Position of an item in the list: its day, book, number and line, with the balance after it.
pub type Bookmark = (Date, String, (i64, i64), Money);

impl EntriesFilter<'_> {
    /// Balance of the account before a day, positive for debit. Without a day, the present balance.
    pub async fn balance(
        &self,
        connection: &mut AnyConnection,
        before: Option<Date>,
    ) -> Result<Money, sqlx::Error> {
        let before = before.map(|day| day.to_string());
        let conditions = Conditions::default()
            .text("account = ?", Some(self.account))
            .text("store_id = ?", self.book)
            .text("entry_date < ?", before.as_deref());
        let sql =
            "SELECT CAST(COALESCE(SUM(debit - credit), 0) AS BIGINT) AS balance FROM ledger_days WHERE {}";
        let sql = guarded(Engine::of_connection(connection), sql);
        Ok(columns!(conditions.query(&sql).fetch_one(connection).await? => (balance)))
    }

    /// Reads a page of entries, the oldest first. Only days with movements of the account are read.
    pub async fn entries(
        &self,
        connection: &mut AnyConnection,
        (after, mut balance): (Option<&Bookmark>, Money),
        limit: i64,
    ) -> Result<Vec<View>, sqlx::Error> {
        let (from, to) = (self.from.map(|day| day.to_string()), self.to.map(|day| day.to_string()));
        // A date and a number need no quoting.
        let newer = after.map_or_else(String::new, |(date, _, (number, line), _)| {
            format!("(j.entry_date, j.store_id, j.entry_no, l.line_no) > ('{date}', ?, {number}, {line})")
        });
        let conditions = Conditions::default()
            .text("d.account = ?", Some(self.account))
            .text("d.store_id = ?", self.book)
            .text("d.entry_date >= ?", from.as_deref())
            .text("d.entry_date <= ?", to.as_deref())
            .text(&newer, after.map(|(_, book, ..)| book.as_str()));
        let sql = format!(
            "SELECT j.entry_id, j.entry_no, l.line_no, j.store_id, j.entry_date, j.reference_date, j.kind, j.memo, \
             l.debit, l.credit FROM ledger_days d JOIN journal j ON j.store_id = d.store_id AND j.entry_date = d.entry_date \
             JOIN journal_lines l ON l.store_id = j.store_id AND l.entry_no = j.entry_no \
             AND l.account = d.account WHERE {{}} ORDER BY j.entry_date, j.store_id, j.entry_no, l.line_no LIMIT {limit}"
        );
        let view = |row: &AnyRow| {
            Ok(columns!(row => View {
                entry_id, entry_no, line_no, store_id, entry_date, reference_date, kind, memo, debit, credit;
                balance = Money::ZERO,
            }))
        };
        let rows = conditions.query(&sql).fetch_all(connection).await?;
        let mut views = rows.iter().map(view).collect::<Result<Vec<View>, sqlx::Error>>()?;
        for view in &mut views {
            balance = shown_sum([balance, view.debit, view.credit.saturating_neg()]);
            view.balance = balance;
        }
        Ok(views)
    }
}
