//! Catalogues as CSV files: the same columns at store and hub, every bad row named.

use crate::sheet::{Cells, Encoding, Layout, PROBLEMS_MAX, Problems, RowProblem, Table};
use domain::model::base::ids::Sku;
use domain::model::base::limits::{PRODUCT_NAME_CHARS_MAX, QTY_MAX};
use domain::model::base::time::UtcMs;
use domain::model::inventory::barcode;
use domain::model::inventory::product::{Barcode, Product, ProductState};
use domain::rules::inventory::product::{CatalogueRow, FileColumns, NO_BARCODES};
use std::collections::HashMap;

/// Most rows of a file.
pub const ROWS_MAX: usize = 1_000_000;
/// The highest price and cost.
const PRICE_MAX: i64 = 1_000_000_000_000;
/// The highest reorder level.
const REORDER_LEVEL_MAX: i64 = 1_000_000_000;
/// The highest tax rate: 100 %.
const RATE_BP_MAX: i64 = 10_000;
/// The longest category name, in characters.
const CATEGORY_CHARS_MAX: usize = 64;

/// The columns: a supplier's list has a sku, a name and a price; what else there is to say of a product, a shop says later.
const LAYOUT: Layout = Layout {
    required: &["sku", "name", "price"],
    optional: &["category", "barcode", "reorder_level", "tax_rate_bp", "cost", "pack_barcode", "pack_qty"],
    figures: &["price", "reorder_level", "tax_rate_bp", "cost", "pack_qty"],
    rows_max: ROWS_MAX,
};

/// A file that can be imported.
#[derive(Debug)]
pub struct Catalogue {
    /// Rows of the catalogue.
    pub rows: Vec<CatalogueRow>,
    /// Doubts about them: codes with a wrong check digit. At most [`PROBLEMS_MAX`].
    pub warnings: Vec<RowProblem>,
}

/// Reads a whole catalogue of at most `rows_max` rows: header
/// `sku,name,price[,category,barcode,reorder_level,tax_rate_bp,cost,pack_barcode,pack_qty]` in any order; an empty cell of an
/// optional figure means none. Codes are added to those of a known product, `-` takes all of them off
/// ([`domain::rules::inventory::product::CatalogueRow::over`]). A pack's code sells its pieces. What separates cells and how
/// figures are grouped is seen from the file ([`Table`]).
///
/// # Errors
/// Every row with its problem; then nothing of the file may be used.
pub fn read(bytes: &[u8], encoding: Encoding, rows_max: usize, now: UtcMs) -> Result<Catalogue, Problems> {
    let table = Table::open(bytes, encoding, Layout { rows_max: rows_max.min(ROWS_MAX), ..LAYOUT })?;
    if table.has("pack_barcode") != table.has("pack_qty") {
        return Err(Problems::of(1, PACK_COLUMNS.to_owned()));
    }
    let columns = FileColumns {
        tax_rate_bp: table.has("tax_rate_bp"),
        cost: table.has("cost"),
        category: table.has("category"),
        reorder_level: table.has("reorder_level"),
    };
    let (mut seen, mut warnings) = (Seen::default(), Vec::new());
    let rows = table.read(|cells| {
        let (line, product) = (cells.line(), product(cells, now)?);
        seen.add(&product, line)?;
        let room = PROBLEMS_MAX.saturating_sub(warnings.len());
        let doubts = product.doubts().into_iter().take(room);
        warnings.extend(doubts.map(|doubt| RowProblem { line, problem: format!("barcode {doubt}") }));
        Ok(CatalogueRow { product, columns, line })
    })?;
    Ok(Catalogue { rows, warnings })
}

const PACK_COLUMNS: &str =
    "pack_barcode and pack_qty must be given together: the code of a pack, and its number of pieces";

/// Codes of the file so far, with the lines that they stand in: one article has one code, and no sku is another one's code.
#[derive(Default)]
struct Seen {
    skus: HashMap<Sku, u64>,
    codes: HashMap<String, u64>,
}

