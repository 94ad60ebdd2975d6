//! Approving a statement: posts the lines that belong to no settlement: bags, known texts and separate fees.

use crate::columns;
use crate::db::failure::Failure;
use crate::office::finance::account::Chart;
use crate::office::finance::writer::Writer;
use crate::office::settlement::posting::slice;
use crate::office::settlement::source::{self, View as Source};
use crate::office::settlement::statement;
use crate::table::day_lock;
use crate::table::journal::{self, Kind, NewEntry};
use domain::model::base::figures::Money;
use domain::model::base::refusal::Refusal;
use domain::rules::books::entry_by_hand::EntryLine;
use domain::rules::books::posting::plan::{Account, PAYMENT_FEES};
use domain::rules::books::settlement::Slice;
use domain::rules::books::settlement::entry::{moved, of_slices};
use edge::{ApiError, ids};
use jiff::civil::Date;
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::{BTreeMap, BTreeSet};

/// Entries of lines by book: the line, its day and the entry's lines. Books are taken in their order.
type ByBook = BTreeMap<String, Vec<(String, Date, Vec<EntryLine>)>>;

impl Writer<'_> {
    /// Approves a statement.
    ///
    /// # Errors
    /// 404; 409 `invalid_state` unless it is reconciled.
    pub async fn approve_statement(
        &self,
        connection: &mut AnyConnection,
        statement_id: &str,
    ) -> Result<(), Failure> {
        let source_id = statement::read(connection, statement_id).await?.source_id;
        let source = source::lock(connection, &source_id).await?;
        statement::evaluate(connection, &source_id).await?;
        let sql = "UPDATE statements SET state = 'approved' WHERE statement_id = $1 AND state = 'reconciled'";
        if sqlx::query(sql).bind(statement_id).execute(&mut *connection).await?.rows_affected() == 0 {
            let state = statement::read(connection, statement_id).await?.state.name().to_owned();
            return Err(ApiError::from(Refusal::InvalidState { state, allowed: Vec::new() }).into());
        }
        let mut entries = ByBook::new();
        plain_lines(connection, statement_id, &source, &mut entries).await?;
        deposits(connection, statement_id, &source, &mut entries).await?;
        in_the_books(connection, statement_id).await?;
        let mut made = Vec::new();
        for (book, lines) in entries {
            for (line_id, date, lines) in lines {
                let entry_no = journal::numbers(connection, &book, 1).await?;
                let entry_date = day_lock::of_book(connection, &book, date).await?.first_open(date);
                let (cause_id, cause_key) = (statement_id.to_owned(), format!("{statement_id}:{line_id}"));
                let named = NewEntry { entry_no, cause_id, cause_key, lines, ..self.entry(Kind::Bank) };
                let reference_date = (entry_date != date).then_some(date);
                let (book, entry_id) = (book.clone(), ids::new("jrn_"));
                made.push(NewEntry { book, entry_id, entry_date, reference_date, ..named });
            }
        }
        self.add(connection, made).await
    }
}

