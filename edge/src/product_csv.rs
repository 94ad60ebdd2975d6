//! Catalogues as CSV files: the same columns at store and hub, every bad row named.

use crate::csv::{input, unmarked};
use ::csv::{ByteRecord, StringRecord};
use domain::model::base::ids::Sku;
use domain::model::base::limits::{PRODUCT_NAME_BYTES_MAX, QTY_MAX, SKU_BYTES_MAX};
use domain::model::base::time::UtcMs;
use domain::model::inventory::product::{Barcode, Product, ProductState};
use domain::rules::inventory::product::{CatalogueRow, FileColumns, NO_BARCODES};
use std::collections::HashMap;
use std::{fmt, io};

/// Most rows of a file.
pub const ROWS_MAX: usize = 1_000_000;
/// The highest price and cost.
const PRICE_MAX: i64 = 1_000_000_000_000;
/// The highest reorder level.
const REORDER_LEVEL_MAX: i64 = 1_000_000_000;
/// The highest tax rate: 100 %.
const RATE_BP_MAX: u32 = 10_000;
/// The longest category name and barcode, in bytes.
const TEXT_BYTES_MAX: usize = 64;

/// A supplier's list has these; what else there is to say of a product, a shop says later.
const REQUIRED: [&str; 3] = ["sku", "name", "price"];
const OPTIONAL: [&str; 7] =
    ["category", "barcode", "reorder_level", "tax_rate_bp", "cost", "pack_barcode", "pack_qty"];

/// A row that can't be imported, or the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowProblem {
    /// 1-based line of the file at which the row begins.
    pub line: u64,
    /// What is wrong, for a person.
    pub problem: String,
}

impl fmt::Display for RowProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

/// Reads a whole catalogue: header
/// `sku,name,price[,category,barcode,reorder_level,tax_rate_bp,cost,pack_barcode,pack_qty]` in any order; an empty cell of an
/// optional figure means none. Codes are added to those of a known product, `-` takes all of them off
/// ([`domain::rules::inventory::product::CatalogueRow::over`]). A pack's code sells its pieces. Cells are separated by commas, semicolons or tabs, and
/// figures may be grouped ([`input::whole`]).
///
/// # Errors
/// Every row with its problem; then nothing of the file may be used.
pub fn read(input: impl io::Read, now: UtcMs) -> Result<Vec<CatalogueRow>, Vec<RowProblem>> {
    let (separator, mut reader) = input::open(input);
    let columns = reader
        .headers()
        .map_err(|error| input::unreadable(&error))
        .and_then(|header| Columns::of(header, separator))
        .map_err(|problem| vec![RowProblem { line: 1, problem }])?;
    let has = columns.given();
    let (mut products, mut problems, mut seen) = (Vec::new(), Vec::new(), Seen::default());
    let mut row = ByteRecord::new();
    loop {
        let line = reader.position().line();
        match reader.read_byte_record(&mut row) {
            Ok(false) => break,
            Ok(true) => {}
            Err(error) => {
                problems.push(RowProblem { line, problem: error.to_string() });
                break;
            }
        }
        let line = row.position().map_or(line, ::csv::Position::line);
        if row.iter().all(<[u8]>::is_empty) {
            continue;
        }
        if products.len() >= ROWS_MAX {
            problems.push(RowProblem { line, problem: format!("more than {ROWS_MAX} rows") });
            break;
        }
        match product(&row, &columns, now).and_then(|product| seen.add(&product, line).map(|()| product)) {
            Ok(product) => products.push(CatalogueRow { product, columns: has }),
            Err(problem) => problems.push(RowProblem { line, problem }),
        }
    }
    all_good(products, problems)
}

/// The rows of a file, if there are any and all are good.
///
/// # Errors
/// Every row with its problem; a file that has none.
pub fn all_good<T>(rows: Vec<T>, mut problems: Vec<RowProblem>) -> Result<Vec<T>, Vec<RowProblem>> {
    if rows.is_empty() && problems.is_empty() {
        let problem = "the file has a header and no rows: nothing is there to import".to_owned();
        problems.push(RowProblem { line: 1, problem });
    }
    if problems.is_empty() { Ok(rows) } else { Err(problems) }
}

