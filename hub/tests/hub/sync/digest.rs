//! Digests: the daily comparison of the records of hub and store.

use crate::support::server::{Answer, Server};
use crate::support::shop::{Chain, FIRST, Shop};
use crate::sync::records::DAY;
use domain::model::hub::sync::Figure;
use domain::rules::hub::sync::counted;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

impl Shop {
    /// Returns the store's digest of a day: sums over the distinct events of all its epochs.
    pub fn digest_body(&self, day: &str) -> Value {
        let mut types: BTreeMap<String, Figure> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for (_, record) in self.chains.iter().flat_map(|chain| &chain.records) {
            let Some(counted) = counted(record) else { continue };
            if counted.business_date.to_string() == day && seen.insert(counted.event_id) {
                let figure = types.entry(counted.kind).or_default();
                *figure = Figure { count: figure.count + 1, total: figure.total + counted.total };
            }
        }
        let head = |chain: &Chain| {
            let seq = chain.records.len();
            json!({"epoch": chain.epoch, "seq": seq, "hash": chain.hash_at(seq)})
        };
        let heads: Vec<Value> =
            self.chains.iter().filter(|chain| !chain.records.is_empty()).map(head).collect();
        json!({"business_date": day, "heads": heads, "types": types})
    }

    pub async fn digest(&self, body: &Value) -> Answer {
        self.speak().post("/api/sync/digest", body).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn applied_and_parked_events_count_once_whatever_epoch_they_came_in() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 3).await;
    let poison = json!({"event_id": "evt_p", "type": "future.thing", "schema": 1,
        "at": "1795140394739-00000-S001", "occurred_at": "2026-11-20T02:06:34.739Z",
        "about": {"business_date": DAY, "amount": 77}, "payload": {}});
    shop.chain().append(poison.to_string());
    shop.push(&shop.batch(4, 4)).await.data();
    // The same sales again in another epoch.
    let again: Vec<String> = shop.chain().records.iter().map(|(_, record)| record.clone()).collect();
    shop.chains.push(Chain::new("2-00000000000000bb"));
    shop.hello().await.data();
    for record in again {
        shop.chain().append(record);
    }
    shop.push(&shop.batch(1, 4)).await.data();
    let body = shop.digest_body(DAY);
    assert_eq!(body["types"]["transaction.paid"], json!({"count": 3, "total": 3330}));
    let answer = shop.digest(&body).await;
    let data = answer.data();
    assert_eq!((&data["result"], &data["parked"]), (&json!("match"), &json!(1)), "{data}");
    assert_eq!(data["first_difference"], Value::Null);
    let other_day = shop.digest(&shop.digest_body("2026-11-19")).await;
    assert_eq!(other_day.data()["result"], "match", "both have no records of that day");
}

/// A record of a known type may lack `about`, and a wrong `about` is ignored, because the hub reads the payload.
#[tokio::test(flavor = "multi_thread")]
async fn a_known_record_counts_by_its_payload() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    shop.sell(2);
    let counted = shop.digest_body(DAY)["types"].clone();
    let records: Vec<String> = shop.chain().records.iter().map(|(_, record)| record.clone()).collect();
    shop.chains = vec![Chain::new(FIRST)];
    let wrong = [Value::Null, json!({"amount": 1.5, "business_date": "someday", "members": 7})];
    for (record, wrong) in records.into_iter().zip(wrong) {
        let mut record: Value = serde_json::from_str(&record).unwrap();
        match wrong {
            Value::Null => drop(record.as_object_mut().unwrap().remove("about").unwrap()),
            wrong => record["about"] = wrong,
        }
        shop.chain().append(record.to_string());
    }
    shop.push(&shop.batch(1, 2)).await.data();
    let body = shop.digest_body(DAY);
    assert_eq!(body["types"], counted, "the store counts by the payload, too");
    assert_eq!(shop.digest(&body).await.data()["result"], "match");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_difference_is_named_and_a_store_that_is_behind_is_asked_to_push() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 2).await;
    let mut wrong = shop.digest_body(DAY);
    wrong["types"]["transaction.paid"]["total"] = json!(1);
    let answer = shop.digest(&wrong).await;
    let expected = json!({"type": "transaction.paid", "store": {"count": 2, "total": 1},
        "hub": {"count": 2, "total": 2220}});
    assert_eq!(
        (&answer.data()["result"], &answer.data()["first_difference"]),
        (&json!("difference"), &expected)
    );
    let status = server.admin().await.get("/api/stores/S001/status").await;
    let problems = status.data()["problems"].as_array().unwrap().clone();
    assert!(problems.iter().any(|problem| problem["code"] == "digest_difference"), "{problems:?}");
    assert_eq!(shop.digest(&shop.digest_body(DAY)).await.data()["result"], "match");
    let status = server.admin().await.get("/api/stores/S001/status").await;
    assert_eq!(
        (&status.data()["problems"], &status.data()["digest"]["result"]),
        (&json!([]), &json!("match"))
    );
    shop.sell(1);
    assert_eq!(shop.digest(&shop.digest_body(DAY)).await.data()["result"], "not_yet");
    // Equal sums of a different history are a difference.
    let mut apart = shop.digest_body(DAY);
    apart["heads"] = json!([{"epoch": FIRST, "seq": 2, "hash": "aa".repeat(32)}]);
    assert_eq!(shop.digest(&apart).await.data()["result"], "difference");
    // An epoch that the hub has not received yet makes no difference.
    let unheard = json!({"epoch": "2-00000000000000bb", "seq": 1, "hash": "bb".repeat(32)});
    apart["heads"].as_array_mut().unwrap().push(unheard);
    assert_eq!(shop.digest(&apart).await.data()["result"], "difference");
}

#[tokio::test(flavor = "multi_thread")]
async fn figures_go_as_far_as_the_store_says() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 2).await;
    let before_push = shop.digest_body(DAY);
    shop.sell(3);
    // The store sends its digest before it has the answer to this push.
    shop.push(&shop.batch(3, 3)).await.data();
    assert_eq!(shop.digest(&before_push).await.data()["result"], "match");
    let mut short = before_push;
    short["heads"][0] = json!({"epoch": FIRST, "seq": 1, "hash": shop.chain().hash_at(1)});
    assert_eq!(shop.digest(&short).await.data()["result"], "difference");
}
