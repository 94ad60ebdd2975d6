//! Pull: pages, long polls, and cursors that no commit overtakes.

use crate::office::products::HEADER;
use crate::support::server::Server;
use crate::support::shop::Shop;
use domain::model::inventory::product::Product;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

fn catalogue(range: std::ops::Range<u32>, price: u32) -> String {
    let rows: Vec<String> = range.map(|n| format!("P{n:05},Thing {n},{price},,,,,")).collect();
    format!("{HEADER}\n{}\n", rows.join("\n"))
}

async fn pull(shop: &Shop, query: &str) -> Value {
    shop.speak().get(&format!("/api/sync/pull?{query}")).await.data().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_bring_every_product_once_and_end_at_the_head() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    let empty = pull(&shop, "limit=10").await;
    assert_eq!((&empty["changes"], &empty["more"]), (&serde_json::json!([]), &false.into()));
    server.admin().await.csv("/api/products/import", &catalogue(0..1200, 5)).await.data();
    let mut cursor = empty["next_cursor"].as_str().unwrap().to_owned();
    let (mut skus, mut pages) = (Vec::new(), 0);
    loop {
        let page = pull(&shop, &format!("limit=500&cursor={cursor}")).await;
        for change in page["changes"].as_array().unwrap() {
            assert_eq!((&change["kind"], &change["deleted"]), (&"product".into(), &false.into()));
            let product: Product = serde_json::from_value(change["payload"].clone()).unwrap();
            assert_eq!(change["id"], product.sku.0);
            skus.push(product.sku.0);
        }
        cursor = page["next_cursor"].as_str().unwrap().to_owned();
        pages += 1;
        if page["more"] == false {
            break;
        }
    }
    assert_eq!((skus.len(), pages), (1200, 3));
    skus.dedup();
    assert_eq!(skus.len(), 1200);
    assert_eq!(pull(&shop, &format!("cursor={cursor}")).await["next_cursor"], cursor);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_that_is_not_of_this_feed_means_a_resync() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    server.admin().await.csv("/api/products/import", &catalogue(0..3, 5)).await.data();
    let good = pull(&shop, "limit=2").await["next_cursor"].as_str().unwrap().to_owned();
    let generation = &server.hub.identity.generation;
    let other = good.replace(generation.as_str(), "0000000000000000");
    let unknown = format!("{generation}.2.0000000000000000");
    let ahead = good.replace(".2.", ".3000.");
    for cursor in [other.as_str(), unknown.as_str(), ahead.as_str(), "nonsense", ""] {
        let answer = shop.speak().get(&format!("/api/sync/pull?cursor={cursor}")).await;
        assert_eq!(answer.refusal(), "410 resync_required", "{cursor}");
    }
    for query in ["limit=0", "limit=501", "lane=none", "x=1"] {
        let answer = shop.speak().get(&format!("/api/sync/pull?{query}")).await;
        assert_eq!(answer.refusal(), "400 invalid_query", "{query}");
    }
    assert_eq!(pull(&shop, &format!("cursor={good}")).await["changes"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_poll_wakes_on_a_change_of_this_and_of_another_process() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let mut cursor = pull(&shop, "wait=0").await["next_cursor"].as_str().unwrap().to_owned();
    for price in [5, 6] {
        let (waiting, at) = (shop.clone(), cursor.clone());
        let poll = tokio::spawn(async move { pull(&waiting, &format!("wait=60&cursor={at}")).await });
        let before = Instant::now();
        if price == 5 {
            admin.csv("/api/products/import", &catalogue(0..1, price)).await.data();
        } else {
            let file = server.place.folder.path().join("c.csv");
            std::fs::write(&file, catalogue(0..1, price)).unwrap();
            assert!(server.place.run(&["import", "products", file.to_str().unwrap()], "").status.success());
        }
        let page = poll.await.unwrap();
        assert!(before.elapsed() < Duration::from_secs(30), "{:?}", before.elapsed());
        assert_eq!(page["changes"][0]["payload"]["price"], price);
        cursor = page["next_cursor"].as_str().unwrap().to_owned();
    }
    let before = Instant::now();
    assert_eq!(pull(&shop, &format!("wait=1&cursor={cursor}")).await["changes"], serde_json::json!([]));
    assert!(before.elapsed() >= Duration::from_secs(1), "the poll waits when there are no changes");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_poll_does_not_hold_up_the_end() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    let cursor = pull(&shop, "").await["next_cursor"].as_str().unwrap().to_owned();
    let waiting = shop.clone();
    let poll = tokio::spawn(async move { pull(&waiting, &format!("wait=60&cursor={cursor}")).await });
    let polling = "http_requests_total";
    while !server.api().text("/metrics", "*/*").await.contains(polling) {
        tokio::task::yield_now().await;
    }
    while server.hub.waits.count("rest") == 0 {
        tokio::task::yield_now().await;
    }
    let before = Instant::now();
    server.stop().await;
    assert!(before.elapsed() < Duration::from_secs(5), "{:?}", before.elapsed());
    assert_eq!(poll.await.unwrap()["changes"], serde_json::json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_change_is_skipped_while_others_commit() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let writers: Vec<_> = (0..6_u32)
        .map(|writer| {
            let admin = admin.clone();
            tokio::spawn(async move {
                for round in 1..=5 {
                    let text = catalogue(writer * 10..writer * 10 + 10, round);
                    admin.csv("/api/products/import", &text).await.data();
                }
            })
        })
        .collect();
    let mut seen: BTreeMap<String, Value> = BTreeMap::new();
    let (mut cursor, begun) = (String::new(), Instant::now());
    // A product that changes again is sent only at its last change, which every product must get.
    let last = |seen: &BTreeMap<String, Value>| {
        seen.values().filter(|change| change["payload"]["price"] == 5).count()
    };
    while last(&seen) < 60 {
        assert!(begun.elapsed() < Duration::from_secs(60), "{} of 60 last changes came", last(&seen));
        let page = pull(&shop, &format!("limit=7&wait=5{cursor}")).await;
        for change in page["changes"].as_array().unwrap() {
            let before = seen.insert(change["id"].as_str().unwrap().to_owned(), change.clone());
            let version = |change: &Value| change["version"].as_str().unwrap().to_owned();
            assert!(before.is_none_or(|before| version(&before) < version(change)), "versions must rise");
        }
        cursor = format!("&cursor={}", page["next_cursor"].as_str().unwrap());
    }
    for writer in writers {
        writer.await.unwrap();
    }
    assert_eq!(seen.len(), 60);
}
