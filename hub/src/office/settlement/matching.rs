//! Matches the open lines of a source with the open items that it settles, and stores the result.

use crate::db::failure::Failure;
use crate::db::insert;
use crate::office::settlement::exceptions::carried;
use crate::office::settlement::exceptions::raised::{self, Belongs, Index};
use crate::office::settlement::lines::new_line::{Ended, NewLines};
use crate::office::settlement::match_rows::{self, By};
use crate::office::settlement::open::{self, Methods, OfStatement, Statements};
use crate::office::settlement::source::View as Source;
use crate::office::settlement::statement;
use crate::row;
use crate::table::settlement;
use domain::model::base::time::UtcMs;
use domain::rules::books::settlement::exception::ExceptionKind;
use domain::rules::books::settlement::{Found, ItemKind, OpenItem, OpenLine, Raised, match_lines};
use jiff::civil::Date;
use sqlx::AnyConnection;
use std::collections::{BTreeMap, BTreeSet};

/// Exceptions that are made into rows at once: the rows are several times as large.
const CHUNK: usize = 1_000;

/// Matches again, and keeps new lines where that leaves them. The source is locked.
///
/// # Errors
/// A database error.
pub async fn run(
    connection: &mut AnyConnection,
    source: &Source,
    mut new: NewLines,
    (now, today): (UtcMs, Date),
) -> Result<(), Failure> {
    let up_again = carried::come_up_again(connection, &source.source_id, today, now).await?;
    let methods = Methods::of(connection, source).await?;
    let mut lines = std::mem::take(&mut new.open);
    let of_new = lines.len();
    lines.extend(open::open_lines(connection, source).await?);
    let items = open::open_items(connection, &methods).await?;
    let known = open::known(connection, source, (&lines, &items), today).await?;
    let found = match_lines(&source.terms(), &lines, &items, &known);
    drop(known);
    let missing = missing(connection, source, &items, (&found, today)).await?;
    // Lines that were there before, with their statements.
    let statements = open::statements(connection, source).await?;
    let own = open::of_statement(connection, &new.statement_id).await?;
    let made_ids = match_rows::write(connection, source, &found, &By::Rules, now).await?;
    let new = (new, lines.get(..of_new).unwrap_or_default());
    keep_lines(connection, source, new, (&found, &made_ids, &statements)).await?;
    drop(made_ids);
    let looked_at = (lines.as_slice(), items.as_slice());
    let all = (found.raised.as_slice(), missing.as_slice());
    let mut touched = note(connection, source, all, (looked_at, &statements, own.as_ref()), now).await?;
    touched.extend(up_again);
    touched.extend(settle_exceptions(connection, &source.source_id, now).await?);
    statement::evaluate(connection, &source.source_id).await?;
    let days: BTreeSet<(&str, Date)> =
        items.iter().map(|item| (item.store_id.as_str(), item.settlement_date)).collect();
    touched.extend(days.into_iter().map(|(store_id, day)| (store_id.to_owned(), day)));
    for (store_id, day) in touched {
        settlement::evaluate(connection, &store_id, day).await?;
    }
    Ok(())
}

/// Asks again about items carried for long enough of a source that is no longer matched: its lines are still to be
/// settled by a person. The source is locked.
///
/// # Errors
/// A database error.
pub async fn ask_again(
    connection: &mut AnyConnection,
    source_id: &str,
    (now, today): (UtcMs, Date),
) -> Result<(), Failure> {
    let up_again = carried::come_up_again(connection, source_id, today, now).await?;
    statement::evaluate(connection, source_id).await?;
    for (store_id, day) in up_again {
        settlement::evaluate(connection, &store_id, day).await?;
    }
    Ok(())
}

/// Lines and items used for matching, the statements of older lines, and the statement of the new ones.
type Looked<'a> = ((&'a [OpenLine], &'a [OpenItem]), &'a Statements, Option<&'a OfStatement>);

/// Notes exceptions for a person, and missing items; returns the settlements that it holds up, or did.
async fn note(
    connection: &mut AnyConnection,
    source: &Source,
    (all, missing): (&[Raised], &[&OpenItem]),
    ((lines, items), statements, own): Looked<'_>,
    now: UtcMs,
) -> Result<BTreeSet<(String, Date)>, sqlx::Error> {
    let source_id = source.source_id.as_str();
    let mut touched = raised::supersede(connection, source_id, (all, statements), now).await?;
    if all.is_empty() && missing.is_empty() {
        return Ok(touched);
    }
    let index = Index::of(items, lines);
    let mut rest = all.iter().cloned().chain(missing.iter().map(|item| is_not_there(item)));
    loop {
        let mut rows = Vec::new();
        for raised in rest.by_ref().take(CHUNK) {
            let line = raised.line_ids.first().and_then(|line_id| statements.get(line_id).or(own));
            let statement_id = line.map(|(id, ..)| id.clone());
            let of = line.and_then(|(_, store, day)| store.as_deref().map(|store| (store, *day)));
            let (settlement, method) = (index.settlement(&raised, of), index.method(&raised));
            touched.extend(settlement.clone());
            let belongs = Belongs { statement_id, settlement, method, ..Belongs::default() };
            rows.push(raised::row_of(&raised, source_id, belongs, now)?);
        }
        if rows.is_empty() {
            return Ok(touched);
        }
        raised::note(connection, rows).await?;
    }
}

