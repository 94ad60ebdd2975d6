//! Compares a bank's account with the books: the items that only one of them has.

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::office::settlement::bank_balance::line_group::{Days, Group, batches, book, groups, said};
use crate::office::settlement::source::{self, View as Source};
use crate::table::{alarm, hub};
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use domain::rules::books::settlement::SourceKind;
use edge::ApiError;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use std::collections::BTreeMap;

/// The code of the alarm of a bank that differs from the books.
const ALARM: &str = "bank_differs";
/// Rows of each side that an answer names; the sums are over all.
const ROWS_MAX: usize = 1_000;

/// Query parameters of the reconciliation.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReconciliationQuery {
    /// Day at whose end the account is compared. Defaults to today.
    pub as_of: Option<Date>,
}

/// A bank's account compared with the books.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BankReconciliation")]
pub struct View {
    /// ID of the bank's source.
    pub source_id: String,
    /// Account number of the bank in the books.
    pub account: String,
    /// Day at whose end the account is compared.
    pub as_of: Date,
    /// Last day of the latest statement with a balance. Null if there is none.
    pub statement_to: Option<Date>,
    /// Closing balance of the statement that ends on `statement_to`, in minor currency units. Null if there is none.
    pub closing_balance: Option<Money>,
    /// Balance of the account in all books, in minor currency units; debit is positive.
    pub ledger_balance: Money,
    /// Lines that the books have not posted in full.
    pub in_bank_only: Vec<BankLine>,
    /// Sum of `in_bank_only`, in minor currency units.
    pub in_bank_only_total: Money,
    /// Items that the bank has not reported.
    pub in_books_only: Vec<BookLine>,
    /// Sum of `in_books_only`, in minor currency units.
    pub in_books_only_total: Money,
    /// Unexplained difference in minor currency units: closing balance − ledger balance − items only at the bank +
    /// items only in the books. 0 if everything is explained; null if there is no closing balance.
    pub difference: Option<Money>,
}

/// A line of the bank, or several lines that were matched together.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BankOnly")]
pub struct BankLine {
    /// ID of the line, the first if there are several.
    pub line_id: String,
    /// ID of the statement of the line.
    pub statement_id: String,
    /// Date of the line.
    pub date: Date,
    /// Reference of the line, as the bank wrote it.
    pub reference: String,
    /// Part of the amount that is not posted, in minor currency units.
    pub amount: Money,
}

/// Type of an object in the books.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "BooksOnlyType")]
pub enum BookLineType {
    /// Entry in the books.
    Entry,
    /// Payment to a supplier.
    Payment,
    /// Payout of a provider's batch.
    Payout,
}

/// Amount in the books that the bank has not reported.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BooksOnly")]
pub struct BookLine {
    /// Type of the object.
    #[serde(rename = "type")]
    pub kind: BookLineType,
    /// ID of the entry, the payment, or the provider's source. Null if the row stands for several events of stores.
    pub object_id: Option<String>,
    /// Batch of the payout. Null for other types.
    pub batch: Option<String>,
    /// Day in the books. Null if there are several.
    pub date: Option<Date>,
    /// Amount in minor currency units, positive for incoming money.
    pub amount: Money,
}

/// A bank at the end of a day.
///
/// # Errors
/// 404; 422 for a source that is not a bank.
pub async fn read(connection: &mut AnyConnection, source_id: &str, as_of: Date) -> Result<View, Failure> {
    let bank = source::read(&mut *connection, source_id).await?;
    if bank.kind != SourceKind::Bank {
        return Err(ApiError::field("id", "is not a bank: only the account of a bank is reconciled").into());
    }
    let statement = last_balance(connection, source_id, as_of).await?;
    let days = Days { reported: statement.map_or(as_of, |(to, _)| to), booked: as_of };
    let mut groups = groups(connection, &bank, days).await?;
    let mut books = Vec::new();
    payments(connection, &bank, days, (&mut groups, &mut books)).await?;
    payouts(connection, &bank, days, (&mut groups, &mut books)).await?;
    entries(connection, &bank.account, as_of, &mut books).await?;
    books.retain(|line| line.amount != 0);
    groups.retain(|_, group| group.open() != 0);
    let ledger_balance = moved(connection, &bank.account, as_of).await?;
    let in_bank_only_total = groups.values().map(Group::open).sum::<Money>();
    let in_books_only_total = books.iter().map(|line| line.amount).sum::<Money>();
    let explained = in_bank_only_total.saturating_sub(in_books_only_total);
    let in_bank_only = lines(connection, &bank, groups).await?;
    books.truncate(ROWS_MAX);
    Ok(View {
        source_id: bank.source_id,
        account: bank.account,
        as_of,
        statement_to: statement.map(|(to, _)| to),
        closing_balance: statement.map(|(_, closing)| closing),
        ledger_balance,
        in_bank_only,
        in_bank_only_total,
        in_books_only: books,
        in_books_only_total,
        difference: statement
            .map(|(_, closing)| closing.saturating_sub(ledger_balance).saturating_sub(explained)),
    })
}

