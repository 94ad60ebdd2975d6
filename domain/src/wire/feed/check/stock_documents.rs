//! Checks of suppliers, purchase orders and transfers.

use crate::model::base::fields::Fields;
use crate::model::base::limits::{FIGURE_MAX, PRODUCT_NAME_CHARS_MAX, SKU_BYTES_MAX, TEXT_CHARS_MAX};
use crate::model::base::refusal::Refusal;
use crate::model::inventory::purchase::{PurchaseOrder, Supplier};
use crate::model::inventory::transfer::Transfer;
use crate::wire::feed::Change;
use crate::wire::feed::check::{Own, PRICE_MAX, id, line, loose, same, this_store};

/// Most lines of an order or a transfer.
const LINES_MAX: usize = 500;

/// Most parts that the shortfall of one line was settled in.
const PARTS_MAX: usize = 500;

/// Most days of payment terms and lead times.
const DAYS_MAX: i64 = 3650;

/// Checks a supplier.
///
/// # Errors
/// `validation_failed`.
pub fn supplier(change: &Change, supplier: &Supplier) -> Result<(), Refusal> {
    let mut fields = Fields::default();
    same(&mut fields, "supplier_id", change, &supplier.supplier_id);
    id(&mut fields, "supplier_id", &supplier.supplier_id);
    for (path, text) in [
        ("code", Some(&supplier.code)),
        ("name", Some(&supplier.name)),
        ("tax_id", supplier.tax_id.as_ref()),
        ("phone", supplier.phone.as_ref()),
        ("email", supplier.email.as_ref()),
        ("address", supplier.address.as_ref()),
    ] {
        loose(&mut fields, path, text.map_or("", String::as_str), TEXT_CHARS_MAX);
    }
    if supplier.code.is_empty() || supplier.name.is_empty() {
        fields.wrong("code", "code and name must not be empty");
    }
    fields.range_of("payment_terms_days", supplier.payment_terms_days.map(i64::from), 0..=DAYS_MAX);
    fields.range_of("lead_time_days", supplier.lead_time_days.map(i64::from), 0..=DAYS_MAX);
    fields.done()
}

/// Checks a purchase order of this store.
///
/// # Errors
/// `validation_failed`.
pub fn order(change: &Change, order: &PurchaseOrder, here: &Own<'_>) -> Result<(), Refusal> {
    let mut fields = Fields::default();
    same(&mut fields, "po_id", change, &order.po_id);
    id(&mut fields, "po_id", &order.po_id);
    id(&mut fields, "supplier_id", &order.supplier_id);
    this_store(&mut fields, "store_id", &order.store_id, here);
    fields.count("lines", order.lines.len(), 0..=LINES_MAX);
    for (place, line) in order.lines.iter().take(LINES_MAX).enumerate() {
        fields.code(format!("lines[{place}].sku"), line.sku.as_str(), SKU_BYTES_MAX);
        fields.range(format!("lines[{place}].qty"), line.qty, 0..=FIGURE_MAX);
        fields.range(format!("lines[{place}].unit_cost"), line.unit_cost, 0..=PRICE_MAX);
        fields.range_of(format!("lines[{place}].line_total"), line.line_total, 0..=FIGURE_MAX);
        fields.range(format!("lines[{place}].received_qty"), line.received_qty, -FIGURE_MAX..=FIGURE_MAX);
    }
    fields.range("total", order.total, 0..=FIGURE_MAX);
    loose(&mut fields, "note", order.note.as_deref().unwrap_or_default(), TEXT_CHARS_MAX);
    fields.text("created_by", Some(&order.created_by), TEXT_CHARS_MAX);
    fields.text("approved_by", order.approved_by.as_deref(), TEXT_CHARS_MAX);
    fields.done()
}

/// Checks a transfer that this store sends or receives.
///
/// # Errors
/// `validation_failed`.
pub fn transfer(change: &Change, transfer: &Transfer, here: &Own<'_>) -> Result<(), Refusal> {
    let mut fields = Fields::default();
    same(&mut fields, "transfer_id", change, transfer.transfer_id.as_str());
    id(&mut fields, "transfer_id", transfer.transfer_id.as_str());
    id(&mut fields, "from_store_id", transfer.from_store_id.as_str());
    id(&mut fields, "to_store_id", transfer.to_store_id.as_str());
    if ![&transfer.from_store_id, &transfer.to_store_id].contains(&here.store_id) {
        fields.wrong(
            "to_store_id",
            format!("must be {}, this store, unless this store is the sender", here.store_id),
        );
    }
    fields.count("lines", transfer.lines.len(), 0..=LINES_MAX);
    for (place, sent) in transfer.lines.iter().take(LINES_MAX).enumerate() {
        let path = |field: &str| format!("lines[{place}].{field}");
        fields.code(path("sku"), sent.sku.as_str(), SKU_BYTES_MAX);
        line(&mut fields, "lines.sku", sent.sku.as_str());
        fields.text(path("name"), Some(&sent.name), PRODUCT_NAME_CHARS_MAX);
        fields.range(path("qty"), sent.qty, 0..=FIGURE_MAX);
        fields.range(path("cost"), sent.cost, -FIGURE_MAX..=FIGURE_MAX);
        fields.range_of(path("received_qty"), sent.received_qty, 0..=FIGURE_MAX);
        fields.range(path("in_cost"), sent.in_cost, -FIGURE_MAX..=FIGURE_MAX);
        fields.count("lines.resolved", sent.resolved.len(), 0..=PARTS_MAX);
        for part in sent.resolved.iter().take(PARTS_MAX) {
            fields.range(path("resolved.qty"), part.qty, 0..=FIGURE_MAX);
            fields.range(path("resolved.cost"), part.cost, -FIGURE_MAX..=FIGURE_MAX);
            fields.text(path("resolved.user_id"), Some(part.user_id.as_str()), TEXT_CHARS_MAX);
        }
    }
    loose(&mut fields, "note", transfer.note.as_deref().unwrap_or_default(), TEXT_CHARS_MAX);
    fields.text("created_by", Some(transfer.created_by.as_str()), TEXT_CHARS_MAX);
    fields.done()
}
