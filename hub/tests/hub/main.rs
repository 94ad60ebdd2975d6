//! Black-box tests of the hub: over HTTP and the command line, on a real database.
//!
//! `HUB_TEST_POSTGRES=postgres://user@host` runs all of them on PostgreSQL, each in a database of its own;
//! `HUB_TEST_CONNECTIONS=1` limits each to a single connection, and `HUB_TEST_PARTITIONED=1` partitions the tables
//! (PostgreSQL).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod feeds {
    pub mod compact;
    pub mod pages;
    pub mod snapshot;
}
mod office {
    mod account_use;
    pub mod administration {
        mod batches;
        pub mod erased;
        pub mod lists;
        pub mod points;
        pub mod settings;
        pub mod stores;
    }
    pub mod api_keys;
    pub mod audit;
    pub mod auth;
    pub mod documents {
        mod changed;
        pub mod filters;
        pub mod movements;
        pub mod plans;
        pub mod read;
        pub mod stock_documents;
        pub mod warehouse_doubts;
        pub mod warehouses;
    }
    pub mod exceptions;
    pub mod filters;
    pub mod finance;
    pub mod finance_days;
    pub mod finance_entries;
    pub mod finance_lists;
    pub mod finance_months;
    pub mod finance_points;
    pub mod finance_posting;
    pub mod finance_story;
    pub mod finance_taken_back;
    pub mod head_office;
    pub mod odd_bodies;
    pub mod products;
    pub mod promotions;
    pub mod purchasing {
        pub mod amendments;
        pub mod changes;
        mod credits;
        mod filters;
        mod four_eyes;
        mod line_totals;
        pub mod order_lines;
        pub mod orders;
        pub mod payables;
        pub mod suppliers;
        mod taken_back;
    }
    pub mod receipts;
    pub mod reports {
        pub mod figures;
        pub mod goods;
        mod large_figures;
        pub mod rollups;
        pub mod stock;
        pub mod totals;
    }
    pub mod stores;
    pub mod users;
    pub mod settlement {
        mod as_reported;
        pub mod bank;
        mod camt_files;
        mod files;
        pub mod items;
        pub mod many_lines;
        pub mod matches;
        mod matrix;
        mod noted;
        pub mod reconciled;
        pub mod resolved;
        pub mod set_aside;
        pub mod shift_figures;
        pub mod story;
    }
}
mod operation {
    pub mod backups;
    mod classes;
    pub mod commands;
    pub mod event_log;
    mod events;
    mod hang_ups;
    mod import_memory;
    mod journal_exports;
    pub mod office_races {
        mod documents;
        mod goods;
        mod settlements;
        mod two;
    }
    mod partition;
    pub mod pool;
    pub mod processes;
    pub mod schema;
    pub mod webhooks;
}
mod support {
    pub mod receiver;
    pub mod server;
    pub mod shop;
}
mod sync {
    pub mod contradictions;
    mod currency;
    pub mod digest;
    pub mod facts;
    pub mod generations;
    pub mod hello;
    pub mod history_download;
    pub mod kill;
    pub mod kinds;
    pub mod lock_order;
    pub mod poison;
    pub mod push;
    pub mod records;
    pub mod replay;
    mod resubmitted;
    pub mod shared;
    pub mod wire;
}
