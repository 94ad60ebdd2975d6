//! Price lists as CSV files.

use crate::office::suppliers::supplier_price::{New, problems};
use domain::model::base::currency::Currency;
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::Sku;
use domain::model::base::time::UtcMs;
use domain::model::inventory::supplier_price::SupplierPrice;
use edge::sheet::{Cells, Columns, Encoding, Layout, Problems, Table};
use jiff::civil::Date;
use std::collections::BTreeSet;

const LAYOUT: Layout = Layout {
    required: &["sku", "unit_cost"],
    optional: &["supplier_sku", "min_qty", "pack_qty", "from", "to", "lead_time_days", "preferred"],
    figures: &["unit_cost", "min_qty", "pack_qty", "lead_time_days"],
    amounts: &["unit_cost"],
    currency: Currency::RUPIAH,
    rows_max: 0,
};
/// The longest text of a cell, in characters. How long each may be is judged with everything else.
const CELL_CHARS_MAX: usize = 500;

/// A price list in the form of its file.
#[derive(Debug)]
pub struct PriceFile {
    /// Number of rows in the file.
    pub rows: Vec<SupplierPrice>,
    /// Columns of the file.
    columns: BTreeSet<String>,
}

impl PriceFile {
    /// An existing row with the values of the file: fields without a column stay as they are.
    pub fn over(&self, row: &SupplierPrice, before: &SupplierPrice) -> SupplierPrice {
        let of = |column: &str| if self.columns.contains(column) { row } else { before };
        SupplierPrice {
            row_id: before.row_id.clone(),
            supplier_sku: of("supplier_sku").supplier_sku.clone(),
            pack_qty: of("pack_qty").pack_qty,
            to: of("to").to,
            lead_time_days: of("lead_time_days").lead_time_days,
            preferred: of("preferred").preferred,
            state: before.state,
            ..row.clone()
        }
    }
}

/// Reads a whole list of at most `rows_max` rows: header
/// `sku,unit_cost[,supplier_sku,min_qty,pack_qty,from,to,lead_time_days,preferred]` in any order, or `columns` that a person named.
///
/// # Errors
/// Every row with its problem; then nothing of the file may be used.
pub fn read(
    file: &[u8],
    encoding: Encoding,
    columns: Option<&Columns>,
    (rows_max, currency): (usize, Currency),
    (supplier_id, now): (&str, UtcMs),
) -> Result<PriceFile, Problems> {
    let table = Table::open_by(file, encoding, Layout { rows_max, currency, ..LAYOUT }, columns)?;
    let mut seen = BTreeSet::new();
    let rows = table.read(|cells| {
        let price = price(cells, supplier_id, now)?;
        let key = (price.sku.clone(), price.min_qty, price.from);
        if seen.insert(key) { Ok(price) } else { Err("appears twice in the file".to_owned()) }
    })?;
    Ok(PriceFile { rows, columns: table.names().iter().cloned().collect() })
}

fn price(cells: &Cells<'_>, supplier_id: &str, now: UtcMs) -> Result<SupplierPrice, String> {
    let figure = |name| cells.figure(name, i64::MIN..=i64::MAX);
    let preferred = match cells.raw("preferred").to_ascii_lowercase().as_str() {
        "" | "0" | "no" | "false" => false,
        "1" | "yes" | "true" => true,
        _ => return Err("preferred must be yes or no".to_owned()),
    };
    let days = figure("lead_time_days")?.map(u32::try_from).transpose();
    let new = New {
        sku: Sku(cells.sku("sku")?.ok_or("sku must not be empty")?),
        supplier_sku: cells.sku("supplier_sku")?,
        unit_cost: Money::new(figure("unit_cost")?.ok_or("unit_cost must not be empty")?),
        min_qty: figure("min_qty")?.map(Quantity::new),
        pack_qty: figure("pack_qty")?.map(Quantity::new),
        from: date(cells, "from")?,
        to: date(cells, "to")?,
        lead_time_days: days.map_err(|_| "lead_time_days must be 0 to 3650")?,
        preferred,
    };
    let price = new.row(supplier_id, now);
    match problems(&price).first() {
        Some((field, problem)) => Err(format!("{field} {problem}")),
        None => Ok(price),
    }
}

fn date(cells: &Cells<'_>, name: &str) -> Result<Option<Date>, String> {
    let Some(text) = cells.text(name, CELL_CHARS_MAX)? else { return Ok(None) };
    text.parse().map(Some).map_err(|_| format!("{name} must be a date, 2026-11-20"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    fn read(file: &[u8]) -> Result<PriceFile, Problems> {
        super::read(file, Encoding::Utf8, None, (100, Currency::RUPIAH), ("sup_1", UtcMs(0)))
    }

    #[test]
    fn a_list_is_read_whole_or_not_at_all() {
        let file =
            "\u{feff}SKU;unit_cost;min_qty;from;preferred\r\nA;9.000;24;2026-11-15;yes\r\nB;12.500;;;\r\n";
        let rows = read(file.as_bytes()).unwrap().rows;
        let seen: Vec<_> = rows
            .iter()
            .map(|row| (row.sku.as_str(), row.unit_cost.get(), row.min_qty.get(), row.preferred))
            .collect();
        assert_eq!(seen, [("A", 9_000, 24, true), ("B", 12_500, 1, false)]);
        for (file, line) in [
            ("sku\nA\n", 1),
            ("sku,unit_cost,colour\nA,1,red\n", 1),
            ("sku,unit_cost\nA,1.5\n", 2),
            ("sku,unit_cost\nA,1\nA,2\n", 3),
            ("sku,unit_cost\n,1\n", 2),
            ("sku,unit_cost,from\nA,1,20/11/2026\n", 2),
            ("sku,unit_cost,min_qty\nA,1,0\n", 2),
            ("sku,unit_cost\n8.99E+12,1\n", 2),
        ] {
            let wrong = read(file.as_bytes()).unwrap_err();
            assert_eq!(wrong.named.first().unwrap().line, line, "{file}");
        }
    }
}
