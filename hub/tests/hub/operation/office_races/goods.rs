//! Decisions of two processes of head office that read more than one row.

use super::two::{Two, one_wins, tries};
use crate::office::finance_entries::text;
use serde_json::{Value, json};

const RECEIVING: &str = "/api/receiving";
const TRANSFERS: &str = "/api/transfers";

/// Creates a product without movements.
async fn product(two: &mut Two) -> String {
    let sku = format!("G{}", two.number());
    two.create("/api/products", &json!({"sku": sku, "name": "Thing", "price": 20})).await;
    sku
}

fn came(place: &str, sku: &str, qty: i64, unit_cost: i64) -> Value {
    json!({"store_id": place, "lines": [{"sku": sku, "qty": qty, "unit_cost": unit_cost}]})
}

async fn sent(two: &Two, [from, to]: [&str; 2], sku: &str, qty: i64) -> Value {
    let lines = json!([{"sku": sku, "qty": qty}]);
    two.create(TRANSFERS, &json!({"store_id": from, "to_store_id": to, "lines": lines})).await
}

/// Returns pieces and value of a product in the first warehouse, and asserts that each movement follows the one before.
async fn lies_there(two: &Two, sku: &str) -> [i64; 2] {
    let path = format!("/api/stock/{sku}/movements?store_id=W1");
    let mut moved = two.other().get(&path).await.data()["items"].as_array().unwrap().clone();
    // Movements of the same moment may be in any order.
    let mut balance = 0;
    while !moved.is_empty() {
        let follows =
            |row: &Value| row["balance_after"].as_i64().unwrap() == balance + row["qty"].as_i64().unwrap();
        let next = moved.iter().rposition(follows);
        let next = moved.remove(next.unwrap_or_else(|| panic!("{balance} {moved:?}")));
        balance = next["balance_after"].as_i64().unwrap();
    }
    let stock =
        two.first().get(&format!("/api/stock?store_id=W1&sku={sku}")).await.data()["items"][0].clone();
    assert_eq!(stock["on_hand"], json!(balance));
    ["on_hand", "value"].map(|name| stock[name].as_i64().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn two_documents_of_one_warehouse_and_product_are_as_if_one_came_after_the_other() {
    let mut two = Two::open().await;
    for id in ["W1", "W2"] {
        two.create("/api/stores", &json!({"store_id": id, "name": id, "kind": "warehouse"})).await;
    }
    for turn in 0..tries() {
        // Two receipts.
        let sku = product(&mut two).await;
        let asks = [came("W1", &sku, 2, 9), came("W1", &sku, 3, 14)].map(|came| (RECEIVING, came));
        for answer in two.race(turn, asks).await {
            answer.data();
        }
        assert_eq!(lies_there(&two, &sku).await, [5, 60]);
        // A receipt, and a transfer that arrives.
        two.create(RECEIVING, &came("W2", &sku, 10, 30)).await;
        let coming = sent(&two, ["W2", "W1"], &sku, 4).await;
        let receive = format!("{TRANSFERS}/{}/receive", text(&coming, "transfer_id"));
        let arrived = json!({"lines": [{"sku": sku, "qty": 4}]});
        for answer in two.race(turn, [(&receive, arrived), (RECEIVING, came("W1", &sku, 1, 20))]).await {
            answer.data();
        }
        assert_eq!(lies_there(&two, &sku).await, [10, 200]);
        // A receipt, and a transfer that leaves: at the average before the receipt, 20, or after it, 50.
        let lines = json!([{"sku": sku, "qty": 5}]);
        let leaving = json!({"store_id": "W1", "to_store_id": "W2", "lines": lines});
        let answers = two.race(turn, [(TRANSFERS, leaving), (RECEIVING, came("W1", &sku, 5, 110))]).await;
        let cost = answers[0].data()["lines"][0]["cost"].as_i64().unwrap();
        assert!([100, 250].contains(&cost), "{answers:?}");
        assert_eq!(lies_there(&two, &sku).await, [10, 200 + 550 - cost]);
        answers[1].data();
    }
    two.assert_sound().await;
}

/// Creates a chain of categories, the first one at the top.
async fn chain(two: &Two, name: &str, levels: usize) {
    for level in 1..=levels {
        let parent = if level == 1 { String::new() } else { format!("{name}{}", level - 1) };
        two.create("/api/categories", &json!({"code": format!("{name}{level}"), "parent": parent})).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_note_of_a_supplier_comes_into_one_of_two_warehouses() {
    let two = Two::open().await;
    two.create("/api/products", &json!({"sku": "A", "name": "Thing", "price": 20})).await;
    for id in ["W1", "W2"] {
        two.create("/api/stores", &json!({"store_id": id, "name": id, "kind": "warehouse"})).await;
    }
    let supplier = two.create("/api/suppliers", &json!({"code": "TEA", "name": "Tea"})).await;
    let supplier_id = text(&supplier, "supplier_id");
    for turn in 0..tries() {
        let came = |place: &str| {
            json!({"store_id": place, "supplier_id": supplier_id, "delivery_note_no": format!("DN-{turn}"),
                "lines": [{"sku": "A", "qty": 1, "unit_cost": 9}]})
        };
        let path = "/api/receiving";
        let answers = two.race(turn, [(path, came("W1")), (path, came("W2"))]).await;
        one_wins(&answers, &["409 duplicate"]);
    }
    two.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn categories_that_two_hang_below_one_another_at_once_stay_within_their_levels() {
    let two = Two::open().await;
    for turn in 0..tries() {
        let [one, other, third] = ["x", "y", "z"].map(|name| format!("{name}{turn}_"));
        for name in [&one, &other, &third] {
            chain(&two, name, 7).await;
        }
        // Each change alone makes 14 levels, both together 21.
        let below = |name: &str| json!({"parent": format!("{name}7")});
        let paths = [&other, &third].map(|name| format!("/api/categories/{name}1"));
        let answers = two.change_both(turn, [(&paths[0], below(&one)), (&paths[1], below(&other))]).await;
        let refused: Vec<String> = answers
            .iter()
            .filter(|answer| !answer.status.is_success())
            .map(|answer| answer.refusal())
            .collect();
        assert_eq!(refused, ["422 validation_failed"], "only one of them: {answers:?}");
        let tops: Vec<Value> = answers
            .iter()
            .filter(|answer| answer.status.is_success())
            .map(|answer| answer.data()["parent"].clone())
            .collect();
        assert_eq!(tops.len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_suppliers_that_are_preferred_at_once_one_stays_so() {
    let mut two = Two::open().await;
    let mut lists = Vec::new();
    for code in ["TEA", "RICE"] {
        let made = two.create("/api/suppliers", &json!({"code": code, "name": code})).await;
        lists.push(format!("/api/suppliers/{}/products", text(&made, "supplier_id")));
    }
    for turn in 0..tries() {
        let sku = product(&mut two).await;
        let row = json!({"sku": sku, "unit_cost": 9, "preferred": true});
        for answer in two.race(turn, [(&lists[0], row.clone()), (&lists[1], row)]).await {
            answer.data();
        }
        let rows = two.first().get(&format!("/api/products/{sku}/suppliers")).await.data()["items"].clone();
        let preferred = rows.as_array().unwrap().iter().filter(|row| row["preferred"] == true);
        assert_eq!(preferred.count(), 1, "{rows}");
    }
}
