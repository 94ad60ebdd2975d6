//! Purchases, invoices, payments and settlements of the furnished shop's head office.

use crate::furnished::{Place, Say, text};
use serde_json::{Value, json};
use testkit::linked::Linked;

const SKU: &str = "8990007";
const ORDERS: &str = "/api/purchase-orders";
const INVOICES: &str = "/api/finance/invoices";
const CREDITS: &str = "/api/finance/credit-notes";

/// Creates a supplier.
#[track_caller]
pub fn supplier(shop: &mut Linked, say: Say) -> String {
    let new = json!({"code": "SJ", "name": say("PT Sinar Jaya"), "address": say("Jl. Raya Bogor 8"),
        "bank_account": say("BCA 221"), "payment_terms_days": 30});
    let id = text(&shop.made("/api/suppliers", &new), "supplier_id");
    let row = json!({"sku": SKU, "unit_cost": 12_000, "min_qty": 12, "supplier_sku": say("SJ-450")});
    shop.made(&format!("/api/suppliers/{id}/products"), &row);
    id
}

/// Creates orders, a receipt, its invoice, a credit note and a payment. Returns the addresses of forms that a document
/// fills in.
#[track_caller]
pub fn bought(shop: &mut Linked, say: Say, supplier: &str) -> Vec<Place> {
    let order = |qty: i64| {
        json!({"supplier_id": supplier, "store_id": "S001", "note": say("Before Friday"),
            "lines": [{"sku": SKU, "qty": qty, "unit_cost": 12_000}]})
    };
    shop.made(ORDERS, &order(12));
    let order = shop.made(ORDERS, &order(40));
    let id = text(&order, "po_id");
    for step in ["approve", "send"] {
        shop.office.post(&format!("{ORDERS}/{id}/{step}"), &json!({"reason": say("Needed")})).data(200);
    }
    received(shop, say, &id);
    let receipt = shop.office.get("/api/receiving?limit=50").data(200);
    let receipt =
        receipt["items"].as_array().unwrap().iter().find(|one| one["po_id"] == json!(id)).unwrap().clone();
    let bill = json!({"supplier_id": supplier, "invoice_no": say("INV-0117"), "invoice_date": receipt["business_date"],
        "tax_invoice_no": say("010.000-26"), "note": say("Came by post"),
        "lines": [{"receiving_id": receipt["receiving_id"], "receiving_line_no": 1, "store_id": "S001", "qty": 20,
            "unit_cost": 12_000, "description": say("Oil")}]});
    let invoice = text(&shop.made(INVOICES, &bill), "invoice_id");
    for step in ["match", "approve"] {
        shop.office.post(&format!("{INVOICES}/{invoice}/{step}"), &json!({})).data(200);
    }
    let day = &receipt["business_date"];
    let credit = json!({"supplier_id": supplier, "credit_note_no": say("CN-7"), "date": day, "kind": "price",
        "invoice_id": invoice, "note": say("A discount"), "lines": [{"net": 9_000}]});
    shop.made(CREDITS, &credit);
    let payment = json!({"supplier_id": supplier, "date": day, "account": "1040", "amount": 100_000,
        "reference": say("TRX-55"), "allocations": [{"invoice_id": invoice, "amount": 100_000}]});
    shop.made("/api/finance/payments", &payment);
    let memo = json!({"date": day, "memo": say("Stamps"), "lines": [{"account": "6901", "debit": 700},
        {"account": "1040", "credit": 700}]});
    shop.made("/api/finance/journal", &memo);
    vec![
        ("revise_form", format!("#/orders/{id}/revise")),
        ("order_paper", format!("#/orders/{id}/paper")),
        ("invoice_form", format!("#/invoices/new?supplier_id={supplier}")),
        ("credit_form", format!("#/credit-notes/new?supplier_id={supplier}&invoice_id={invoice}")),
        ("order_form", "#/orders/new".to_owned()),
        ("payment_form", "#/payments/new".to_owned()),
        ("entry_form", "#/journal/new".to_owned()),
        ("opening_form", "#/balance/new".to_owned()),
        ("promotion_form", "#/promotions/new".to_owned()),
    ]
}

/// Receives a part of the order, of which some pieces are refused.
#[track_caller]
fn received(shop: &mut Linked, say: Say, order: &str) {
    let known = |list: &Value| {
        list["items"].as_array().is_some_and(|all| all.iter().any(|one| one["po_id"] == order))
    };
    shop.seen("the store knows the order", ORDERS, known);
    let line =
        json!({"sku": SKU, "qty": 30, "rejected_qty": 2, "unit_cost": 12_000, "note": say("Two leak")});
    let delivery = json!({"po_id": order, "delivery_note_no": say("SJ-88213"), "note": say("The rest comes on Monday"),
        "lines": [line]});
    shop.store.login("warehouse").post("/api/receiving", &delivery).data(201);
    shop.synced();
}

/// Imports a provider's statement, matches one of its lines with a payment by hand, and settles its day. Returns the
/// address of the form for matches.
#[track_caller]
pub fn settled(shop: &mut Linked, say: Say, sale: &Value) -> Vec<Place> {
    let source = json!({"name": say("Card bank"), "kind": "provider", "methods": ["card"], "lag_days": 0});
    let source = shop.made("/api/statement-sources", &source)["source_id"].clone();
    let (day, total) = (&sale["business_date"], &sale["total"]);
    let line = |reference: &str| json!({"date": day, "reference": reference, "gross": total, "fee": 300, "description": say("Sale")});
    // A line without a reference would be matched by its amount, so this one has a foreign reference.
    let lines = json!([line(&say("C-1003")), line("ZZ-9")]);
    let statement = shop.made("/api/statements", &json!({"source_id": source, "lines": lines}));
    let statement = text(&statement, "statement_id");
    let settlement =
        json!({"store_id": "S001", "business_date": day, "force": true, "reason": say("The day is over")});
    shop.made("/api/settlements", &settlement);
    let mut first = |path: &str| shop.office.get(path).data(200)["items"].clone();
    let lines = first(&format!("/api/statements/{statement}/lines?limit=50"));
    let items = first("/api/settlement-items?method=card&state=open");
    let open = lines.as_array().unwrap().iter().find(|line| line["reference"] == "ZZ-9").unwrap().clone();
    if open["state"] == "open" {
        let pair = json!({"source_id": source, "line_ids": [open["line_id"]], "item_ids": [items[0]["item_id"]],
            "reason": say("The terminal lost the number")});
        shop.made("/api/settlement-matches", &pair);
    }
    vec![("match_form", format!("#/items/new?statement_id={statement}&store_id=S001"))]
}
