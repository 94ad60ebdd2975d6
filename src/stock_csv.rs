//! Opening stock as a CSV file: `sku,qty` with `unit_cost` or `line_total`. The ledger judges the rows.

use domain::model::base::currency::Currency;
use domain::model::base::figures::Money;
use domain::model::base::ids::Sku;
use domain::model::base::limits::{LINE_VALUE_MAX, PRICE_MAX, QTY_MAX};
use domain::rules::inventory::stock::{OPENING_ROWS_MAX, OpeningCost, OpeningRow};
use edge::sheet::{Columns, Encoding, Layout, Problems, Table};
use std::ops::RangeInclusive;

const LAYOUT: Layout = Layout {
    required: &["sku", "qty"],
    optional: &["unit_cost", "line_total"],
    figures: &["qty", "unit_cost", "line_total"],
    amounts: &["unit_cost", "line_total"],
    currency: Currency::RUPIAH,
    rows_max: OPENING_ROWS_MAX,
};

/// Reads the whole file, columns in any order, or as a person named them. `late`: products may have moved already.
///
/// # Errors
/// Every invalid row, with its line; or the header.
pub fn read(
    bytes: &[u8],
    encoding: Encoding,
    columns: Option<&Columns>,
    (late, currency): (bool, Currency),
) -> Result<Vec<OpeningRow>, Problems> {
    Table::open_by(bytes, encoding, Layout { currency, ..LAYOUT }, columns)?.read(|cells| {
        // Limits of figures are checked with everything else. A cell without a figure is refused together with those.
        let figure = |name: &str, fitting: RangeInclusive<i64>| {
            cells.figure(name, i64::MIN..=i64::MAX).or_else(|_| cells.figure(name, fitting))
        };
        let unit_cost = figure("unit_cost", 0..=PRICE_MAX)?;
        let line_total = figure("line_total", 0..=LINE_VALUE_MAX)?;
        let cost = match (unit_cost, line_total) {
            (Some(cost), None) => OpeningCost::Unit(Money::new(cost)),
            (None, Some(cost)) => OpeningCost::Total(Money::new(cost)),
            (None, None) => return Err("unit_cost and line_total are empty: give one of them".to_owned()),
            (Some(_), Some(_)) => return Err("has unit_cost and line_total: give one of them".to_owned()),
        };
        Ok(OpeningRow {
            line: cells.line(),
            sku: Sku(cells.sku("sku")?.ok_or("sku is empty")?),
            qty: figure("qty", 1..=QTY_MAX)?.ok_or("qty is empty")?.into(),
            cost,
            late,
        })
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;

    fn read(text: &[u8]) -> Result<Vec<OpeningRow>, Problems> {
        super::read(text, Encoding::Utf8, None, (false, Currency::RUPIAH))
    }

    #[test]
    fn reads_rows_in_any_order_of_columns() {
        let rows = read("qty,unit_cost,SKU\n5, 1200 ,A1\n7,0,B2\n".as_bytes()).unwrap();
        let row = |line, sku: &str, qty: i64, unit_cost| OpeningRow {
            line,
            sku: sku.into(),
            qty: qty.into(),
            cost: unit_cost,
            late: false,
        };
        use OpeningCost::{Total, Unit};
        assert_eq!(rows, [row(2, "A1", 5, Unit(Money::new(1_200))), row(3, "B2", 7, Unit(Money::ZERO))]);
        let rows = read("sku,qty,line_total,unit_cost\nA1,1000,87500,\nB2,7,,3\n".as_bytes()).unwrap();
        assert_eq!(
            rows,
            [row(2, "A1", 1_000, Total(Money::new(87_500))), row(3, "B2", 7, Unit(Money::new(3)))]
        );
        let problems = read("sku,qty,line_total,unit_cost\nA1,1,2,2\n".as_bytes()).unwrap_err();
        assert_eq!(problems.named[0].line, 2);
    }

    #[test]
    fn every_bad_row_is_named() {
        let problems = read("sku,qty,unit_cost\nA,1,2\n,1,2\nB,x,2\nC,1\nD,1,2.5\n8.99E+12,1,2\n".as_bytes())
            .unwrap_err();
        let lines: Vec<u64> = problems.named.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [3, 4, 5, 6, 7], "{problems:?}");
        let problems = read("sku,qty,unit_cost\nA,99999999999999999999,2\n".as_bytes()).unwrap_err();
        let range = format!("from 1 to {QTY_MAX}");
        assert!(problems.named[0].problem.contains(&range), "{problems:?}");
        assert_eq!(read("sku;qty;unit_cost\nA;1.000;2\n".as_bytes()).unwrap()[0].qty, 1_000);
        for header in
            ["", "sku,qty,unit_cost\n", "sku,qty\n", "sku,qty,unit_cost,colour\n", "sku;qty,unit_cost\n"]
        {
            assert_eq!(read(header.as_bytes()).unwrap_err().named[0].line, 1, "{header}");
        }
    }
}
