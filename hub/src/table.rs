//! The tables, one file each: the row, its columns, and its statements.
//!
//! A column is named in its table's file and read by its name; queries use no positions.

pub mod alarm;
pub mod audit;
/// Entries of the books, and the days on which they are allowed.
pub mod books {
    pub mod day_lock;
    pub mod journal;
    pub mod journal_counts;
    pub mod mapping;
}
pub mod conflict;
pub mod counter;
pub mod drill;
pub mod epoch;
pub mod event_log;
pub mod exception;
/// Orders, suppliers' prices, and the documents of warehouses.
pub mod goods {
    pub mod purchase_order;
    pub mod supplier_price;
    pub mod warehouse_rows;
}
pub mod hole;
pub mod hub;
pub mod member;
pub mod member_store;
pub mod notice;
pub mod origin;
pub mod payables;
/// Users, and their login credentials.
pub mod people {
    pub mod api_key;
    pub mod key_scope;
    pub mod passkey;
    pub mod spent_ticket;
    pub mod staff;
    pub mod user;
}
pub mod price;
pub mod product;
pub mod record;
pub mod replaced_key;
pub mod rollup;
pub mod settlement;
pub mod storage_class;
pub mod store;
/// Addresses that events are sent to, and pending deliveries.
pub mod webhooks {
    pub mod delivery;
    pub mod webhook;
}

pub use books::{day_lock, journal, journal_counts, mapping};
pub use goods::{purchase_order, supplier_price, warehouse_rows};
pub use people::{api_key, key_scope, passkey, spent_ticket, staff, user};
