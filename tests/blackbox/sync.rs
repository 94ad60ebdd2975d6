//! What synchronisation must stand (sync.md): the real store and the real hub, and between them what
//! networks, backups and people do. In the end both have the same.

use crate::support::chaos::{Chaos, Proxy};
use crate::support::hub::Hub;
use crate::support::process;
use crate::support::random::Random;
use crate::support::store::{STORE_ID, Store};
use crate::support::till::Till;
use crate::support::wait;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// Short pauses: a test waits for a condition, not for a backoff.
const QUICK: &str = "sync.backoff_min = \"50ms\"\nsync.backoff_max = \"200ms\"\n";

fn sync(store: &Store) -> Value {
    store.login("manager").get("/api/sync/status").data(200)
}

fn status(hub: &Hub) -> Value {
    hub.login().get(&format!("/api/stores/{STORE_ID}/status")).data(200)
}

/// Waits until nothing is pending, then compares heads and sums.
#[track_caller]
fn same(hub: &Hub, store: &Store, sales: usize) {
    let outbox = wait::until("store and hub have the same", || {
        let outbox = sync(store)["outbox"].clone();
        let heads = status(hub)["heads"].clone();
        let head = heads.as_array().unwrap().iter().find(|head| head["epoch"] == outbox["epoch"])?;
        let same = head["seq"] == outbox["last_seq"] && head["hash"] == outbox["head_hash"];
        (outbox["pending"] == json!(0) && same).then_some(outbox)
    });
    assert_eq!(outbox["fenced"], json!(false));
    let status = status(hub);
    assert_eq!(status["sums"]["sales_count"], json!(sales), "{status}");
    assert_eq!(status["parked_count"], json!(0), "{status}");
}

fn sell(till: &mut Till, count: usize) {
    for _ in 0..count {
        till.sell();
    }
}

fn copy(from: &Path, to: &Path) {
    let mut command = Command::new("cp");
    command.arg("-r").arg(from).arg(to);
    process::succeed(command, "");
}

#[test]
fn answers_lost_after_apply_and_batches_sent_twice_change_nothing() {
    let hub = Hub::open();
    let mut store = Store::prepare(QUICK, 1);
    let proxy = Proxy::before(hub.address());
    hub.enrol_at(&store, &proxy.url());
    store.start();
    let mut till = Till::open(&store, 1, &mut Random::announced("chaos"));
    let mut sold = 0;
    let trials = [
        Chaos::LoseAnswer,
        Chaos::Twice,
        Chaos::CutRequest(0),
        Chaos::CutRequest(40),
        Chaos::CutRequest(900),
        Chaos::CutAnswer(0),
        Chaos::CutAnswer(17),
        Chaos::CutAnswer(150),
        Chaos::CutAnswer(400),
    ];
    for chaos in trials {
        proxy.set(chaos);
        sell(&mut till, 2);
        sold += 2;
        wait::until("it was tampered with", || (proxy.tampered() >= 1).then_some(()));
        proxy.set(Chaos::Pass);
        same(&hub, &store, sold);
    }
}

#[test]
fn a_captive_portal_is_a_failure_and_never_an_acknowledgement() {
    let hub = Hub::open();
    let mut store = Store::prepare(QUICK, 1);
    let proxy = Proxy::before(hub.address());
    hub.enrol_at(&store, &proxy.url());
    store.start();
    let mut till = Till::open(&store, 1, &mut Random::announced("portal"));
    same(&hub, &store, 0);
    for (portal, sold) in [(Chaos::Portal, 1), (Chaos::JsonPortal, 2)] {
        proxy.set(portal);
        let acked = sync(&store)["outbox"]["acked_seq"].clone();
        sell(&mut till, 1);
        wait::until("the portal is met", || (proxy.tampered() >= 3).then_some(()));
        let now = sync(&store);
        assert_eq!(now["outbox"]["acked_seq"], acked, "{now}");
        let forced = store.login("manager").post("/api/sync/force", &json!({})).data(200);
        assert_eq!(forced["completed"], json!(false), "{forced}");
        proxy.set(Chaos::Pass);
        same(&hub, &store, sold);
    }
}

