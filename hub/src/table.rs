//! The tables, a file each: what a row is, its columns, how it is read and written.
//!
//! A column is named in its table's file and read by its name; queries use no positions.

pub mod alarm;
pub mod audit;
/// Entries of the books, and where they may stand.
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
/// Orders, suppliers' prices, and what warehouses keep.
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
/// Addresses that events are sent to, and what is on its way.
pub mod webhooks {
    pub mod delivery;
    pub mod webhook;
}

pub use books::{day_lock, journal, journal_counts, mapping};
pub use goods::{purchase_order, supplier_price, warehouse_rows};
pub use people::{api_key, key_scope, passkey, spent_ticket, staff, user};
