//! A file of invoices (columns of the data set) as products, sales, and what can't be a sale.

use anyhow::{Context, bail};
use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::Path;

/// A transaction carries at most this many lines; longer invoices are split.
pub const LINES_MAX: usize = 500;
/// The largest file that is read, unpacked.
const FILE_BYTES_MAX: u64 = 1 << 30;
const SKU_BYTES_MAX: usize = 64;
const NAME_BYTES_MAX: usize = 128;
const QTY_MAX: i64 = 1_000_000;
/// Above this a price in pence is a slip.
const PRICE_MAX: f64 = 1e9;

/// A line that can be sold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Product code.
    pub sku: String,
    /// Pieces.
    pub qty: i64,
    /// Pence.
    pub price: i64,
}

/// An invoice, or a part of a long one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sale {
    /// Invoice number, with the part behind a dash.
    pub name: String,
    /// At most [`LINES_MAX`].
    pub lines: Vec<Line>,
}

/// A product as the catalogue gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    /// Its code.
    pub sku: String,
    /// The first description that is not empty.
    pub name: String,
    /// The first price that it was sold at.
    pub price: i64,
}

/// A whole file.
#[derive(Debug, Default)]
pub struct Month {
    /// Every described product, in order of first sight.
    pub products: Vec<Product>,
    /// In order of first sight.
    pub sales: Vec<Sale>,
    /// Lines in the file.
    pub lines_read: u64,
    /// Invoices in the file.
    pub invoices_read: u64,
    /// Invoices with at least one line that can be sold.
    pub invoices_sold: u64,
    /// Lines that can't be a sale, by reason.
    pub refused: BTreeMap<&'static str, u64>,
}

impl Month {
    /// Catalogue prices by sku.
    pub fn list_prices(&self) -> BTreeMap<String, i64> {
        self.products.iter().map(|product| (product.sku.clone(), product.price)).collect()
    }
}

struct Row {
    invoice: String,
    sku: String,
    name: String,
    qty: Option<i64>,
    price: Option<f64>,
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

fn pence(price: f64) -> i64 {
    (price * 100.0).round() as i64
}

/// Why a line can't be a sale, or the line.
fn judge(row: &Row, names: &HashMap<String, String>) -> Result<Line, &'static str> {
    let (Some(qty), Some(price)) = (row.qty, row.price) else { return Err("quantity or price unreadable") };
    if row.sku.is_empty() || row.sku.len() > SKU_BYTES_MAX || row.invoice.is_empty() {
        return Err("no sku or no invoice number");
    }
    if row.invoice.starts_with(['C', 'c']) {
        return Err("cancellation (the replay makes no returns)");
    }
    if qty < 1 {
        return Err("quantity below 1");
    }
    if qty > QTY_MAX || price > PRICE_MAX {
        return Err("quantity or price too large");
    }
    if price < 0.0 {
        return Err("negative price");
    }
    if !names.contains_key(&row.sku) {
        return Err("product never described");
    }
    Ok(Line { sku: row.sku.clone(), qty, price: pence(price) })
}

fn rows(text: impl Read) -> anyhow::Result<Vec<Row>> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text);
    let header = reader.byte_headers().context("the header row")?.clone();
    let column = |name: &str| {
        let found = header.iter().position(|cell| readable(cell).trim_start_matches('\u{feff}') == name);
        found.with_context(|| format!("the file has no column {name}"))
    };
    let columns = ["InvoiceNo", "StockCode", "Description", "Quantity", "UnitPrice"];
    let [invoice, sku, name, qty, price] = columns.map(column);
    let (invoice, sku, name, qty, price) = (invoice?, sku?, name?, qty?, price?);
    let mut rows = Vec::new();
    for (index, record) in reader.byte_records().enumerate() {
        let record = record.with_context(|| format!("data row {}", index + 1))?;
        let cell = |column: usize| readable(record.get(column).unwrap_or_default());
        rows.push(Row {
            invoice: cell(invoice),
            sku: cell(sku),
            name: cut(&cell(name), NAME_BYTES_MAX).to_owned(),
            qty: cell(qty).parse().ok(),
            price: cell(price).parse().ok().filter(|price: &f64| price.is_finite()),
        });
    }
    Ok(rows)
}

fn names(rows: &[Row]) -> HashMap<String, String> {
    let mut names = HashMap::new();
    for row in rows.iter().filter(|row| !row.name.is_empty()) {
        names.entry(row.sku.clone()).or_insert_with(|| row.name.clone());
    }
    names
}

