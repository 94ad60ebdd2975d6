//! A row of a catalogue file merged with the known product.

use crate::model::base::figures::Quantity;
use crate::model::inventory::barcode::same;
use crate::model::inventory::product::{Barcode, Product};
use serde::{Deserialize, Serialize};

/// In the barcode cell of a file it takes every code off the product.
pub const NO_BARCODES: &str = "-";

/// Row of a product file: a value without a column keeps its known value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogueRow {
    /// The product by the file. For an unknown product, with all its fields.
    pub product: Product,
    /// The columns of the file beside those that every file has.
    pub columns: FileColumns,
    /// Line of the file at which the row begins.
    pub line: u64,
}

/// Columns that a file may do without.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileColumns {
    pub tax_rate_bp: bool,
    /// The first cost estimate.
    pub cost: bool,
    pub category: bool,
    /// The stock below which it is ordered.
    pub reorder_level: bool,
}

impl CatalogueRow {
    /// The product from now on.
    pub fn over(self, known: Option<&Product>) -> Product {
        let Self { product, columns, line: _ } = self;
        let Some(known) = known else {
            let barcodes = merge_codes(product.barcodes, &[]);
            return Product { barcodes, ..product };
        };
        let tax_rate_bp = if columns.tax_rate_bp { product.tax_rate_bp } else { known.tax_rate_bp };
        // It explains the rate.
        let tax_code = known.tax_code.clone().filter(|_| tax_rate_bp == known.tax_rate_bp);
        let cost = if columns.cost { product.cost } else { known.cost };
        let category = if columns.category { product.category } else { known.category.clone() };
        let reorder_level = if columns.reorder_level { product.reorder_level } else { known.reorder_level };
        let (track_stock, state) = (known.track_stock, known.state);
        let barcodes = merge_codes(product.barcodes, &known.barcodes);
        Product {
            tax_rate_bp,
            tax_code,
            cost,
            category,
            reorder_level,
            barcodes,
            track_stock,
            state,
            ..product
        }
    }
}

/// Adds the codes of a row in front of those of its product; [`NO_BARCODES`] leaves only the row's. If the row has no
/// new code, the order stays, since another order would be a change.
fn merge_codes(mut row: Vec<Barcode>, known: &[Barcode]) -> Vec<Barcode> {
    let replaces = row.iter().any(|code| code.code == NO_BARCODES);
    row.retain(|code| code.code != NO_BARCODES);
    if replaces {
        return row;
    }
    for code in row.iter_mut().filter(|code| code.pack_qty == 1) {
        // The cell of a piece's code has no word for how many a pack has.
        code.pack_qty = known
            .iter()
            .find(|known| same(&known.code, &code.code))
            .map_or(Quantity::new(1), |known| known.pack_qty);
    }
    let says =
        |code: &Barcode, known: &Barcode| known.pack_qty == code.pack_qty && same(&known.code, &code.code);
    if row.iter().all(|code| known.iter().any(|known| says(code, known))) {
        return known.to_vec();
    }
    let others: Vec<Barcode> =
        known.iter().filter(|code| row.iter().all(|given| !same(&given.code, &code.code))).cloned().collect();
    row.extend(others);
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::base::figures::Money;
    use crate::model::base::time::UtcMs;
    use crate::model::inventory::product::ProductState;

    fn code(code: &str, pack_qty: i64) -> Barcode {
        Barcode { code: code.to_owned(), pack_qty: pack_qty.into() }
    }

    fn product(codes: &[(&str, i64)]) -> Product {
        let barcodes = codes.iter().map(|(name, qty)| code(name, *qty)).collect();
        Product { barcodes, ..Product::new("A".into(), "Tea".to_owned(), Money::new(5), UtcMs(1)) }
    }

    #[test]
    fn a_file_changes_what_it_has_columns_for() {
        let known = Product {
            tax_rate_bp: Some(0),
            tax_code: Some("exempt".to_owned()),
            cost: Some(Money::new(3)),
            category: Some("drinks".to_owned()),
            reorder_level: Some(Quantity::new(9)),
            state: ProductState::Inactive,
            track_stock: false,
            ..product(&[("24", 24), ("1", 1)])
        };
        let row = |columns, codes: &[(&str, i64)]| CatalogueRow { product: product(codes), columns, line: 2 };
        assert_eq!(row(FileColumns::default(), &[("1", 1)]).over(Some(&known)), known, "it says nothing new");
        let codes = row(FileColumns::default(), &[("2", 1)]).over(Some(&known)).barcodes;
        assert_eq!(codes, [code("2", 1), code("24", 24), code("1", 1)]);
        let codes = row(FileColumns::default(), &[("24", 12)]).over(Some(&known)).barcodes;
        assert_eq!(codes, [code("24", 12), code("1", 1)], "a code has one number of pieces");
        let all = FileColumns { tax_rate_bp: true, cost: true, category: true, reorder_level: true };
        let said = row(all, &[(NO_BARCODES, 1), ("1", 1)]).over(Some(&known));
        assert_eq!((said.tax_rate_bp, said.tax_code, said.cost), (None, None, None));
        assert_eq!((said.category, said.reorder_level), (None, None));
        assert_eq!(
            (said.barcodes, said.state, said.track_stock),
            (vec![code("1", 1)], ProductState::Inactive, false)
        );
        assert_eq!(row(all, &[("1", 1)]).over(None), product(&[("1", 1)]), "a new one is what the file says");
    }
}
