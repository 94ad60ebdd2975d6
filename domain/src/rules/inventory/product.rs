//! Rules of products.

use crate::model::base::ids::Sku;
use crate::model::base::refusal::{FieldProblem, Refusal};
use crate::model::base::search;
use crate::model::inventory::barcode;
use crate::model::inventory::product::{Barcode, Product, TakenBarcode};
use std::collections::{BTreeMap, BTreeSet};

mod edit;
mod file;
pub use edit::{ChangeProduct, CheckedProduct, NewProduct, codes_fit};
pub use file::{CatalogueRow, FileColumns, NO_BARCODES};

/// Codes of changed `products` that also belong to another product that is sold: a scanned code must identify one
/// product, and a typed SKU must not be the code of another product. `holders` returns the products that have a code,
/// as [`crate::model::inventory::barcode::normal`] writes it, before the change.
///
/// # Errors
/// Those of `holders`.
pub fn taken_barcodes<E>(
    products: &[Product],
    holders: impl Fn(&str) -> Result<Vec<Sku>, E>,
) -> Result<Vec<TakenBarcode>, E> {
    let replaced: BTreeSet<&Sku> = products.iter().map(|product| &product.sku).collect();
    let mut given: BTreeMap<String, &Sku> = BTreeMap::new();
    let mut taken = Vec::new();
    for product in products.iter().filter(|product| product.is_active()) {
        for code in product.normal_codes() {
            let outside = holders(&code)?.into_iter().find(|sku| !replaced.contains(sku));
            let inside = given.get(&code).filter(|other| **other != &product.sku).map(|sku| (*sku).clone());
            if let Some(taken_by) = inside.or(outside) {
                let code = product.code_of(&code).map_or(&product.sku.0, |known| &known.code).clone();
                taken.push(TakenBarcode { code, sku: product.sku.clone(), taken_by, line: None });
            }
            given.insert(code, &product.sku);
        }
    }
    Ok(taken)
}

/// Most rows that a refused file names.
const ROWS_NAMED_MAX: usize = 1_000;

/// Checks a store's catalogue file while head office owns the catalogue. Each row comes with its current product, and
/// columns that the file lacks have the current values. Rows without a change are accepted.
///
/// # Errors
/// `validation_failed` with the rows that differ, by sku.
pub fn overrides_nothing<'a>(
    rows: impl Iterator<Item = (&'a Product, Option<&'a Product>)>,
) -> Result<(), Refusal> {
    let problem = |(row, known): (&Product, Option<&Product>)| {
        let problem = match known {
            None => "head office's catalogue has no such product: add it at head office",
            Some(known) if !says_the_same(row, known) => {
                "differs from head office's catalogue: change it at head office"
            }
            Some(_) => return None,
        };
        Some(FieldProblem { path: format!("sku {}", row.sku), problem: problem.to_owned() })
    };
    let problems: Vec<FieldProblem> = rows.filter_map(problem).take(ROWS_NAMED_MAX).collect();
    if problems.is_empty() { Ok(()) } else { Err(Refusal::ValidationFailed(problems)) }
}

fn says_the_same(row: &Product, known: &Product) -> bool {
    let known = Product { price_set_at: row.price_set_at, updated_at: row.updated_at, ..known.clone() };
    known == *row
}

/// The words that a product is searched by: of its name, category and sku. One that is not sold is not searched for.
pub fn words(product: &Product) -> BTreeSet<String> {
    if product.is_active() { named(product) } else { BTreeSet::new() }
}

/// The words of a product's name, category and sku, sold or not.
pub fn named(product: &Product) -> BTreeSet<String> {
    let texts = [Some(product.name.as_str()), product.category.as_deref(), Some(product.sku.as_str())];
    search::indexed(texts.into_iter().flatten())
}

/// The number of a sku of digits alone, without zeros in front.
pub fn number_of(sku: &Sku) -> Option<&str> {
    let code = sku.as_str();
    code.bytes().all(|byte| byte.is_ascii_digit()).then(|| code.trim_start_matches('0'))
}

/// The doubt about a sku that differs from `other` by zeros in front alone.
pub fn zeros_doubt(sku: &Sku, other: &str) -> String {
    format!("sku \"{sku}\" differs from {other} only by zeros in front: are they two products?")
}

/// Doubts about skus that differ by zeros in front alone from stored ones that are not among them.
pub fn doubts_beside<'a>(skus: &[&'a Sku], stored: &[Sku]) -> Vec<(&'a Sku, String)> {
    let own: BTreeSet<&Sku> = skus.iter().copied().collect();
    let mut others: BTreeMap<&str, &Sku> = BTreeMap::new();
    for other in stored.iter().filter(|other| !own.contains(other)) {
        others.extend(number_of(other).map(|number| (number, other)));
    }
    let doubt = |sku: &&'a Sku| {
        let other = others.get(number_of(sku)?)?;
        Some((*sku, zeros_doubt(sku, &format!("the stored \"{other}\""))))
    };
    skus.iter().filter_map(doubt).collect()
}

/// Fewest digits of a code that are searched for inside of it, such as the readable part of a torn label.
pub const CODE_PART_MIN: usize = 4;

/// Whether typed words find a product: each begins a word of its name, category or sku, or is a part of one of its codes.
pub fn found_by(product: &Product, typed: &BTreeSet<String>) -> bool {
    search::matches(typed, &words(product))
        || code_part(typed).is_some_and(|part| has_code_part(product, part))
}

/// Typed digits that may be a part of a code.
pub fn code_part(typed: &BTreeSet<String>) -> Option<&str> {
    let only = typed.iter().next().filter(|_| typed.len() == 1)?;
    (only.len() >= CODE_PART_MIN && only.bytes().all(|byte| byte.is_ascii_digit())).then_some(only)
}

/// Whether a code of a product has these digits in it, or is the same code with more or fewer zeros in front.
pub fn has_code_part(product: &Product, part: &str) -> bool {
    let has = |known: &Barcode| known.code.contains(part) || barcode::same(&known.code, part);
    product.is_active() && product.barcodes.iter().any(has)
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
                problem: "is a product of which no stock is kept".to_owned(),
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
