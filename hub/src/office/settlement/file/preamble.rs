//! What the lines before the header of a file say: which account, which currency, which days.

use edge::sheet::currency_code;
use jiff::civil::Date;

/// Lines that are looked at.
const LINES_MAX: usize = 100;
/// Fewer digits number no account.
const ACCOUNT_DIGITS_MIN: usize = 6;
/// Labels of the account's number in a line.
const ACCOUNTS: [&str; 11] = [
    "rekening",
    "no. rek",
    "no rek",
    "nomor rek",
    "account no",
    "account number",
    "account num",
    "acc no",
    "iban",
    "kontonummer",
    "rekeningnummer",
];
/// Labels of the currency in a line.
const CURRENCIES: [&str; 4] = ["mata uang", "currency", "valuta", "währung"];
/// Labels of the days of a file in a line.
const PERIODS: [&str; 7] = ["periode", "period", "dari", "from", "tanggal", "zeitraum", "between"];

/// Contents of the rows before the header.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preamble {
    /// The number of the account, as it is written.
    pub account: Option<String>,
    /// The code of its currency.
    pub currency: Option<&'static str>,
    /// The first and the last day.
    pub period: Option<(Date, Date)>,
}

impl Preamble {
    /// Reads the lines before the header. `month_first`: days are written as the United States do.
    pub fn of<'a>(lines: impl Iterator<Item = &'a str>, month_first: bool) -> Self {
        let mut found = Self::default();
        for line in lines.take(LINES_MAX) {
            let lower = line.to_lowercase();
            let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
            if found.account.is_none() && has(&ACCOUNTS) {
                found.account = account(line);
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

/// The number in a line.
fn account(line: &str) -> Option<String> {
    let named = line.split_once([':', '=', ',', ';', '\t']).map_or(line, |(_, rest)| rest);
    let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '.' | '-');
    let number = named.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let number: String = number.chars().take_while(|c| known(*c)).collect();
    let digits = number.chars().filter(char::is_ascii_digit).count();
    // `XXXX4321` hides most of the number.
    let hidden = number.contains("XX") || number.contains("xx");
    (digits >= ACCOUNT_DIGITS_MIN && !hidden).then(|| number.trim().to_owned())
}

/// Whether two spellings are of one account: an IBAN ends with the number of its account.
pub fn is_same_account(one: &str, other: &str) -> bool {
    let plain = |text: &str| -> String {
        let text = text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase());
        text.skip_while(|c| *c == '0').collect()
    };
    let (one, other) = (plain(one), plain(other));
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    short == long
        || (short.len() >= ACCOUNT_DIGITS_MIN
            && long.starts_with(char::is_alphabetic)
            && long.ends_with(&short))
}

/// The first two days of a line.
fn period(line: &str, month_first: bool) -> Option<(Date, Date)> {
    let words = line.split(|c: char| !(c.is_ascii_digit() || matches!(c, '/' | '-' | '.')));
    let formats: [&str; 4] = match month_first {
        true => ["%m/%d/%Y", "%Y-%m-%d", "%m-%d-%Y", "%m.%d.%Y"],
        false => ["%d/%m/%Y", "%Y-%m-%d", "%d-%m-%Y", "%d.%m.%Y"],
    };
    let day = |word: &str| formats.iter().find_map(|format| Date::strptime(format, word).ok());
    let mut days = words.filter_map(day);
    let (from, to) = (days.next()?, days.next()?);
    (from <= to).then_some((from, to))
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
        assert_eq!(found, Preamble { account: Some("1234567890".to_owned()), currency: Some("IDR"), period });
    }

    #[test]
    fn an_iban_and_its_number_are_one_account() {
        for (one, other, same) in [
            ("1234567890", "123-456-7890", true),
            ("NL00BANK0123456789", "0123456789", true),
            ("0060000000001", "60000000001", true),
            ("1234567890", "1234567891", false),
            ("ID001234567890", "7890", false),
        ] {
            assert_eq!(is_same_account(one, other), same, "{one} {other}");
        }
    }
}
