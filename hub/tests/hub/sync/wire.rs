//! Unusual input of the protocol's calls: compressed bodies, empty batches, odd queries.

use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};
use std::io::Write;

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

async fn status(admin: &Api) -> Value {
    admin.get("/api/stores/S001/status").await.data().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_may_be_packed_by_either_method_and_by_no_other() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    shop.sell(30);
    let batch = |from: usize, to: usize| shop.batch(from, to).to_string().into_bytes();
    let path = "/api/sync/push";
    let packed = gzip(&batch(1, 10));
    assert!(packed.len() < batch(1, 10).len() / 2);
    let answer = shop.speak().packed(path, "gzip", packed.clone()).await;
    assert_eq!(answer.data()["acked_seq"], 10);
    let again = shop.speak().packed(path, "gzip", packed.clone()).await;
    assert_eq!((&again.data()["acked_seq"], &again.data()["duplicates"]), (&json!(10), &json!(10)));
    let packed_so = zstd::encode_all(batch(11, 20).as_slice(), 0).unwrap();
    let answer = shop.speak().packed(path, "zstd", packed_so).await;
    assert_eq!(answer.data()["acked_seq"], 20);
    let cut = shop.speak().packed(path, "gzip", packed[..packed.len() / 2].to_vec()).await;
    assert_eq!(cut.refusal(), "400 invalid_json");
    let other = shop.speak().packed(path, "br", batch(21, 30)).await;
    assert_eq!(other.refusal(), "415 unsupported_media_type");
    // The body is small when compressed, and over the limit of a push when decompressed.
    let bomb = gzip(&vec![b' '; 9 * 1024 * 1024]);
    assert!(bomb.len() < 100_000);
    assert_eq!(shop.speak().packed(path, "gzip", bomb).await.refusal(), "413 body_too_large");
    assert_eq!(server.figure("SELECT COUNT(*) FROM records").await, 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_batch_reports_the_backlog_and_moves_nothing() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 3).await;
    let admin = server.admin().await;
    let before = status(&admin).await;
    let mut empty = shop.batch(4, 3);
    empty["backlog"] = json!({"pending": 7, "oldest_pending_at": "2026-11-20T02:06:34.739Z"});
    let answer = shop.push(&empty).await.data().clone();
    assert_eq!((&answer["acked_seq"], &answer["duplicates"]), (&json!(3), &json!(0)));
    assert_eq!(answer["acked_hash"], shop.chain().hash_at(3));
    let after = status(&admin).await;
    assert_eq!((&after["heads"], &after["sums"]), (&before["heads"], &before["sums"]));
    assert_eq!(after["pending"], 7);
    // An epoch without a hello can't push, not even an empty batch.
    empty["sender_epoch"] = json!("2-00000000000000bb");
    assert_eq!(shop.push(&empty).await.refusal(), "409 hello_first");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_epoch_outside_of_the_lineage_takes_no_records() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 2).await;
    let other = Shop::sold(&server, "S002", 1).await;
    shop.sell(1);
    let mut batch = shop.batch(3, 3);
    // An epoch of the same name at another store is a different epoch. An epoch that was never named is unknown.
    batch["epoch"] = json!("7-00000000000000cc");
    assert_eq!(shop.push(&batch).await.refusal(), "409 hello_first");
    batch["events"] = json!([]);
    assert_eq!(shop.push(&batch).await.refusal(), "409 hello_first");
    assert_eq!(server.figure("SELECT COUNT(*) FROM epochs WHERE store_id = 'S001'").await, 1);
    assert_eq!(server.figure("SELECT COUNT(*) FROM records").await, 3);
    assert_eq!(other.hello().await.data()["heads"][0]["seq"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_and_waits_are_bounded() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    for (call, wrong) in [
        ("pull", "limit=0"),
        ("pull", "limit=501"),
        ("pull", "limit=-1"),
        ("pull", "limit=many"),
        ("pull", "wait=-1"),
        ("pull", "wait=1.5"),
        ("pull", "wait=99999999999999999999"),
        ("snapshot", "limit=0"),
        ("snapshot", "limit=501"),
        ("snapshot", "wait=1"),
    ] {
        let answer = shop.speak().get(&format!("/api/sync/{call}?{wrong}")).await;
        assert_eq!(answer.refusal(), "400 invalid_query", "{call}?{wrong}");
    }
    for right in ["limit=1", "limit=500", "wait=0"] {
        shop.speak().get(&format!("/api/sync/pull?{right}")).await.data();
    }
    // A wait above the limit also ends with the first change.
    let waiting = shop.clone();
    let poll = tokio::spawn(async move {
        waiting.speak().get(&format!("/api/sync/pull?wait={}", u64::MAX)).await.data().clone()
    });
    while server.hub.waits.count("rest") == 0 {
        tokio::task::yield_now().await;
    }
    let admin = server.admin().await;
    admin.post("/api/products", &json!({"sku": "A", "name": "Thing", "price": 1})).await.data();
    assert_eq!(poll.await.unwrap()["changes"].as_array().unwrap().len(), 1);
}
