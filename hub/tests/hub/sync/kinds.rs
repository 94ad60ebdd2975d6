//! Every kind of record in its projections: the hub's sums equal the store's.

use crate::support::server::Server;
use crate::support::shop::{Shop, sums};
use crate::sync::records::{DAY, NOON, Sale};
use serde_json::{Value, json};

pub const STAMP: &str = "1700445994739-00000-S001";

pub fn raw(kind: &str, event_id: &str, at: &str, payload: &Value) -> String {
    about(kind, event_id, at, &testkit::records::about(kind, payload), payload)
}

pub fn about(kind: &str, event_id: &str, at: &str, about: &Value, payload: &Value) -> String {
    json!({"event_id": event_id, "type": kind, "schema": 1, "at": at, "occurred_at": NOON, "about": about,
        "payload": payload})
    .to_string()
}

pub fn record(kind: &str, event_id: &str, payload: &Value) -> String {
    raw(kind, event_id, STAMP, payload)
}

fn sale(number: u64, qty: i64) -> Sale<'static> {
    Sale { store: "S001", number, shift: "shf_1", sku: "A", qty, price: 1000 }
}

pub fn effect(line_no: u32, qty: i64, cost: i64) -> Value {
    json!({"line_no": line_no, "balance_after": 0, "cost": cost, "correction": 0, "qty": qty})
}

fn points(member: &str, points: i64, reason: &str, reference: &str) -> Value {
    json!({"entry_id": format!("{reference}:{reason}"), "member_id": member, "points": points, "reason": reason,
        "reference_id": reference, "balance_after": 0, "lots": [], "business_date": DAY, "user_id": "usr_1", "at": NOON})
}

pub fn returned(return_id: &str, transaction_id: &str, state: &str) -> Value {
    json!({"return_id": return_id, "receipt_no": "S001-main-00000009", "state": state,
        "transaction_id": transaction_id, "origin_receipt_no": null, "verification": null, "store_id": "S001",
        "register_id": "main", "shift_id": "shf_1", "cashier_id": "usr_1", "approved_by": null,
        "member_id": "mbr_1", "business_date": DAY, "prices_include_tax": false,
        "items": [{"line_no": 1, "sold_line_no": 1, "pieces": [], "sku": "A", "name": "Thing", "qty": 1,
            "price": 1000, "gross": 1000, "discount": 0, "tax_rate_bp": 1100, "tax": 110, "refund": 1110, "cost": 10, "correction": 0,
            "disposition": "restock", "reason": null, "track_stock": true, "balance_after": 1}],
        "refund_total": 1110, "rounding": 0, "tax": 110,
        "refunds": [{"method": "cash", "amount": 1110, "rounding": 0, "origin": null, "transaction_id": null,
            "reference": null}],
        "points_reversed": 1, "points_back": 0, "note": null, "created_at": NOON, "voided_at": null,
        "void_reason": null})
}

pub fn return_record(kind: &str, event_id: &str, state: &str, sign: i64) -> String {
    let payload = json!({"business_date": DAY, "document": returned("ret_1", "trx_S001_1", state),
        "lines": [effect(1, sign, 10 * sign)], "points": [points("mbr_1", -sign, "reverse", event_id)]});
    record(kind, event_id, &payload)
}

/// Returns a return of the first sale with a receipt number.
pub fn returned_at(event_id: &str, receipt_no: &str) -> String {
    let mut document = returned("ret_1", "trx_S001_1", "posted");
    document["receipt_no"] = json!(receipt_no);
    let payload =
        json!({"business_date": DAY, "document": document, "lines": [effect(1, 1, 10)], "points": []});
    record("return.posted", event_id, &payload)
}

fn paid_with_points(number: u64, qty: i64) -> String {
    let text = sale(number, qty).record(&format!("evt_{number}"));
    let mut whole: Value = serde_json::from_str(&text).unwrap();
    whole["payload"]["transaction"]["member_id"] = json!("mbr_1");
    whole["payload"]["points"] = json!([points("mbr_1", qty, "earn", &format!("trx_{number}"))]);
    whole.to_string()
}