impl Seen {
    fn add(&mut self, product: &Product, line: u64) -> Result<(), String> {
        if let Some(first) = self.skus.insert(product.sku.clone(), line) {
            return Err(format!("sku \"{}\" is already in line {first}", product.sku));
        }
        let mut own: Vec<String> = Vec::new();
        for Barcode { code, .. } in product.barcodes.iter().filter(|barcode| barcode.code != NO_BARCODES) {
            let normal = barcode::normal(code);
            if own.contains(&normal) {
                return Err(format!("barcode \"{code}\" appears twice in this line"));
            }
            if let Some(first) = self.codes.insert(normal.clone(), line).filter(|first| *first != line) {
                return Err(format!("barcode \"{code}\" is already in line {first}"));
            }
            own.push(normal);
        }
        let normal = barcode::normal(product.sku.as_str());
        if let Some(first) = self.codes.insert(normal, line).filter(|first| *first != line) {
            return Err(format!("sku \"{}\" is already a code of line {first}", product.sku));
        }
        Ok(())
    }
}

fn product(cells: &Cells<'_>, now: UtcMs) -> Result<Product, String> {
    let single = cells.barcode("barcode")?.map(|code| Barcode { code, pack_qty: 1 });
    let pack = pack(cells.barcode("pack_barcode")?, cells.figure("pack_qty", 0..=QTY_MAX)?)?;
    Ok(Product {
        sku: Sku(cells.sku("sku")?.ok_or("sku is empty")?),
        name: cells.text("name", PRODUCT_NAME_CHARS_MAX)?.ok_or("name is empty")?,
        price: cells.figure("price", 0..=PRICE_MAX)?.ok_or("price is empty")?,
        price_set_at: now,
        tax_rate_bp: cells.figure("tax_rate_bp", 0..=RATE_BP_MAX)?.and_then(|rate| u32::try_from(rate).ok()),
        tax_code: None,
        category: cells.text("category", CATEGORY_CHARS_MAX)?,
        barcodes: single.into_iter().chain(pack).collect(),
        cost: cells.figure("cost", 0..=PRICE_MAX)?,
        reorder_level: cells.figure("reorder_level", 0..=REORDER_LEVEL_MAX)?,
        track_stock: true,
        state: ProductState::Active,
        updated_at: now,
    })
}

