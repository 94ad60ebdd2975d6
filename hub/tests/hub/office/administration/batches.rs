//! Batches: each item has its own result, and a request is done as a whole or not at all.

use crate::support::server::{Api, Server};
use serde_json::{Value, json};

/// Codes of the results: the status, or the refusal's code.
fn results(answer: &Value) -> Vec<String> {
    let items = answer["items"].as_array().unwrap();
    for (index, item) in items.iter().enumerate() {
        assert_eq!(item["index"], json!(index));
        assert_ne!(item.get("data").is_some(), item.get("error").is_some(), "{item}");
    }
    let result = |item: &Value| match item["error"]["code"].as_str() {
        Some(code) => code.to_owned(),
        None => item["http_status"].to_string(),
    };
    items.iter().map(result).collect()
}

async fn audited(admin: &Api, action: &str) -> usize {
    let entries = admin.get(&format!("/api/audit?action={action}")).await;
    entries.data()["items"].as_array().unwrap().len()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_product_does_not_stop_the_others_of_its_batch() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let body = json!({"items": [
        {"sku": "TEA", "name": "Tea", "price": 1000, "barcodes": [{"code": "4006381333931", "pack_qty": 1}]},
        {"sku": "NONE"},
        {"sku": "MILK", "name": "Milk", "price": 900, "barcodes": [{"code": "4006381333931", "pack_qty": 1}]},
        {"sku": "TEA", "price": 1100},
        {"sku": "TEA", "prize": 1},
        "TEA",
    ]});
    let first = admin.keyed("/api/products/batch", "catalogue-1", &body).await;
    let expected = ["201", "validation_failed", "duplicate", "200", "validation_failed", "validation_failed"];
    assert_eq!(results(first.data()), expected, "{}", first.body);
    assert_eq!((&first.data()["done"], &first.data()["refused"]), (&json!(2), &json!(4)));
    let missing = &first.data()["items"][1]["error"]["details"]["fields"][0];
    assert_eq!(missing, &json!({"path": "name", "problem": "is missing"}));
    assert_eq!(admin.get("/api/products/TEA").await.data()["price"], json!(1100));
    assert_eq!(admin.get("/api/products/MILK").await.refusal(), "404 not_found");
    assert_eq!((audited(&admin, "product.created").await, audited(&admin, "product.changed").await), (1, 1));

    let again = admin.keyed("/api/products/batch", "catalogue-1", &body).await;
    assert_eq!(again.data(), first.data());
    assert_eq!(audited(&admin, "product.changed").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn prices_and_members_come_in_batches_too() {
    let server = Server::start().await;
    let admin = server.admin().await;
    admin.post("/api/products", &json!({"sku": "TEA", "name": "Tea", "price": 1000})).await.data();
    let prices = json!({"items": [
        {"sku": "TEA", "price": 1200}, {"sku": "COAL", "price": 1}, {"sku": "TEA", "price": -1},
    ]});
    let prices = admin.post("/api/prices/batch", &prices).await;
    assert_eq!(results(prices.data()), ["201", "unknown_sku", "validation_failed"]);
    assert_eq!(admin.get("/api/prices?sku=TEA").await.data()["items"][0]["price"], json!(1200));

    let ani = admin.post("/api/members", &json!({"name": "Ani", "phone": "0812 3456 7891"})).await;
    let id = &ani.data()["member_id"];
    let members = json!({"items": [
        {"member_id": id, "name": "Ani S."}, {"member_id": null, "name": "Budi", "phone": "0812 3456 7892"},
        {"name": "Budi again", "phone": "0812 3456 7892"}, {"member_id": "mbr_none", "name": "X"},
    ]});
    let members = admin.post("/api/members/batch", &members).await;
    assert_eq!(results(members.data()), ["200", "201", "duplicate", "not_found"], "{}", members.body);
    assert_eq!(members.data()["items"][0]["data"]["name"], json!("Ani S."));
    assert_eq!(audited(&admin, "member.created").await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_has_1_to_500_items() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let product = |number: usize| json!({"sku": format!("P{number}"), "name": "Thing", "price": 1});
    for (items, refused) in [(0, true), (500, false), (501, true)] {
        let items: Vec<Value> = (0..items).map(product).collect();
        let answer = admin.post("/api/products/batch", &json!({"items": items})).await;
        if refused {
            assert_eq!(answer.refusal(), "422 validation_failed");
        } else {
            assert_eq!(answer.data()["done"], json!(items.len()));
        }
    }
    assert_eq!(server.figure("SELECT COUNT(*) FROM products").await, 500);
}
