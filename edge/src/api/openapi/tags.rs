//! The groups of operations, as the table of contents of a document shows them.

use serde_json::{Value, json};

/// Descriptions of the groups of both programs.
const TAGS: [(&str, &str); 38] = [
    ("API keys", "Keys with which programs call this API, limited to areas and stores."),
    ("Adjustments", "Corrections of stock: damaged, lost or found goods."),
    ("Audit", "Audit log: who did something, and which requests were refused."),
    ("Catalogue", "Products, prices and promotions, which head office sends to the stores."),
    ("Days", "Business days of the store: their figures, and sealing."),
    ("Description", "This document."),
    ("Documents of stores", "Sales, returns, shifts and deposits as the stores reported them."),
    ("Event log", "Numbered events of all stores and of head office, for programs."),
    ("Events", "Notices of changes as server-sent events."),
    ("Finance", "Accounts, journal, trial balance, tax, days and periods of the books."),
    (
        "Goods of stores",
        "Receipts of goods, transfers, adjustments and stock counts, as the stores reported them.",
    ),
    ("Holds", "Baskets that are put aside and recalled later."),
    ("Lists", "Categories, tax codes, tiers, reasons and payment methods."),
    ("Log-in", "Sessions: log-in, refresh, log-out and password."),
    ("Members", "Members and their points."),
    ("Operation", "Health, metrics, backup and verification."),
    ("Opname", "Stock counts."),
    ("Passkeys", "Log-in and confirmation with a registered device (WebAuthn)."),
    ("Payables", "Suppliers' invoices, credit notes and payments."),
    ("Point of sale", "Products, sales, payments and receipts at a register."),
    ("Printing", "Jobs of the registers' printers."),
    ("Purchasing", "Suppliers and purchase orders."),
    ("Receiving", "Goods that arrive from suppliers or go back to them."),
    ("Registers", "The registers of the store."),
    ("Reports", "Figures of a range of days, as JSON or CSV."),
    ("Returns", "Goods that customers bring back."),
    ("Safe", "The cash in the safe, and deposits at the bank."),
    ("Settings", "Settings of head office."),
    ("Settlement", "Statements of banks and payment providers, matched with the payments of the stores."),
    ("Shifts", "Shifts of the registers: opening, cash movements, counting and closing."),
    ("Stock", "Quantities, movements and values of stock."),
    ("Store protocol", "Requests of enrolled stores. Their contents may change; clients do not call them."),
    ("Stores", "The stores, their state and their settings."),
    ("Synchronisation", "Exchange of records between stores and head office: conflicts and parked records."),
    ("Transfers", "Goods sent from one place to another."),
    ("Warehouses", "Receipts of goods, transfers, adjustments and stock counts of head office's warehouses."),
    ("Webhooks", "Addresses of other programs that are sent the events."),
    ("Users", "People who may log in, their roles and devices."),
];

/// A group with its description.
pub fn tag(name: &str) -> Value {
    let description = TAGS.iter().find(|(tag, _)| *tag == name).map(|(_, description)| *description);
    match description {
        Some(description) => json!({"name": name, "description": description}),
        None => json!({"name": name}),
    }
}
