//! Codes of one product that a person enters, repaired like those of files.

use crate::sheet::code;
use domain::model::base::ids::Sku;
use domain::model::base::limits::SKU_BYTES_MAX;
use domain::model::base::refusal::FieldProblem;
use domain::model::inventory::barcode;
use domain::model::inventory::barcode::SCAN_BYTES_MAX;
use domain::model::inventory::product::Barcode;
use domain::rules::inventory::product::{ChangeProduct, NewProduct};

/// Repairs the codes of a new product; returns the problems of the others.
pub fn of_new(new: &mut NewProduct) -> Vec<FieldProblem> {
    let mut wrong = Vec::new();
    // Signs around a code are removed, but count: the document states the longest text.
    let read = match new.sku.0.chars().count() {
        0..=SKU_BYTES_MAX => code::sku("sku", &new.sku.0),
        _ => Err(format!("is longer than {SKU_BYTES_MAX} characters")),
    };
    if let Some(sku) = required(read, || "sku".to_owned(), &mut wrong) {
        new.sku = Sku(sku);
    }
    new.barcodes = new.barcodes.take().map(|barcodes| codes(barcodes, &mut wrong));
    wrong
}

/// Repairs the codes of a changed product; returns the problems of the others.
pub fn of_change(change: &mut ChangeProduct) -> Vec<FieldProblem> {
    let mut wrong = Vec::new();
    change.barcodes = change.barcodes.take().map(|barcodes| codes(barcodes, &mut wrong));
    wrong
}

/// Barcodes in their stored form: repaired like those of files.
fn codes(barcodes: Vec<Barcode>, wrong: &mut Vec<FieldProblem>) -> Vec<Barcode> {
    let mut stored = Vec::with_capacity(barcodes.len());
    for (place, known) in barcodes.into_iter().enumerate() {
        // A scan has control characters between its fields, which no cell has.
        let scan = known.code.contains(barcode::FIELD_END).then(|| barcode::scanned(&known.code));
        let read = match known.code.len() {
            0..=SCAN_BYTES_MAX => code::barcode("code", scan.as_deref().unwrap_or(&known.code)),
            _ => Err(format!("is longer than {SCAN_BYTES_MAX} bytes")),
        };
        let path = || format!("barcodes[{place}].code");
        let code = required(read, path, wrong).unwrap_or(known.code);
        stored.push(Barcode { code, ..known });
    }
    stored
}

/// A code that was read; without one there is a problem.
fn required(
    read: Result<Option<String>, String>,
    path: impl Fn() -> String,
    wrong: &mut Vec<FieldProblem>,
) -> Option<String> {
    let problem = match read {
        Ok(Some(code)) => return Some(code),
        Ok(None) => "has no code".to_owned(),
        Err(problem) => problem,
    };
    wrong.push(FieldProblem { path: path(), problem });
    None
}
