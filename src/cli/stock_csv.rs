//! Opening stock as a CSV file: `sku,qty,unit_cost`. What a row means is judged by the ledger.

use csv::StringRecord;
use domain::model::base::ids::Sku;
use domain::rules::inventory::stock::{OPENING_ROWS_MAX, OpeningRow};
use edge::csv::{input, unmarked};
use edge::product_csv::{RowProblem, all_good};
use std::io;

const COLUMNS: [&str; 3] = ["sku", "qty", "unit_cost"];

/// Reads the whole file, columns in any order.
///
/// # Errors
/// Every row that is none, with its line; or the header.
pub fn read(input: impl io::Read) -> Result<Vec<OpeningRow>, Vec<RowProblem>> {
    let (separator, mut reader) = input::open(input);
    let places = reader
        .headers()
        .map_err(|error| input::unreadable(&error))
        .and_then(places)
        .map_err(|problem| vec![RowProblem { line: 1, problem }])?;
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    let filled = reader.records().filter(|record| !record.as_ref().is_ok_and(input::is_blank));
    for (index, record) in filled.enumerate() {
        // A row that is not UTF-8 or not CSV says where it begins.
        let record = record.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            RowProblem { line, problem: input::unreadable(&error) }
        });
        let too_many =
            |line| RowProblem { line, problem: format!("more than {OPENING_ROWS_MAX} rows: split the file") };
        match record.and_then(|record| row(&record, places, separator)) {
            Ok(row) if index >= OPENING_ROWS_MAX => {
                problems.push(too_many(row.line));
                break;
            }
            Ok(row) => rows.push(row),
            Err(problem) => problems.push(problem),
        }
    }
    all_good(rows, problems)
}

/// Where each column stands.
fn places(header: &StringRecord) -> Result<[usize; 3], String> {
    let expected = || format!("the columns must be {}", COLUMNS.join(","));
    let names = input::columns(header);
    let place = |column: &str| names.iter().position(|name| name == column).ok_or_else(expected);
    let [sku, qty, unit_cost] = COLUMNS;
    let places = [place(sku)?, place(qty)?, place(unit_cost)?];
    if names.len() == COLUMNS.len() { Ok(places) } else { Err(expected()) }
}

fn row(
    record: &StringRecord,
    [sku, qty, unit_cost]: [usize; 3],
    separator: u8,
) -> Result<OpeningRow, RowProblem> {
    let line = record.position().map_or(0, csv::Position::line);
    let bad = |problem: String| RowProblem { line, problem };
    input::fits(record, COLUMNS.len()).map_err(bad)?;
    let cell = |place: usize| record.get(place).unwrap_or_default();
    let figure = |name: &str, text: &str| {
        let shown: String = text.chars().take(40).collect();
        input::whole(text, separator).map_err(|why| bad(input::complaint(name, &shown, &why, "")))
    };
    let sku = cell(sku);
    if sku.is_empty() {
        return Err(bad("sku is empty".to_owned()));
    }
    input::whole_code("sku", sku).map_err(bad)?;
    Ok(OpeningRow {
        line,
        sku: Sku(unmarked(sku)),
        qty: figure("qty", cell(qty))?,
        unit_cost: figure("unit_cost", cell(unit_cost))?,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn reads_rows_in_any_order_of_columns() {
        let rows = read("qty,unit_cost,SKU\n5, 1200 ,A1\n7,0,B2\n".as_bytes()).unwrap();
        let row = |line, sku: &str, qty, unit_cost| OpeningRow { line, sku: sku.into(), qty, unit_cost };
        assert_eq!(rows, [row(2, "A1", 5, 1_200), row(3, "B2", 7, 0)]);
    }

    #[test]
    fn every_bad_row_is_named() {
        let problems = read("sku,qty,unit_cost\nA,1,2\n,1,2\nB,x,2\nC,1\nD,1,2.5\n8.99E+12,1,2\n".as_bytes())
            .unwrap_err();
        let lines: Vec<u64> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [3, 4, 5, 6, 7], "{problems:?}");
        assert_eq!(read("sku;qty;unit_cost\nA;1.000;2\n".as_bytes()).unwrap()[0].qty, 1_000);
        for header in
            ["", "sku,qty,unit_cost\n", "sku,qty\n", "sku,qty,unit_cost,colour\n", "sku;qty,unit_cost\n"]
        {
            assert_eq!(read(header.as_bytes()).unwrap_err()[0].line, 1, "{header}");
        }
    }
}
