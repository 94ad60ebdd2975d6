//! One event in two epochs: two copies of one disk rejoin. A record from before the copy is in the journal of each, in
//! its original epoch and in the epoch to which the first copy moved it. Head office counts it once, and so does every
//! machine that is refilled with that epoch.

use super::trade::{everything, sell};
use super::{QUICK, epochs};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::process::Command;
use testkit::audit::items;
use testkit::dice::Random;
use testkit::ends::same;
use testkit::hub::Hub;
use testkit::journal;
use testkit::process;
use testkit::store::Store;
use testkit::till::Till;
use testkit::wait;

/// A time zone in which a business day ends long after most others.
const EVENING: &str = "store.timezone = \"Etc/GMT+12\"\n";
const MORNING: &str = "store.timezone = \"Pacific/Kiritimati\"\n";

/// Copies the disk of a stopped store to another machine.
#[track_caller]
fn copy_of(store: &Store) -> Store {
    let mut copy = Store::prepare(&format!("{QUICK}{EVENING}"), 2);
    copy.move_data(copy.folder().join("copied"));
    let mut cp = Command::new("cp");
    cp.arg("-r").arg(store.data()).arg(copy.data());
    process::succeed(cp, "");
    copy
}

/// Returns a product without movements.
#[track_caller]
fn has_lamps(store: &Store) {
    let products =
        store.write_file("more.csv", "sku,name,price,category,barcode,reorder_level\n7770001,Lamp,5000,,,\n");
    process::succeed(store.command(&["import", "products", products.to_str().unwrap()]), "");
}

/// Imports the product's opening stock.
#[track_caller]
fn opens_stock(store: &Store) {
    let stock = store.write_file("stock.csv", "sku,qty,unit_cost\n7770001,12,2500\n");
    process::succeed(store.command(&["import", "stock", stock.to_str().unwrap()]), "");
}

/// Returns the types of records that exist more than once.
#[track_caller]
fn doubled(store: &Store) -> Vec<String> {
    let mut seen: HashMap<String, u32> = HashMap::new();
    for record in journal::records(store.data()) {
        let kind = record["type"].as_str().unwrap().to_owned();
        let key = format!("{kind} {}", record["event_id"].as_str().unwrap());
        *seen.entry(key).or_default() += 1;
    }
    let mut kinds: Vec<String> = seen
        .into_iter()
        .filter(|(_, times)| *times > 1)
        .map(|(key, _)| key.split(' ').next().unwrap().to_owned())
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// Asserts that every finished day was compared, and has the same sums here and at head office.
#[track_caller]
fn no_day_differs(store: &Store) {
    let mut manager = store.login("manager");
    let days = wait::until("all finished days are compared", || {
        let days = items(&mut manager, "/api/sync/digests");
        let waits = |day: &Value| day["result"].is_null() || day["result"] == "not_yet";
        (!days.is_empty() && !days.iter().any(waits)).then_some(days)
    });
    assert!(days.iter().all(|day| day["result"] == "match"), "{days:?}");
}

#[test]
fn an_event_counts_once_whatever_epochs_it_came_in() {
    let mut hub = Hub::open();
    let mut shop = Store::prepare(&format!("{QUICK}{EVENING}"), 2);
    has_lamps(&shop);
    hub.enrol(&shop);
    shop.start();
    let mut random = Random::announced("twice");
    let mut till = Till::open(&shop, 1, &mut random);
    sell(&mut till, 1);
    same(&hub, &shop);
    shop.stop();
    let mut first = copy_of(&shop);
    shop.start();
    till.log_in_again(&shop);
    sell(&mut till, 1);
    same(&hub, &shop);
    shop.stop();

    // The copy works without head office, and is then copied with its records.
    hub.kill9();
    opens_stock(&first);
    first.start();
    everything(&first, 1);
    first.stop();
    let mut second = copy_of(&first);
    hub.start();
    for (n, copy) in [(2, &mut first), (3, &mut second)] {
        copy.start();
        wait::until("the copy is fenced", || (super::outbox(copy)["fenced"] == json!(true)).then_some(()));
        process::succeed(copy.command(&["rejoin"]), "");
        same(&hub, copy);
        assert!(epochs(&hub).len() >= n, "{:?}", epochs(&hub));
        // Sales from before the copy are in their original epoch and in that of the copy that rejoined first.
        let kinds = doubled(copy);
        for kind in ["cash.moved", "points.adjusted", "stock.moved", "transaction.paid", "opname.posted"] {
            assert!(kinds.iter().any(|there| there == kind), "no {kind} exists twice: {kinds:?}");
        }
        copy.stop();
        copy.verify();
    }

    // Everything is restored to a new machine without records.
    let mut third = Store::prepare(&format!("{QUICK}{MORNING}"), 2);
    has_lamps(&third);
    hub.enrol_again(&third);
    process::succeed(third.command(&["rejoin"]), "");
    third.start();
    same(&hub, &third);
    no_day_differs(&third);
    let mut till = Till::open(&third, 1, &mut random);
    everything(&third, 1);
    sell(&mut till, 1);
    same(&hub, &third);
    third.stop();
    third.verify();
}
