//! A file of invoices (columns of the data set) as products, invoices, and lines that can be neither a sale nor a
//! return.

use anyhow::{Context, bail};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::Read;
use std::path::Path;

mod rows;

use rows::{Row, names};

/// The largest file that is read, unpacked.
const FILE_BYTES_MAX: u64 = 1 << 30;
const SKU_BYTES_MAX: usize = 64;
const QTY_MAX: i64 = 1_000_000;
/// Above this a price in pence is a slip.
const PRICE_MAX: f64 = 1e9;

/// A line that can be sold, or come back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub sku: String,
    /// Pieces, positive for returned ones too.
    pub qty: i64,
    /// Price in pence.
    pub price: i64,
}

/// An invoice, with its usable lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invoice {
    /// Number of the invoice.
    pub name: String,
    /// When it was made, as the file has it.
    pub at: String,
    /// Customer, if the file has one.
    pub customer: Option<String>,
    /// Goods come back: a cancellation.
    pub back: bool,
    /// Its lines; may be empty.
    pub lines: Vec<Line>,
}

/// A product as the catalogue gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    pub sku: String,
    /// The first description that is not empty.
    pub name: String,
    /// The first price that it was sold at.
    pub price: i64,
}

#[derive(Debug, Default)]
pub struct Month {
    /// Every described product, in order of first sight.
    pub products: Vec<Product>,
    /// In order of first sight.
    pub invoices: Vec<Invoice>,
    /// Lines in the file.
    pub lines_read: u64,
    /// Lines that can be neither sold nor taken back, by reason.
    pub refused: BTreeMap<&'static str, u64>,
}

impl Month {
    /// Catalogue prices by sku.
    pub fn list_prices(&self) -> BTreeMap<String, i64> {
        self.products.iter().map(|product| (product.sku.clone(), product.price)).collect()
    }

    /// Leaves out what happened after the first days with invoices.
    pub fn keep_days(&mut self, days: usize) {
        let day = |invoice: &Invoice| invoice.at.split(' ').next().unwrap_or_default().to_owned();
        let mut kept = HashSet::new();
        self.invoices.retain(|invoice| {
            if kept.len() < days {
                kept.insert(day(invoice));
            }
            kept.contains(&day(invoice))
        });
    }

    /// Everybody who is named.
    pub fn customers(&self) -> BTreeSet<String> {
        self.invoices.iter().filter_map(|invoice| invoice.customer.clone()).collect()
    }
}

fn pence(price: f64) -> i64 {
    (price * 100.0).round() as i64
}