#[test]
fn a_store_restored_twice_from_one_backup_gets_back_what_it_lost() {
    let hub = Hub::open();
    let mut store = Store::prepare(QUICK, 1);
    hub.enrol(&store);
    store.start();
    let mut random = Random::announced("restored");
    let mut till = Till::open(&store, 1, &mut random);
    sell(&mut till, 3);
    let backup = store.folder().join("backup");
    process::succeed(store.command(&["backup", backup.to_str().unwrap()]), "");
    sell(&mut till, 4);
    same(&hub, &store, 7);
    let mut sold = 7;
    for round in 1..=2 {
        // The disk dies with it: what was not sent is gone, and nothing was.
        store.kill9();
        store.move_data(store.folder().join(format!("restored-{round}")));
        process::succeed(store.command(&["restore", backup.to_str().unwrap()]), "");
        store.start();
        let mut till = Till::open(&store, 1, &mut random);
        sell(&mut till, 2);
        sold += 2;
        same(&hub, &store, sold);
    }
    let heads = status(&hub)["heads"].clone();
    assert!(heads.as_array().unwrap().len() >= 3, "an epoch for each restore: {heads}");
    store.stop();
    store.verify();
}

#[test]
fn of_two_clones_one_is_the_shop_and_the_other_keeps_its_queue_until_it_rejoins() {
    let mut hub = Hub::open();
    let mut shop = Store::prepare(QUICK, 1);
    hub.enrol(&shop);
    shop.start();
    let mut random = Random::announced("cloned");
    let mut till = Till::open(&shop, 1, &mut random);
    sell(&mut till, 2);
    same(&hub, &shop, 2);
    shop.stop();
    let mut clone = Store::prepare(QUICK, 1);
    clone.move_data(clone.folder().join("cloned"));
    copy(shop.data(), clone.data());
    // The shop is ahead; its clone sold while no hub was there.
    shop.start();
    till.log_in_again(&shop);
    sell(&mut till, 3);
    same(&hub, &shop, 5);
    hub.kill9();
    shop.stop();
    clone.start();
    till.log_in_again(&clone);
    sell(&mut till, 1);
    hub.start();
    wait::until("the clone is fenced", || (sync(&clone)["outbox"]["fenced"] == json!(true)).then_some(()));
    let basket = json!({"shift_id": till.shift_id, "items": [{"sku": "8990001", "qty": 1, "price": 2000}]});
    let mut cashier = clone.login("till-1").at_register("till-1");
    let refused = cashier.post("/api/pos/transactions", &basket).refused(409, "invalid_state");
    assert_eq!(refused["state"], json!("fenced"), "{refused}");
    let now = sync(&clone);
    assert!(now["outbox"]["pending"].as_u64().unwrap() > 0, "it keeps its queue: {now}");
    let told = process::succeed(clone.command(&["status"]), "");
    assert!(told.contains("rejoin"), "{told}");
    // A restart without the hub still knows.
    hub.kill9();
    clone.stop();
    clone.start();
    let mut cashier = clone.login("till-1").at_register("till-1");
    cashier.post("/api/pos/transactions", &basket).refused(409, "invalid_state");
    hub.start();
    // A person says that this one is the shop from now on: its sale is not lost, nor are the other's.
    let told = process::succeed(clone.command(&["rejoin"]), "");
    assert!(told.contains("epoch 2-"), "{told}");
    same(&hub, &clone, 6);
    let mut till = Till::open(&clone, 1, &mut random);
    sell(&mut till, 1);
    same(&hub, &clone, 7);
    clone.stop();
    clone.verify();
}

#[test]
fn a_burnt_box_gets_everything_back_by_own() {
    let hub = Hub::open();
    let mut store = Store::prepare(QUICK, 1);
    hub.enrol(&store);
    store.start();
    let mut random = Random::announced("burnt");
    let mut till = Till::open(&store, 1, &mut random);
    sell(&mut till, 5);
    same(&hub, &store, 5);
    let records = sync(&store)["outbox"]["last_seq"].as_u64().unwrap();
    drop(store);
    let mut store = Store::prepare(QUICK, 1);
    hub.enrol_again(&store);
    process::succeed(store.command(&["rejoin"]), "");
    store.start();
    let mut till = Till::open(&store, 1, &mut random);
    sell(&mut till, 1);
    same(&hub, &store, 6);
    store.stop();
    let verified = process::succeed(store.command(&["verify"]), "");
    assert!(verified.contains("records"), "{verified}");
    assert!(records > 5, "the shift and its sales");
}