/// Items that nothing is found for although it should have come by now.
async fn missing<'a>(
    connection: &mut AnyConnection,
    source: &Source,
    items: &'a [OpenItem],
    (found, today): (&Found<'_>, Date),
) -> Result<Vec<&'a OpenItem>, sqlx::Error> {
    let terms = source.terms();
    let taken = found.matches.iter().flat_map(|made| &made.items);
    let matched: BTreeSet<(&str, &str)> =
        taken.map(|item| (item.store_id.as_str(), item.item_id.as_str())).collect();
    // A line may have the day of a store that is a day ahead: no payment is missing because of that.
    let reported_to = open::reported_to(connection, &source.source_id).await?.map(|to| to.min(today));
    let own = open::own_statements(connection, &source.source_id).await?;
    let carried = carried::items(connection).await?;
    let is_missing = |item: &&OpenItem| {
        let reported_to = reported_to.filter(|_| item.kind.is_of_customers());
        !matched.contains(&(item.store_id.as_str(), item.item_id.as_str()))
            && item.kind != ItemKind::SupplierPayment
            && (terms.is_overdue(item.business_date, reported_to, today)
                || (item.kind.is_of_customers()
                    && own.contains(&(item.store_id.clone(), item.settlement_date))))
            && !carried.contains(&(item.store_id.clone(), item.item_id.clone()))
    };
    Ok(items.iter().filter(is_missing).collect())
}

/// Stores the result of matching in the lines: new lines are added with it, older ones are changed.
async fn keep_lines(
    connection: &mut AnyConnection,
    source: &Source,
    (new, open): (NewLines, &[OpenLine]),
    (found, made_ids, before): (&Found<'_>, &[String], &Statements),
) -> Result<(), sqlx::Error> {
    let mut ended = Ended::new();
    // A separate fee is reported nowhere else: it waits for the statement's approval.
    let done = found.fees.iter().chain(&found.payouts);
    ended.extend(done.map(|line_id| (line_id.as_str(), ("resolved", None))));
    let raised = found.raised.iter().flat_map(|raised| &raised.line_ids);
    ended.extend(raised.map(|line_id| (line_id.as_str(), ("excepted", None))));
    for (made, match_id) in found.matches.iter().zip(made_ids) {
        let matched = ("matched", Some(match_id.as_str()));
        ended.extend(made.lines.iter().map(|line| (line.line_id.as_str(), matched)));
    }
    new.write(connection, &source.source_id, open, &ended).await?;
    ended.retain(|line_id, _| before.contains_key(*line_id));
    let matched = ended.iter().filter_map(|(line_id, (_, match_id))| Some((*line_id, (*match_id)?)));
    match_rows::mark(connection, matched).await?;
    note_lines(connection, found, before).await
}

fn is_not_there(item: &OpenItem) -> Raised {
    let kind = match item.kind {
        ItemKind::Deposit => ExceptionKind::DepositMissing,
        _ => ExceptionKind::MissingAtProvider,
    };
    let items = vec![(item.store_id.clone(), item.item_id.clone())];
    Raised { kind, line_ids: Vec::new(), items, candidates: Vec::new(), amount: item.amount }
}

/// Notes the older lines that are left for a user, and those that are done without an item.
async fn note_lines(
    connection: &mut AnyConnection,
    found: &Found<'_>,
    before: &Statements,
) -> Result<(), sqlx::Error> {
    let mut raised: BTreeMap<&'static str, BTreeSet<&str>> = BTreeMap::new();
    for what in &found.raised {
        let lines = what.line_ids.iter().filter(|line_id| before.contains_key(*line_id));
        raised.entry(what.kind.name()).or_default().extend(lines.map(String::as_str));
    }
    for (kind, lines) in raised {
        // A waiting line continues to wait, unless it has a new problem.
        let only = format!(
            "(statement_lines.state = 'unmatched' OR (statement_lines.state = 'carried' AND NOT EXISTS \
             (SELECT 1 FROM settlement_exceptions e WHERE e.first_line = statement_lines.line_id \
             AND e.resolution IN ('carry', 'contest') AND e.kind = '{kind}')))"
        );
        let rows = lines.into_iter().map(|line_id| row! { line_id, state: "excepted" }).collect();
        insert::update(connection, "statement_lines", &["line_id"], &only, rows).await?;
    }
    let done = found.fees.iter().chain(&found.payouts).filter(|line_id| before.contains_key(*line_id));
    let rows = done.map(|line_id| row! { line_id: line_id.as_str(), state: "resolved" }).collect();
    let only = "statement_lines.state = 'unmatched'";
    insert::update(connection, "statement_lines", &["line_id"], only, rows).await
}

/// Resolves exceptions that waited for a now matched line or item, whichever source missed it: a payment may have got a
/// source of its own since. Returns the settlements that they held up.
async fn settle_exceptions(
    connection: &mut AnyConnection,
    source_id: &str,
    now: UtcMs,
) -> Result<BTreeSet<(String, Date)>, sqlx::Error> {
    let sql = "UPDATE settlement_exceptions SET state = 'resolved', resolution = 'match', resolved_at = $2 \
               WHERE state = 'open' AND ( \
               EXISTS (SELECT 1 FROM settlement_items i WHERE i.store_id = settlement_exceptions.store_id \
                   AND i.item_id = settlement_exceptions.item_id AND i.state <> 'open') \
               OR (source_id = $1 AND EXISTS (SELECT 1 FROM statement_lines l \
                   WHERE l.line_id = settlement_exceptions.line_id AND l.state = 'matched'))) \
               RETURNING store_id, business_date";
    let rows = sqlx::query(sql).bind(source_id).bind(now.0).fetch_all(connection).await?;
    raised::held_up(&rows)
}