/// Why a line can be neither, or the line.
fn judge(row: &Row, names: &HashMap<String, String>) -> Result<Line, &'static str> {
    let (Some(qty), Some(price)) = (row.qty, row.price) else { return Err("quantity or price unreadable") };
    if row.sku.is_empty() || row.sku.len() > SKU_BYTES_MAX || row.invoice.is_empty() {
        return Err("no sku or no invoice number");
    }
    let qty = match (row.back(), qty) {
        (true, 0..) => return Err("cancellation of nothing (quantity above -1)"),
        (true, _) => qty.saturating_neg(),
        (false, ..1) => return Err("quantity below 1"),
        (false, _) => qty,
    };
    if qty > QTY_MAX || price.abs() > PRICE_MAX {
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

fn read(text: impl Read) -> anyhow::Result<Month> {
    let rows = rows::read(text)?;
    let names = names(&rows);
    let mut month = Month { lines_read: rows.len() as u64, ..Month::default() };
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut prices: HashMap<&str, i64> = HashMap::new();
    for row in &rows {
        let place = *places.entry(&row.invoice).or_insert_with(|| {
            let (name, back) = (row.invoice.clone(), row.back());
            month.invoices.push(Invoice {
                name,
                at: row.at.clone(),
                customer: None,
                back,
                lines: Vec::new(),
            });
            month.invoices.len() - 1
        });
        let Some(invoice) = month.invoices.get_mut(place) else { continue };
        invoice.customer = invoice.customer.take().or_else(|| row.customer.clone());
        match judge(row, &names) {
            Ok(line) => {
                if !invoice.back {
                    prices.entry(&row.sku).or_insert(line.price);
                }
                invoice.lines.push(line);
            }
            Err(why) => *month.refused.entry(why).or_default() += 1,
        }
    }
    month.products = products(&rows, &names, &prices);
    Ok(month)
}

fn products(rows: &[Row], names: &HashMap<String, String>, prices: &HashMap<&str, i64>) -> Vec<Product> {
    let mut seen = HashSet::new();
    let fresh = rows.iter().filter(|row| row.sku.len() <= SKU_BYTES_MAX && seen.insert(row.sku.as_str()));
    let described = fresh.filter_map(|row| names.get(&row.sku).map(|name| (row, name)));
    let product = |(row, name): (&Row, &String)| Product {
        sku: row.sku.clone(),
        name: name.clone(),
        price: prices.get(row.sku.as_str()).copied().unwrap_or(0),
    };
    described.filter(|(row, _)| !row.sku.is_empty()).map(product).collect()
}

/// A month of these lines, without the header.
#[cfg(test)]
pub fn of_lines(lines: &[&str]) -> Month {
    let head = "InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\n";
    read(format!("{head}{}\n", lines.join("\n")).as_bytes()).unwrap_or_default()
}

/// Reads a file, packed with gzip or not.
pub fn load(path: &Path) -> anyhow::Result<Month> {
    let file = std::fs::File::open(path).with_context(|| format!("{}", path.display()))?;
    let packed = path.extension().is_some_and(|extension| extension == "gz");
    let raw: Box<dyn Read> =
        if packed { Box::new(flate2::read::GzDecoder::new(file)) } else { Box::new(file) };
    let month = read(raw.take(FILE_BYTES_MAX)).with_context(|| format!("{}", path.display()))?;
    if month.invoices.iter().all(|invoice| invoice.back || invoice.lines.is_empty()) {
        bail!("{}: no line can be sold", path.display());
    }
    Ok(month)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn the_first_description_and_the_first_selling_price_make_the_product() {
        let month = of_lines(&[
            "C0,A,,-1,d,9,,UK",
            "1,A,,-3,d,0,,UK",
            "1,A,,2,d,2.55,,UK",
            "2,A,LAMP,1,d,1.005,,UK",
            "2,A,lamp blue,1,d,0,,UK",
        ]);
        assert_eq!(month.products, [Product { sku: "A".into(), name: "LAMP".into(), price: 255 }]);
        assert_eq!(month.invoices.len(), 3);
        assert_eq!(month.invoices[2].lines.iter().map(|l| l.price).collect::<Vec<_>>(), [100, 0]);
        assert_eq!(month.refused, BTreeMap::from([("quantity below 1", 1)]));
    }

    #[test]
    fn lines_that_can_be_neither_sold_nor_returned_are_counted_by_reason() {
        let month = of_lines(&[
            "C1,A,LAMP,1,d,1,,UK",
            "2,B,,1,d,1,,UK",
            "3,A,LAMP,1,d,-1,,UK",
            "4,A,LAMP,x,d,1,,UK",
            "5,A,LAMP,1,d,1,,UK",
            "6,A,LAMP,0,d,1,,UK",
            "C7,A,LAMP,-1000001,d,1,,UK",
        ]);
        assert_eq!(month.refused.values().sum::<u64>(), 6);
        assert_eq!(month.refused.len(), 6);
        assert_eq!((month.invoices.len(), month.lines_read), (7, 7));
    }

    #[test]
    fn a_cancellation_is_what_comes_back_from_its_customer() {
        let month =
            of_lines(&["5,A,LAMP,2,d,1,17850.0,UK", "C6,A,LAMP,-2,d,1,17850.0,UK", "C6,A,LAMP,-1,d,0,,UK"]);
        let line = |qty, price| Line { sku: "A".into(), qty, price };
        let customer = Some("17850".to_owned());
        let back = Invoice {
            name: "C6".into(),
            at: "d".into(),
            customer,
            back: true,
            lines: vec![line(2, 100), line(1, 0)],
        };
        assert_eq!(month.invoices[1], back);
        assert_eq!(month.customers().len(), 1);
        assert!(month.refused.is_empty());
    }

    #[test]
    fn an_interrupted_invoice_is_joined() {
        let month = of_lines(&["7,A,LAMP,1,d,1,,UK", "8,A,LAMP,1,d,1,,UK", "7,A,LAMP,1,d,1,,UK"]);
        let shape: Vec<_> = month.invoices.iter().map(|i| (i.name.as_str(), i.lines.len())).collect();
        assert_eq!(shape, [("7", 2), ("8", 1)]);
    }
}
