//! The Cloud Hub: receives the records of stores with exactly-once effects, and sends the catalogue to them.
//!
//! One code path for SQLite and PostgreSQL. Every transaction that writes begins with a write, so that
//! it waits for its lock before it has read anything.
//!
//! From the bottom up: `table` is the content of the database; `feed` is read by stores; `projection` folds records
//! into tables; `ingest` is the protocol that receives them; `office` is head office. Terms are those of
//! docs/glossary.md.

pub mod app;
pub mod cli;
pub mod config;
pub mod db;
pub mod office;
pub mod routes;
pub mod secret;
pub mod table;

/// People of head office and of stores: their sessions, devices, and how they are changed.
pub mod account {
    pub mod passkey;
    pub mod session;
    pub mod staff;
    pub mod user;
    pub mod user_admin;
    pub mod user_fields;
}

/// Changes that are sent to stores, in an order that no commit can overtake.
pub mod feed {
    pub mod compact;
    mod coverage;
    mod entry;
    mod read;
    pub mod shared;
    pub mod wait;

    pub use entry::{Entry, LANES, PAGE_MAX, Ticket, append, heads, lane, publish, replace_older, take};
    pub use read::{Page, Reader, snapshot};
}

/// Parts of every handler: authority, changes, answers.
pub mod http {
    pub mod authority;
    pub mod batch;
    pub mod change;
    pub mod command;
    pub mod csv_rows;
    pub mod filtered_list;
    pub mod handler;
    pub mod health;
    pub mod identity;
    pub mod paged_list;
    pub mod prelude;
    pub mod route;

    pub use handler::{Answered, Request};
}

/// Receives the records of stores: hello, and push with exactly-once effects (docs/protocol.md).
pub mod ingest {
    pub mod apply;
    pub mod batch;
    mod condition;
    pub mod currency;
    pub mod digest;
    #[cfg(any(test, feature = "fuzz"))]
    pub mod fuzz;
    pub mod hello;
    pub mod history_download;
    pub mod invented;
    pub mod lock;
    pub mod park;
    pub mod push;
    pub mod replaced;
    pub mod replay;
    pub mod skew;
    pub mod wanted;
}

/// Commands beside the serving hub: backups, and the verification of the tables against the records.
pub mod maintenance {
    pub mod audit_chain;
    pub mod backup;
    mod counter_check;
    mod file_check;
    mod match_check;
    pub mod partition;
    mod payables_check;
    mod posted_check;
    pub mod rebuild;
    mod refolded;
    pub mod verify;
}

/// Daily jobs, by one process.
pub mod night {
    pub mod jobs;
    pub mod lease;
}

/// Folding records into tables.
pub mod projection {
    pub mod announce;
    pub mod anomalies;
    pub mod documents;
    pub mod envelope;
    pub mod fields;
    pub mod fold;
    pub mod in_transit;
    pub mod journal;
    pub mod lock_order;
    /// Members known to several stores.
    pub mod members {
        pub mod duplicate_members;
        pub mod member_reach;
        pub mod own_expiry;
    }
    pub mod orders;
    /// Amounts owed to suppliers: goods that were received and not billed, and credit notes.
    pub mod payables {
        pub mod credit_note;
        pub mod uninvoiced;
    }
    pub mod points;
    pub mod points_pool;
    pub mod recompute;
    /// Returned goods, and their sales.
    pub mod returns {
        pub mod places;
        pub mod returned_from;
    }
    pub mod rollups;
    /// Items that third parties have to settle.
    pub mod settlement {
        pub mod items;
        pub mod shift_difference;
    }
    pub mod shared;
    pub mod shifts;
    mod stock_documents;
    pub mod write;
}

/// State that handlers and background work share, and the memory of a process.
pub mod state {
    pub mod api_key;
    pub mod batches;
    pub mod cursors;
    pub mod figures;
    pub mod hub;
    pub mod idempotency;
    pub mod import_turns;
    pub mod lookups;
    pub mod notify;
    pub mod office_settings;
    pub mod opening;
    pub mod screens;
    pub mod seen;
    pub mod used_tokens;
}

/// Sending events to other programs.
pub mod webhooks {
    pub mod address;
    mod backoff;
    pub mod client;
    pub mod round;
    pub mod sender;
    pub mod signature;
}

/// Routes that stores call.
pub mod store_api {
    pub mod enrol;
    pub mod find_member;
    pub mod known_sale;
    pub mod receipt_routes;
    pub mod reservation;
    pub mod sync_routes;
}
