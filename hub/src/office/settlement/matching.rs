//! Matching the open lines of a source with the open items that it settles, and keeping what that comes to.

use crate::db::failure::Failure;
use crate::db::insert;
use crate::office::settlement::open::{self, Methods};
use crate::office::settlement::raised::{self, Belongs, Index};
use crate::office::settlement::source::View as Source;
use crate::office::settlement::statement;
use crate::row;
use crate::table::settlement;
use domain::model::base::time::UtcMs;
use domain::rules::books::settlement::exception::ExceptionKind;
use domain::rules::books::settlement::{Found, ItemKind, OpenItem, OpenLine, Raised, match_lines};
use edge::ids;
use jiff::civil::Date;
use sqlx::AnyConnection;
use std::collections::{BTreeMap, BTreeSet};

/// Matches again. The source is locked.
///
/// # Errors
/// The database's.
pub async fn run(
    connection: &mut AnyConnection,
    source: &Source,
    (now, today): (UtcMs, Date),
) -> Result<(), Failure> {
    come_up_again(connection, today, now).await?;
    let methods = Methods::of(connection, source).await?;
    let lines = open::open_lines(connection, source).await?;
    let items = open::open_items(connection, &methods).await?;
    let known = open::known(connection, source, today).await?;
    let terms = source.terms();
    let found = match_lines(&terms, &lines, &items, &known);
    let matched: BTreeSet<&(String, String)> = found.matches.iter().flat_map(|made| &made.items).collect();
    let reported_to = open::reported_to(connection, &source.source_id).await?;
    let is_missing = |item: &&OpenItem| {
        let reported_to = reported_to.filter(|_| item.kind.is_of_customers());
        !matched.contains(&(item.store_id.clone(), item.item_id.clone()))
            && item.kind != ItemKind::SupplierPayment
            && terms.is_overdue(item.business_date, reported_to, today)
    };
    let missing: Vec<Raised> = items.iter().filter(is_missing).map(missing).collect();
    let statements = open::statements(connection, source).await?;
    write(connection, source, &found, &lines, now).await?;
    let index = Index::of(&items, &lines);
    let mut rows = Vec::new();
    for raised in found.raised.iter().chain(&missing) {
        let line = raised.line_ids.first().and_then(|line_id| statements.get(line_id));
        let (statement_id, of_store) =
            line.map_or((None, None), |(id, store)| (Some(id.clone()), store.as_deref()));
        let belongs =
            Belongs { statement_id, settlement: index.settlement(raised, of_store), ..Belongs::default() };
        rows.push(raised::row_of(raised, &source.source_id, belongs, now)?);
    }
    raised::supersede(connection, &source.source_id, &rows, now).await?;
    raised::note(connection, rows).await?;
    settle_exceptions(connection, &source.source_id, now).await?;
    statement::evaluate(connection, &source.source_id).await?;
    let slices = found.matches.iter().flat_map(|made| &made.slices);
    let mut touched: BTreeSet<(String, Date)> =
        slices.map(|slice| (slice.store_id.clone(), slice.settlement_date)).collect();
    touched.extend(found.raised.iter().chain(&missing).filter_map(|raised| index.settlement(raised, None)));
    touched.extend(items.iter().map(|item| (item.store_id.clone(), item.settlement_date)));
    for (store_id, day) in touched {
        settlement::evaluate(connection, &store_id, day).await?;
    }
    Ok(())
}

/// What was carried for long enough is a person's to look at again.
async fn come_up_again(connection: &mut AnyConnection, today: Date, now: UtcMs) -> Result<(), sqlx::Error> {
    let sql = "UPDATE settlement_exceptions SET state = 'open', resolution = NULL, found_at = $2, \
               business_date = (SELECT i.settlement_date FROM settlement_items i \
               WHERE i.store_id = settlement_exceptions.store_id AND i.item_id = settlement_exceptions.item_id) \
               WHERE state = 'resolved' AND resolution = 'carry' AND EXISTS (SELECT 1 FROM settlement_items i \
               WHERE i.store_id = settlement_exceptions.store_id AND i.item_id = settlement_exceptions.item_id \
               AND i.state = 'open' AND i.carried_until < $1)";
    sqlx::query(sql).bind(today.to_string()).bind(now.0).execute(&mut *connection).await?;
    let sql = "UPDATE settlement_items SET carried_until = NULL WHERE state = 'open' AND carried_until < $1";
    sqlx::query(sql).bind(today.to_string()).execute(connection).await?;
    Ok(())
}

fn missing(item: &OpenItem) -> Raised {
    let kind = match item.kind {
        ItemKind::Deposit => ExceptionKind::DepositMissing,
        _ => ExceptionKind::MissingAtProvider,
    };
    let items = vec![(item.store_id.clone(), item.item_id.clone())];
    Raised { kind, line_ids: Vec::new(), items, candidates: Vec::new(), amount: item.amount }
}

