//! Postings of a resolution: an entry of its own, and the postings of its matches on approval.

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::office::settlement::exception::View;
use crate::table::day_lock;
use domain::model::base::figures::Money;
use domain::rules::books::entry_by_hand::EntryLine;
use domain::rules::books::posting::plan::{Account, OVER_AND_SHORT, SETTLEMENT_DIFFERENCES};
use domain::rules::books::settlement::Slice;
use domain::rules::books::settlement::entry::of_slices;
use edge::ApiError;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;
use std::collections::{BTreeMap, BTreeSet};

/// An entry that would be posted.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SettlementPosting")]
pub struct Posting {
    /// Store that the book belongs to. Empty for head office's own book.
    store_id: String,
    /// Day of the entry in the books.
    entry_date: Date,
    /// Whether it is posted with the approval of its settlement or statement instead of at once.
    waits: bool,
    /// Lines of the entry, ordered by account.
    lines: Vec<Line>,
}

/// A line of the entry. Exactly one of `debit` and `credit` is above 0.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SettlementPostingLine")]
struct Line {
    /// Account number.
    account: String,
    /// Debit in minor currency units.
    debit: Money,
    /// Credit in minor currency units.
    credit: Money,
}

/// Postings of the resolution of an exception, done and to come of its matches.
///
/// # Errors
/// `validation_failed` for a figure above the largest; the database's.
pub async fn of(connection: &mut AnyConnection, resolved: &View) -> Result<Vec<Posting>, Failure> {
    let mut all: Vec<Posting> = at_once(connection, resolved).await?.into_iter().collect();
    for match_id in matches(connection, resolved).await? {
        all.extend(of_match(connection, &match_id).await?);
    }
    Ok(all)
}

async fn at_once(connection: &mut AnyConnection, resolved: &View) -> Result<Option<Posting>, sqlx::Error> {
    let Some(entry_id) = &resolved.entry_id else { return Ok(None) };
    let sql = "SELECT j.store_id, j.entry_date, l.account, l.debit, l.credit FROM journal j JOIN journal_lines l \
               ON l.store_id = j.store_id AND l.entry_no = j.entry_no WHERE j.entry_id = $1 ORDER BY l.line_no";
    let rows = sqlx::query(sql).bind(entry_id).fetch_all(connection).await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let line = |row: &AnyRow| Ok(columns!(row => Line { account, debit, credit }));
    let lines = rows.iter().map(line).collect::<Result<_, sqlx::Error>>()?;
    Ok(Some(columns!(first => Posting { store_id, entry_date; waits = false, lines = lines })))
}

/// The matches of its lines and items.
async fn matches(connection: &mut AnyConnection, resolved: &View) -> Result<BTreeSet<String>, sqlx::Error> {
    let mut rows = Vec::new();
    for line_id in &resolved.line_ids {
        let sql = "SELECT match_id FROM match_lines WHERE line_id = $1";
        rows.extend(sqlx::query(sql).bind(line_id).fetch_all(&mut *connection).await?);
    }
    for (store_id, item_id) in &resolved.items {
        let sql = "SELECT match_id FROM match_items WHERE store_id = $1 AND item_id = $2";
        let query = sqlx::query(sql).bind(store_id).bind(item_id);
        rows.extend(query.fetch_all(&mut *connection).await?);
    }
    rows.iter().map(|row| row.cell("match_id")).collect()
}

/// Postings of its slices in each book. A supplier's payment was posted when it was made.
async fn of_match(connection: &mut AnyConnection, match_id: &str) -> Result<Vec<Posting>, Failure> {
    let sql = "SELECT s.store_id, s.settlement_date, s.gross, s.fee, s.difference, s.net, s.cleared, m.rule, \
               m.line_date, m.difference_account, src.account FROM match_slices s \
               JOIN settlement_matches m ON m.match_id = s.match_id \
               JOIN statement_sources src ON src.source_id = m.source_id \
               WHERE s.match_id = $1 AND s.posted = 0 AND m.rule <> 'supplier_payment'";
    let mut books: BTreeMap<String, Vec<(Slice, Account)>> = BTreeMap::new();
    let mut of = None;
    for row in sqlx::query(sql).bind(match_id).fetch_all(&mut *connection).await? {
        of = Some(columns!(row => (account, line_date)));
        let found = slice(&row)?;
        books.entry(found.0.store_id.clone()).or_default().push(found);
    }
    let (mut all, Some((account, date))) = (Vec::new(), of) else { return Ok(Vec::new()) };
    let (bank, date): (Account, Date) = (account, date);
    for (store_id, slices) in books {
        let lines = of_slices(bank, slices.iter().map(|(slice, rest)| (slice, *rest)));
        let line = |EntryLine { account, debit, credit }| Line { account, debit, credit };
        let lines: Vec<Line> = lines.map_err(ApiError::from)?.into_iter().map(line).collect();
        if !lines.is_empty() {
            let entry_date = day_lock::of_book(connection, &store_id, date).await?.first_open(date);
            all.push(Posting { store_id, entry_date, waits: true, lines });
        }
    }
    Ok(all)
}

/// A slice of a match, with the account of the shortfall: the one that a person named, or its rule's.
pub(super) fn slice(row: &AnyRow) -> Result<(Slice, Account), sqlx::Error> {
    let (rule, named): (String, Option<Account>) = columns!(row => (rule, difference_account));
    let usual = if rule == "deposit" { OVER_AND_SHORT } else { SETTLEMENT_DIFFERENCES };
    let rest = named.unwrap_or(usual);
    let cleared = row.json("cleared")?;
    let slice = columns!(row => Slice {
        store_id, settlement_date, gross, fee, difference, net; cleared = cleared, methods = BTreeMap::new(),
    });
    Ok((slice, rest))
}