fn read(text: impl Read) -> anyhow::Result<Month> {
    let rows = rows(text)?;
    let names = names(&rows);
    let mut month = Month { lines_read: rows.len() as u64, ..Month::default() };
    let mut invoices: Vec<(&str, Vec<Line>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut prices: HashMap<&str, i64> = HashMap::new();
    for row in &rows {
        let place = *places.entry(&row.invoice).or_insert_with(|| {
            invoices.push((&row.invoice, Vec::new()));
            invoices.len() - 1
        });
        match judge(row, &names) {
            Ok(line) => {
                prices.entry(&row.sku).or_insert(line.price);
                if let Some((_, lines)) = invoices.get_mut(place) {
                    lines.push(line);
                }
            }
            Err(why) => *month.refused.entry(why).or_default() += 1,
        }
    }
    month.invoices_read = invoices.len() as u64;
    month.invoices_sold = invoices.iter().filter(|(_, lines)| !lines.is_empty()).count() as u64;
    month.sales = invoices.iter().flat_map(|(name, lines)| parts(name, lines)).collect();
    month.products = products(&rows, &names, &prices);
    Ok(month)
}

fn parts<'a>(name: &'a str, lines: &'a [Line]) -> impl Iterator<Item = Sale> + 'a {
    lines
        .chunks(LINES_MAX)
        .enumerate()
        .map(move |(part, lines)| Sale { name: format!("{name}-{}", part + 1), lines: lines.to_vec() })
}

fn products(rows: &[Row], names: &HashMap<String, String>, prices: &HashMap<&str, i64>) -> Vec<Product> {
    let mut seen = std::collections::HashSet::new();
    let fresh = rows.iter().filter(|row| row.sku.len() <= SKU_BYTES_MAX && seen.insert(row.sku.as_str()));
    let described = fresh.filter_map(|row| names.get(&row.sku).map(|name| (row, name)));
    let product = |(row, name): (&Row, &String)| Product {
        sku: row.sku.clone(),
        name: name.clone(),
        price: prices.get(row.sku.as_str()).copied().unwrap_or(0),
    };
    described.filter(|(row, _)| !row.sku.is_empty()).map(product).collect()
}

/// Reads a file, packed with gzip or not.
pub fn load(path: &Path) -> anyhow::Result<Month> {
    let file = std::fs::File::open(path).with_context(|| format!("{}", path.display()))?;
    let packed = path.extension().is_some_and(|extension| extension == "gz");
    let raw: Box<dyn Read> =
        if packed { Box::new(flate2::read::GzDecoder::new(file)) } else { Box::new(file) };
    let month = read(raw.take(FILE_BYTES_MAX)).with_context(|| format!("{}", path.display()))?;
    if month.sales.is_empty() {
        bail!("{}: no line can be sold", path.display());
    }
    Ok(month)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;

    const HEAD: &str = "InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\n";

    fn month(lines: &[&str]) -> Month {
        read(format!("{HEAD}{}\n", lines.join("\n")).as_bytes()).unwrap()
    }

    #[test]
    fn the_first_description_and_the_first_selling_price_make_the_product() {
        let month = month(&[
            "1,A,,-3,d,0,,UK",
            "1,A,,2,d,2.55,,UK",
            "2,A,LAMP,1,d,1.005,,UK",
            "2,A,lamp blue,1,d,0,,UK",
        ]);
        assert_eq!(month.products, [Product { sku: "A".into(), name: "LAMP".into(), price: 255 }]);
        assert_eq!(month.sales.len(), 2);
        assert_eq!(month.sales[1].lines.iter().map(|l| l.price).collect::<Vec<_>>(), [100, 0]);
        assert_eq!(month.refused, BTreeMap::from([("quantity below 1", 1)]));
    }

    #[test]
    fn what_cannot_be_a_sale_is_counted_by_its_reason() {
        let month = month(&[
            "C1,A,LAMP,-1,d,1,,UK",
            "2,B,,1,d,1,,UK",
            "3,A,LAMP,1,d,-1,,UK",
            "4,A,LAMP,x,d,1,,UK",
            "5,A,LAMP,1,d,1,,UK",
        ]);
        assert_eq!(month.refused.values().sum::<u64>(), 4);
        assert_eq!(month.refused.len(), 4);
        assert_eq!((month.invoices_read, month.invoices_sold, month.lines_read), (5, 1, 5));
    }

    #[test]
    fn a_long_invoice_is_split_and_an_interrupted_one_is_joined() {
        let mut lines = vec!["7,A,LAMP,1,d,1,,UK"; 501];
        lines.push("8,A,LAMP,1,d,1,,UK");
        lines.push("7,A,LAMP,1,d,1,,UK");
        let month = month(&lines);
        let shape: Vec<_> = month.sales.iter().map(|s| (s.name.as_str(), s.lines.len())).collect();
        assert_eq!(shape, [("7-1", 500), ("7-2", 2), ("8-1", 1)]);
    }

    #[test]
    fn long_names_are_cut_between_characters_and_latin_1_is_read() {
        assert_eq!(cut("a£", 2), "a");
        assert_eq!(cut("a£", 3), "a£");
        assert_eq!(readable(b" VOUCHER \xa340 "), "VOUCHER £40");
    }
}
