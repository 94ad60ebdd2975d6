//! The rows of the file, as they are written.

use anyhow::Context;
use std::collections::HashMap;
use std::io::Read;

const NAME_BYTES_MAX: usize = 128;
/// A longer customer number is invalid.
const CUSTOMER_BYTES_MAX: usize = 32;

/// A row; an unreadable one is skipped.
pub struct Row {
    /// Number of the invoice.
    pub invoice: String,
    pub sku: String,
    /// Description, cut.
    pub name: String,
    pub qty: Option<i64>,
    pub at: String,
    /// Price in pounds.
    pub price: Option<f64>,
    pub customer: Option<String>,
}

impl Row {
    /// Whether it is of a cancellation.
    pub fn back(&self) -> bool {
        self.invoice.starts_with(['C', 'c'])
    }
}

/// Latin-1 where the bytes are not UTF-8; no control characters.
fn readable(bytes: &[u8]) -> String {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    };
    text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Cut to `bytes` without cutting a character.
fn cut(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default().trim_end()
}

/// A customer's number, as spreadsheets write it (`17850.0`) or not.
fn customer(cell: &str) -> Option<String> {
    let number = cell.strip_suffix(".0").unwrap_or(cell);
    let plain = number.chars().all(|c| c.is_ascii_alphanumeric());
    (plain && (1..=CUSTOMER_BYTES_MAX).contains(&number.len())).then(|| number.to_owned())
}

/// Every row of a file with a header.
pub fn read(text: impl Read) -> anyhow::Result<Vec<Row>> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text);
    let header = reader.byte_headers().context("the header row")?.clone();
    let column = |name: &str| {
        let found = header.iter().position(|cell| readable(cell).trim_start_matches('\u{feff}') == name);
        found.with_context(|| format!("the file has no column {name}"))
    };
    let columns =
        ["InvoiceNo", "StockCode", "Description", "Quantity", "InvoiceDate", "UnitPrice", "CustomerID"];
    let [invoice, sku, name, qty, at, price, buyer] = columns.map(column);
    let (invoice, sku, name, qty, at) = (invoice?, sku?, name?, qty?, at?);
    let (price, buyer) = (price?, buyer?);
    let mut rows = Vec::new();
    for (index, record) in reader.byte_records().enumerate() {
        let record = record.with_context(|| format!("data row {}", index + 1))?;
        let cell = |column: usize| readable(record.get(column).unwrap_or_default());
        rows.push(Row {
            invoice: cell(invoice),
            sku: cell(sku),
            name: cut(&cell(name), NAME_BYTES_MAX).to_owned(),
            qty: cell(qty).parse().ok(),
            at: cell(at),
            price: cell(price).parse().ok().filter(|price: &f64| price.is_finite()),
            customer: customer(&cell(buyer)),
        });
    }
    Ok(rows)
}

/// The first description of each product that is not empty.
pub fn names(rows: &[Row]) -> HashMap<String, String> {
    let mut names = HashMap::new();
    for row in rows.iter().filter(|row| !row.name.is_empty()) {
        names.entry(row.sku.clone()).or_insert_with(|| row.name.clone());
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_between_characters_and_latin_1_is_read() {
        assert_eq!(cut("a£", 2), "a");
        assert_eq!(cut("a£", 3), "a£");
        assert_eq!(readable(b" VOUCHER \xa340 "), "VOUCHER £40");
    }

    #[test]
    fn a_customer_is_a_plain_number_or_nobody() {
        assert_eq!(customer("17850.0").as_deref(), Some("17850"));
        assert_eq!(customer("AB12").as_deref(), Some("AB12"));
        for nobody in ["", "1;2", "x".repeat(33).as_str()] {
            assert_eq!(customer(nobody), None);
        }
    }
}
