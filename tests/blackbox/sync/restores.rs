//! Backups of the store and of the hub, and what people do with them, also after the loss of a machine.

use super::trade::{everything, sell};
use super::{QUICK, epochs};
use std::collections::BTreeSet;
use std::path::PathBuf;
use testkit::dice::Random;
use testkit::ends::{same, same_but};
use testkit::hub::Hub;
use testkit::journal;
use testkit::process;
use testkit::store::Store;
use testkit::till::Till;
use testkit::wait;

struct Pair {
    hub: Hub,
    store: Store,
    random: Random,
}

impl Pair {
    #[track_caller]
    fn open(test: &str) -> (Self, Till) {
        let hub = Hub::open();
        let mut store = Store::prepare(QUICK, 2);
        hub.enrol(&store);
        store.start();
        let mut random = Random::announced(test);
        let mut till = Till::open(&store, 1, &mut random);
        everything(&store, 1);
        sell(&mut till, 2);
        same(&hub, &store);
        (Self { hub, store, random }, till)
    }

    #[track_caller]
    fn backup(&self) -> PathBuf {
        let to = self.store.folder().join("backup");
        process::succeed(self.store.command(&["backup", to.to_str().unwrap()]), "");
        to
    }

    /// Loses the disk and restores a backup.
    #[track_caller]
    fn restore(&mut self, backup: &std::path::Path, name: &str) {
        self.store.kill9();
        self.store.move_data(self.store.folder().join(name));
        process::succeed(self.store.command(&["restore", backup.to_str().unwrap()]), "");
        self.store.start();
    }

    /// Returns the generation of the hub's database, as the hub reports it to the store.
    #[track_caller]
    fn generation(&self) -> String {
        let token = self.hub.signer(&self.store)();
        let reported = self.hub.client().with_token(&token).get("/api/sync/pull").data(200);
        reported["hub_generation"].as_str().unwrap().to_owned()
    }

    /// Sells in a new shift, and asserts that store and hub have the same.
    #[track_caller]
    fn goes_on(&mut self) {
        // The records that the hub has come back first, and nothing is written before that.
        wait::until("the store has its records back", || {
            let there: u64 = epochs(&self.hub).iter().filter_map(|head| head["seq"].as_u64()).sum();
            let here: BTreeSet<String> = journal::record_texts(self.store.data()).into_iter().collect();
            (here.len() as u64 >= there).then_some(())
        });
        let mut till = Till::open(&self.store, 2, &mut self.random);
        sell(&mut till, 2);
        everything(&self.store, 2);
        same_but(&self.hub, &self.store, 0);
    }
}

#[test]
fn a_store_restored_once() {
    let (mut pair, mut till) = Pair::open("restored once");
    let backup = pair.backup();
    sell(&mut till, 4);
    everything(&pair.store, 1);
    same(&pair.hub, &pair.store);
    pair.restore(&backup, "restored");
    pair.goes_on();
    assert_eq!(epochs(&pair.hub).len(), 2);
    pair.store.stop();
    pair.store.verify();
}

#[test]
fn a_store_restored_before_it_could_send_what_it_had_sold() {
    let (mut pair, mut till) = Pair::open("unsent");
    let backup = pair.backup();
    pair.hub.kill9();
    // Only this disk has these records.
    sell(&mut till, 3);
    pair.restore(&backup, "restored");
    let mut till = Till::open(&pair.store, 2, &mut pair.random);
    sell(&mut till, 2);
    pair.hub.start();
    same_but(&pair.hub, &pair.store, 0);
}

#[test]
fn a_store_restored_twice_from_one_backup() {
    let (mut pair, mut till) = Pair::open("restored twice");
    let backup = pair.backup();
    sell(&mut till, 4);
    same(&pair.hub, &pair.store);
    for name in ["first", "second"] {
        pair.restore(&backup, name);
        pair.goes_on();
    }
    assert!(epochs(&pair.hub).len() >= 3, "one epoch for each restore: {:?}", epochs(&pair.hub));
    pair.store.stop();
    pair.store.verify();
}

#[test]
fn a_store_from_a_burnt_box() {
    let (mut pair, mut till) = Pair::open("burnt");
    sell(&mut till, 3);
    same(&pair.hub, &pair.store);
    pair.store = Store::prepare(QUICK, 2);
    pair.hub.enrol_again(&pair.store);
    process::succeed(pair.store.command(&["rejoin"]), "");
    pair.store.start();
    same_but(&pair.hub, &pair.store, 0);
    pair.goes_on();
    pair.store.stop();
    pair.store.verify();
}

#[test]
fn a_hub_restored_by_command() {
    let (mut pair, mut till) = Pair::open("hub by command");
    let backup = pair.hub.backup();
    everything(&pair.store, 1);
    let (sold, before) = (same(&pair.hub, &pair.store), pair.generation());
    pair.hub.restore(&backup);
    assert_ne!(pair.generation(), before);
    assert_eq!(same(&pair.hub, &pair.store), sold, "the store sends what the backup lacks");
    sell(&mut till, 2);
    same(&pair.hub, &pair.store);
    process::succeed(pair.hub.command(&["verify"]), "");
}

#[test]
fn a_hub_restored_by_hand() {
    let (mut pair, mut till) = Pair::open("hub by hand");
    pair.hub.kill9();
    let copy = pair.hub.copy_database();
    pair.hub.start();
    everything(&pair.store, 1);
    let (sold, before) = (same(&pair.hub, &pair.store), pair.generation());
    pair.hub.restart();
    assert_eq!(pair.generation(), before, "a restart alone starts no new generation");
    pair.hub.kill9();
    pair.hub.put_database(&copy);
    pair.hub.start();
    assert_ne!(pair.generation(), before, "the hub did not learn that its database is older");
    assert_eq!(same(&pair.hub, &pair.store), sold, "the store sends what the copy lacks");
    sell(&mut till, 2);
    same(&pair.hub, &pair.store);
    process::succeed(pair.hub.command(&["verify"]), "");
}

#[test]
fn store_and_hub_restored_both() {
    let (mut pair, mut till) = Pair::open("both");
    let (of_store, of_hub) = (pair.backup(), pair.hub.backup());
    sell(&mut till, 2);
    same(&pair.hub, &pair.store);
    pair.restore(&of_store, "restored");
    let mut till = Till::open(&pair.store, 2, &mut pair.random);
    sell(&mut till, 2);
    same_but(&pair.hub, &pair.store, 0);
    // The store got back the records that only the hub had. Now the hub gets them back from the store.
    pair.hub.restore(&of_hub);
    let sold = same_but(&pair.hub, &pair.store, 0);
    assert!(sold.sales["sales_count"] > 6, "{sold:?}");
}
