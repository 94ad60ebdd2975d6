//! Catalogues as CSV files: the same columns at store and hub, every bad row named.

use crate::sheet::{
    Cells, Columns, Encoding, Layout, PROBLEMS_MAX, Problems, RowProblem, Table, may_be_currency,
};
use domain::model::base::currency::Currency;
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::Sku;
use domain::model::base::limits::{PRODUCT_NAME_CHARS_MAX, QTY_MAX};
use domain::model::base::time::UtcMs;
use domain::model::inventory::barcode;
use domain::model::inventory::product::{Barcode, Product, ProductState};
use domain::rules::inventory::product::{CatalogueRow, FileColumns, NO_BARCODES, number_of, zeros_doubt};
use std::collections::HashMap;

/// Most rows of a file.
pub const ROWS_MAX: usize = 1_000_000;
/// The highest price and cost.
const PRICE_MAX: i64 = 1_000_000_000_000;
/// The highest reorder level.
const REORDER_LEVEL_MAX: i64 = 1_000_000_000;
/// The highest tax rate: 100 %.
const RATE_BP_MAX: i64 = 10_000;
/// Lower rates are rates in percent by mistake: 1 %.
const RATE_BP_USUAL_MIN: u32 = 100;
/// Words of a sku cell for a sum.
const SUMS: [&str; 6] = ["total", "subtotal", "sub-total", "jumlah", "summe", "sum"];
/// The longest category name, in characters.
const CATEGORY_CHARS_MAX: usize = 64;

/// The columns: a supplier's list has a sku, a name and a price; a shop adds the other fields later.
const LAYOUT: Layout = Layout {
    required: &["sku", "name", "price"],
    optional: &["category", "barcode", "reorder_level", "tax_rate_bp", "cost", "pack_barcode", "pack_qty"],
    figures: &["price", "reorder_level", "tax_rate_bp", "cost", "pack_qty"],
    amounts: &["price", "cost"],
    currency: Currency::RUPIAH,
    rows_max: ROWS_MAX,
};

/// A file that can be imported.
#[derive(Debug)]
pub struct Catalogue {
    /// Rows of the catalogue.
    pub rows: Vec<CatalogueRow>,
    /// Doubts about them: codes with a wrong check digit, skus that have lost their zeros, and sums that are no products. At
    /// most [`PROBLEMS_MAX`].
    pub warnings: Vec<RowProblem>,
    /// The currency that is written beside figures, with the line of the first.
    pub currency: Option<(u64, &'static str)>,
}

impl Catalogue {
    /// Passes a catalogue whose figures are in the shop's currency.
    ///
    /// # Errors
    /// The line of the first figure, with its currency.
    pub fn check_currency(&self, shop: &str) -> Result<(), Problems> {
        match self.currency {
            Some((line, mark)) if !may_be_currency(mark, shop) => {
                Err(Problems::of(line, format!("has a figure in {mark}, but the shop's currency is {shop}")))
            }
            _ => Ok(()),
        }
    }
}

/// Reads a whole catalogue of at most `rows_max` rows: header
/// `sku,name,price[,category,barcode,reorder_level,tax_rate_bp,cost,pack_barcode,pack_qty]` in any order; an empty cell
/// of an optional figure means no value. Codes are added to those of a known product, `-` takes all of them off
/// ([`domain::rules::inventory::product::CatalogueRow::over`]). A pack's code sells its pieces. What separates cells
/// and how figures are grouped is seen from the file ([`Table`]). `given` are the columns that a person named; without
/// them the header of the file names them.
///
/// # Errors
/// Every row with its problem; then nothing of the file may be used.
pub fn read(
    bytes: &[u8],
    encoding: Encoding,
    given: Option<&Columns>,
    (rows_max, currency): (usize, Currency),
    now: UtcMs,
) -> Result<Catalogue, Problems> {
    let layout = Layout { rows_max: rows_max.min(ROWS_MAX), currency, ..LAYOUT };
    let table = Table::open_by(bytes, encoding, layout, given)?;
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
        let line = cells.line();
        let mut warn = |problem: String| {
            if warnings.len() < PROBLEMS_MAX {
                warnings.push(RowProblem { line, problem });
            }
        };
        if is_sum(cells.raw("sku")) {
            warn(format!("is a sum, not a product: sku \"{}\" was left out", cells.raw("sku")));
            return Ok(None);
        }
        let product = product(cells, now)?;
        seen.add(&product, line)?;
        product.doubts().into_iter().for_each(|doubt| warn(format!("barcode {doubt}")));
        seen.zeros_lost(&product.sku, line).into_iter().for_each(&mut warn);
        if let Some(rate) = product.tax_rate_bp.filter(|rate| (1..RATE_BP_USUAL_MIN).contains(rate)) {
            warn(format!("tax_rate_bp {rate} is 0.{rate:02} %: for {rate} % write {rate}%"));
        }
        Ok(Some(CatalogueRow { product, columns, line }))
    })?;
    let rows: Vec<CatalogueRow> = rows.into_iter().flatten().collect();
    if rows.is_empty() {
        return Err(Problems::of(1, "the file has sums but no rows to import".to_owned()));
    }
    Ok(Catalogue { rows, warnings, currency: table.currency() })
}

