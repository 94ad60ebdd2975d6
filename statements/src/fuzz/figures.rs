//! Columns of whole amounts in the styles of banks and spreadsheets, written independently of the reader: the writer
//! knows each amount, so the reader must find that amount or refuse its row.

use super::{bounds, file_of};
use crate::csv_reader::{self, CsvStatement};
use crate::format::Format;
use domain::model::base::currency::Currency;
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use domain::rules::books::settlement::SourceKind;
use edge::product_csv;
use edge::sheet::Encoding;

/// Separators of groups of three digits, and texts before two zeros.
const MARKS: [(&str, &str); 9] = [
    ("", ""),
    ("", "."),
    ("", ","),
    (".", ""),
    (".", ","),
    (",", "."),
    ("\u{a0}", ","),
    ("'", "."),
    (" ", ","),
];
/// Texts around an amount below 0.
const NEGATIVES: [(&str, &str); 6] =
    [("-", ""), ("", "-"), ("(", ")"), ("\u{2212}", ""), ("\u{2013}", ""), ("", " DB")];
/// Texts around every amount.
const CURRENCIES: [(&str, &str); 5] = [("", ""), ("Rp ", ""), ("Rp", ""), ("IDR ", ""), ("", " IDR")];

/// The time of an import; no price depends on it.
const NOW: UtcMs = UtcMs(1_790_000_000_000);

/// A bank's statement: an amount is read as it was written, or its row is set aside.
pub fn amounts(bytes: &[u8]) {
    let Some((style, amounts)) = column(bytes) else { return };
    let rows = amounts.iter().enumerate();
    let rows = rows.map(|(place, amount)| format!("2026-11-20;R-{place};{}\n", style.write(*amount)));
    let text = format!("date;reference;amount\n{}", rows.collect::<String>());
    let read = csv_reader::read(text.as_bytes(), &Format::default(), file_of(SourceKind::Bank), &bounds());
    let Ok(CsvStatement { lines, aside, .. }) = read else { return };
    let count = i64::try_from(lines.len()).unwrap_or(i64::MAX).saturating_add(aside.count());
    assert_eq!(usize::try_from(count), Ok(amounts.len()), "{text}");
    for line in lines {
        let place = line.reference.strip_prefix("R-").and_then(|place| place.parse::<usize>().ok());
        let written = place.and_then(|place| amounts.get(place)).copied();
        assert_eq!(line.net.map(Money::get), written, "{} of\n{text}", line.reference);
    }
}

/// A catalogue: each price is read as it was written, or the file is refused.
pub fn prices(bytes: &[u8]) {
    let Some((style, prices)) = column(bytes) else { return };
    let prices: Vec<i64> = prices.into_iter().map(i64::abs).collect();
    let rows = prices.iter().enumerate();
    let rows = rows.map(|(place, price)| format!("A{place};Tea;{}\n", style.write(*price)));
    let text = format!("sku;name;price\n{}", rows.collect::<String>());
    let Ok(file) = product_csv::read(
        text.as_bytes(),
        Encoding::Utf8,
        None,
        (product_csv::ROWS_MAX, Currency::RUPIAH),
        NOW,
    ) else {
        return;
    };
    let read: Vec<i64> = file.rows.iter().map(|row| row.product.price.get()).collect();
    assert_eq!(read, prices, "{text}");
}

/// Style of a column.
#[derive(Debug, Clone, Copy)]
struct Style {
    marks: (&'static str, &'static str),
    negative: (&'static str, &'static str),
    currency: (&'static str, &'static str),
}

/// Takes a style and amounts of at most 12 digits from bytes; `None` if there are too few bytes.
fn column(bytes: &[u8]) -> Option<(Style, Vec<i64>)> {
    let ([marks, negative, currency], amounts) = bytes.split_first_chunk()?;
    let style = Style {
        marks: of(&MARKS, *marks)?,
        negative: of(&NEGATIVES, *negative)?,
        currency: of(&CURRENCIES, *currency)?,
    };
    // The first byte of an amount is its number of digits.
    let amount = |bytes: &[u8; 8]| {
        let value = i64::from_le_bytes(*bytes) >> 8;
        let digits = u32::from(bytes[0] % 12);
        value % 10_i64.pow(digits.saturating_add(1))
    };
    let amounts = amounts.as_chunks::<8>().0.iter().map(amount).filter(|amount| *amount != 0);
    Some((style, amounts.collect()))
}

fn of(table: &[(&'static str, &'static str)], byte: u8) -> Option<(&'static str, &'static str)> {
    table.get(usize::from(byte) % table.len()).copied()
}

impl Style {
    /// An amount in this style.
    fn write(&self, amount: i64) -> String {
        let digits = amount.unsigned_abs().to_string();
        let mut text = String::new();
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && digits.len().saturating_sub(place).is_multiple_of(3) {
                text.push_str(self.marks.0);
            }
            text.push(digit);
        }
        if !self.marks.1.is_empty() {
            text = format!("{text}{}00", self.marks.1);
        }
        text = format!("{}{text}{}", self.currency.0, self.currency.1);
        if amount < 0 { format!("{}{text}{}", self.negative.0, self.negative.1) } else { text }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn figures_are_read_as_they_were_written(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            super::amounts(&bytes);
            super::prices(&bytes);
        }
    }
}
