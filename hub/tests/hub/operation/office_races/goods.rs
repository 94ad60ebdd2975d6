//! What two processes of head office decide at once by looking at more than one row.

use super::two::{Two, one_wins, tries};
use serde_json::{Value, json};

/// A chain of so many categories, the first at the top.
async fn chain(two: &Two, name: &str, levels: usize) {
    for level in 1..=levels {
        let parent = if level == 1 { String::new() } else { format!("{name}{}", level - 1) };
        two.made("/api/categories", &json!({"code": format!("{name}{level}"), "parent": parent})).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_note_without_a_supplier_comes_into_one_of_two_warehouses() {
    let two = Two::open().await;
    two.made("/api/products", &json!({"sku": "A", "name": "Thing", "price": 20})).await;
    for id in ["W1", "W2"] {
        two.made("/api/stores", &json!({"store_id": id, "name": id, "kind": "warehouse"})).await;
    }
    for turn in 0..tries() {
        let came = |place: &str| {
            json!({"store_id": place, "delivery_note_no": format!("DN-{turn}"),
                "lines": [{"sku": "A", "qty": 1, "unit_cost": 9}]})
        };
        let path = "/api/receiving";
        let answers = two.race(turn, [(path, came("W1")), (path, came("W2"))]).await;
        one_wins(&answers, &["409 duplicate"]);
    }
    two.ends_whole().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn categories_that_two_hang_below_one_another_at_once_stay_within_their_levels() {
    let two = Two::open().await;
    for turn in 0..tries() {
        let [one, other, third] = ["x", "y", "z"].map(|name| format!("{name}{turn}_"));
        for name in [&one, &other, &third] {
            chain(&two, name, 7).await;
        }
        // Each alone makes 14 levels, both together 21.
        let below = |name: &str| json!({"parent": format!("{name}7")});
        let paths = [&other, &third].map(|name| format!("/api/categories/{name}1"));
        let answers = two.change_both(turn, [(&paths[0], below(&one)), (&paths[1], below(&other))]).await;
        let refused: Vec<String> = answers
            .iter()
            .filter(|answer| !answer.status.is_success())
            .map(|answer| answer.refusal())
            .collect();
        assert_eq!(refused, ["422 validation_failed"], "one of them: {answers:?}");
        let tops: Vec<Value> = answers
            .iter()
            .filter(|answer| answer.status.is_success())
            .map(|answer| answer.data()["parent"].clone())
            .collect();
        assert_eq!(tops.len(), 1);
    }
}
