//! Lines before the header of a file: account, currency, days.

use crate::account_no;
use crate::statuses::is_pending_title;
use edge::sheet::{currency_code, period_in_words};
use jiff::civil::Date;

/// Lines that are looked at.
const LINES_MAX: usize = 100;
/// Labels of the currency in a line.
const CURRENCIES: [&str; 4] = ["mata uang", "currency", "valuta", "währung"];
/// Labels of the days of a file in a line.
const PERIODS: [&str; 9] =
    ["periode", "period", "dari", "from", "tanggal", "zeitraum", "between", "période", "bulan"];

/// Contents of the rows before the header.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preamble {
    /// The numbers of the account, as they are written: banks also write its IBAN.
    pub accounts: Vec<String>,
    /// The code of its currency.
    pub currency: Option<&'static str>,
    /// The first and the last day.
    pub period: Option<(Date, Date)>,
    /// Whether the last line is the title of rows that are not booked yet.
    pub pending: bool,
}

impl Preamble {
    /// Reads the lines before the header. `month_first`: days are written as the United States do.
    pub fn of<'a>(lines: impl Iterator<Item = &'a str>, month_first: bool) -> Self {
        let mut found = Self::default();
        for line in lines.take(LINES_MAX) {
            let lower = line.to_lowercase();
            let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
            found.accounts.extend(account_no::named(line));
            if !line.trim().is_empty() {
                found.pending = is_pending_title(line);
            }
            if found.currency.is_none() && has(&CURRENCIES) {
                let words =
                    line.split(|c: char| c.is_whitespace() || matches!(c, ':' | ',' | ';' | '"' | '|'));
                found.currency = words.rev().filter(|word| !word.is_empty()).find_map(currency_code);
            }
            if found.period.is_none() && has(&PERIODS) {
                found.period = period(line, month_first);
            }
        }
        found
    }
}

/// The first two days of a line, or the month that it names.
fn period(line: &str, month_first: bool) -> Option<(Date, Date)> {
    let words = line.split(|c: char| !(c.is_ascii_digit() || matches!(c, '/' | '-' | '.')));
    let mut days = words.filter_map(|word| day(word, month_first));
    match (days.next(), days.next()) {
        (Some(from), Some(to)) => (from <= to).then_some((from, to)),
        _ => period_in_words(line),
    }
}

/// A day in digits, with a year of four digits or two.
fn day(word: &str, month_first: bool) -> Option<Date> {
    let parts: Vec<&str> = word.trim_matches(['/', '-', '.']).split(['/', '-', '.']).collect();
    let [first, second, third] = parts.as_slice() else { return None };
    let (year, month, day) = match (first.len(), month_first) {
        (4, _) => (first, second, third),
        (_, true) => (third, first, second),
        (_, false) => (third, second, first),
    };
    let short = match year.len() {
        2 => 2_000,
        4 => 0,
        _ => return None,
    };
    let year = year.parse::<i16>().ok()?.checked_add(short)?;
    Date::new(year, month.parse().ok()?, day.parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn account_currency_and_period_are_found() {
        let lines = [
            "\"Informasi Rekening\"",
            "\"No. rekening : 1234567890\"",
            "\"Nama : TOKO 99887766\"",
            "\"Periode : 18/11/2026 - 20/11/2026\"",
            "\"Kode Mata Uang : Rp\"",
        ];
        let found = Preamble::of(lines.into_iter(), false);
        let period = Some((date(2026, 11, 18), date(2026, 11, 20)));
        assert_eq!(
            found,
            Preamble {
                accounts: vec!["1234567890".to_owned()],
                currency: Some("IDR"),
                period,
                pending: false
            }
        );
    }

    #[test]
    fn a_period_may_be_a_month_or_have_names_of_months() {
        let november = Some((date(2025, 11, 1), date(2025, 11, 30)));
        for (line, expected) in [
            ("Periode : NOVEMBER 2025", november),
            ("Periode : 01 NOV 2025 - 30 NOV 2025", november),
            ("Periode : 01 - 30 November 2025", november),
            ("Period: November 1, 2025 to November 30, 2025", november),
            ("Periode : 01/11/2025 s/d 30/11/2025", november),
            ("Periode : 01-11-25 - 30-11-25", november),
            ("Periode : 15 Des 2025 - 14 Jan 2026", Some((date(2025, 12, 15), date(2026, 1, 14)))),
            ("Periode : 15 Des - 24 Des 2025", Some((date(2025, 12, 15), date(2025, 12, 24)))),
            ("Tanggal cetak : 28 November 2026", None),
            ("Tanggal cetak : 28/11/2026", None),
        ] {
            assert_eq!(Preamble::of(std::iter::once(line), false).period, expected, "{line}");
        }
    }
}
