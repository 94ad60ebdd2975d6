//! Data made from the file: a catalogue, a delivery, and a printed summary.

use crate::rest::{Api, text};
use crate::trade::books::{Books, Delivery};
use crate::trade::month::{Month, Product};
use crate::trade::plan::{LINES_MAX, Step};
use anyhow::Context;
use serde_json::json;
use std::path::Path;

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

/// A delivery of some of the first products.
pub struct Terms {
    /// Number of its note.
    pub note: &'static str,
    /// Pieces of each product.
    pub qty: i64,
    /// Cost in percent of the price.
    pub cost_percent: i64,
}

/// What comes in before the sales begin, and when half of them are done.
pub const BEFORE: Terms = Terms { note: "DN-1", qty: 200, cost_percent: 50 };
/// See [`BEFORE`].
pub const HALF_WAY: Terms = Terms { note: "DN-2", qty: 130, cost_percent: 61 };

pub async fn receive(api: &Api, month: &Month, terms: &Terms) -> anyhow::Result<Delivery> {
    let Terms { note, qty, cost_percent } = terms;
    let some = || month.products.iter().take(LINES_MAX);
    let unit_cost = |product: &Product| product.price * cost_percent / 100;
    let line = |product: &Product| json!({"sku": product.sku, "qty": qty, "unit_cost": unit_cost(product)});
    let lines: Vec<_> = some().map(line).collect();
    let body = json!({"delivery_note_no": note, "lines": lines});
    let posted = api.post("/api/receiving", note, &body).await.context("receiving")?;
    Ok(Delivery {
        receiving_id: text(&posted, "receiving_id")?,
        qty: *qty,
        unit_costs: some().map(|product| (product.sku.clone(), unit_cost(product))).collect(),
    })
}

/// More than all refunds together: no drawer runs dry, whichever till pays them out.
pub fn opening_float(month: &Month, steps: &[Step]) -> i64 {
    Books::of(month, steps, &[]).whole.figures.refunds + 10_000
}

/// Prints what was read, the items that can be neither sold nor returned, and the store's refusals.
pub fn tell(month: &Month, steps: &[Step], spenders: usize, refusals: &[String]) {
    let backs = steps.iter().filter(|step| matches!(step, Step::Back(_))).count();
    println!(
        "\n{} lines of {} invoices: {} sales and {backs} returns of {} products; {} members, {spenders} of them pay \
         with points",
        month.lines_read,
        month.invoices.len(),
        steps.len() - backs,
        month.products.len(),
        month.customers().len()
    );
    month.refused.iter().for_each(|(why, count)| println!("{count} lines left out: {why}"));
    for refusal in refusals.iter().take(REFUSALS_SHOWN) {
        println!("refused by the store: {refusal}");
    }
}
