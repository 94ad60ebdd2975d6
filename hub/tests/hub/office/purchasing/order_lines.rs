//! Orders with several lines of one product, closed lines, and a store's own reorder level.

use crate::office::finance_entries::{accountant, text};
use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use crate::sync::records::{DAY, receiving};
use serde_json::{Value, json};

const ORDERS: &str = "/api/purchase-orders";
const INVOICES: &str = "/api/finance/invoices";

/// Creates an order that the store has: 10 pieces at 9,000 and 10 at 8,000.
async fn ordered(admin: &Api) -> (String, String) {
    admin.post("/api/products", &json!({"sku": "A", "name": "Tea", "price": 15_000})).await.data();
    let supplier =
        admin.post("/api/suppliers", &json!({"code": "TEA", "name": "Tea Ltd"})).await.data().clone();
    let supplier_id = text(&supplier, "supplier_id");
    let line = |unit_cost: i64| json!({"sku": "A", "qty": 10, "unit_cost": unit_cost});
    let new = json!({"supplier_id": supplier_id, "store_id": "S001", "lines": [line(9_000), line(8_000)]});
    let po_id = text(admin.post(ORDERS, &new).await.data(), "po_id");
    for step in ["approve", "send"] {
        admin.post(&format!("{ORDERS}/{po_id}/{step}"), &json!({})).await.data();
    }
    (supplier_id, po_id)
}

/// Receives pieces of the order at the price of its first line.
async fn came(shop: &mut Shop, (supplier_id, po_id): (&str, &str), event_id: &str, qty: i64) {
    let mut record: Value = serde_json::from_str(&receiving("S001", "A", qty, event_id)).unwrap();
    let receipt = &mut record["payload"]["receiving"];
    (receipt["supplier_id"], receipt["po_id"]) = (json!(supplier_id), json!(po_id));
    receipt["lines"][0]["unit_cost"] = json!(9_000);
    receipt["lines"][0]["cost"] = json!(qty * 9_000);
    receipt["total_cost"] = json!(qty * 9_000);
    shop.chain().append(record.to_string());
    let seq = shop.chain().records.len();
    assert_eq!(shop.push(&shop.batch(seq, seq)).await.data()["parked"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn pieces_are_billed_by_the_line_of_the_order_that_they_came_for() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let (supplier_id, po_id) = ordered(&admin).await;
    came(&mut shop, (&supplier_id, &po_id), "evt_1", 20).await;
    let finance = accountant(&server).await;
    let matched = async |invoice_no: &str, line: Value| {
        let new = json!({"supplier_id": supplier_id, "invoice_no": invoice_no, "invoice_date": DAY, "lines": [line]});
        let made = finance.post(INVOICES, &new).await.data().clone();
        let path = format!("{INVOICES}/{}/match", text(&made, "invoice_id"));
        finance.post(&path, &json!({})).await.data().clone()
    };
    let second = json!({"po_id": po_id, "po_line_no": 2, "sku": "A", "qty": 10, "unit_cost": 8_000});
    let cheap = matched("T-1", second.clone()).await;
    assert_eq!((&cheap["state"], &cheap["exceptions"]), (&json!("matched"), &json!([])));
    let billed = async || {
        let order = admin.get(&format!("{ORDERS}/{po_id}")).await.data().clone();
        order["lines"].as_array().unwrap().iter().map(|line| line["invoiced_qty"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(billed().await, [0, 10]);
    let again = matched("T-2", second).await;
    assert_eq!(again["exceptions"][0]["type"], "not_received", "the whole line is billed");
    assert_eq!(again["lines"][0]["store_id"], "S001", "the book of the order's store");
    let by_receipt =
        json!({"receiving_id": "rcv_evt_1", "receiving_line_no": 1, "qty": 10, "unit_cost": 9_000});
    let dear = matched("T-3", by_receipt).await;
    assert_eq!((&dear["state"], &dear["lines"][0]["po_line_no"]), (&json!("matched"), &json!(1)));
    assert_eq!(billed().await, [10, 10]);
    assert!(server.place.run(&["verify"], "").status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn goods_for_a_closed_line_are_flagged_and_a_store_has_its_own_level() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let (supplier_id, po_id) = ordered(&admin).await;
    for line_no in [1, 2] {
        let path = format!("{ORDERS}/{po_id}/lines/{line_no}/close");
        admin.post(&path, &json!({"reason": "supplier is out"})).await.data();
    }
    came(&mut shop, (&supplier_id, &po_id), "evt_1", 4).await;
    let found = admin.get("/api/exceptions?code=order_over_receipt").await.data()["items"].clone();
    assert_eq!((&found[0]["event_id"], &found[0]["details"]["skus"]), (&json!("evt_1"), &json!(["A"])));
    assert_eq!(server.figure("SELECT qty FROM stock WHERE sku = 'A'").await, 4, "the goods are in stock");
    let suggested = async || admin.get(&format!("{ORDERS}/suggestions?store_id=S001")).await.data().clone();
    assert_eq!(suggested().await["items"], json!([]), "nothing needs to be ordered");
    admin.patch("/api/stores/S001/products/A/settings", &json!({"reorder_level": 6})).await.data();
    let now = suggested().await;
    assert_eq!((&now["items"][0]["reorder_point"], &now["items"][0]["qty"]), (&json!(6), &json!(2)));
    assert_eq!(now["completeness"]["stores_expected"], 1);
}
