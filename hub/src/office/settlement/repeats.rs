//! Money that a source reports again in other words: a second download in another form, CSV and CAMT.053 of one day. A
//! line of an earlier statement that this file has in the same words is no repeat, so that two equal payments stay two.

mod alike;
mod parts;

use crate::columns;
use alike::{DAYS_APART, FEE_DAYS_APART, Line, is_same};
use domain::model::base::figures::Money;
use domain::rules::books::settlement::import::{LineFingerprint, TextLine};
use domain::rules::books::settlement::{SourceKind, reference_key};
use futures_util::TryStreamExt as _;
use jiff::Span;
use jiff::civil::Date;
use sqlx::AnyConnection;
use std::collections::{BTreeMap, BTreeSet};

/// A line that was reported before.
#[derive(Debug, Clone)]
struct Known {
    /// ID of the line, `sln_…`.
    line_id: String,
    /// ID of its statement.
    statement_id: String,
    line: Line,
}

/// The line that a new line repeats.
#[derive(Debug, Clone)]
pub struct Repeat {
    /// ID of the known line, or of the first of several, `sln_…`.
    pub line_id: String,
    /// ID of its statement.
    pub statement_id: String,
    /// Description of the problem, for people.
    pub problem: String,
}

impl Repeat {
    fn of(known: &Known, problem: String) -> Self {
        Self { line_id: known.line_id.clone(), statement_id: known.statement_id.clone(), problem }
    }
}

/// The new lines that repeat known ones, by their places.
///
/// # Errors
/// A database error.
pub async fn find(
    connection: &mut AnyConnection,
    source_id: &str,
    (lines, reported): (&[TextLine], &[LineFingerprint]),
    (new, kind): (&BTreeSet<usize>, SourceKind),
) -> Result<BTreeMap<usize, Repeat>, sqlx::Error> {
    let own: BTreeMap<usize, Line> =
        new.iter().filter_map(|place| Some((*place, Line::of(lines.get(*place)?)))).collect();
    let known = known(connection, source_id, (&own, kind), reported).await?;
    let (mut found, mut used) = (BTreeMap::new(), BTreeSet::new());
    let mut by_amount: BTreeMap<Money, Vec<usize>> = BTreeMap::new();
    for (at, known) in known.iter().enumerate() {
        for amount in known.line.amounts() {
            by_amount.entry(amount).or_default().push(at);
        }
    }
    for (place, line) in &own {
        for amount in line.amounts() {
            let Some(of_amount) = by_amount.get_mut(&amount) else { continue };
            let free = |at: &usize| known.get(*at).filter(|_| !used.contains(at));
            let same = of_amount
                .iter()
                .position(|at| free(at).is_some_and(|known| is_same(line, &known.line, kind)));
            let Some(at) = same.map(|same| of_amount.remove(same)) else { continue };
            if let Some(known) = known.get(at) {
                let id = &known.line_id;
                let problem = format!("is for the same money as the line {id}, with a different description");
                found.insert(*place, Repeat::of(known, problem));
                used.insert(at);
            }
            break;
        }
    }
    if kind == SourceKind::Bank {
        parts::find((&own, &mut found), (&known, &mut used));
    }
    Ok(found)
}

/// Lines that the file does not repeat in the same words and that new lines may repeat, in the order of their
/// statements.
async fn known(
    connection: &mut AnyConnection,
    source_id: &str,
    (new, kind): (&BTreeMap<usize, Line>, SourceKind),
    reported: &[LineFingerprint],
) -> Result<Vec<Known>, sqlx::Error> {
    let mut known = Vec::new();
    let dates: BTreeSet<Date> = new.values().map(|line| line.date).collect();
    let Some((from, to)) = dates.first().zip(dates.last()) else { return Ok(known) };
    let days = Span::new().days(if kind == SourceKind::Provider { FEE_DAYS_APART } else { DAYS_APART });
    let (from, to) = (from.checked_sub(days).unwrap_or(*from), to.checked_add(days).unwrap_or(*to));
    let sql = "SELECT 1 FROM statements WHERE source_id = $1 AND to_date >= $2 AND from_date <= $3 LIMIT 1";
    let query = sqlx::query(sql).bind(source_id).bind(from.to_string()).bind(to.to_string());
    if query.fetch_optional(&mut *connection).await?.is_none() {
        return Ok(known);
    }
    let reported: BTreeSet<(&str, i64)> =
        reported.iter().map(|(print, count)| (print.as_str(), *count)).collect();
    let amounts: BTreeSet<Money> = new.values().flat_map(Line::amounts).collect();
    let sql = "SELECT line_id, statement_id, line_date, reference, other_keys, description, store_ref, gross, net, \
               fingerprint, occurrence \
               FROM statement_lines WHERE source_id = $1 AND line_date >= $2 AND line_date <= $3 \
               ORDER BY statement_id, line_no, line_id";
    let query = sqlx::query(sql).bind(source_id).bind(from.to_string()).bind(to.to_string());
    let mut rows = query.fetch(connection);
    while let Some(row) = rows.try_next().await? {
        let (fingerprint, occurrence): (String, i64) = columns!(row => (fingerprint, occurrence));
        if reported.contains(&(fingerprint.as_str(), occurrence)) {
            continue;
        }
        let (line_id, statement_id, line_date): (String, String, Date) =
            columns!(row => (line_id, statement_id, line_date));
        let (reference, other_keys, description): (String, Option<String>, String) =
            columns!(row => (reference, other_keys, description));
        let (store_ref, gross, net): (Option<String>, Option<Money>, Option<Money>) =
            columns!(row => (store_ref, gross, net));
        let others = other_keys.iter().flat_map(|keys| keys.split(' ')).map(str::to_owned);
        let keys = reference_key(&reference).into_iter().chain(others).collect();
        let line = Line { date: line_date, reference, keys, description, store_ref, gross, net };
        // A part of a payment that the bank split has another amount.
        let part = kind == SourceKind::Bank && dates.contains(&line.date);
        if part || line.amounts().any(|amount| amounts.contains(&amount)) {
            known.push(Known { line_id, statement_id, line });
        }
    }
    Ok(known)
}