/// Raises the bank's alarm if bank and books differ today by an unexplained amount, and ends it if they agree again.
/// Without a balance nothing is known.
///
/// # Errors
/// A database error.
pub async fn tell(connection: &mut AnyConnection, view: &View, now: UtcMs) -> Result<(), sqlx::Error> {
    let Some(difference) = view.difference else { return Ok(()) };
    if difference == 0 {
        return alarm::clear(connection, &view.source_id, ALARM).await;
    }
    let difference = hub::currency(connection).await?.decimal(difference);
    let message = format!(
        "{}: at {} a difference of {difference} on account {} is not explained by the bank or the books",
        view.source_id, view.as_of, view.account
    );
    alarm::raise(connection, &view.source_id, ALARM, &message, now).await
}

/// The last balance that a bank reported by then: the day of its statement, and the balance.
async fn last_balance(
    connection: &mut AnyConnection,
    source_id: &str,
    as_of: Date,
) -> Result<Option<(Date, Money)>, sqlx::Error> {
    let sql = "SELECT to_date, closing_balance FROM statements WHERE source_id = $1 AND to_date <= $2 \
               AND closing_balance IS NOT NULL ORDER BY to_date DESC, imported_at DESC LIMIT 1";
    let row = sqlx::query(sql).bind(source_id).bind(as_of.to_string()).fetch_optional(connection).await?;
    row.map(|row| Ok(columns!(row => (to_date, closing_balance)))).transpose()
}

/// Payments to suppliers are posted when they are made: the bank's lines lead to them.
async fn payments(
    connection: &mut AnyConnection,
    bank: &Source,
    days: Days,
    (groups, books): (&mut BTreeMap<String, Group>, &mut Vec<BookLine>),
) -> Result<(), sqlx::Error> {
    let sql = "SELECT j.cause_id, MIN(j.entry_date) AS day, CAST(SUM(jl.debit - jl.credit) AS BIGINT) AS amount, \
               (SELECT MIN(i.match_id) FROM match_items i JOIN settlement_matches m ON m.match_id = i.match_id \
               WHERE i.store_id = '' AND i.item_id = j.cause_id AND m.source_id = $1 AND m.line_date <= $4) AS match_id \
               FROM journal j JOIN journal_lines jl ON jl.store_id = j.store_id AND jl.entry_no = j.entry_no \
               WHERE j.kind <> 'event' AND j.kind = 'payment' AND jl.account = $2 AND j.entry_date <= $3 \
               GROUP BY j.cause_id ORDER BY 2, 1";
    let query = sqlx::query(sql).bind(&bank.source_id).bind(&bank.account);
    let query = query.bind(days.booked.to_string()).bind(days.reported.to_string());
    for row in query.fetch_all(connection).await? {
        let (payment_id, day, amount): (String, Date, Money) = columns!(row => (cause_id, day, amount));
        let match_id: Option<String> = row.cell("match_id")?;
        match match_id {
            Some(match_id) => book(groups, match_id, amount),
            None => books.push(BookLine {
                kind: BookLineType::Payment,
                object_id: Some(payment_id),
                batch: None,
                date: Some(day),
                amount,
            }),
        }
    }
    Ok(())
}

/// Payouts of providers, which are posted with their own lines: the bank's lines lead to their batches.
async fn payouts(
    connection: &mut AnyConnection,
    bank: &Source,
    days: Days,
    (groups, books): (&mut BTreeMap<String, Group>, &mut Vec<BookLine>),
) -> Result<(), sqlx::Error> {
    for provider in source::all(&mut *connection).await? {
        if provider.kind == SourceKind::Bank || provider.account != bank.account {
            continue;
        }
        let mut batches = batches(&mut *connection, &provider, (bank, days)).await?;
        for said in said(&mut *connection, &provider, days).await? {
            let (sum, _) = batches.entry(said.batch).or_default();
            *sum = sum.saturating_add(said.booked);
        }
        for (batch, (amount, paid)) in batches {
            match paid {
                Some(group) => book(groups, group, amount),
                None => books.push(BookLine {
                    kind: BookLineType::Payout,
                    object_id: Some(provider.source_id.clone()),
                    batch,
                    date: None,
                    amount,
                }),
            }
        }
    }
    Ok(())
}

