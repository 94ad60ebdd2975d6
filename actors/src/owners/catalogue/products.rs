//! Products of a store without a head office, which it creates and changes itself.

use super::settings::apply_settings;
use crate::prelude::*;
use crate::runtime::command::{CatalogueRows, FILE_DEADLINE};
use domain::model::base::ids::Sku;
use domain::model::base::refusal::FieldProblem;
use domain::model::base::time::UtcMs;
use domain::model::inventory::product::Product;
use domain::rules::inventory::product::{
    self, CatalogueRow, CheckedProduct, NewProduct, codes_fit, doubts_beside,
};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;
use storage::{Storage, StorageError};

/// Most bytes of the products of one file: a file is one commit, and the frame of a commit has a limit.
const FILE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Most warnings about one file.
const WARNINGS_MAX: usize = 1_000;

/// Adds a product, by the rules of [`NewProduct::product`]. `wrong` has the problems of its codes.
pub struct CreateProduct {
    pub new: NewProduct,
    pub wrong: Vec<FieldProblem>,
}

/// Changes a product, by the rules of [`product::ChangeProduct::over`]. `wrong` as in [`CreateProduct`].
pub struct ChangeProduct {
    pub sku: Sku,
    pub change: product::ChangeProduct,
    pub wrong: Vec<FieldProblem>,
}

/// Imports a file of products, all of it or nothing. `warnings` become part of the answer.
pub struct ImportProducts {
    pub rows: Vec<CatalogueRow>,
    pub warnings: Vec<Value>,
    /// Whether to preview only.
    pub dry_run: bool,
}

impl Dispatch for CreateProduct {}
impl Dispatch for ChangeProduct {}
impl Dispatch for ImportProducts {}

/// Checks that the caller is a manager, and that the store has no head office, so that catalogue and settings are its
/// own.
pub(super) fn check_own_catalogue(storage: &Storage, request: &RequestContext) -> Result<(), Failure> {
    if !request.authorization().caller.role.manages() {
        return Err(Refusal::InsufficientRole.into());
    }
    match storage.sync().hub()? {
        None => Ok(()),
        Some(_) => {
            Err(Refusal::InvalidState { state: "owned_by_head_office".to_owned(), allowed: Vec::new() }
                .into())
        }
    }
}

/// Checks that the barcodes of products belong to no other product. `lines` has their lines in a file.
///
/// # Errors
/// [`Refusal::BarcodeTaken`].
pub(crate) fn check_barcodes_free(
    storage: &Storage,
    products: &[Product],
    lines: &HashMap<Sku, u64>,
) -> Result<(), Failure> {
    let holders = |code: &str| {
        let found = storage.products().holders(code)?;
        Ok::<_, StorageError>(found.into_iter().map(|product| product.sku).collect())
    };
    let mut taken = product::taken_barcodes(products, holders)?;
    for one in &mut taken {
        one.line = lines.get(&one.sku).copied();
    }
    if taken.is_empty() { Ok(()) } else { Err(Refusal::BarcodeTaken(taken).into()) }
}

/// Warnings for SKUs that differ from stored ones only by leading zeros.
fn doubts<'a>(storage: &Storage, skus: &[&'a Sku]) -> Result<Vec<(&'a Sku, String)>, Failure> {
    Ok(doubts_beside(skus, &storage.products().same_numbers(skus.iter().copied())?))
}

