//! Scanned codes: each stands for so many pieces of one product.

use super::{NewItem, QTY_MAX};
use crate::product::Product;
use crate::refusal::{FieldProblem, Refusal};
use std::collections::BTreeMap;

/// Puts product and pieces where codes were scanned. `found` has the products that are sold, by code.
///
/// # Errors
/// `unknown_sku` with the codes that name nothing; `duplicate` for one that names several products, unless the
/// line says which; `validation_failed` for a code of another product than the line's, or too many pieces.
pub fn scan(items: &mut [NewItem], found: &BTreeMap<String, Vec<Product>>) -> Result<(), Refusal> {
    let mut unknown: Vec<String> = Vec::new();
    let mut wrong = Vec::new();
    for (place, item) in items.iter_mut().enumerate() {
        let Some(code) = &item.code else { continue };
        let products = found.get(code).map(Vec::as_slice).unwrap_or_default();
        let named: Vec<&Product> =
            products.iter().filter(|product| item.sku.0.is_empty() || product.sku == item.sku).collect();
        match named.as_slice() {
            [] if item.sku.0.is_empty() => {
                if !unknown.contains(code) {
                    unknown.push(code.clone());
                }
            }
            [] => wrong.push(FieldProblem {
                path: format!("items[{place}].code"),
                problem: format!("is no barcode of {}", item.sku),
            }),
            [product] => {
                let pieces = product.barcodes.iter().find(|barcode| barcode.code == *code);
                let pack_qty = pieces.map_or(1, |barcode| barcode.pack_qty);
                let qty = item.qty.saturating_mul(pack_qty);
                if qty > QTY_MAX {
                    wrong.push(FieldProblem {
                        path: format!("items[{place}].qty"),
                        problem: format!("is {qty} pieces: a line has at most {QTY_MAX}"),
                    });
                }
                item.sku = product.sku.clone();
                (item.qty, item.pack_qty) = (qty, Some(pack_qty));
            }
            several => {
                let skus = several.iter().map(|product| product.sku.0.clone()).collect();
                return Err(Refusal::BarcodeShared { code: code.clone(), skus });
            }
        }
    }
    match (unknown.is_empty(), wrong.is_empty()) {
        (true, true) => Ok(()),
        (true, false) => Err(Refusal::ValidationFailed(wrong)),
        (false, _) => Err(Refusal::UnknownSku(unknown)),
    }
}
