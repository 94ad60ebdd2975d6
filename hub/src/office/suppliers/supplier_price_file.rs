//! Price lists as CSV files.

use crate::office::suppliers::supplier_price::{New, problems};
use domain::model::base::ids::Sku;
use domain::model::base::limits::SKU_BYTES_MAX;
use domain::model::base::time::UtcMs;
use domain::model::inventory::supplier_price::SupplierPrice;
use edge::csv::{input, unmarked};
use edge::product_csv::RowProblem;
use jiff::civil::Date;
use std::collections::{BTreeMap, BTreeSet};

const REQUIRED: [&str; 2] = ["sku", "unit_cost"];
const OPTIONAL: [&str; 7] =
    ["supplier_sku", "min_qty", "pack_qty", "from", "to", "lead_time_days", "preferred"];

/// A list as it was written down.
#[derive(Debug)]
pub struct PriceFile {
    /// Its rows.
    pub rows: Vec<SupplierPrice>,
    /// Its columns.
    columns: BTreeSet<String>,
}

impl PriceFile {
    /// A row that is there already, as the file has it: what it has no column for stays as it is.
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

/// Reads a whole list: header `sku,unit_cost[,supplier_sku,min_qty,pack_qty,from,to,lead_time_days,preferred]` in any
/// order.
///
/// # Errors
/// Every row with its problem; then nothing of the file may be used.
pub fn read(file: &[u8], supplier_id: &str, now: UtcMs) -> Result<PriceFile, Vec<RowProblem>> {
    // A mark that says UTF-8 is no part of the first column's name.
    let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
    let (separator, mut reader) = input::open(file);
    let at_header = |problem: String| vec![RowProblem { line: 1, problem }];
    let header = reader.headers().map_err(|error| at_header(input::unreadable(&error)))?;
    let columns = input::columns(header);
    check_header(&columns).map_err(at_header)?;
    let (mut rows, mut wrong, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let line = error.position().map_or(1, |position| position.line());
                wrong.push(RowProblem { line, problem: input::unreadable(&error) });
                break;
            }
        };
        if input::is_blank(&record) {
            continue;
        }
        let line = record.position().map_or(1, |position| position.line());
        let cells = columns.iter().map(String::as_str).zip(record.iter().map(unmarked)).collect();
        let row = input::fits(&record, columns.len())
            .and_then(|()| Row { cells, separator }.price(supplier_id, now))
            .and_then(|price| {
                let key = (price.sku.clone(), price.min_qty, price.from);
                if seen.insert(key) { Ok(price) } else { Err("is in the file twice".to_owned()) }
            });
        match row {
            Ok(price) => rows.push(price),
            Err(problem) => wrong.push(RowProblem { line, problem }),
        }
    }
    let columns = columns.into_iter().collect();
    if wrong.is_empty() { Ok(PriceFile { rows, columns }) } else { Err(wrong) }
}

fn check_header(columns: &[String]) -> Result<(), String> {
    if let Some(missing) = REQUIRED.into_iter().find(|name| !columns.iter().any(|column| column == name)) {
        return Err(format!("the column {missing} is missing"));
    }
    let known = |column: &&String| REQUIRED.iter().chain(&OPTIONAL).any(|name| name == column);
    if let Some(unknown) = columns.iter().find(|column| !known(column)) {
        return Err(format!("the column {unknown} is unknown"));
    }
    let names: BTreeSet<&String> = columns.iter().collect();
    if names.len() == columns.len() { Ok(()) } else { Err("a column is there twice".to_owned()) }
}

/// The cells of a row by the names of their columns.
struct Row<'a> {
    cells: BTreeMap<&'a str, String>,
    separator: u8,
}

impl Row<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        self.cells.get(name).map(String::as_str).filter(|text| !text.is_empty())
    }

    fn figure(&self, name: &str) -> Result<Option<i64>, String> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let complaint = |why| input::complaint(name, text, &why, "a whole figure");
        input::whole(text, self.separator).map(Some).map_err(complaint)
    }

    fn date(&self, name: &str) -> Result<Option<Date>, String> {
        let Some(text) = self.text(name) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| format!("{name} must be a date, 2026-11-20"))
    }

    fn price(&self, supplier_id: &str, now: UtcMs) -> Result<SupplierPrice, String> {
        let sku = self.text("sku").ok_or("sku must not be empty")?;
        input::whole_code("sku", sku)?;
        if sku.len() > SKU_BYTES_MAX || sku.contains('\0') {
            return Err("sku must be at most 64 bytes, without NUL".to_owned());
        }
        let preferred = match self.text("preferred").map(str::to_ascii_lowercase).as_deref() {
            None | Some("0" | "no" | "false") => false,
            Some("1" | "yes" | "true") => true,
            Some(_) => return Err("preferred must be yes or no".to_owned()),
        };
        let days = self.figure("lead_time_days")?.map(u32::try_from).transpose();
        let new = New {
            sku: Sku(sku.to_owned()),
            supplier_sku: self.text("supplier_sku").map(str::to_owned),
            unit_cost: self.figure("unit_cost")?.ok_or("unit_cost must not be empty")?,
            min_qty: self.figure("min_qty")?,
            pack_qty: self.figure("pack_qty")?,
            from: self.date("from")?,
            to: self.date("to")?,
            lead_time_days: days.map_err(|_| "lead_time_days must be 0 to 3650")?,
            preferred,
        };
        let price = new.row(supplier_id, now);
        match problems(&price).first() {
            Some((field, problem)) => Err(format!("{field} {problem}")),
            None => Ok(price),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn a_list_is_read_whole_or_not_at_all() {
        let file =
            "\u{feff}SKU;unit_cost;min_qty;from;preferred\r\nA;9.000;24;2026-11-15;yes\r\nB;12.500;;;\r\n";
        let rows = read(file.as_bytes(), "sup_1", UtcMs(0)).unwrap().rows;
        let seen: Vec<_> =
            rows.iter().map(|row| (row.sku.as_str(), row.unit_cost, row.min_qty, row.preferred)).collect();
        assert_eq!(seen, [("A", 9_000, 24, true), ("B", 12_500, 1, false)]);
        for (file, line) in [
            ("sku\nA\n", 1),
            ("sku,unit_cost,colour\nA,1,red\n", 1),
            ("sku,unit_cost\nA,1.5\n", 2),
            ("sku,unit_cost\nA,1\nA,2\n", 3),
            ("sku,unit_cost\n,1\n", 2),
            ("sku,unit_cost,from\nA,1,20/11/2026\n", 2),
            ("sku,unit_cost,min_qty\nA,1,0\n", 2),
        ] {
            let wrong = read(file.as_bytes(), "sup_1", UtcMs(0)).unwrap_err();
            assert_eq!(wrong.first().unwrap().line, line, "{file}");
        }
    }
}
