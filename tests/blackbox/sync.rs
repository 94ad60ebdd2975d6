//! What synchronisation must stand (docs/proofs/sync-proofs.md): the real store and the real hub, and
//! between them what networks, machines, backups and people do. In the end both have the same.
//!
//! With `HUB_TEST_POSTGRES` in the environment the hub's database is on that server, else it is a file.

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

/// Short pauses: a test waits for a condition, not for a backoff.
const QUICK: &str = "sync.backoff_min = \"2ms\"\nsync.backoff_max = \"40ms\"\n";

/// How the hub sees the store of every test.
#[track_caller]
fn status(hub: &Hub) -> Value {
    hub.login().get(&format!("/api/stores/{STORE_ID}/status")).data(200)
}

/// The epochs that the hub knows of it.
#[track_caller]
fn epochs(hub: &Hub) -> Vec<Value> {
    status(hub)["heads"].as_array().unwrap().clone()
}

/// How the store sees its own queue.
#[track_caller]
fn outbox(store: &Store) -> Value {
    store.login("manager").get("/api/sync/status").data(200)["outbox"].clone()
}
