//! Products: what a shop sells.

use crate::ids::Sku;
use crate::refusal::{FieldProblem, Refusal};
use crate::search;
use crate::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The longest sku, in bytes.
pub const SKU_BYTES_MAX: usize = 64;
/// The longest product name, in bytes.
pub const PRODUCT_NAME_BYTES_MAX: usize = 128;

/// The longest barcode, in bytes.
pub const BARCODE_BYTES_MAX: usize = 64;

/// A code that a scanner reads, and how many pieces it stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Barcode {
    /// The code.
    pub code: String,
    /// Pieces in one scan.
    pub pack_qty: i64,
}

/// Whether a product is sold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProductState {
    /// It may be sold.
    #[default]
    Active,
    /// It may not.
    Inactive,
}

/// A product of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Product {
    /// Its code.
    pub sku: Sku,
    /// Its name.
    pub name: String,
    /// Unit price in whole currency units, where no price that was set for it counts.
    pub price: i64,
    /// When this price was set: a price for all stores that began before it counts no more.
    pub price_set_at: UtcMs,
    /// Tax rate in basis points; none: the store's default.
    pub tax_rate_bp: Option<u32>,
    /// Says why a rate is 0, for example `exempt`.
    pub tax_code: Option<String>,
    /// Category name.
    pub category: Option<String>,
    /// Codes that name it at a scanner.
    pub barcodes: Vec<Barcode>,
    /// First cost estimate per piece, for stock that was never received.
    pub cost: Option<i64>,
    /// On-hand quantity at or below which it should be ordered.
    pub reorder_level: Option<i64>,
    /// Whether stock is kept for it.
    pub track_stock: bool,
    /// Whether it may be sold.
    pub state: ProductState,
    /// When it was last changed.
    pub updated_at: UtcMs,
}

/// A barcode that a change would give to a product while another one that is sold has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TakenBarcode {
    /// The code.
    pub code: String,
    /// Who would get it.
    pub sku: Sku,
    /// Who has it.
    pub taken_by: Sku,
}

impl Product {
    /// Whether it may be sold.
    pub fn is_active(&self) -> bool {
        self.state == ProductState::Active
    }

    /// The code that stands for a single piece, else the first one.
    pub fn barcode(&self) -> Option<&Barcode> {
        self.barcodes.iter().find(|barcode| barcode.pack_qty == 1).or_else(|| self.barcodes.first())
    }

    /// Whether a scanner's code names it.
    pub fn has_code(&self, code: &str) -> bool {
        self.barcodes.iter().any(|barcode| barcode.code == code)
    }

    /// A product that is sold, and of which nothing more is known.
    pub fn new(sku: Sku, name: String, price: i64, at: UtcMs) -> Self {
        Self {
            sku,
            name,
            price,
            price_set_at: at,
            tax_rate_bp: None,
            tax_code: None,
            category: None,
            barcodes: Vec::new(),
            cost: None,
            reorder_level: None,
            track_stock: true,
            state: ProductState::Active,
            updated_at: at,
        }
    }
}

/// Barcodes of `products`, as they are to be, that name another product that is sold: at a scanner one code is one
/// product. `holders` says who has a code now; what it says of `products` themselves is over.
///
/// # Errors
/// Those of `holders`.
pub fn taken_barcodes<E>(
    products: &[Product],
    holders: impl Fn(&str) -> Result<Vec<Sku>, E>,
) -> Result<Vec<TakenBarcode>, E> {
    let replaced: BTreeSet<&Sku> = products.iter().map(|product| &product.sku).collect();
    let mut given: BTreeMap<&str, &Sku> = BTreeMap::new();
    let mut taken = Vec::new();
    for product in products.iter().filter(|product| product.is_active()) {
        for Barcode { code, .. } in &product.barcodes {
            let inside = given.insert(code, &product.sku).filter(|other| **other != product.sku).cloned();
            let outside = holders(code)?.into_iter().find(|sku| !replaced.contains(sku));
            if let Some(taken_by) = inside.or(outside) {
                taken.push(TakenBarcode { code: code.clone(), sku: product.sku.clone(), taken_by });
            }
        }
    }
    Ok(taken)
}

/// Most rows that a refused file names.
const ROWS_NAMED_MAX: usize = 1_000;

/// Passes rows of a catalogue's file where head office owns the catalogue: each beside what is known of its
/// product. A row that says the same is fine; what a file has no word for is not compared.
///
/// # Errors
/// `validation_failed` with the rows that say something else, by sku.
pub fn overrides_nothing<'a>(
    rows: impl Iterator<Item = (&'a Product, Option<&'a Product>)>,
) -> Result<(), Refusal> {
    let problem = |(row, known): (&Product, Option<&Product>)| {
        let problem = match known {
            None => "head office's catalogue has no such product: add it at head office",
            Some(known) if !says_the_same(row, known) => {
                "is another in head office's catalogue: change it at head office"
            }
            Some(_) => return None,
        };
        Some(FieldProblem { path: format!("sku {}", row.sku), problem: problem.to_owned() })
    };
    let problems: Vec<FieldProblem> = rows.filter_map(problem).take(ROWS_NAMED_MAX).collect();
    if problems.is_empty() { Ok(()) } else { Err(Refusal::ValidationFailed(problems)) }
}

fn says_the_same(row: &Product, known: &Product) -> bool {
    let known = Product {
        tax_code: row.tax_code.clone(),
        track_stock: row.track_stock,
        price_set_at: row.price_set_at,
        updated_at: row.updated_at,
        ..known.clone()
    };
    known == *row
}

/// The words that a product is searched by: of its name, category and sku. One that is not sold is not searched for.
pub fn words(product: &Product) -> BTreeSet<String> {
    if !product.is_active() {
        return BTreeSet::new();
    }
    let texts = [Some(product.name.as_str()), product.category.as_deref(), Some(product.sku.as_str())];
    search::words(texts.into_iter().flatten())
}

/// The products of a document's lines that move stock.
///
/// # Errors
/// `unknown_sku` with all of them; `validation_failed` where no stock is kept.
pub(crate) fn tracked<'a, 'b>(
    skus: impl Iterator<Item = &'b Sku>,
    products: &'a BTreeMap<Sku, Product>,
) -> Result<Vec<&'a Product>, Refusal> {
    let mut unknown: Vec<String> = Vec::new();
    let mut untracked = Vec::new();
    let mut found = Vec::new();
    for (place, sku) in skus.enumerate() {
        match products.get(sku) {
            None if unknown.contains(&sku.0) => {}
            None => unknown.push(sku.0.clone()),
            Some(product) if !product.track_stock => untracked.push(FieldProblem {
                path: format!("lines[{place}].sku"),
                problem: "no stock is kept for it".to_owned(),
            }),
            Some(product) => found.push(product),
        }
    }
    match (unknown.is_empty(), untracked.is_empty()) {
        (true, true) => Ok(found),
        (true, false) => Err(Refusal::ValidationFailed(untracked)),
        (false, _) => Err(Refusal::UnknownSku(unknown)),
    }
}
