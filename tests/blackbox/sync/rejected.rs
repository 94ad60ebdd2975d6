//! A refusal that a retry can't fix: the longest pause, no loss of records, and a retry at once when a person asks for
//! it.

use domain::model::base::time::UtcMs;
use edge::clock;
use serde_json::{Value, json};
use testkit::linked::Linked;
use testkit::store::STORE_ID;
use testkit::wait;

/// Half of the longest pause (`sync.backoff_max`). Shorter pauses are those of a lost connection.
const LONG_MS: i64 = 150_000;

#[track_caller]
fn link(shop: &mut Linked) -> Value {
    shop.manager.get("/api/sync/status").data(200)
}

#[test]
fn a_refused_store_keeps_everything_waits_long_and_continues_on_request() {
    let mut shop = Linked::open();
    shop.synced();
    let path = |step: &str| format!("/api/stores/{STORE_ID}/{step}");
    shop.office.post(&path("disable"), &json!({})).data(200);
    let sell = |shop: &mut Linked| {
        let basket = json!({"items": [{"sku": "8990001", "qty": 1, "price": 2_000}]});
        let sale = shop.till.post("/api/pos/transactions", &basket).data(201);
        let id = sale["transaction_id"].as_str().unwrap().to_owned();
        let cash = json!({"method": "cash", "amount": sale["amount_due"], "tendered": sale["amount_due"]});
        shop.till.post(&format!("/api/pos/transactions/{id}/pay"), &cash).data(200);
    };
    sell(&mut shop);
    let refused =
        shop.seen("it is refused", "/api/sync/status", |status| status["hub"]["state"] == "rejected");
    assert!(refused["hub"]["last_error"].as_str().unwrap().contains("store_disabled"), "{refused}");
    let next: UtcMs = serde_json::from_value(refused["hub"]["next_attempt_at"].clone()).unwrap();
    assert!(next.0 - clock::now().0 > LONG_MS, "the longest pause: {refused}");
    // On request the store tries again and is refused again. Selling continues, and nothing is lost.
    let forced = shop.manager.post("/api/sync/force", &json!({})).data(200);
    assert_eq!(forced["completed"], json!(false), "{forced}");
    sell(&mut shop);
    let kept = link(&mut shop);
    assert_eq!(
        (&kept["hub"]["state"], &kept["outbox"]["pending"]),
        (&json!("rejected"), &json!(2)),
        "{kept}"
    );

    shop.office.post(&path("enable"), &json!({})).data(200);
    let forced = shop.manager.post("/api/sync/force", &json!({})).data(200);
    assert_eq!(forced["completed"], json!(true), "the retry must not wait for the pause: {forced}");
    let reported = link(&mut shop);
    assert_eq!(
        (&reported["hub"]["state"], &reported["outbox"]["pending"]),
        (&json!("online"), &json!(0)),
        "{reported}"
    );
    let there = wait::until("head office has both records", || {
        let status = shop.office.get(&path("status")).data(200);
        (status["sums"]["sales_count"] == json!(2)).then_some(status)
    });
    assert_eq!(there["parked_count"], json!(0));
}
