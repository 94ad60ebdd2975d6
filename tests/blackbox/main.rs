//! Black-box tests: the real `store-router` and `cloud-hub`, driven as a till, a person and a
//! failing machine would drive them. Nothing in here knows the inside of either.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod support;

mod accounts;
mod actors;
mod adjustments;
mod admin;
mod audit_log;
mod backups;
mod browser;
mod catalogue;
mod cli;
mod commands;
mod damage;
mod days;
mod devices;
mod durability;
mod elsewhere;
mod events;
mod every_route;
mod exits;
mod feed;
mod first_day;
mod foreign;
mod garbage;
mod guards;
mod guesses;
mod holds;
mod idempotency;
mod imports;
mod kill9;
mod limits;
mod members;
mod model;
mod naming;
mod opname;
mod passkeys;
mod points;
mod power;
mod races;
mod reasons;
mod receipts;
mod receiving;
mod refusals;
mod refused_log_ins;
mod registers;
mod reports;
mod returned_points;
mod returns;
mod roles;
mod rotation;
mod secrets;
mod shapes;
mod shift_figures;
mod shifts;
mod smuggling;
mod spine;
mod stock;
mod stuck;
mod sync;
mod sync_lists;
mod tls;
mod transfers;
mod unsynced;
mod vectors;
mod voids;
