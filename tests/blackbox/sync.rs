//! Conditions that synchronisation must survive (docs/proofs/sync-proofs.md): the real store and the real hub, with
//! failures of networks and machines, backups and mistakes of people. At the end both have the same data.
//!
//! With `HUB_TEST_POSTGRES` in the environment the hub's database is on that server, otherwise it is a file.

mod alike;
mod clocks;
mod clones;
mod company;
mod database_away;
mod forgets;
mod kills;
mod lists;
mod network;
mod offline;
mod poison;
mod rebuilt;
mod refill;
mod rejected;
mod restores;
mod resubmitted;
mod returning;
mod rows;
mod trade;
mod transfers;
mod twice;
mod twins;
mod versions;
mod wire;

use serde_json::Value;
use testkit::hub::Hub;
use testkit::store::{STORE_ID, Store};

/// Short pauses, because a test waits for a condition and not for a backoff.
const QUICK: &str = "sync.backoff_min = \"2ms\"\nsync.backoff_max = \"40ms\"\n";

/// Returns the hub's status of the store that every test uses.
#[track_caller]
fn status(hub: &Hub) -> Value {
    hub.login().get(&format!("/api/stores/{STORE_ID}/status")).data(200)
}

/// Returns the epochs of the store that the hub knows.
#[track_caller]
fn epochs(hub: &Hub) -> Vec<Value> {
    status(hub)["heads"].as_array().unwrap().clone()
}

/// Returns the store's status of its own queue.
#[track_caller]
fn outbox(store: &Store) -> Value {
    store.login("manager").get("/api/sync/status").data(200)["outbox"].clone()
}
