//! Helpers of the stock room's tests: documents of head office and of other stores, and reads of the stock.

use crate::Client;
use serde_json::{Value, json};

/// A product of every shop, and its cost in [`crate::Store::receive_all`].
pub const SKU: &str = "8990001";
pub const COST: i64 = 1_200;
pub const OTHER: &str = "8990002";

/// Returns the pieces on hand and their value.
#[track_caller]
pub fn stock(client: &mut Client, sku: &str) -> (i64, i64) {
    let stock = client.get(&format!("/api/stock/{sku}")).data(200);
    (stock["on_hand"].as_i64().unwrap(), stock["value"].as_i64().unwrap())
}

pub use crate::counter::text;

/// Posts a delivery that head office can't post, and returns it: goods were sold far below zero at a cost of
/// 9,000,000,000 each, so that its entry would be larger than a figure of the books. Three of its lines are worth
/// 10,000,000,000,000 each, by mistake.
#[track_caller]
pub fn unpostable(manager: &mut Client, till: &mut Client) -> Value {
    let (on_hand, value) = stock(manager, SKU);
    let total = 9_000_000_000 * (on_hand + 1_000) - value;
    let dear = json!({"lines": [{"sku": SKU, "qty": 1_000, "line_total": total}]});
    manager.post("/api/receiving", &dear).data(201);
    let basket = json!({"items": [{"sku": SKU, "qty": 1_000_000, "price": 1}]});
    let basket = till.post("/api/pos/transactions", &basket).data(201);
    let path = format!("/api/pos/transactions/{}/pay", text(&basket, "transaction_id"));
    till.post(&path, &json!({"method": "card", "amount": basket["total"]})).data(200);
    let mistyped = |sku: &str| json!({"sku": sku, "qty": 10, "line_total": 10_000_000_000_000_i64});
    let covering = json!({"sku": SKU, "qty": 1_000_000, "line_total": 1_000_000});
    let lines = json!([covering, mistyped(OTHER), mistyped("8990003"), mistyped("8990004")]);
    manager
        .post("/api/receiving", &json!({"reference": "REF-7", "note": "by lorry", "lines": lines}))
        .data(201)
}

/// The lines of that delivery as they should have been.
pub fn postable() -> Value {
    let right = |sku: &str| json!({"sku": sku, "qty": 10, "line_total": 10_000});
    let covering = json!({"sku": SKU, "qty": 1_000_000, "line_total": 1_000_000});
    json!([covering, right(OTHER), right("8990003"), right("8990004")])
}

/// Returns a transfer in transit from S002 to this store, as head office sends it.
pub fn coming(id: &str, qty: i64) -> Value {
    let line = json!({"line_no": 1, "sku": SKU, "name": "Product", "qty": qty, "cost": 1_000 * qty,
        "received_qty": null, "in_cost": 0, "resolved": []});
    json!({"transfer_id": id, "state": "in_transit", "from_store_id": "S002", "to_store_id": "S001",
        "lines": [line], "note": null, "business_date": "2026-11-20", "created_by": "usr_far",
        "created_at": "2026-11-20T02:00:00.000Z", "sent_at": "2026-11-20T02:00:00.000Z", "received_by": null,
        "received_at": null, "cancelled_at": null, "cancel_lost": false})
}

/// Returns the other store's report on a transfer of this store: this many pieces of its line arrived.
pub fn arrived(sent: &Value, received: i64) -> Value {
    let line = &sent["lines"][0];
    let (qty, cost) = (line["qty"].as_i64().unwrap(), line["cost"].as_i64().unwrap());
    let mut there = coming(sent["transfer_id"].as_str().unwrap(), qty);
    (there["from_store_id"], there["to_store_id"]) = (json!("S001"), sent["to_store_id"].clone());
    there["state"] = json!("received");
    (there["received_by"], there["received_at"]) = (json!("usr_far"), json!("2026-11-20T03:00:00.000Z"));
    there["lines"][0]["cost"] = json!(cost);
    there["lines"][0]["received_qty"] = json!(received);
    there["lines"][0]["in_cost"] = json!(cost * received / qty);
    there
}

/// Returns an order of S001 for these SKUs, pieces and prices.
pub fn order(id: &str, lines: &[(&str, i64, i64)]) -> Value {
    let line = |(place, (sku, qty, unit_cost)): (usize, &(&str, i64, i64))| json!({"line_no": place + 1, "sku": sku, "qty": qty, "unit_cost": unit_cost, "received_qty": 0});
    json!({"po_id": id, "supplier_id": "sup_1", "store_id": "S001", "state": "sent", "revision": 0,
        "expected_at": "2026-11-24", "lines": lines.iter().enumerate().map(line).collect::<Vec<_>>(),
        "total": 0, "note": null, "created_by": "usr_ho", "created_at": "2026-11-20T01:00:00.000Z",
        "approved_by": "usr_ho", "updated_at": "2026-11-20T01:00:00.000Z"})
}
