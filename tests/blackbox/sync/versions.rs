//! A hub and a store that are one version ahead of the other side.

use super::trade::{everything, sell};
use super::{QUICK, status};
use serde_json::json;
use storage::{Commit, Options, Storage};
use testkit::chaos::{ALL, Chaos, Proxy};
use testkit::dice::Random;
use testkit::ends::{same, same_records};
use testkit::hub::Hub;
use testkit::store::Store;
use testkit::till::Till;
use testkit::wait;

#[test]
fn a_hub_one_version_ahead() {
    let hub = Hub::open();
    let mut store = Store::prepare(QUICK, 1);
    let proxy = Proxy::before(hub.address());
    hub.enrol_at(&store, &proxy.url());
    proxy.set(Chaos::Newer, ALL);
    store.start();
    Till::open(&store, 1, &mut Random::announced("versions"));
    everything(&store, 1);
    let product = json!({"sku": "870001", "name": "New", "price": 500});
    hub.login().post("/api/products", &product).data(201);
    // The feed continues past records that this version does not know.
    wait::until("a known record arrives", || {
        let mut till = store.login("till-1").at_register("till-1");
        let reply = till.get("/api/pos/products/870001");
        (reply.status == 200).then_some(())
    });
    same(&hub, &store);
    assert!(proxy.tampered() > 3);
    store.stop();
    store.start();
    // The unknown record is kept unchanged and reported, also after a restart, and the feed continues.
    let inbound = store.login("manager").get("/api/sync/status").data(200)["inbound"].clone();
    let untaken = inbound["untaken"]["records"].as_array().unwrap();
    let unknown = untaken.iter().find(|note| note["kind"] == "hologram").unwrap();
    assert_eq!(unknown["id"], json!("holo_1"), "{unknown}");
    assert_eq!(unknown["problem"], json!("this version does not know the kind"), "{unknown}");
}

/// Writes records of a later version into the journal of the stopped store.
fn writes(store: &Store, records: Vec<String>) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        // The program makes new files private to their owner, so this process must do the same.
        edge::private::new_files_only_for_owner();
        let storage = Storage::open(store.data(), &Options::default()).unwrap();
        let commit = Commit { events: Vec::new(), records, keyed: None, at: edge::clock::now(), hlc: None };
        storage.commit(commit).await.unwrap();
        storage.close().unwrap();
    });
}

#[test]
fn a_store_one_version_ahead() {
    let mut hub = Hub::open();
    let mut store = Store::prepare(QUICK, 1);
    hub.enrol(&store);
    store.start();
    let mut random = Random::announced("ahead");
    let mut till = Till::open(&store, 1, &mut random);
    sell(&mut till, 2);
    same(&hub, &store);
    store.stop();
    let now = edge::clock::now();
    let at = format!("{:013}-00000-S001", now.0);
    let record = |id: &str, kind: &str, schema: u32, about: &serde_json::Value| {
        format!(
            r#"{{"event_id":"{id}","type":"{kind}","schema":{schema},"at":"{at}","occurred_at":"{now}","about":{about},"payload":7}}"#
        )
    };
    let sale = json!({"aggregate": "transaction:trx_later"});
    writes(
        &store,
        vec![
            record("evt_later_1", "hologram.shown", 1, &json!({})),
            record("evt_later_2", "transaction.paid", 2, &sale),
            record("evt_later_3", "transaction.voided", 2, &sale),
        ],
    );
    store.start();
    till.log_in_again(&store);
    sell(&mut till, 3);
    let parked = |hub: &Hub| -> Vec<String> {
        let parked = status(hub)["parked"].as_array().unwrap().clone();
        parked.iter().map(|row| row["code"].as_str().unwrap().to_owned()).collect()
    };
    same_records(&hub, &store, 3);
    assert_eq!(parked(&hub), ["unknown_type", "unknown_schema", "waits_for_parked"]);
    // No restart loses a record, and everything else was applied.
    hub.restart();
    store.stop();
    store.start();
    till.log_in_again(&store);
    sell(&mut till, 1);
    assert_eq!(parked(&hub).len(), 3);
    same_records(&hub, &store, 3);
}