/// The commit of new or changed products, with an entry in the audit log.
fn commit_of(
    catalogue: &Owner<CatalogueRows>,
    products: Vec<Product>,
    (action, details): (&'static str, Value),
    answer: Answer,
    request: &RequestContext,
) -> Result<Decision, Failure> {
    let mut events: Vec<Event> = products.into_iter().map(Event::product_changed).collect();
    apply_settings(&catalogue.storage, &mut events)?;
    let stamp = catalogue.stamps.stamp();
    let entry = AuditEntry::new(&request.authorization(), action, stamp.now, details);
    let outcome = Outcome { events, records: Vec::new(), answer, stamp, sale: None };
    Ok(outcome.audited(&catalogue.stamps, None, entry).into())
}

impl Command for CreateProduct {
    type Book = CatalogueRows;
    type Rows = ();

    fn is_from_rows(&self, _book: &CatalogueRows) -> bool {
        true
    }

    fn decide(
        &self,
        (): (),
        catalogue: &mut Owner<CatalogueRows>,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let storage = &catalogue.storage;
        check_own_catalogue(storage, request)?;
        let product = self.new.clone().product(catalogue.stamps.now(), self.wrong.clone())?;
        if storage.products().product(&product.sku)?.is_some() {
            return Err(Refusal::Duplicate { what: "product", id: product.sku.0 }.into());
        }
        check_barcodes_free(storage, std::slice::from_ref(&product), &HashMap::new())?;
        let details = json!({"sku": product.sku, "price": product.price});
        let location = format!("/api/products/{}", product.sku);
        let mut checked = CheckedProduct::from(product.clone());
        checked.warnings.extend(doubts(storage, &[&product.sku])?.into_iter().map(|(_, doubt)| doubt));
        let answer = Answer::created(location, &checked);
        commit_of(catalogue, vec![product], ("product.created", details), answer, request)
    }
}

impl Command for ChangeProduct {
    type Book = CatalogueRows;
    type Rows = ();

    fn is_from_rows(&self, _book: &CatalogueRows) -> bool {
        true
    }

    fn decide(
        &self,
        (): (),
        catalogue: &mut Owner<CatalogueRows>,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let storage = &catalogue.storage;
        check_own_catalogue(storage, request)?;
        let before = storage.products().product(&self.sku)?.ok_or(Refusal::NotFound("product"))?;
        let now = catalogue.stamps.now();
        // The new price is newer than the previous one, even if the clock was set back.
        let priced_at = UtcMs(now.0.max(before.price_set_at.0.saturating_add(1)));
        let after = self.change.clone().over(&before, (now, priced_at), self.wrong.clone())?;
        check_barcodes_free(storage, std::slice::from_ref(&after), &HashMap::new())?;
        let details = difference(&before, &after);
        let answer = Answer::ok(&CheckedProduct::from(after.clone()));
        commit_of(catalogue, vec![after], ("product.changed", details), answer, request)
    }
}

/// The fields of a product that changed, before and after.
fn difference(before: &Product, after: &Product) -> Value {
    let (Value::Object(mut was), Value::Object(mut is)) = (json!(before), json!(after)) else {
        return Value::Null;
    };
    let same = |name: &String| was.get(name) == is.get(name);
    let names: Vec<String> = is.keys().filter(|name| same(name)).cloned().collect();
    for name in names.iter().map(String::as_str).chain(["updated_at", "price_set_at"]) {
        was.remove(name);
        is.remove(name);
    }
    json!({"sku": after.sku, "before": was, "after": is})
}

impl Command for ImportProducts {
    type Book = CatalogueRows;
    type Rows = ();
    const DEADLINE: Duration = FILE_DEADLINE;

    fn is_from_rows(&self, _book: &CatalogueRows) -> bool {
        true
    }

    fn decide(
        &self,
        (): (),
        catalogue: &mut Owner<CatalogueRows>,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let storage = &catalogue.storage;
        check_own_catalogue(storage, request)?;
        let mut products = Vec::with_capacity(self.rows.len());
        let (mut lines, mut changed, mut bytes) = (HashMap::new(), Vec::new(), 0_usize);
        for row in &self.rows {
            lines.insert(row.product.sku.clone(), row.line);
            let known = storage.products().product(&row.product.sku)?;
            let mut product = row.clone().over(known.as_ref());
            codes_fit(&product)?;
            if let Some(known) = known.as_ref().filter(|known| known.price == product.price) {
                product.price_set_at = known.price_set_at;
            }
            if known.as_ref().is_none_or(|known| !is_unchanged(known, &product)) {
                bytes = bytes.saturating_add(json!(product).to_string().len());
                changed.push(product.clone());
            }
            products.push(product);
        }
        if bytes > FILE_BYTES_MAX {
            return Err(Refusal::field("rows", "have more than 16 MiB together: split the file").into());
        }
        check_barcodes_free(storage, &products, &lines)?;
        let counts = json!({"rows": self.rows.len(), "changed": changed.len()});
        let mut warnings = self.warnings.clone();
        let skus: Vec<&Sku> = products.iter().map(|product| &product.sku).collect();
        let doubts = doubts(storage, &skus)?.into_iter();
        warnings.extend(doubts.map(|(sku, problem)| json!({"line": lines.get(sku), "problem": problem})));
        warnings.truncate(WARNINGS_MAX);
        let mut view = counts.clone();
        if let Some(view) = view.as_object_mut().filter(|_| !warnings.is_empty()) {
            view.insert("warnings".to_owned(), warnings.into());
        }
        let answer = Answer::ok(&view);
        if self.dry_run || changed.is_empty() {
            return Ok(Decision::Answer(answer));
        }
        commit_of(catalogue, changed, ("products.imported", counts), answer, request)
    }
}

/// Whether a product of a file equals the stored one, apart from the time of the file.
fn is_unchanged(known: &Product, product: &Product) -> bool {
    let known = Product { updated_at: product.updated_at, ..known.clone() };
    known == *product
}
