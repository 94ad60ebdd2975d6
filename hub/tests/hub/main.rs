//! Black-box tests of the hub: over HTTP and the command line, on a real database.
//!
//! `HUB_TEST_POSTGRES=postgres://user@host` runs all of them on PostgreSQL, each in a database of its own;
//! `HUB_TEST_CONNECTIONS=1` with a single connection each.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod audit;
mod auth;
mod backups;
mod commands;
mod compact;
mod contradictions;
mod digest;
mod exceptions;
mod facts;
mod feed;
mod generations;
mod hello;
mod kill;
mod kinds;
mod odd_bodies;
mod office;
mod own;
mod people;
mod poison;
mod pool;
mod processes;
mod products;
mod push;
mod receipts;
mod records;
mod replay;
mod reports;
mod schema;
mod server;
mod shared;
mod shop;
mod snapshot;
mod stores;
mod wire;