pub fn voided(number: u64, qty: i64) -> String {
    let sale = sale(number, qty);
    let mut transaction = serde_json::to_value(sale.transaction()).unwrap();
    transaction["state"] = json!("voided");
    transaction["payments"][0]["state"] = json!("reversed");
    let total = sale.total();
    record(
        "transaction.voided",
        &format!("evt_void_{number}"),
        &json!({"business_date": DAY,
        "transaction": transaction, "lines": [effect(1, qty, 10 * qty)],
        "refunds": [{"payment_id": format!("pay_{number}"), "method": "cash", "amount": total, "rounding": 0, "exchange": false}],
        "points": [points("mbr_1", -qty, "reverse", "void")]}),
    )
}

pub fn moved_cash(event_id: &str, kind: &str, amount: i64) -> String {
    record(
        "cash.moved",
        event_id,
        &json!({"business_date": DAY, "movement": {"cash_id": event_id,
        "shift_id": "shf_1", "register_id": "main", "business_date": DAY, "type": kind, "amount": amount,
        "reason": "r", "reason_code": null, "bag_no": null, "user_id": "usr_1", "at": NOON}}),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn sales_voids_returns_and_cash_add_up() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let records = [
        paid_with_points(1, 3),
        paid_with_points(2, 2),
        voided(2, 2),
        return_record("return.posted", "evt_ret", "posted", 1),
        moved_cash("csh_1", "pay_in", 500),
        moved_cash("csh_2", "pay_out", 200),
        moved_cash("csh_3", "drop", 300),
        moved_cash("csh_4", "no_sale", 0),
    ];
    for text in records {
        shop.chain().append(text);
    }
    let answer = shop.push(&shop.batch(1, 8)).await;
    assert_eq!((&answer.data()["parked"], &answer.data()["acked_seq"]), (&json!([]), &json!(8)));
    let now = sums(&server, "S001").await;
    assert_eq!((&now["sales_count"], &now["total"], &now["tax"]), (&json!(1), &json!(3330), &json!(330)));
    assert_eq!((&now["voids_count"], &now["voids_total"]), (&json!(1), &json!(2220)));
    assert_eq!((&now["returns_count"], &now["returns_total"]), (&json!(1), &json!(1110)));
    assert_eq!(server.figure("SELECT qty FROM stock WHERE sku = 'A'").await, -2);
    assert_eq!(server.figure("SELECT value FROM stock WHERE sku = 'A'").await, -20);
    assert_eq!(server.figure("SELECT amount FROM shift_methods WHERE method = 'cash'").await, 2220);
    assert_eq!(
        server.figure("SELECT pay_in * 1000000 + pay_out * 1000 + drops FROM shift_cash").await,
        500_200_300
    );
    assert_eq!(server.figure("SELECT balance FROM points WHERE member_id = 'mbr_1'").await, 2);
    assert_eq!(server.figure("SELECT COUNT(*) FROM sales WHERE voided_event IS NULL").await, 1);
    for (group, key) in [("day", DAY), ("sku", "A"), ("method", "cash"), ("cashier", "usr_1")] {
        let path = format!("/api/reports/sales?from={DAY}&to={DAY}&group_by={group}");
        let report = server.admin().await.get(&path).await.data()["items"].clone();
        let figures = ["sales_count", "total", "returns_count", "returns_total", "net_total"];
        let found: Vec<i64> = figures.iter().map(|name| report[0][*name].as_i64().unwrap()).collect();
        assert_eq!(found, [1, 3330, 1, 1110, 2220], "{group} {key}: voided sales do not count");
    }
    // The return is voided, as if it had never happened.
    shop.chain().append(return_record("return.voided", "evt_ret_void", "voided", -1));
    shop.push(&shop.batch(9, 9)).await.data();
    assert_eq!(sums(&server, "S001").await["returns_total"], 0);
    assert_eq!(server.figure("SELECT qty FROM stock WHERE sku = 'A'").await, -3);
    assert_eq!(server.figure("SELECT amount FROM shift_methods WHERE method = 'cash'").await, 3330);
    assert_eq!(server.figure("SELECT balance FROM points WHERE member_id = 'mbr_1'").await, 3);
    // The same history in another epoch changes nothing.
    let again: Vec<String> = shop.chain().records.iter().map(|(_, record)| record.clone()).collect();
    shop.chains.push(crate::support::shop::Chain::new("2-00000000000000bb"));
    shop.hello().await.data();
    for text in again {
        shop.chain().append(text);
    }
    assert_eq!(shop.push(&shop.batch(1, 9)).await.data()["duplicates"], 9);
    assert_eq!(server.figure("SELECT balance FROM points WHERE member_id = 'mbr_1'").await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_void_whose_sale_has_not_come_waits_and_is_applied_when_it_does() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    shop.chain().append(voided(1, 2));
    shop.chain().append(sale(2, 1).record("evt_2"));
    let answer = shop.push(&shop.batch(1, 2)).await;
    let parked = &answer.data()["parked"];
    assert_eq!((&parked[0]["code"], parked.as_array().unwrap().len()), (&json!("waits_for_predecessor"), 1));
    assert_eq!(sums(&server, "S001").await["sales_count"], 1);
    // The record waits for one of its own aggregate, and must not be blocked by itself.
    shop.chain().append(sale(1, 2).record("evt_1"));
    let answer = shop.push(&shop.batch(3, 3)).await;
    assert_eq!(answer.data()["parked"], json!([]));
    let now = sums(&server, "S001").await;
    assert_eq!(
        (&now["sales_count"], &now["voids_count"], &now["total"]),
        (&json!(1), &json!(1), &json!(1110))
    );
    assert_eq!(server.figure("SELECT COUNT(*) FROM parked").await, 0);
    assert_eq!(server.figure("SELECT COUNT(*) FROM records WHERE state = 'applied'").await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tender_that_was_corrected_moves_between_methods() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    shop.chain().append(sale(1, 1).record("evt_1"));
    let mut transaction = serde_json::to_value(sale(1, 1).transaction()).unwrap();
    transaction["payments"][0]["state"] = json!("reversed");
    let mut right = transaction["payments"][0].clone();
    right["payment_id"] = json!("pay_right");
    right["method"] = json!("card");
    right["state"] = json!("accepted");
    let wrong = transaction["payments"][0]["payment_id"].clone();
    transaction["payments"].as_array_mut().unwrap().push(right);
    shop.chain().append(record(
        "tender.corrected",
        "evt_t",
        &json!({"business_date": DAY,
        "transaction": transaction, "wrong": wrong, "right": ["pay_right"]}),
    ));
    assert_eq!(shop.push(&shop.batch(1, 2)).await.data()["parked"], json!([]));
    assert_eq!(server.figure("SELECT amount FROM shift_methods WHERE method = 'cash'").await, 0);
    assert_eq!(server.figure("SELECT amount FROM shift_methods WHERE method = 'card'").await, 1110);
}

#[tokio::test(flavor = "multi_thread")]
async fn stock_documents_move_stock() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    shop.chain().append(crate::sync::records::receiving("S001", "A", 100, "evt_r"));
    let mut reversed: Value =
        serde_json::from_str(&crate::sync::records::receiving("S001", "A", 100, "evt_r")).unwrap();
    reversed["type"] = json!("receiving.reversed");
    reversed["event_id"] = json!("evt_rr");
    reversed["payload"]["receiving"]["state"] = json!("reversed");
    reversed["payload"]["lines"] = json!([effect(1, -100, -1000)]);
    shop.chain().append(reversed.to_string());
    shop.chain().append(record("adjustment.posted", "evt_a", &json!({"business_date": DAY, "adjustment":
        {"adjustment_id": "adj_1", "state": "posted", "store_id": "S001", "reason": "found", "bucket": "on_hand",
        "lines": [{"line_no": 1, "sku": "A", "name": "Thing", "qty": 7, "cost": 70, "correction": 0, "balance_after": 7}],
        "value": 70, "note": null, "business_date": DAY, "created_by": "usr_1", "created_at": NOON,
        "decided_by": null, "decided_at": null}, "lines": [effect(1, 7, 70)]})));
    shop.chain().append(record("supplier_return.posted", "evt_s", &json!({"business_date": DAY, "document":
        {"supplier_return_id": "srt_1", "store_id": "S001", "supplier_id": "sup_1", "reference": null, "bucket": "on_hand",
        "lines": [{"line_no": 1, "sku": "A", "name": "Thing", "qty": 2, "claim": 25, "stock_cost": 20, "balance_after": 5}],
        "claim": 25, "stock_cost": 20, "note": null, "business_date": DAY, "created_by": "usr_1", "created_at": NOON}})));
    let answer = shop.push(&shop.batch(1, 4)).await;
    assert_eq!(answer.data()["parked"], json!([]));
    assert_eq!(server.figure("SELECT qty FROM stock WHERE sku = 'A'").await, 5);
    assert_eq!(server.figure("SELECT value FROM stock WHERE sku = 'A'").await, 50);
}
