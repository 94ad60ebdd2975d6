//! Snapshots: every record once, and no change in the meantime is missed.

use crate::office::products::HEADER;
use crate::support::server::Server;
use crate::support::shop::Shop;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn catalogue(range: std::ops::Range<u32>, price: u32) -> String {
    let rows: Vec<String> = range.map(|n| format!("P{n:05},Thing {n},{price},,,,,")).collect();
    format!("{HEADER}\n{}\n", rows.join("\n"))
}

async fn snapshot(shop: &Shop, query: &str) -> Value {
    shop.speak().get(&format!("/api/sync/snapshot?{query}")).await.data().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_and_the_pull_after_them_give_what_is_there_now() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    admin.csv("/api/products/import", &catalogue(0..25, 1)).await.data();
    admin.csv("/api/products/import", &catalogue(0..10, 2)).await.data();
    let mut seen: BTreeMap<String, Value> = BTreeMap::new();
    let mut apply = |changes: &Value| {
        for change in changes.as_array().unwrap() {
            seen.insert(change["id"].as_str().unwrap().to_owned(), change["payload"]["price"].clone());
        }
    };
    let first = snapshot(&shop, "lane=rest&limit=10").await;
    apply(&first["changes"]);
    // Now products that were read and products that were not yet read change, and a new product is created.
    admin.csv("/api/products/import", &catalogue(5..15, 3)).await.data();
    admin.csv("/api/products/import", &catalogue(25..27, 3)).await.data();
    let (mut next, mut cursor) = (first["next_page"].clone(), first["cursor"].clone());
    while let Some(page) = next.as_str() {
        let answer = snapshot(&shop, &format!("lane=rest&limit=10&page={page}")).await;
        apply(&answer["changes"]);
        assert_eq!(answer["cursor"], cursor, "the cursor is fixed before the first page");
        next = answer["next_page"].clone();
    }
    loop {
        let path = format!("/api/sync/pull?lane=rest&cursor={}", cursor.as_str().unwrap());
        let answer = shop.speak().get(&path).await;
        apply(&answer.data()["changes"]);
        cursor = answer.data()["next_cursor"].clone();
        if answer.data()["more"] == false {
            break;
        }
    }
    let price = |n: u32| {
        if (5..15).contains(&n) || n >= 25 {
            3
        } else if n < 10 {
            2
        } else {
            1
        }
    };
    let expected: BTreeMap<String, Value> = (0..27).map(|n| (format!("P{n:05}"), json!(price(n)))).collect();
    assert_eq!(seen, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn lanes_are_apart_and_pages_are_checked() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    server.admin().await.csv("/api/products/import", &catalogue(0..3, 1)).await.data();
    let stores = snapshot(&shop, "lane=prices").await;
    assert_eq!(stores["changes"][0]["id"], "S001", "the list of stores");
    for lane in ["users", "members"] {
        let empty = snapshot(&shop, &format!("lane={lane}")).await;
        assert_eq!((&empty["changes"], &empty["next_page"]), (&json!([]), &Value::Null), "{lane}");
    }
    let wrong = shop.speak().get("/api/sync/snapshot?lane=rest&page=x").await;
    assert_eq!(wrong.refusal(), "400 invalid_cursor");
    assert_eq!(shop.speak().get("/api/sync/snapshot?lane=none").await.refusal(), "400 invalid_query");
    // A cursor of one lane is not valid for another.
    let cursor = snapshot(&shop, "lane=rest").await["cursor"].as_str().unwrap().to_owned();
    let other = shop.speak().get(&format!("/api/sync/pull?lane=users&cursor={cursor}")).await;
    assert_eq!(other.refusal(), "410 resync_required");
}
