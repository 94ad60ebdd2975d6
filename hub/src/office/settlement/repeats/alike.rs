//! Decides whether two lines with different texts describe the same money.

use domain::model::base::figures::Money;
use domain::rules::books::settlement::import::TextLine;
use domain::rules::books::settlement::{SourceKind, has_word, reference_key};
use jiff::civil::Date;

/// Most days by which the dates of one payment may differ in two files.
pub(super) const DAYS_APART: i32 = 1;
/// Most days by which they may differ for a provider that reports a payment first and its fee later.
pub(super) const FEE_DAYS_APART: i32 = 7;
/// Shortest reference that is unique, in bytes. Shorter ones may belong to several payments.
const UNIQUE_BYTES_MIN: usize = 10;
/// Shortest number that identifies a payment, in bytes. Shorter ones may only count the payments of a day.
const NUMBER_BYTES_MIN: usize = 4;
/// Fewest digits to which a spreadsheet shortens a number.
const SHORTENED_DIGITS_MIN: usize = 3;

/// The parts of a line that are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub date: Date,
    /// Its first reference, as it is written.
    pub reference: String,
    /// Keys of all its references.
    pub keys: Vec<String>,
    pub description: String,
    pub store_ref: Option<String>,
    pub gross: Option<Money>,
    pub net: Option<Money>,
}

impl Line {
    pub(super) fn of(line: &TextLine) -> Self {
        Self {
            date: line.date,
            reference: line.reference.clone(),
            keys: line.reference_keys(),
            description: line.description.clone(),
            store_ref: line.store_ref.clone(),
            gross: line.gross,
            net: line.net,
        }
    }

    /// The amounts by which the line is found: net and gross.
    pub(super) fn amounts(&self) -> impl Iterator<Item = Money> + use<> {
        let (gross, net) = (self.gross, self.net);
        [net, gross.filter(|gross| net != Some(*gross))].into_iter().flatten()
    }

    fn text(&self) -> String {
        format!("{} {}", self.reference, self.description)
    }

    /// Whether its text names a reference of another line.
    fn names(&self, other: &Self) -> bool {
        let text = self.text();
        let written = Some(other.reference.as_str()).filter(|reference| reference_key(reference).is_some());
        written.into_iter().chain(other.keys.iter().map(String::as_str)).any(|word| has_word(&text, word))
    }
}

/// Whether two lines describe the same money. Payments with one text recur from day to day: on a neighbouring day, only
/// a reference that is long enough to be unique counts.
pub(super) fn is_same(line: &Line, known: &Line, kind: SourceKind) -> bool {
    let differ =
        |one: Option<Money>, other: Option<Money>| one.zip(other).is_some_and(|(one, other)| one != other);
    if differ(line.gross, known.gross) || differ(line.net, known.net) {
        return false;
    }
    let apart = line.date.since(known.date).map_or(i32::MAX, |span| span.get_days().saturating_abs());
    let share = |counts: fn(&str) -> bool| {
        line.keys.iter().any(|key| counts(key.as_str()) && known.keys.contains(key))
    };
    if apart > 0 {
        let fee_follows = kind == SourceKind::Provider
            && line.gross.is_some()
            && line.gross == known.gross
            && line.net.is_some() != known.net.is_some();
        return (apart <= DAYS_APART && share(is_unique))
            || (apart <= FEE_DAYS_APART && fee_follows && share(is_payment_number));
    }
    // If one line of a bank has no reference, day and amount decide. Customers of a provider pay equal amounts all day:
    // there both lines must have no reference, and the same terminal.
    let alike = match kind {
        SourceKind::Bank => line.keys.is_empty() || known.keys.is_empty(),
        SourceKind::Provider => {
            line.keys.is_empty() && known.keys.is_empty() && line.store_ref == known.store_ref
        }
    };
    alike || share(|_| true) || line.names(known) || known.names(line) || is_resaved(line, known)
}

fn is_unique(key: &str) -> bool {
    key.len() >= UNIQUE_BYTES_MIN && key.contains(|c: char| c.is_ascii_digit())
}

fn is_payment_number(key: &str) -> bool {
    key.len() >= NUMBER_BYTES_MIN || key.contains(char::is_alphabetic)
}

/// Whether a spreadsheet shortened the reference of one of them, and their descriptions are the same.
fn is_resaved(one: &Line, other: &Line) -> bool {
    let words = |line: &Line| {
        let words = line.description.split_whitespace().map(str::to_lowercase);
        words.collect::<Vec<_>>()
    };
    let shortened = |short: &Line, full: &Line| {
        full.keys.iter().any(|full| is_shortened(&short.reference, full).unwrap_or(false))
    };
    (shortened(one, other) || shortened(other, one)) && words(one) == words(other)
}

