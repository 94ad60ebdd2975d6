//! Scanned codes: each means a number of pieces of one product, in every kind of document.

use crate::model::base::fields::Fields;
use crate::model::base::figures::Quantity;
use crate::model::base::ids::Sku;
use crate::model::base::limits::{QTY_MAX, SKU_BYTES_MAX};
use crate::model::base::refusal::{FieldProblem, Refusal};
use crate::model::inventory::barcode::{SCAN_BYTES_MAX, normal};
use crate::model::inventory::product::{Barcode, Product};
use crate::rules::selling::sale::NewItem;
use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt::Display;

/// A line that names its product by sku, by a scanned code, or by both.
pub trait Scanned {
    /// The list that it is in, as in JSON.
    const LIST: &'static str;
    /// The scanned code, if there is one.
    fn code(&self) -> Option<&str>;
    /// The product; empty where the code names it.
    fn sku(&self) -> &Sku;
    /// Its quantities with their names: scans where there is a code.
    fn quantities(&mut self) -> Vec<(&'static str, &mut Quantity)>;
    /// Stores the product of the scan, and its code as the catalogue has it.
    fn found(&mut self, sku: Sku, barcode: &Barcode);
}

/// Checks how a line names its product.
pub(crate) fn check_name<L: Scanned>(line: &L, place: usize, fields: &mut Fields) {
    let list = L::LIST;
    match line.code() {
        Some(code) => {
            check_scan(format_args!("{list}[{place}].code"), code, fields);
            fields.code_if_any(format_args!("{list}[{place}].sku"), Some(line.sku().as_str()), SKU_BYTES_MAX);
        }
        None => fields.code(format_args!("{list}[{place}].sku"), line.sku().as_str(), SKU_BYTES_MAX),
    }
}

/// A scan comes as the scanner sends it: GS1 codes have control characters in them.
pub(crate) fn check_scan(path: impl Display, code: &str, fields: &mut Fields) {
    if code.len() > SCAN_BYTES_MAX {
        fields.wrong(path, format!("must be at most {SCAN_BYTES_MAX} bytes"));
    } else if normal(code).is_empty() {
        fields.wrong(path, "must not be empty");
    }
}

impl Scanned for NewItem {
    const LIST: &'static str = "items";

    fn code(&self) -> Option<&str> {
        self.code.as_deref()
    }

    fn sku(&self) -> &Sku {
        &self.sku
    }

    fn quantities(&mut self) -> Vec<(&'static str, &mut Quantity)> {
        vec![("qty", &mut self.qty)]
    }

    fn found(&mut self, sku: Sku, Barcode { code, pack_qty }: &Barcode) {
        (self.sku, self.code, self.pack_qty) = (sku, Some(code.clone()), Some(*pack_qty));
    }
}

/// Implements [`Scanned`] for a line of the stock room: its list, and its quantities.
macro_rules! scanned {
    ($line:ty, $list:literal, |$own:ident| $quantities:expr) => {
        impl crate::rules::selling::sale::Scanned for $line {
            const LIST: &'static str = $list;

            fn code(&self) -> Option<&str> {
                self.code.as_deref()
            }

            fn sku(&self) -> &crate::model::base::ids::Sku {
                &self.sku
            }

            fn quantities(&mut self) -> Vec<(&'static str, &mut crate::model::base::figures::Quantity)> {
                let $own = self;
                $quantities
            }

            fn found(
                &mut self,
                sku: crate::model::base::ids::Sku,
                _barcode: &crate::model::inventory::product::Barcode,
            ) {
                self.sku = sku;
            }
        }
    };
}

pub(crate) use scanned;

/// Puts product and pieces where codes were scanned. `found` has the products that are sold, by code.
///
/// # Errors
/// `unknown_sku` with the codes that name nothing; `duplicate` for one of several products, unless the line names one;
/// `validation_failed` for a code of another product than the line's, or too many pieces.
pub fn scan<L: Scanned, P: Borrow<Product>>(
    lines: &mut [L],
    found: &BTreeMap<String, Vec<P>>,
) -> Result<(), Refusal> {
    let mut unknown: Vec<String> = Vec::new();
    let mut wrong = Vec::new();
    for (place, line) in lines.iter_mut().enumerate() {
        let Some(code) = line.code().map(str::to_owned) else { continue };
        let products = found.get(&code).map(Vec::as_slice).unwrap_or_default();
        let products = products.iter().map(Borrow::<Product>::borrow);
        let named: Vec<&Product> =
            products.filter(|product| line.sku().0.is_empty() || product.sku == *line.sku()).collect();
        match named.as_slice() {
            [] if line.sku().0.is_empty() => {
                if !unknown.contains(&code) {
                    unknown.push(code);
                }
            }
            [] => wrong.push(FieldProblem {
                path: format!("{}[{place}].code", L::LIST),
                problem: format!("is not a barcode of {}", line.sku()),
            }),
            [product] => {
                let single = || Barcode { code: code.clone(), pack_qty: Quantity::new(1) };
                let barcode = product.code_of(&code).cloned().unwrap_or_else(single);
                for (name, qty) in line.quantities() {
                    *qty = qty.saturating_mul(barcode.pack_qty.get());
                    if qty.saturating_abs() > QTY_MAX {
                        wrong.push(FieldProblem {
                            path: format!("{}[{place}].{name}", L::LIST),
                            problem: format!("is {qty} pieces, but a line can have at most {QTY_MAX}"),
                        });
                    }
                }
                line.found(product.sku.clone(), &barcode);
            }
            several => {
                let skus = several.iter().map(|product| product.sku.0.clone()).collect();
                return Err(Refusal::BarcodeShared { code, skus });
            }
        }
    }
    match (unknown.is_empty(), wrong.is_empty()) {
        (true, true) => Ok(()),
        (true, false) => Err(Refusal::ValidationFailed(wrong)),
        (false, _) => Err(Refusal::UnknownSku(unknown)),
    }
}