/// Which column is which.
struct Columns {
    names: Vec<String>,
    /// What separates them.
    separator: u8,
}

impl Columns {
    fn of(header: &StringRecord, separator: u8) -> Result<Self, String> {
        let names = input::columns(header);
        for name in &names {
            if !REQUIRED.contains(&name.as_str()) && !OPTIONAL.contains(&name.as_str()) {
                return Err(format!("unknown column \"{name}\" (expected {})", expected()));
            }
            if names.iter().filter(|other| *other == name).count() > 1 {
                return Err(format!("column \"{name}\" twice"));
            }
        }
        match REQUIRED.iter().find(|name| !names.iter().any(|known| known == *name)) {
            Some(missing) => Err(format!("column \"{missing}\" is missing (expected {})", expected())),
            None if names.iter().filter(|name| name.starts_with("pack_")).count() == 1 => {
                Err("pack_barcode and pack_qty go together: the code of a pack, and its pieces".to_owned())
            }
            None => Ok(Self { names, separator }),
        }
    }

    /// Which columns there are of those that a file may do without.
    fn given(&self) -> FileColumns {
        let has = |name: &str| self.names.iter().any(|known| known == name);
        FileColumns {
            tax_rate_bp: has("tax_rate_bp"),
            cost: has("cost"),
            category: has("category"),
            reorder_level: has("reorder_level"),
        }
    }

    /// The cell of a column; empty text where the file has no such column.
    fn cell<'a>(&self, row: &'a StringRecord, name: &str) -> &'a str {
        self.names.iter().position(|known| known == name).and_then(|index| row.get(index)).unwrap_or_default()
    }
}

fn expected() -> String {
    format!("{}[,{}]", REQUIRED.join(","), OPTIONAL.join(","))
}

/// Codes of the file so far, with the lines that they stand in.
#[derive(Default)]
struct Seen {
    skus: HashMap<Sku, u64>,
    barcodes: HashMap<String, u64>,
}

impl Seen {
    fn add(&mut self, product: &Product, line: u64) -> Result<(), String> {
        if let Some(first) = self.skus.insert(product.sku.clone(), line) {
            return Err(format!("sku \"{}\" stands in line {first} already", product.sku));
        }
        for barcode in product.barcodes.iter().filter(|barcode| barcode.code != NO_BARCODES) {
            if let Some(first) = self.barcodes.insert(barcode.code.clone(), line) {
                return Err(format!("barcode \"{}\" stands in line {first} already", barcode.code));
            }
        }
        Ok(())
    }
}

fn product(row: &ByteRecord, columns: &Columns, now: UtcMs) -> Result<Product, String> {
    let row = StringRecord::from_byte_record(row.clone()).map_err(|_| input::NOT_UTF8.to_owned())?;
    input::fits(&row, columns.names.len())?;
    let cell = |name| columns.cell(&row, name);
    let figure = |name, max| self::figure(name, cell(name), max, columns.separator);
    let barcode = text("barcode", cell("barcode"), 0, TEXT_BYTES_MAX)?;
    let single = Some(barcode).filter(|code| !code.is_empty()).map(|code| Barcode { code, pack_qty: 1 });
    let pack =
        pack(text("pack_barcode", cell("pack_barcode"), 0, TEXT_BYTES_MAX)?, figure("pack_qty", QTY_MAX)?)?;
    let category = text("category", cell("category"), 0, TEXT_BYTES_MAX)?;
    Ok(Product {
        sku: Sku(text("sku", cell("sku"), 1, SKU_BYTES_MAX)?),
        name: text("name", cell("name"), 1, PRODUCT_NAME_BYTES_MAX)?,
        price: figure("price", PRICE_MAX)?.ok_or("price is empty")?,
        price_set_at: now,
        tax_rate_bp: figure("tax_rate_bp", i64::from(RATE_BP_MAX))?.and_then(|rate| u32::try_from(rate).ok()),
        tax_code: None,
        category: Some(category).filter(|category| !category.is_empty()),
        barcodes: single.into_iter().chain(pack).collect(),
        cost: figure("cost", PRICE_MAX)?,
        reorder_level: figure("reorder_level", REORDER_LEVEL_MAX)?,
        track_stock: true,
        state: ProductState::Active,
        updated_at: now,
    })
}

