//! Records that change earlier reports: counts, resolved transfers, recounts, a store's own settings.

use crate::support::server::Server;
use crate::support::shop::Shop;
use crate::sync::kinds::{STAMP, raw};
use crate::sync::records::{DAY, NOON, receiving, shift_closed, stamp};
use domain::model::inventory::opname::{Opname, OpnameLine};
use serde_json::{Value, json};

async fn reported(shop: &mut Shop, records: Vec<String>) -> Value {
    let from = shop.chain().records.len() + 1;
    for text in records {
        shop.chain().append(text);
    }
    let to = shop.chain().records.len();
    let answer = shop.push(&shop.batch(from, to)).await.data().clone();
    assert_eq!((&answer["parked"], &answer["acked_seq"]), (&json!([]), &json!(to)));
    answer
}

/// Returns a line with these expected and counted pieces at a cost of 10.
fn line(sku: &str, expected: i64, counted: i64) -> OpnameLine {
    let moved = counted != expected;
    serde_json::from_value(json!({"opname_id": "opn_1", "sku": sku, "name": "Thing",
        "zones": {"": {"qty": counted, "moves": 1, "user_id": "usr_1", "at": NOON}}, "expected": expected,
        "counted_by": "usr_1", "counted_at": NOON, "accepted": false,
        "variance_value": (counted - expected) * 10, "correction": 0, "balance_after": counted,
        "movement_id": moved.then(|| format!("mov_{sku}"))}))
    .unwrap()
}

fn count(lines: &[OpnameLine]) -> Vec<String> {
    let opname: Opname =
        serde_json::from_value(json!({"opname_id": "opn_1", "state": "posted", "store_id": "S001",
        "scope": "all", "category": null, "skus": [], "categories": [], "reopened": null, "blind": false,
        "lines_total": lines.len(), "lines_counted": lines.len(), "variance_value": -20, "note": null,
        "business_date": DAY, "created_by": "usr_1", "created_at": NOON, "ended_by": "usr_1", "ended_at": NOON}))
        .unwrap();
    let mut part = 0;
    let stamps = || {
        part += 1;
        stamp(&format!("evt_count_{part}"))
    };
    domain::wire::record::opname_posted(stamps, &opname, lines)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_count_in_any_number_of_parts_moves_only_differences() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    reported(&mut shop, vec![receiving("S001", "A", 100, "evt_r")]).await;
    // More lines than one record may have. Only the first and the last of them have a difference.
    let mut lines: Vec<OpnameLine> = (0..700).map(|at| line(&format!("S{at:03}"), 0, 0)).collect();
    lines.insert(0, line("A", 100, 97));
    lines.push(line("Z", 0, 1));
    let records = count(&lines);
    assert_eq!(records.len(), 2);
    reported(&mut shop, records).await;
    assert_eq!(server.figure("SELECT qty FROM stock WHERE sku = 'A'").await, 97);
    assert_eq!(server.figure("SELECT value FROM stock WHERE sku = 'A'").await, 970);
    assert_eq!(server.figure("SELECT qty FROM stock WHERE sku = 'Z'").await, 1);
    assert_eq!(server.figure("SELECT COUNT(*) FROM stock").await, 2, "no other stock moved");
}

fn transfer(resolved: &Value) -> Value {
    json!({"transfer_id": "trf_1", "state": "received", "from_store_id": "S001", "to_store_id": "S002",
        "lines": [{"line_no": 1, "sku": "A", "name": "Thing", "qty": 10, "cost": 100, "received_qty": 7,
            "in_cost": 70, "resolved": resolved}],
        "note": null, "business_date": DAY, "created_by": "usr_1", "created_at": NOON, "sent_at": NOON,
        "received_by": "usr_2", "received_at": NOON, "cancelled_at": null, "cancel_lost": false})
}