/// Entries without a line of this bank, or of a provider that pays into it: entries by hand, and lines of another bank
/// that were posted to this account. The bank's first balance includes the opening balance of the book, so an opening
/// and its reversal are left out.
async fn entries(
    connection: &mut AnyConnection,
    account: &str,
    as_of: Date,
    books: &mut Vec<BookLine>,
) -> Result<(), sqlx::Error> {
    let sql = "SELECT j.entry_id, j.entry_date, CAST(SUM(jl.debit - jl.credit) AS BIGINT) AS amount FROM journal j \
               JOIN journal_lines jl ON jl.store_id = j.store_id AND jl.entry_no = j.entry_no \
               WHERE j.kind <> 'event' AND j.kind NOT IN ('payment', 'opening') \
               AND (j.kind NOT IN ('settlement', 'bank') OR EXISTS (SELECT 1 FROM statement_sources s \
               WHERE s.account <> $1 AND s.source_id = COALESCE(\
               (SELECT t.source_id FROM statements t WHERE t.statement_id = j.cause_id), \
               (SELECT e.source_id FROM settlement_exceptions e WHERE e.exception_id = j.cause_id)))) \
               AND NOT EXISTS (SELECT 1 FROM journal o WHERE o.entry_id = j.reverses AND o.store_id = j.store_id \
               AND o.kind = 'opening') \
               AND jl.account = $1 AND j.entry_date <= $2 \
               GROUP BY j.entry_id, j.entry_date ORDER BY j.entry_date, j.entry_id";
    let query = sqlx::query(sql).bind(account).bind(as_of.to_string());
    for row in query.fetch_all(&mut *connection).await? {
        let (entry_id, day, amount): (String, Date, Money) = columns!(row => (entry_id, entry_date, amount));
        let object_id = Some(entry_id);
        books.push(BookLine { kind: BookLineType::Entry, object_id, batch: None, date: Some(day), amount });
    }
    // Events of stores seldom move a bank's account, by a mapping: the rest of the account is theirs.
    let all = moved(&mut *connection, account, as_of).await?;
    // In this form SQLite uses the index of entries without an event.
    let sql = "SELECT CAST(COALESCE(SUM(jl.debit - jl.credit), 0) AS BIGINT) FROM journal j \
               JOIN journal_lines jl ON jl.store_id = j.store_id AND jl.entry_no = j.entry_no \
               WHERE j.kind <> 'event' AND jl.account = $1 AND j.entry_date <= $2";
    let query = sqlx::query_scalar(sql).bind(account.to_owned()).bind(as_of.to_string());
    let others = query.fetch_one(connection).await.map(Money::new)?;
    let amount = all.saturating_sub(others);
    books.push(BookLine { kind: BookLineType::Entry, object_id: None, batch: None, date: None, amount });
    Ok(())
}

/// Movement of an account in all books until a day.
async fn moved(connection: &mut AnyConnection, account: &str, as_of: Date) -> Result<Money, sqlx::Error> {
    let sql = "SELECT CAST(COALESCE(SUM(debit - credit), 0) AS BIGINT) FROM ledger_days \
               WHERE account = $1 AND entry_date <= $2";
    let query = sqlx::query_scalar(sql).bind(account.to_owned()).bind(as_of.to_string());
    query.fetch_one(connection).await.map(Money::new)
}

/// The first line of each group that is open.
async fn lines(
    connection: &mut AnyConnection,
    bank: &Source,
    groups: BTreeMap<String, Group>,
) -> Result<Vec<BankLine>, sqlx::Error> {
    let mut lines = Vec::new();
    for (key, group) in groups.into_iter().take(ROWS_MAX) {
        let sql = "SELECT line_id, statement_id, line_date, reference FROM statement_lines \
                   WHERE source_id = $1 AND (line_id = $2 OR line_id IN \
                   (SELECT line_id FROM match_lines WHERE match_id = $2)) ORDER BY line_no LIMIT 1";
        let query = sqlx::query(sql).bind(&bank.source_id).bind(&key);
        let Some(row) = query.fetch_optional(&mut *connection).await? else { continue };
        let amount = group.open();
        lines.push(columns!(row => BankLine { line_id, statement_id, date: "line_date", reference; amount = amount }));
    }
    lines.sort_by(|one, other| (one.date, &one.line_id).cmp(&(other.date, &other.line_id)));
    Ok(lines)
}
