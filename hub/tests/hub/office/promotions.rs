//! Promotions can be previewed before they are added.

use crate::office::products::HEADER;
use crate::support::server::Server;
use serde_json::{Value, json};

const TODAY: &str = "2030-01-02";

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_is_tried_beside_what_exists_and_nothing_is_kept() {
    let server = Server::start().await;
    server.place.add_store("S001");
    let admin = server.admin().await;
    let rows = format!("{HEADER}\nA,Tea,10000,Tea,,,,\nB,Cup,500,,,,,\n");
    admin.csv("/api/products/import", &rows).await.data();
    admin
        .post("/api/prices", &json!({"sku": "B", "price": 600, "store_id": "S001", "from": TODAY}))
        .await
        .data();
    let promotion = |fields: Value| {
        let mut new = json!({"name": "Tea week", "type": "line_percent", "value": 1000, "from": "2030-01-01",
            "to": "2030-01-07", "priority": 2});
        new.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        new
    };
    let of = |made: &Value| made["promotion_id"].as_str().unwrap().to_owned();
    let tea = of(admin.post("/api/promotions", &promotion(json!({"skus": ["A"]}))).await.data());
    let gold =
        of(admin.post("/api/promotions", &promotion(json!({"name": "Gold", "tier": "gold"}))).await.data());
    let ended = promotion(json!({"name": "Ended", "to": "2030-01-01"}));
    admin.post("/api/promotions", &ended).await.data();
    let basket = json!({"store_id": "S001", "date": TODAY,
        "items": [{"sku": "A", "qty": 2}, {"sku": "B", "qty": 1}, {"sku": "A", "qty": 1, "price": 9000}]});
    let now = admin.post("/api/promotions/preview", &basket).await.data().clone();
    let discount =
        |id: &str, name: &str, amount: i64| json!([{"promotion_id": id, "name": name, "amount": amount}]);
    let line = |sku: &str, qty: i64, price: i64, discounts: Value, discount: i64| {
        json!({"sku": sku, "qty": qty, "price": price, "discounts": discounts, "discount": discount,
            "net": qty * price - discount})
    };
    let expected = json!({
        "lines": [line("A", 2, 10_000, discount(&tea, "Tea week", 2_000), 2_000), line("B", 1, 600, json!([]), 0),
            line("A", 1, 9_000, discount(&tea, "Tea week", 900), 900)],
        "discount": 2_900, "net": 26_700,
        "not_given": [{"promotion_id": gold, "name": "Gold", "reason": "other_tier"}]});
    assert_eq!(now, expected, "the existing promotions, without those of other days");

    let mut tried = basket.clone();
    tried["tier"] = json!("gold");
    tried["promotions"] = json!([
        promotion(json!({"name": "First", "priority": 1, "value": 5_000, "skus": ["A"]})),
        promotion(json!({"name": "Late", "from": "2030-01-03"}))
    ]);
    let tried = admin.post("/api/promotions/preview", &tried).await.data().clone();
    let gives = |place: usize| tried["lines"][place]["discounts"].clone();
    assert_eq!((gives(0), gives(1)), (discount("draft_1", "First", 10_000), discount(&gold, "Gold", 60)));
    let idle = json!([{"promotion_id": "draft_2", "name": "Late", "reason": "not_begun"},
        {"promotion_id": tea, "name": "Tea week", "reason": "not_stackable"}]);
    assert_eq!(tried["not_given"], idle);
    assert_eq!(*admin.post("/api/promotions/preview", &basket).await.data(), expected, "nothing was stored");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_basket_that_can_not_be_is_refused_with_its_lines() {
    let server = Server::start().await;
    server.place.add_store("S001");
    let admin = server.admin().await;
    admin.csv("/api/products/import", &format!("{HEADER}\nA,Tea,10000,Tea,,,,\n")).await.data();
    let asked = |fields: Value| {
        let mut asked = json!({"store_id": "S001", "date": TODAY, "items": [{"sku": "A", "qty": 1}]});
        asked.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        asked
    };
    let draft =
        json!({"name": "x", "type": "line_percent", "value": 0, "from": TODAY, "to": TODAY, "priority": 1});
    let cases = [
        (json!({"items": []}), "422 validation_failed", "items"),
        (json!({"items": [{"sku": "A", "qty": 0}]}), "422 validation_failed", "items[0].qty"),
        (json!({"items": [{"sku": "A", "qty": 1, "price": -1}]}), "422 validation_failed", "items[0].price"),
        (json!({"promotions": [draft]}), "422 validation_failed", "value"),
        (json!({"promotions": vec![draft; 21]}), "422 validation_failed", "promotions"),
        (json!({"items": [{"sku": "none", "qty": 1}]}), "404 not_found", ""),
        (json!({"store_id": "S9"}), "404 not_found", ""),
    ];
    for (fields, refusal, path) in cases {
        let answer = admin.post("/api/promotions/preview", &asked(fields.clone())).await;
        assert_eq!(answer.refusal(), refusal, "{fields}");
        if !path.is_empty() {
            assert_eq!(answer.body["error"]["details"]["fields"][0]["path"], path, "{fields}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_list_is_refused_by_name_and_null_is_all() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let new = |fields: Value| {
        let mut new = json!({"name": "Tea week", "type": "line_percent", "value": 1000, "from": "2030-01-01",
            "to": "2030-01-07", "priority": 2});
        new.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        new
    };
    for (field, empty) in [
        ("store_ids", json!([])),
        ("days", json!([])),
        ("skus", json!([])),
        ("category", json!("")),
        ("tier", json!("")),
    ] {
        let refused = admin.post("/api/promotions", &new(json!({field: empty}))).await;
        assert_eq!(refused.refusal(), "422 validation_failed", "{field}");
        assert_eq!(refused.body["error"]["details"]["fields"][0]["path"], field);
        admin.post("/api/promotions", &new(json!({field: null}))).await.data();
    }
}