/// The code of several pieces: both cells, or neither.
fn pack(code: Option<String>, pack_qty: Option<i64>) -> Result<Option<Barcode>, String> {
    match (code, pack_qty) {
        (None, None) => Ok(None),
        (Some(code), Some(pack_qty)) if pack_qty > 1 => Ok(Some(Barcode { code, pack_qty })),
        _ => Err(format!("{PACK_COLUMNS}, at least 2")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;

    const HEADER: &str = "sku,name,price,category,barcode,reorder_level,tax_rate_bp,cost\n";

    fn rows(text: &str) -> Vec<CatalogueRow> {
        super::read(text.as_bytes(), Encoding::Utf8, ROWS_MAX, UtcMs(1)).unwrap().rows
    }

    fn read(bytes: &[u8], now: UtcMs) -> Result<Vec<Product>, Problems> {
        let file = super::read(bytes, Encoding::Utf8, ROWS_MAX, now)?;
        Ok(file.rows.into_iter().map(|row| row.product).collect())
    }

    fn complaints(text: &str) -> Vec<String> {
        read(text.as_bytes(), UtcMs(1)).unwrap_err().named.iter().map(RowProblem::to_string).collect()
    }

    #[test]
    fn reads_every_column_and_leaves_empty_ones_out() {
        let text = format!("{HEADER}A1,\"Tea, green\",1500,Drinks,8990001,5,0,900\nB2,Rice,20000,,,,,\n");
        let products = read(text.as_bytes(), UtcMs(7)).unwrap();
        assert_eq!(products.len(), 2);
        assert_eq!((products[0].name.as_str(), products[0].price), ("Tea, green", 1500));
        assert_eq!(
            (products[0].tax_rate_bp, products[0].cost, products[0].reorder_level),
            (Some(0), Some(900), Some(5))
        );
        assert_eq!(products[0].barcodes[0].code, "8990001");
        assert_eq!(
            (products[1].tax_rate_bp, products[1].cost, products[1].category.as_ref()),
            (None, None, None)
        );
        assert!(products[1].barcodes.is_empty());
        assert_eq!(products[1].updated_at, UtcMs(7));
    }

    #[test]
    fn a_suppliers_file_has_semicolons_and_grouped_figures() {
        let text = "sku;name;price;category;barcode;reorder_level;tax_rate_bp;cost\n\
                    A1;Tea, green;1.500;Drinks;8990001;5;;\"1.234,00\"\nB2;Rice;1.250.000,00;;;;;\n";
        let products = read(text.as_bytes(), UtcMs(7)).unwrap();
        assert_eq!(
            (products[0].name.as_str(), products[0].price, products[0].cost),
            ("Tea, green", 1_500, Some(1_234))
        );
        assert_eq!(products[1].price, 1_250_000);
        // As spreadsheets save it: separators at the ends of lines, and rows of nothing else.
        let ends = text.replace('\n', ";;\r\n") + ";;;;;;;;;\r\n\r\n";
        assert_eq!(read(ends.as_bytes(), UtcMs(7)).unwrap(), products);
        let found = complaints(&ends.replace("1.500", "1,500"));
        assert!(found[0].starts_with("line 2: price"), "{found:?}");
        let found = complaints(&text.replace("1.500", "1,500").replace("1.250.000,00", "12,50"));
        assert!(found[0].starts_with("line 2: price \"1,500\" may be 1500 or 1.500"), "{found:?}");
        assert!(found[1].starts_with("line 3: price \"12,50\" is not a whole number"), "{found:?}");
    }

    #[test]
    fn a_list_of_names_and_prices_is_enough() {
        let rows = rows("Name;SKU;Price\nTea;A;1.500\n");
        let product = &rows[0].product;
        assert_eq!(
            (product.name.as_str(), product.price, rows[0].columns),
            ("Tea", 1_500, FileColumns::default())
        );
    }

    #[test]
    fn a_pack_has_a_code_and_pieces() {
        let header = "sku,name,price,tax_rate_bp,barcode,cost,pack_barcode,pack_qty\n";
        let text = format!("{header}A,Tea,5,,1,,24,12\nB,Rice,5,,,,,\nC,Oil,5,,,,6,6\n");
        let rows = rows(&text);
        let codes = |row: &CatalogueRow| {
            row.product.barcodes.iter().map(|one| (one.code.clone(), one.pack_qty)).collect::<Vec<_>>()
        };
        assert_eq!(codes(&rows[0]), [("1".to_owned(), 1), ("24".to_owned(), 12)]);
        assert_eq!((codes(&rows[1]).len(), codes(&rows[2])), (0, vec![("6".to_owned(), 6)]));
        let columns = FileColumns { tax_rate_bp: true, cost: true, ..FileColumns::default() };
        assert_eq!(rows[0].columns, columns);
        for bad in ["A,Tea,5,,,,24,\n", "A,Tea,5,,,,,12\n", "A,Tea,5,,,,24,1\n", "A,Tea,5,,24,,24,2\n"] {
            assert_eq!(complaints(&format!("{header}{bad}")).len(), 1, "{bad}");
        }
        let half = "sku,name,price,category,barcode,reorder_level,pack_qty\n";
        assert!(complaints(half)[0].contains(PACK_COLUMNS));
    }

    #[test]
    fn every_bad_row_is_named_with_its_line() {
        let text = format!(
            "{HEADER},No sku,1,,,,,\nA,Good,1,,,,,\nA,Twice,1,,,,,\nB,\"two\nlines\",1,,,,,\nC,Text,abc,,,,,\n\
             D,Minus,-1,,,,,\nE,Short,1\nF,Rate,1,,,,10001,\nG,Huge,99999999999999999999,,,,,\nH,,1,,,,,\n\
             I,Code,1,,77,,,\nJ,Code,1,,77,,,\nK,None,,,,,,\nL,Off,1,,-,,,\nM,Off,1,,-,,,\nN,Short,1,,8.99E+12,,,\n"
        );
        let found = complaints(&text);
        let expected = [
            "line 2: sku is empty",
            "line 4: sku \"A\" is already in line 3",
            "line 5: name contains control characters",
            "line 7: price \"abc\" is not a whole number",
            "line 8: price \"-1\" is not a whole number",
            "line 9: has 3 cells, the header has 8",
            "line 10: tax_rate_bp \"10001\" is not a whole number",
            "line 11: price \"99999999999999999999\" is not",
            "line 12: name is empty",
            "line 14: barcode \"77\" is already in line 13",
            "line 15: price is empty",
            "line 18: barcode \"8.99E+12\" was shortened by a spreadsheet",
        ];
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found} / {expected}");
        }
    }

    #[test]
    fn bad_headers_and_bytes_are_named() {
        assert!(complaints("sku;colour\n")[0].starts_with("line 1: unknown column \"colour\""));
        assert!(complaints("sku,name\n")[0].starts_with("line 1: column \"price\" is missing"));
        assert!(complaints("")[0].starts_with("line 1: "));
        for bare in [HEADER.to_owned(), format!("{HEADER}\n,,,,,,,\n")] {
            assert!(complaints(&bare)[0].starts_with("line 1: the file has a header but no rows"), "{bare}");
        }
        let mut bytes = HEADER.as_bytes().to_vec();
        bytes.extend_from_slice(b"A,caf\xe9,1,,,,,\n");
        assert_eq!(
            read(&bytes[..], UtcMs(1)).unwrap_err().named[0].to_string(),
            "line 2: is not UTF-8: save the file as \"CSV UTF-8\", or set the encoding that it has"
        );
    }

    #[test]
    fn one_item_is_not_imported_twice_and_codes_are_repaired() {
        let text = "sku,name,price,barcode\nX3,Formula,1,=\"8991234500119\"\nX4,Apostrophe,1,'8991234500126\n\
                    X5,Float,1,8991234500133.0\nX6,Spaces,1,8991 2345 00140\nX7,No-break,1,8991234500157\u{a0}\n\
                    X8,Check digit,1,8991234500165\nX11,Zero width,1,\u{200b}8991234500171\n'012,Sku,1,\n=\"013\",Sku,1,\n";
        let file = super::read(text.as_bytes(), Encoding::Utf8, ROWS_MAX, UtcMs(1)).unwrap();
        let codes: Vec<String> =
            file.rows.iter().flat_map(|row| &row.product.barcodes).map(|code| code.code.clone()).collect();
        let expected =
            ["119", "126", "133", "140", "157", "165", "171"].map(|end| format!("8991234500{end}"));
        assert_eq!(codes, expected);
        let skus: Vec<&str> = file.rows.iter().map(|row| row.product.sku.as_str()).collect();
        assert_eq!(&skus[7..], ["012", "013"]);
        assert_eq!(file.warnings.len(), 1);
        assert!(file.warnings[0].line == 7 && file.warnings[0].problem.contains("wrong check digit"));

        let header = "sku,name,price,barcode,pack_barcode,pack_qty\n";
        let twice = |rows: &str| complaints(&format!("{header}{rows}"));
        for rows in [
            "X9,Zero lost,1,36000291452,,\nX10,With its zero,1,036000291452,,\n",
            "A,UPC,1,036000291452,,\nB,EAN,1,0036000291452,,\n",
            "A,Piece,1,8991234500188,,\nB,GTIN,1,(01)08991234500188,,\n",
            "A,Tea,1,B,,\nB,Rice,1,,,\n",
            "B,Rice,1,,,\nA,Tea,1,B,,\n",
            "036000291452,Tea,1,,,\nB,Rice,1,0036000291452,,\n",
        ] {
            let found = twice(rows);
            let named = found.len() == 1 && found[0].contains("already") && found[0].ends_with("line 2");
            assert!(named, "{rows} {found:?}");
        }
        let fine = "8991234500188,Tea,1,8991234500188,18991234500185,12\n";
        assert!(read(format!("{header}{fine}").as_bytes(), UtcMs(1)).is_ok(), "a carton has another code");
    }

    #[test]
    fn a_hundred_thousand_rows_and_a_byte_order_mark() {
        let mut text = format!("\u{feff}{HEADER}");
        for row in 0..100_000 {
            text.push_str(&format!("SKU{row},Product {row},{row},C,{row},1,,\n"));
        }
        assert_eq!(read(text.as_bytes(), UtcMs(1)).unwrap().len(), 100_000);
    }
}
