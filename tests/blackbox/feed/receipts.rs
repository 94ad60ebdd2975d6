//! A receipt of another store: head office checks and reserves it; without a connection a manager has to approve.

use serde_json::{Value, json};
use testkit::counter::{approved, number};
use testkit::linked::Linked;
use testkit::simulated::Shop;

const RETURNS: &str = "/api/pos/returns";
const SKU: &str = "8990001";
const RECEIPT: &str = "S002-till-1-00000001";

/// Returns the record of a sale of three pieces with a discount of 100 at the other store.
fn sale() -> Value {
    let at = "2026-11-20T03:00:00.000Z";
    let line = json!({"line_no": 1, "sku": SKU, "name": "Product", "qty": 3, "price": 1_000, "list_price": 1_000,
        "discounts": [{"source": "manual", "promotion_id": null, "amount": 100, "reason": null}], "discount": 100,
        "tax_rate_bp": 1_100, "tax_code": null, "tax": 319, "total": 3_219, "price_override": false,
        "returned_qty": 0, "track_stock": true, "cost": 1_500});
    let payment = json!({"payment_id": "pay_far", "method": "card", "amount": 3_219, "tendered": 3_219, "change": 0,
        "rounding": 0, "reference": null, "state": "accepted", "origin": null, "paid_at": at});
    let today = edge::clock::now().timestamp().to_string()[..10].to_owned();
    let transaction = json!({"transaction_id": "trx_far", "receipt_no": RECEIPT, "state": "paid",
        "business_date": today, "occurred_at": at, "store_id": "S002", "register_id": "till-1",
        "shift_id": "shf_far", "cashier_id": "usr_far", "member_id": null, "items": [line],
        "prices_include_tax": false, "subtotal": 3_000, "discount": 100, "tax": 319, "rounding": 0, "total": 3_219,
        "points_earned": 0, "points_redeemed": 0, "scans": [], "earn_per": 0, "multiplier_bp": 0, "points_expire": null, "points_lots": [],
        "payments": [payment], "amount_paid": 3_219, "amount_due": 0,
        "cash_due": 0, "change": 0, "refunded": 0, "flags": [], "created_at": at, "paid_at": at, "voided_at": null,
        "void_reason": null, "note": null});
    json!({"business_date": today, "transaction": transaction, "points": [],
        "lines": [{"line_no": 1, "balance_after": 0, "cost": -1_500, "correction": 0, "qty": -3}]})
}

/// Returns the body of a return of `qty` pieces of that sale.
fn back(qty: i64, receipt: &str) -> Value {
    json!({"receipt_no": receipt, "items": [{"sku": SKU, "qty": qty, "reason": "torn"}]})
}

#[test]
fn another_stores_receipt_is_checked_and_reserved_and_pays_what_was_paid() {
    let mut shop = Linked::open();
    let mut far = Shop::open(&shop.hub, "S002");
    far.tells("transaction.paid", "evt_far_sale", &sale());
    shop.synced();
    shop.till.post(RETURNS, &back(1, "S002-till-1-00009999")).refused(404, "not_found");
    shop.till.post(RETURNS, &back(4, RECEIPT)).refused(422, "return_exceeds_sold");

    let first = shop.till.post(RETURNS, &back(1, RECEIPT)).data(201);
    assert_eq!(
        (&first["verification"], &first["origin_receipt_no"]),
        (&json!("verified"), &json!(RECEIPT)),
        "{first}"
    );
    assert_eq!(
        (&first["transaction_id"], &first["refund_total"]),
        (&json!("trx_far"), &json!(1_073)),
        "{first}"
    );
    assert_eq!(first["refunds"][0]["method"], json!("card"), "the refund uses the method of the payment");
    let second = shop.till.post(RETURNS, &back(2, RECEIPT)).data(201);
    assert_eq!(
        number(&first, "refund_total") + number(&second, "refund_total"),
        3_219,
        "the partial refunds add up to the sale"
    );
    shop.till.post(RETURNS, &back(1, RECEIPT)).refused(422, "return_exceeds_sold");
    // Head office has the documents and counts each piece once.
    shop.synced();
    shop.till.post(RETURNS, &back(1, RECEIPT)).refused(422, "return_exceeds_sold");
    let status = shop.manager.get("/api/sync/status").data(200);
    assert_eq!(status["outbox"]["parked"], json!(0), "{status}");

    // After a return is voided, its pieces can be returned at any store.
    let path = format!("{RETURNS}/{}/void", second["return_id"].as_str().unwrap());
    shop.till.post(&path, &approved(json!({"reason": "mistake"}))).data(200);
    shop.synced();
    shop.till.post(RETURNS, &back(2, RECEIPT)).data(201);
    shop.store.stop();
    shop.store.verify();
}

#[test]
fn without_head_office_a_manager_stands_for_it() {
    let mut shop = Linked::open();
    let mut far = Shop::open(&shop.hub, "S002");
    far.tells("transaction.paid", "evt_far_sale", &sale());
    shop.cut();
    let mut body = back(1, RECEIPT);
    shop.till.post(RETURNS, &body).invalid_field("items[0].price");
    body["items"][0]["price"] = json!(900);
    shop.till.post(RETURNS, &body).refused(403, "approval_required");
    let pending = shop.till.post(RETURNS, &approved(body)).data(201);
    assert_eq!(
        (&pending["verification"], &pending["transaction_id"]),
        (&json!("pending"), &Value::Null),
        "{pending}"
    );
}
