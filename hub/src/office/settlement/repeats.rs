//! Money that a source tells of again in other words: a second download in another form, CSV and CAMT.053 of one day.
//! A line of an earlier statement that the file at hand has in the same words is no repeat, so that two equal payments
//! stay two.

use crate::columns;
use domain::rules::books::settlement::import::{LineFingerprint, TextLine};
use domain::rules::books::settlement::{SourceKind, has_word};
use futures_util::TryStreamExt as _;
use jiff::Span;
use jiff::civil::Date;
use sqlx::AnyConnection;
use std::collections::{BTreeMap, BTreeSet};

/// Days by which the dates of one payment may differ in two files.
const DAYS_APART: i32 = 1;
/// Shorter references may be of several payments.
const UNIQUE_BYTES_MIN: usize = 10;

/// A line that was reported before.
#[derive(Debug, Clone)]
pub struct Known {
    /// ID of the line, `sln_…`.
    pub line_id: String,
    /// ID of its statement.
    pub statement_id: String,
    date: Date,
    reference: String,
    description: String,
    store_ref: Option<String>,
    gross: Option<i64>,
    net: Option<i64>,
}

/// The known lines that new ones repeat, by the places of the new ones.
///
/// # Errors
/// The database's.
pub async fn find(
    connection: &mut AnyConnection,
    source_id: &str,
    (lines, told): (&[TextLine], &[LineFingerprint]),
    (new, kind): (&BTreeSet<usize>, SourceKind),
) -> Result<BTreeMap<usize, Known>, sqlx::Error> {
    let of_new = || new.iter().filter_map(|place| Some((*place, lines.get(*place)?)));
    let dates = || of_new().map(|(_, line)| line.date);
    let Some((from, to)) = dates().min().zip(dates().max()) else { return Ok(BTreeMap::new()) };
    let days = Span::new().days(DAYS_APART);
    let (from, to) = (from.checked_sub(days).unwrap_or(from), to.checked_add(days).unwrap_or(to));
    let amounts: BTreeSet<i64> = of_new().flat_map(|(_, line)| amounts(line.gross, line.net)).collect();
    let mut known = known(connection, source_id, (from, to), (&amounts, told)).await?;
    let mut found = BTreeMap::new();
    for (place, line) in of_new() {
        for amount in self::amounts(line.gross, line.net) {
            let Some(of_amount) = known.get_mut(&amount) else { continue };
            let same = of_amount.iter().position(|known| is_same(line, known, kind));
            if let Some(known) = same.map(|same| of_amount.remove(same)) {
                found.insert(place, known);
                break;
            }
        }
    }
    Ok(found)
}

/// The figure that a line is looked up by: its net, or its gross where it has none.
fn amounts(gross: Option<i64>, net: Option<i64>) -> impl Iterator<Item = i64> {
    [net, gross.filter(|gross| net != Some(*gross))].into_iter().flatten()
}

/// Lines that the file does not tell again in the same words, by their amounts.
async fn known(
    connection: &mut AnyConnection,
    source_id: &str,
    (from, to): (Date, Date),
    (amounts, told): (&BTreeSet<i64>, &[LineFingerprint]),
) -> Result<BTreeMap<i64, Vec<Known>>, sqlx::Error> {
    let mut known: BTreeMap<i64, Vec<Known>> = BTreeMap::new();
    let sql = "SELECT 1 FROM statements WHERE source_id = $1 AND to_date >= $2 AND from_date <= $3 LIMIT 1";
    let query = sqlx::query(sql).bind(source_id).bind(from.to_string()).bind(to.to_string());
    if query.fetch_optional(&mut *connection).await?.is_none() {
        return Ok(known);
    }
    let told: BTreeSet<(&str, i64)> = told.iter().map(|(print, count)| (print.as_str(), *count)).collect();
    let sql = "SELECT line_id, statement_id, line_date, reference, description, store_ref, gross, net, fingerprint, \
               occurrence \
               FROM statement_lines WHERE source_id = $1 AND line_date >= $2 AND line_date <= $3 ORDER BY line_id";
    let query = sqlx::query(sql).bind(source_id).bind(from.to_string()).bind(to.to_string());
    let mut rows = query.fetch(connection);
    while let Some(row) = rows.try_next().await? {
        let (fingerprint, occurrence): (String, i64) = columns!(row => (fingerprint, occurrence));
        if told.contains(&(fingerprint.as_str(), occurrence)) {
            continue;
        }
        let line: Known = columns!(row => Known {
            line_id, statement_id, date: "line_date", reference, description, store_ref, gross, net,
        });
        let amount = self::amounts(line.gross, line.net).find(|amount| amounts.contains(amount));
        if let Some(amount) = amount {
            known.entry(amount).or_default().push(line);
        }
    }
    Ok(known)
}

/// Whether two lines tell of the same money. Payments of one text recur from day to day: only a reference that is long
/// enough to be of one payment counts on the day beside it.
fn is_same(line: &TextLine, known: &Known, kind: SourceKind) -> bool {
    let differ =
        |one: Option<i64>, other: Option<i64>| one.zip(other).is_some_and(|(one, other)| one != other);
    let apart = line.date.since(known.date).map_or(i32::MAX, |span| span.get_days().saturating_abs());
    if differ(line.gross, known.gross) || differ(line.net, known.net) || apart > DAYS_APART {
        return false;
    }
    let (own, other) = (key(&line.reference), key(&known.reference));
    if apart > 0 {
        let unique = own.len() >= UNIQUE_BYTES_MIN && own.contains(|c: char| c.is_ascii_digit());
        return unique && own == other;
    }
    let text = |reference: &str, description: &str| format!("{reference} {description}");
    let texts = [text(&line.reference, &line.description), text(&known.reference, &known.description)];
    let [own_text, other_text] = &texts;
    // Where one of them has no reference, the day and the amount say it; not of a provider, whose customers pay the same
    // amounts all day: there both have none, and one terminal.
    let alike = match kind {
        SourceKind::Bank => own.is_empty() || other.is_empty(),
        SourceKind::Provider => own.is_empty() && other.is_empty() && line.store_ref == known.store_ref,
    };
    alike
        || (!own.is_empty() && own == other)
        || has_word(own_text, &known.reference)
        || has_word(other_text, &line.reference)
}

/// A reference in upper case, letters and digits only.
fn key(reference: &str) -> String {
    reference.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect()
}
