//! What the file becomes: a catalogue, a delivery, and what has to come out.

use crate::figures::Figures;
use crate::month::{LINES_MAX, Month, Product};
use crate::rest::Api;
use crate::table;
use anyhow::Context;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

/// Pieces received of each product that is received before the sales begin.
const RECEIVED_QTY: i64 = 200;
/// Refusals of the store that are shown word for word.
const REFUSALS_SHOWN: usize = 5;

/// The catalogue in the columns of `import products`.
pub fn write_catalogue(month: &Month, path: &Path) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_path(path)?;
    writer.write_record(["sku", "name", "price", "category", "barcode", "reorder_level"])?;
    for product in &month.products {
        writer.write_record([&product.sku, &product.name, &product.price.to_string(), "", "", ""])?;
    }
    writer.flush().context("writing the catalogue")
}

/// Receives some of the first products; gives back what was received.
pub async fn receive(manager: &Api, month: &Month) -> anyhow::Result<BTreeMap<String, i64>> {
    let some: Vec<_> = month.products.iter().take(LINES_MAX).collect();
    let line =
        |product: &&Product| json!({"sku": product.sku, "qty": RECEIVED_QTY, "unit_cost": product.price / 2});
    let lines: Vec<_> = some.iter().map(line).collect();
    let body = json!({"delivery_note_no": "DN-1", "lines": lines});
    manager.post("/api/receiving", "receive-1", &body).await.context("receiving")?;
    Ok(some.iter().map(|product| (product.sku.clone(), RECEIVED_QTY)).collect())
}

/// What has to come out, from the file alone.
pub struct Expected {
    /// Sums of all sales.
    pub sums: Figures,
    /// Received less sold, by sku.
    pub stock: BTreeMap<String, i64>,
    /// Sold by sku: pieces, gross, tax and total.
    pub by_sku: BTreeMap<String, [i64; 4]>,
}

/// Computes it; `received` is what came in before.
pub fn expected(month: &Month, received: BTreeMap<String, i64>) -> Expected {
    let prices = month.list_prices();
    let (mut stock, mut sums, mut by_sku) = (received, Figures::default(), BTreeMap::new());
    for product in &month.products {
        stock.entry(product.sku.clone()).or_default();
    }
    for sale in &month.sales {
        sums.add(&Figures::of(sale, &prices));
        for line in &sale.lines {
            let of = Figures::of_line(line, &prices);
            *stock.entry(line.sku.clone()).or_default() -= line.qty;
            let sold = by_sku.entry(line.sku.clone()).or_insert([0; 4]);
            let more = [of.pieces, of.subtotal, of.tax, of.total];
            sold.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
    }
    Expected { sums, stock, by_sku }
}

/// What was read, what is sold, what can't be, and what the store refused.
pub fn tell_input(month: &Month, refusals: &[String]) {
    let sold: usize = month.sales.iter().map(|sale| sale.lines.len()).sum();
    println!();
    let mut rows = vec![
        vec!["products".to_owned(), month.products.len().to_string()],
        vec!["invoices in the file".to_owned(), month.invoices_read.to_string()],
        vec!["  sold (at least one line)".to_owned(), month.invoices_sold.to_string()],
        vec!["  as transactions".to_owned(), month.sales.len().to_string()],
        vec!["lines in the file".to_owned(), month.lines_read.to_string()],
        vec!["  sold".to_owned(), sold.to_string()],
    ];
    for (why, count) in &month.refused {
        rows.push(vec![format!("  refused: {why}"), count.to_string()]);
    }
    table::print(&["input", "count"], &rows);
    for refusal in refusals.iter().take(REFUSALS_SHOWN) {
        println!("refused by the store: {refusal}");
    }
}