/// Marks lines that are in the books by now: known texts, lines posted by providers' lines, and payments to suppliers,
/// which were posted when they were made.
async fn in_the_books(connection: &mut AnyConnection, statement_id: &str) -> Result<(), sqlx::Error> {
    const PAID: &str = "SELECT m.match_id FROM settlement_matches m JOIN statement_lines l ON l.match_id = m.match_id \
                        WHERE l.statement_id = $1 AND m.state = 'matched' AND m.rule = 'supplier_payment'";
    for sql in [
        format!(
            "UPDATE settlement_items SET state = 'posted' WHERE state = 'matched' AND store_id = '' AND item_id IN \
             (SELECT i.item_id FROM match_items i WHERE i.match_id IN ({PAID}))"
        ),
        format!("UPDATE match_slices SET posted = 1 WHERE match_id IN ({PAID})"),
        "UPDATE settlement_matches SET state = 'posted' WHERE state = 'matched' \
         AND rule IN ('contra', 'text', 'payout', 'supplier_payment') \
         AND match_id IN (SELECT match_id FROM statement_lines WHERE statement_id = $1)"
            .to_owned(),
    ] {
        sqlx::query(AssertSqlSafe(sql)).bind(statement_id.to_owned()).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Posts known texts and separate fees that an earlier approval has not posted. For a line with a person's resolution,
/// the resolution has posted everything.
async fn plain_lines(
    connection: &mut AnyConnection,
    statement_id: &str,
    source: &Source,
    entries: &mut ByBook,
) -> Result<(), Failure> {
    // Of a charge and its refund that settle each other only the fee remains.
    let sql = "SELECT l.line_id, l.line_date, CASE WHEN m.rule = 'contra' THEN -COALESCE(l.fee, 0) \
               ELSE COALESCE(l.net, l.gross, 0) END AS amount, l.store_ref, m.account, \
               s.store_id AS of_statement FROM statement_lines l \
               JOIN statements s ON s.statement_id = l.statement_id LEFT JOIN settlement_matches m ON m.match_id = l.match_id \
               WHERE l.statement_id = $1 AND (m.rule IN ('text', 'contra') OR (l.match_id IS NULL AND l.kind = 'fee' \
               AND l.state = 'resolved' AND NOT EXISTS (SELECT 1 FROM settlement_exceptions e \
               WHERE e.line_id = l.line_id AND e.state = 'resolved' \
               AND e.resolution IN ('post', 'accept', 'ignore', 'contest')))) \
               AND NOT EXISTS (SELECT 1 FROM journal j WHERE j.cause_id = l.statement_id \
               AND j.cause_key = l.statement_id || ':' || l.line_id) ORDER BY l.line_no";
    for row in sqlx::query(sql).bind(statement_id).fetch_all(&mut *connection).await? {
        let (line_id, date, amount): (String, Date, Money) = columns!(row => (line_id, line_date, amount));
        let (store_ref, account): (Option<String>, Option<Account>) = columns!(row => (store_ref, account));
        let of_statement: Option<String> = columns!(row => (of_statement));
        let named = store_ref.as_deref().and_then(|name| source.store(name)).map(str::to_owned);
        let book = named.or(of_statement).unwrap_or_default();
        let account = account.unwrap_or(PAYMENT_FEES);
        let lines = moved(source.bank()?, account, amount).map_err(ApiError::from)?;
        if !lines.is_empty() {
            entries.entry(book).or_default().push((line_id, date, lines));
        }
    }
    Ok(())
}

/// Posts deposits that reached the bank; a different count is over or short. A match by hand of several lines or
/// deposits is posted with its first line, once in each book.
async fn deposits(
    connection: &mut AnyConnection,
    statement_id: &str,
    source: &Source,
    entries: &mut ByBook,
) -> Result<(), Failure> {
    let sql = "SELECT l.line_id, l.line_date, m.rule, m.difference_account, s.match_id, s.store_id, s.settlement_date, \
               s.gross, s.fee, s.difference, s.net, s.cleared FROM statement_lines l \
               JOIN settlement_matches m ON m.match_id = l.match_id \
               JOIN match_slices s ON s.match_id = m.match_id \
               WHERE l.statement_id = $1 AND m.rule = 'deposit' AND s.posted = 0 AND l.line_id = \
               (SELECT MIN(f.line_id) FROM match_lines f WHERE f.match_id = m.match_id) ORDER BY l.line_no";
    let mut parts: BTreeMap<(String, String, Date), Vec<(Slice, Account)>> = BTreeMap::new();
    let mut matches = BTreeSet::new();
    for row in sqlx::query(sql).bind(statement_id).fetch_all(&mut *connection).await? {
        let (line_id, date, match_id): (String, Date, String) =
            columns!(row => (line_id, line_date, match_id));
        let (slice, rest) = slice(&row)?;
        parts.entry((slice.store_id.clone(), line_id, date)).or_default().push((slice, rest));
        matches.insert(match_id);
    }
    let chart = Chart::read(&mut *connection).await?;
    for ((book, line_id, date), slices) in parts {
        let missing = slices.iter().filter(|(slice, _)| slice.difference != 0).map(|(_, rest)| *rest);
        chart.check_still_free(missing.chain([source.bank()?]))?;
        let slices = slices.iter().map(|(slice, rest)| (slice, *rest));
        let lines = of_slices(source.bank()?, slices).map_err(ApiError::from)?;
        if !lines.is_empty() {
            entries.entry(book).or_default().push((line_id, date, lines));
        }
    }
    for match_id in matches {
        for sql in [
            "UPDATE match_slices SET posted = 1 WHERE match_id = $1",
            "UPDATE settlement_matches SET state = 'posted' WHERE match_id = $1",
            "UPDATE settlement_items SET state = 'posted' WHERE match_id = $1 AND state = 'matched'",
        ] {
            sqlx::query(sql).bind(&match_id).execute(&mut *connection).await?;
        }
    }
    Ok(())
}
