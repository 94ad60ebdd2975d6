//! One disk becomes two machines: one of them is the active store, the other keeps its queue until a person decides.

use super::trade::sell;
use super::{QUICK, epochs, outbox};
use serde_json::json;
use std::process::Command;
use testkit::dice::Random;
use testkit::ends::{same, same_but};
use testkit::hub::Hub;
use testkit::process;
use testkit::store::Store;
use testkit::till::Till;
use testkit::wait;

/// Two copies of one store, both stopped, with an open shift and its sales.
pub(super) struct Twins {
    pub hub: Hub,
    pub shop: Store,
    pub clone: Store,
    pub till: Till,
    pub random: Random,
}

impl Twins {
    #[track_caller]
    pub fn open(test: &str) -> Self {
        let hub = Hub::open();
        let mut shop = Store::prepare(QUICK, 1);
        hub.enrol(&shop);
        shop.start();
        let mut random = Random::announced(test);
        let mut till = Till::open(&shop, 1, &mut random);
        sell(&mut till, 2);
        same(&hub, &shop);
        shop.stop();
        let mut clone = Store::prepare(QUICK, 1);
        clone.move_data(clone.folder().join("cloned"));
        let mut copy = Command::new("cp");
        copy.arg("-r").arg(shop.data()).arg(clone.data());
        process::succeed(copy, "");
        Self { hub, shop, clone, till, random }
    }
}

/// Sells at the till that was open when the disk was copied.
#[track_caller]
fn sells(store: &mut Store, till: &mut Till, count: usize) {
    store.start();
    till.log_in_again(store);
    sell(till, count);
}

/// Asserts that the copy sells nothing, reports the reason, keeps its queue, and stays so after a restart without the
/// hub.
#[track_caller]
fn is_fenced(hub: &mut Hub, store: &mut Store, till: &Till, pending: bool) {
    wait::until("the copy is fenced", || (outbox(store)["fenced"] == json!(true)).then_some(()));
    let basket = json!({"shift_id": till.shift_id, "items": [{"sku": "8990001", "qty": 1, "price": 2000}]});
    for restarted in [false, true] {
        if restarted {
            hub.kill9();
            store.stop();
            store.start();
        }
        let mut cashier = store.login("till-1").at_register("till-1");
        let refused = cashier.post("/api/pos/transactions", &basket).refused(409, "invalid_state");
        assert_eq!(refused["state"], json!("fenced"), "{refused}");
        let ready = store.client().get("/health/ready");
        ready.refused(503, "unavailable");
        assert!(ready.text().contains("can't sell"), "{}", ready.text());
        assert_eq!(outbox(store)["pending"].as_u64().unwrap() > 0, pending, "{}", outbox(store));
    }
    hub.start();
    wait::until("the log says what a person must do", || {
        process::succeed(store.command(&["status"]), "").contains("rejoin").then_some(())
    });
}

/// Makes this copy the active one with `rejoin`. No sale of either copy is lost.
#[track_caller]
fn rejoins(hub: &Hub, store: &mut Store, random: &mut Random, sales: i64) {
    let reported = process::succeed(store.command(&["rejoin"]), "");
    assert!(reported.contains("epoch 2-"), "{reported}");
    let books = same_but(hub, store, 0);
    assert_eq!(books.sales["sales_count"], sales, "{books:?}");
    let mut till = Till::open(store, 1, random);
    sell(&mut till, 1);
    same_but(hub, store, 0);
    assert_eq!(epochs(hub).len(), 2);
    store.stop();
    store.verify();
}

#[test]
fn a_clone_behind_its_shop() {
    let mut twins = Twins::open("shop ahead");
    let mut of_shop = twins.till;
    sells(&mut twins.shop, &mut of_shop, 3);
    same(&twins.hub, &twins.shop);
    twins.shop.stop();
    twins.clone.start();
    is_fenced(&mut twins.hub, &mut twins.clone, &of_shop, false);
    // The other copy had no effect on the store.
    twins.clone.stop();
    sells(&mut twins.shop, &mut of_shop, 1);
    same(&twins.hub, &twins.shop);
    twins.shop.stop();
    twins.clone.start();
    rejoins(&twins.hub, &mut twins.clone, &mut twins.random, 6);
}

#[test]
fn a_clone_ahead_of_its_shop() {
    let mut twins = Twins::open("clone ahead");
    let mut till = twins.till;
    sells(&mut twins.clone, &mut till, 3);
    same(&twins.hub, &twins.clone);
    twins.clone.stop();
    twins.shop.start();
    is_fenced(&mut twins.hub, &mut twins.shop, &till, false);
    rejoins(&twins.hub, &mut twins.shop, &mut twins.random, 5);
}

#[test]
fn a_clone_and_its_shop_both_ahead() {
    let mut twins = Twins::open("both ahead");
    let mut till = twins.till;
    sells(&mut twins.shop, &mut till, 3);
    same(&twins.hub, &twins.shop);
    twins.shop.stop();
    twins.hub.kill9();
    sells(&mut twins.clone, &mut till, 1);
    twins.hub.start();
    is_fenced(&mut twins.hub, &mut twins.clone, &till, true);
    rejoins(&twins.hub, &mut twins.clone, &mut twins.random, 6);
}

#[test]
fn a_box_beside_the_one_that_was_enrolled_in_its_place() {
    let mut twins = Twins::open("replaced");
    let mut till = twins.till;
    twins.hub.enrol_again(&twins.clone);
    sells(&mut twins.clone, &mut till, 2);
    same(&twins.hub, &twins.clone);
    twins.clone.stop();
    twins.hub.kill9();
    sells(&mut twins.shop, &mut till, 1);
    twins.hub.start();
    is_fenced(&mut twins.hub, &mut twins.shop, &till, true);
    // Head office does not accept this copy in a new epoch either.
    let refused = process::said(&process::run(twins.shop.command(&["rejoin"]), ""));
    assert!(refused.contains("store-router enrol"), "{refused}");
    twins.hub.enrol_again(&twins.shop);
    rejoins(&twins.hub, &mut twins.shop, &mut twins.random, 5);
}