/// Whether the sku of a row is a word for a sum: `TOTAL`, `Jumlah`, `Subtotal Minuman`.
fn is_sum(sku: &str) -> bool {
    let first = sku.split([' ', ':', '\u{a0}']).next().unwrap_or_default();
    let lower = sku.trim().to_lowercase();
    SUMS.iter().any(|word| word.eq_ignore_ascii_case(first)) || lower.starts_with("grand total")
}

/// A tax rate: `1100`, or as people write it, `11 %` and `11,5%`.
fn rate(cells: &Cells<'_>) -> Result<Option<i64>, String> {
    const NAME: &str = "tax_rate_bp";
    let cell = cells.raw(NAME);
    let Some(percent) = crate::sheet::plain(cell).strip_suffix('%').map(str::trim_end) else {
        return cells.figure(NAME, 0..=RATE_BP_MAX);
    };
    let (whole, part) = percent.split_once(['.', ',']).unwrap_or((percent, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let fits = digits(whole) && digits(part) && part.len() <= 2;
    let hundredths = fits.then(|| format!("{whole}{part:0<2}").parse::<i64>().ok()).flatten();
    let rate = hundredths.filter(|rate| (0..=RATE_BP_MAX).contains(rate));
    rate.map(Some)
        .ok_or_else(|| format!("{NAME} \"{cell}\" is not a rate from 0 % to 100 %, with two decimals"))
}

const PACK_COLUMNS: &str =
    "pack_barcode and pack_qty must be given together: the code of a pack, and its number of pieces";

/// Codes of the file so far, with their lines: one article has one code, and no sku is another one's code.
#[derive(Default)]
struct Seen {
    skus: HashMap<Sku, u64>,
    codes: HashMap<String, u64>,
    /// Skus of digits without their zeros in front.
    numbers: HashMap<String, (Sku, u64)>,
}

impl Seen {
    /// A doubt about a sku that differs from an earlier one by zeros in front alone.
    fn zeros_lost(&mut self, sku: &Sku, line: u64) -> Option<String> {
        let (first, at) = self.numbers.insert(number_of(sku)?.to_owned(), (sku.clone(), line))?;
        Some(zeros_doubt(sku, &format!("\"{first}\" in line {at}")))
    }

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
    let single = cells.barcode("barcode")?.map(|code| Barcode { code, pack_qty: Quantity::new(1) });
    let pack = pack(cells.barcode("pack_barcode")?, cells.figure("pack_qty", 0..=QTY_MAX)?)?;
    Ok(Product {
        sku: Sku(cells.sku("sku")?.ok_or("sku is empty")?),
        name: cells.text("name", PRODUCT_NAME_CHARS_MAX)?.ok_or("name is empty")?,
        price: Money::new(cells.figure("price", 0..=PRICE_MAX)?.ok_or("price is empty")?),
        price_set_at: now,
        tax_rate_bp: rate(cells)?.and_then(|rate| u32::try_from(rate).ok()),
        tax_code: None,
        category: cells.text("category", CATEGORY_CHARS_MAX)?,
        barcodes: single.into_iter().chain(pack).collect(),
        cost: cells.figure("cost", 0..=PRICE_MAX)?.map(Money::new),
        reorder_level: cells.figure("reorder_level", 0..=REORDER_LEVEL_MAX)?.map(Quantity::new),
        track_stock: true,
        state: ProductState::Active,
        updated_at: now,
    })
}

/// The code of several pieces: both cells, or neither.
fn pack(code: Option<String>, pack_qty: Option<i64>) -> Result<Option<Barcode>, String> {
    match (code, pack_qty) {
        (None, None) => Ok(None),
        (Some(code), Some(pack_qty)) if pack_qty > 1 => Ok(Some(Barcode { code, pack_qty: pack_qty.into() })),
        _ => Err(format!("{PACK_COLUMNS}, at least 2")),
    }
}

#[cfg(test)]
mod tests;