/// The code of several pieces: both cells, or neither.
fn pack(code: String, pack_qty: Option<i64>) -> Result<Option<Barcode>, String> {
    match pack_qty {
        None if code.is_empty() => Ok(None),
        Some(pack_qty) if pack_qty > 1 && !code.is_empty() => Ok(Some(Barcode { code, pack_qty })),
        _ => Err("pack_barcode and pack_qty go together: the code of a pack, and its pieces, 2 at least"
            .to_owned()),
    }
}

fn text(name: &str, cell: &str, min: usize, max: usize) -> Result<String, String> {
    let cell = unmarked(cell);
    if cell.len() < min {
        return Err(format!("{name} is empty"));
    }
    if cell.len() > max {
        return Err(format!("{name} is longer than {max} bytes"));
    }
    if cell.chars().any(char::is_control) {
        return Err(format!("{name} contains control characters"));
    }
    if name != "name" && name != "category" {
        input::whole_code(name, &cell)?;
    }
    Ok(cell)
}

fn figure(name: &str, cell: &str, max: i64, separator: u8) -> Result<Option<i64>, String> {
    if cell.is_empty() {
        return Ok(None);
    }
    let why = match input::whole(cell, separator) {
        Ok(value) if (0..=max).contains(&value) => return Ok(Some(value)),
        Ok(_) => input::NoFigure::Malformed,
        Err(why) => why,
    };
    Err(input::complaint(name, &shortened(cell), &why, &format!(" from 0 to {max}")))
}

/// A cell as it is shown in a complaint.
fn shortened(cell: &str) -> String {
    cell.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;

    const HEADER: &str = "sku,name,price,category,barcode,reorder_level,tax_rate_bp,cost\n";

    fn read(input: impl io::Read, now: UtcMs) -> Result<Vec<Product>, Vec<RowProblem>> {
        super::read(input, now).map(|rows| rows.into_iter().map(|row| row.product).collect())
    }

    fn complaints(text: &str) -> Vec<String> {
        read(text.as_bytes(), UtcMs(1)).unwrap_err().iter().map(RowProblem::to_string).collect()
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
        let rows = super::read("Name;SKU;Price\nTea;A;1.500\n".as_bytes(), UtcMs(1)).unwrap();
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
        let rows = super::read(text.as_bytes(), UtcMs(1)).unwrap();
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
        assert!(complaints(half)[0].contains("go together"));
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
            "line 4: sku \"A\" stands in line 3 already",
            "line 5: name contains control characters",
            "line 7: price \"abc\" is not a whole number",
            "line 8: price \"-1\" is not a whole number",
            "line 9: has 3 cells, the header has 8",
            "line 10: tax_rate_bp \"10001\" is not a whole number",
            "line 11: price \"99999999999999999999\" is not",
            "line 12: name is empty",
            "line 14: barcode \"77\" stands in line 13 already",
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
            assert!(complaints(&bare)[0].starts_with("line 1: the file has a header and no rows"), "{bare}");
        }
        let mut bytes = HEADER.as_bytes().to_vec();
        bytes.extend_from_slice(b"A,caf\xe9,1,,,,,\n");
        assert_eq!(
            read(&bytes[..], UtcMs(1)).unwrap_err()[0].to_string(),
            "line 2: is not UTF-8: save the file as \"CSV UTF-8\""
        );
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
