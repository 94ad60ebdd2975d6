//! What happens while a fleet is upgraded: stores of two versions at one hub, records that only the newer hub can
//! apply, and data that the older program must leave alone.

use super::trade::sell;
use super::{QUICK, outbox, status};
use crate::support::counter::text;
use crate::support::ends::{same, same_but};
use crate::support::goods::{COST, SKU, stock};
use crate::support::hub::Hub;
use crate::support::previous::{self, Build};
use crate::support::random::Random;
use crate::support::store::{STORE_ID, Store};
use crate::support::till::Till;
use crate::support::{Client, wait};
use Build::{Current, Previous};
use serde_json::{Value, json};

const TRANSFERS: &str = "/api/transfers";
const SALES: &str = "/api/pos/transactions";

/// A store of this build with ten pieces of everything.
#[track_caller]
fn shop(hub: &Hub, build: Build, id: &str) -> Store {
    let mut store = Store::prepare_of(build, id, QUICK, 1);
    hub.enrol(&store);
    store.start();
    store.receive_all(10);
    store
}

#[track_caller]
fn send(from: &Store, to: &str, qty: i64) -> String {
    let body = json!({"to_store_id": to, "lines": [{"sku": SKU, "qty": qty}]});
    text(&from.login("warehouse").post(TRANSFERS, &body).data(201), "transfer_id")
}

/// Waits until the transfer is in this state at a store.
#[track_caller]
fn has(store: &Store, id: &str, state: &str) {
    let mut client = store.login("warehouse");
    wait::until(&format!("{} has {id} as {state}", store.id()), || {
        let reply = client.get(&format!("{TRANSFERS}/{id}"));
        (reply.status == 200 && reply.data(200)["state"] == state).then_some(())
    });
}

#[track_caller]
fn receive(store: &Store, id: &str, qty: i64) {
    let came = json!({"lines": [{"sku": SKU, "qty": qty}]});
    store.login("warehouse").post(&format!("{TRANSFERS}/{id}/receive"), &came).data(200);
}

#[track_caller]
fn pieces(store: &Store) -> (i64, i64) {
    stock(&mut store.login("warehouse"), SKU)
}

/// Goods between a store that is upgraded and one that is not yet.
#[track_caller]
fn goods_move(hub: Build) {
    let mut hub = Hub::open_of(hub);
    let (newer, mut older) = (shop(&hub, Current, "S001"), shop(&hub, Previous, "S002"));
    let there = send(&older, "S001", 4);
    has(&newer, &there, "in_transit");
    receive(&newer, &there, 4);
    // What is sent to the older one waits in its rows for a program that knows what to do with it.
    let back = send(&newer, "S002", 3);
    wait::until("the hub has heard of it", || (outbox(&newer)["pending"] == 0).then_some(()));
    same(&hub, &newer);
    let forced = older.login("manager").post("/api/sync/force", &json!({})).data(200);
    assert_eq!(forced["completed"], json!(true), "{forced}");
    older.stop();
    older.replace(Current);
    older.start();
    if hub.build() == Previous {
        hub.kill9();
        hub.replace(Current);
        hub.start();
    }
    has(&older, &there, "received");
    has(&older, &back, "in_transit");
    receive(&older, &back, 3);
    has(&newer, &back, "received");
    for store in [&newer, &older] {
        same(&hub, store);
    }
    assert_eq!((pieces(&newer), pieces(&older)), ((11, 11 * COST), (9, 9 * COST)));
}

#[test]
fn goods_between_stores_of_two_versions() {
    if previous::is_here("goods_between_stores_of_two_versions") {
        goods_move(Current);
    }
}

#[test]
fn goods_between_stores_of_two_versions_at_the_previous_hub() {
    if previous::is_here("goods_between_stores_of_two_versions_at_the_previous_hub") {
        goods_move(Previous);
    }
}

/// One sale is in range; the sum of two of them is not, and only the hub's table says so.
#[track_caller]
fn huge(till: &mut Client) -> Value {
    till.post("/api/shifts/open", &json!({})).data(201);
    let items = json!({"items": [{"sku": "8990001", "qty": 1_000_000, "price": 6_000_000_000_i64}]});
    let made = till.post(SALES, &items).data(201);
    let pay = json!({"method": "card", "amount": made["total"]});
    till.post(&format!("{SALES}/{}/pay", text(&made, "transaction_id")), &pay).data(200)
}

#[test]
fn what_the_previous_hub_parked_is_applied_by_the_upgraded_one() {
    if !previous::is_here("what_the_previous_hub_parked_is_applied_by_the_upgraded_one") {
        return;
    }
    let mut hub = Hub::open_of(Previous);
    let mut store = Store::prepare_of(Current, STORE_ID, QUICK, 3);
    hub.enrol(&store);
    store.start();
    let mut till = Till::open(&store, 1, &mut Random::announced("parked"));
    let [first, _] = ["till-2", "till-3"].map(|name| huge(&mut store.login(name).at_register(name)));
    sell(&mut till, 2);
    same_but(&hub, &store, 1);
    // There is room for the second one now, but nobody asks for it.
    let path = format!("{SALES}/{}/void", text(&first, "transaction_id"));
    store.login("manager").post(&path, &json!({"reason": "a joke"})).data(200);
    same_but(&hub, &store, 1);
    hub.kill9();
    hub.replace(Current);
    hub.start();
    wait::until("it is applied", || (status(&hub)["parked_count"] == json!(0)).then_some(()));
    let books = same(&hub, &store);
    assert_eq!(books.sales["sales_count"], 3, "{books:?}");
}

#[test]
fn the_previous_version_leaves_newer_data_alone() {
    if !previous::is_here("the_previous_version_leaves_newer_data_alone") {
        return;
    }
    let mut hub = Hub::open_of(Previous);
    let mut store = Store::prepare_of(Previous, STORE_ID, QUICK, 1);
    hub.enrol(&store);
    for build in [Previous, Current] {
        hub.kill9();
        hub.replace(build);
        hub.start();
        store.replace(build);
        store.start();
        store.receive_all(10);
        same(&hub, &store);
        store.stop();
    }
    store.replace(Previous);
    let (code, said) = store.refuses_to_start();
    assert_eq!(code, 74, "{said}");
    assert!(said.contains("use the program that wrote it"), "{said}");
    hub.kill9();
    hub.replace(Previous);
    let said = hub.refuses_to_start();
    assert!(said.contains("the tables can't be brought to this version"), "{said}");
    // Nothing was changed.
    hub.replace(Current);
    hub.start();
    store.replace(Current);
    store.verify();
    store.start();
    same(&hub, &store);
}