/// Whether a text such as `1,23457E+11` is a number shortened by a spreadsheet. `None` if it has another form.
fn is_shortened(short: &str, full: &str) -> Option<bool> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (figure, power) = short.trim().split_once(['E', 'e'])?;
    let (whole, fraction) = figure.split_once(['.', ','])?;
    let power = power.strip_prefix('+').unwrap_or(power);
    let kept = format!("{whole}{fraction}");
    if ![whole, fraction, power, full].into_iter().all(digits) || kept.len() < SHORTENED_DIGITS_MIN {
        return None;
    }
    let (head, rest) = full.split_at_checked(kept.len())?;
    let up = u64::from(rest.bytes().next()? >= b'5');
    Some(head.parse::<u64>().ok()?.checked_add(up)? == kept.parse::<u64>().ok()?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use jiff::civil::date;

    fn line(day: i8, references: &[&str], description: &str, gross: Option<i64>, net: Option<i64>) -> Line {
        Line {
            date: date(2026, 11, day),
            reference: references.first().copied().unwrap_or_default().to_owned(),
            keys: references.iter().filter_map(|reference| reference_key(reference)).collect(),
            description: description.to_owned(),
            store_ref: None,
            gross: gross.map(Money::new),
            net: net.map(Money::new),
        }
    }

    #[test]
    fn a_bank_reports_the_same_money_in_other_words() {
        let of = |day, references: &[&str], text| line(day, references, text, None, Some(450_000));
        for (one, other, same) in [
            // CSV has the bank's own number, CAMT.053 that and the customer's.
            (of(19, &["FT26324ABC01"], "KUNDE A"), of(19, &["E2E-0001", "FT26324ABC01"], "KUNDE A"), true),
            (of(19, &["FT26324ABC01"], "KUNDE A"), of(20, &["E2E-0001", "FT26324ABC01"], "KUNDE A"), true),
            (of(19, &["FT26324ABC01"], "KUNDE A"), of(19, &["E2E-0001", "FT26325ABC02"], "KUNDE A"), false),
            // First without the bank's number.
            (of(19, &[], "QRIS A"), of(19, &["BANKREF778899"], "QRIS A"), true),
            // A spreadsheet took the zeros, or the last digits.
            (of(18, &["000123456789"], "TRSF A"), of(18, &["123456789"], "TRSF A"), true),
            (of(19, &["000123456790"], "TRSF B"), of(19, &["1,23457E+11"], "TRSF B"), true),
            (of(19, &["1.23457E+08"], "TRSF B"), of(19, &["123456790"], "trsf  b"), true),
            (of(19, &["1,23457E+11"], "TRSF B"), of(19, &["123456790"], "TRSF C"), false),
            (of(19, &["1,23457E+11"], "TRSF B"), of(19, &["123446790"], "TRSF B"), false),
            (of(19, &["T-1001"], "KUNDE"), of(19, &["T-1002"], "KUNDE"), false),
            (of(19, &[], "T-1004 KUNDE"), of(19, &["T-1004"], ""), true),
            (of(19, &["-"], "A - B"), of(20, &["-"], "A - B"), false),
        ] {
            assert_eq!(is_same(&one, &other, SourceKind::Bank), same, "{one:?} {other:?}");
            assert_eq!(is_same(&other, &one, SourceKind::Bank), same, "{other:?} {one:?}");
        }
    }

    #[test]
    fn a_provider_reports_the_fee_of_a_payment_later() {
        let first = |reference| line(18, &[reference], "", Some(155_400), None);
        let fee = |day, reference| line(day, &[reference], "", Some(155_400), Some(150_738));
        for (one, other, same) in [
            (first("ch_1"), fee(20, "ch_1"), true),
            (first("ch_1"), fee(20, "ch_2"), false),
            (first("ch_1"), fee(26, "ch_1"), false),
            // The first payment of each day has this number.
            (first("1"), fee(20, "1"), false),
            (fee(18, "ch_1"), fee(20, "ch_1"), false),
        ] {
            assert_eq!(is_same(&one, &other, SourceKind::Provider), same, "{one:?} {other:?}");
            assert_eq!(is_same(&other, &one, SourceKind::Provider), same, "{other:?} {one:?}");
        }
    }
}