/// Keeps matches; lines and items that are in one are no longer open.
async fn write(
    connection: &mut AnyConnection,
    source: &Source,
    found: &Found,
    lines: &[OpenLine],
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let dates: BTreeMap<&str, Date> = lines.iter().map(|line| (line.line_id.as_str(), line.date)).collect();
    let (mut matches, mut of_lines, mut of_items, mut slices, mut batches) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for made in &found.matches {
        let match_id = ids::new("mch_");
        let told = made.line_ids.iter().filter_map(|line_id| dates.get(line_id.as_str()));
        let line_date =
            told.max().copied().or_else(|| made.slices.iter().map(|slice| slice.settlement_date).max());
        matches.push(row! {
            match_id: match_id.as_str(), source_id: source.source_id.as_str(), rule: made.rule.name(),
            line_date: line_date.unwrap_or_default().to_string(), gross: made.gross, fee: made.fee, net: made.net,
            difference: made.difference, account: made.account.map(String::from), state: "matched", made_at: now.0,
        });
        for line_id in &made.line_ids {
            of_lines.push(row! { line_id: line_id.as_str(), match_id: match_id.as_str() });
            if let Some((source_id, batch)) = found.paid_out.get(line_id) {
                batches.push(
                    row! { source_id: source_id.as_str(), batch: batch.as_str(), line_id: line_id.as_str() },
                );
            }
        }
        for (store_id, item_id) in &made.items {
            of_items.push(
                row! { store_id: store_id.as_str(), item_id: item_id.as_str(), match_id: match_id.as_str() },
            );
        }
        for slice in &made.slices {
            let cleared = serde_json::to_string(&slice.cleared);
            slices.push(row! {
                store_id: slice.store_id.as_str(), settlement_date: slice.settlement_date.to_string(),
                match_id: match_id.as_str(), gross: slice.gross, fee: slice.fee, difference: slice.difference,
                net: slice.net, cleared: cleared.map_err(|error| sqlx::Error::Encode(error.into()))?, posted: 0_i64,
            });
        }
    }
    insert::rows(connection, "settlement_matches", "", matches).await?;
    insert::rows(connection, "match_lines", "", of_lines).await?;
    insert::rows(connection, "match_items", "", of_items).await?;
    insert::rows(connection, "match_slices", "", slices).await?;
    insert::rows(connection, "paid_batches", "", batches).await?;
    let sql = "UPDATE statement_lines SET state = 'matched', match_id = (SELECT m.match_id FROM match_lines m \
               WHERE m.line_id = statement_lines.line_id) WHERE source_id = $1 \
               AND state IN ('unmatched', 'excepted', 'carried') \
               AND EXISTS (SELECT 1 FROM match_lines m WHERE m.line_id = statement_lines.line_id)";
    sqlx::query(sql).bind(&source.source_id).execute(&mut *connection).await?;
    let sql = "UPDATE settlement_items SET state = 'matched', match_id = (SELECT m.match_id FROM match_items m \
               WHERE m.store_id = settlement_items.store_id AND m.item_id = settlement_items.item_id) \
               WHERE state = 'open' AND EXISTS (SELECT 1 FROM match_items m \
               WHERE m.store_id = settlement_items.store_id AND m.item_id = settlement_items.item_id)";
    sqlx::query(sql).execute(&mut *connection).await?;
    // A fee of its own is told by nobody else: it waits for the statement's approval.
    let of = |raised: &'_ Raised| {
        raised.line_ids.iter().map(move |line_id| (line_id.clone(), raised.kind)).collect::<Vec<_>>()
    };
    let raised: BTreeSet<(String, ExceptionKind)> = found.raised.iter().flat_map(of).collect();
    for (line_id, kind) in raised {
        // A line that waits goes on waiting, unless something else than before is wrong with it.
        let sql = "UPDATE statement_lines SET state = 'excepted' WHERE line_id = $1 AND (state = 'unmatched' \
                   OR (state = 'carried' AND NOT EXISTS (SELECT 1 FROM settlement_exceptions e \
                   WHERE e.line_id = $1 AND e.resolution = 'carry' AND e.kind = $2)))";
        sqlx::query(sql).bind(line_id).bind(kind.name()).execute(&mut *connection).await?;
    }
    for line_id in &found.fees {
        let sql = "UPDATE statement_lines SET state = 'resolved' WHERE line_id = $1 AND state = 'unmatched'";
        sqlx::query(sql).bind(line_id).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Resolves what waited for something that is matched now.
async fn settle_exceptions(
    connection: &mut AnyConnection,
    source_id: &str,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let sql = "UPDATE settlement_exceptions SET state = 'resolved', resolution = 'match', resolved_at = $2 \
               WHERE source_id = $1 AND state = 'open' AND ( \
               EXISTS (SELECT 1 FROM settlement_items i WHERE i.store_id = settlement_exceptions.store_id \
                   AND i.item_id = settlement_exceptions.item_id AND i.state <> 'open') \
               OR EXISTS (SELECT 1 FROM statement_lines l WHERE l.line_id = settlement_exceptions.line_id \
                   AND l.state = 'matched'))";
    sqlx::query(sql).bind(source_id).bind(now.0).execute(connection).await?;
    Ok(())
}
