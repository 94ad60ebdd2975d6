//! Black-box tests: the real `store-router` and `cloud-hub`, used as tills and people use them and on failing machines.
//! The tests use no internals of either program, except for stand-ins of another version (`sync/versions.rs`) and of a
//! hub (`head_office.rs`).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod contract {
    mod deprecated;
    mod events;
    mod every_route;
    mod garbage;
    pub mod idempotency;
    pub mod names;
    mod naming;
    pub mod operations;
    mod refusals;
    mod shapes;
    mod smuggling;
}

mod durability {
    mod actors;
    mod backups;
    mod damage;
    mod drills;
    mod full;
    mod kill9;
    mod power;
    mod stuck;
    mod synced;
    mod unsynced;
}

mod feed;

mod head_office;

mod identity {
    mod accounts;
    mod audit_log;
    mod behind_a_proxy;
    mod browser;
    mod devices;
    mod foreign;
    mod guesses;
    mod passkeys;
    mod pins;
    mod refused_log_ins;
    mod roles;
    mod rotation;
    mod secrets;
}

mod members {
    mod lookup;
    mod points;
}

mod model;

mod office;

mod operations {
    mod admin;
    mod cli;
    mod commands;
    mod exits;
    mod first_day;
    mod imports;
    mod openings;
    mod printing;
    mod tls;
}

mod returns {
    mod elsewhere;
    pub mod points;
    mod same_store;
}

mod selling {
    mod catalogue;
    mod codes;
    mod currencies;
    mod guards;
    mod holds;
    mod limits;
    mod quick_keys;
    mod races;
    mod reasons;
    mod receipts;
    mod registers;
    mod spine;
    mod vectors;
    mod versions;
    mod voids;
    mod whole;
}

mod shifts {
    mod days;
    mod figures;
    mod lifecycle;
    mod reports;
    mod standing;
}

mod stock {
    mod adjustments;
    mod levels;
    mod opname;
    mod own_catalogue;
    mod receiving;
    mod transfers;
}

mod sync;