fn about(kind: &str, event_id: &str, transfer: &Value, moved: &[i64]) -> String {
    let effect =
        |qty: &i64| json!({"line_no": 1, "balance_after": 0, "cost": qty * 10, "correction": 0, "qty": qty});
    let lines: Vec<Value> = moved.iter().map(effect).collect();
    raw(kind, event_id, STAMP, &json!({"business_date": DAY, "transfer": transfer, "lines": lines}))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shortfall_of_a_transfer_is_settled_once() {
    let server = Server::start().await;
    let mut one = Shop::open(&server, "S001").await;
    let mut two = Shop::open(&server, "S002").await;
    let nothing = transfer(&json!([]));
    reported(&mut one, vec![about("transfer.sent", "evt_1", &nothing, &[-10])]).await;
    reported(&mut two, vec![about("transfer.received", "evt_2", &nothing, &[7])]).await;
    let part = |resolution: &str, qty: i64| json!({"resolution": resolution, "qty": qty, "cost": qty * 10, "user_id": "usr_1", "at": NOON});
    // Two pieces never left and one is lost: only the found ones move stock.
    let settled = transfer(&json!([part("found_at_source", 2), part("lost", 1)]));
    reported(&mut one, vec![about("transfer.resolved", "evt_3", &settled, &[2])]).await;
    assert_eq!(server.figure("SELECT qty FROM stock WHERE store_id = 'S001'").await, -8);
    assert_eq!(server.figure("SELECT qty FROM stock WHERE store_id = 'S002'").await, 7);
    let answer = two.speak().get("/api/sync/pull?lane=rest&limit=500").await;
    let last = answer.data()["changes"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["payload"]["lines"][0]["resolved"][0]["qty"], 2, "the receiver learns of the outcome");
}

#[tokio::test(flavor = "multi_thread")]
async fn more_of_a_transfer_than_was_sent_is_reported_once() {
    let server = Server::start().await;
    let mut one = Shop::open(&server, "S001").await;
    let mut two = Shop::open(&server, "S002").await;
    let over = "SELECT COUNT(*) FROM exceptions WHERE code = 'transfer_over_receipt'";
    let mut document = transfer(&json!([]));
    document["lines"][0]["received_qty"] = Value::Null;
    document["state"] = json!("in_transit");
    reported(&mut one, vec![about("transfer.sent", "evt_1", &document, &[-10])]).await;
    document["lines"][0]["received_qty"] = json!(12);
    document["state"] = json!("received");
    reported(&mut two, vec![about("transfer.received", "evt_2", &document, &[12])]).await;
    assert_eq!(server.figure(over).await, 1);
    // The sender's record of the transfer has the same.
    reported(&mut one, vec![about("transfer.resolved", "evt_3", &document, &[])]).await;
    assert_eq!(server.figure(over).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recount_is_a_new_entry_and_the_first_stays() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let closed = shift_closed("S001", "shf_1", "evt_z");
    let mut again: Value = serde_json::from_str(&closed).unwrap();
    again["type"] = json!("shift.recounted");
    again["event_id"] = json!("evt_again");
    let day = again["payload"]["shift"]["business_date"].clone();
    again["payload"]["shift"]["recounts"] = json!([{"before": 51_000, "counted_cash": 51_110, "variance": 0,
        "reason": "a note was found", "user_id": "usr_2", "at": NOON, "business_date": day}]);
    reported(&mut shop, vec![closed, again.to_string()]).await;
    assert_eq!(server.figure("SELECT COUNT(*) FROM shifts").await, 1);
    assert_eq!(server.figure("SELECT counted_cash FROM shifts WHERE shift_id = 'shf_1'").await, 51_000);
    assert_eq!(server.figure("SELECT variance FROM shifts WHERE shift_id = 'shf_1'").await, -110);
    assert_eq!(server.figure("SELECT COUNT(*) FROM records WHERE state = 'applied'").await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_of_a_product_are_the_stores_own() {
    let server = Server::start().await;
    let mut one = Shop::open(&server, "S001").await;
    let two = Shop::open(&server, "S002").await;
    let changed = |event_id: &str, at: &str, level: i64, base: &str| {
        let fields = json!({"reorder_level": {"value": level, "at": at, "base": base}});
        raw("product_settings.changed", event_id, at, &json!({"id": "A", "fields": fields}))
    };
    let first = reported(&mut one, vec![changed("evt_1", STAMP, 5, "")]).await;
    assert_eq!(first["versions"][0]["id"], "product:A");
    let later = "1700445994740-00000-S001";
    reported(&mut one, vec![changed("evt_2", later, 8, "evt_1")]).await;
    let answer = one.speak().get("/api/sync/pull?lane=prices&limit=500").await;
    let last = answer.data()["changes"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&last["kind"], &last["payload"]["value"]), (&json!("settings"), &json!(8)));
    assert_eq!(last["payload"]["by"], "evt_2");
    let other = crate::office::head_office::hears(&two, "prices", "settings").await;
    assert!(other.is_empty(), "another store keeps its own level: {other:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn head_office_writes_a_stores_product_settings_and_only_that_store_receives_them() {
    let server = Server::start().await;
    let one = Shop::open(&server, "S001").await;
    let two = Shop::open(&server, "S002").await;
    let admin = server.admin().await;
    admin.post("/api/products", &json!({"sku": "A", "name": "Thing", "price": 1})).await.data();
    let path = "/api/stores/S001/products/A/settings";
    let nothing = json!({"store_id": "S001", "sku": "A", "reorder_level": null, "shelf_place": null});
    assert_eq!(admin.get(path).await.data(), &nothing);
    let reported = admin.patch(path, &json!({"reorder_level": 7, "shelf_place": " A-1 "})).await;
    assert_eq!(
        (&reported.data()["reorder_level"], &reported.data()["shelf_place"]),
        (&json!(7), &json!("A-1"))
    );
    let before = server.figure("SELECT head FROM feed_lanes WHERE lane = 'prices'").await;
    admin.patch(path, &json!({"reorder_level": 7})).await.data();
    admin.patch(path, &json!({})).await.data();
    let after = server.figure("SELECT head FROM feed_lanes WHERE lane = 'prices'").await;
    assert_eq!(before, after, "without a difference there is no exception");
    let heard = async |shop: &Shop| {
        let heard = crate::office::head_office::hears(shop, "prices", "settings").await;
        heard.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(heard(&one).await, ["product:A:reorder_level", "product:A:shelf_place"]);
    assert!(heard(&two).await.is_empty());
    for body in [json!({"reorder_level": -1}), json!({"shelf_place": "x".repeat(65)}), json!({"other": 1})] {
        assert_eq!(admin.patch(path, &body).await.refusal(), "422 validation_failed", "{body}");
    }
    for path in ["/api/stores/S009/products/A/settings", "/api/stores/S001/products/Z/settings"] {
        assert_eq!(admin.get(path).await.refusal(), "404 not_found");
        assert_eq!(admin.patch(path, &json!({"reorder_level": 1})).await.refusal(), "404 not_found");
    }
    let audited = "SELECT COUNT(*) FROM own_audit WHERE action = 'product_settings.changed'";
    assert_eq!(server.figure(audited).await, 1);
}
