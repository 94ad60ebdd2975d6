//! The tables, a file each: what a row is, its columns, how it is read and written.
//!
//! A column is named in its table's file and read by its name; whoever asks for rows counts no positions.

pub mod alarm;
pub mod audit;
pub mod conflict;
pub mod counter;
pub mod day_lock;
pub mod epoch;
pub mod exception;
/// Orders, suppliers' prices, and what warehouses keep.
pub mod goods {
    pub mod purchase_order;
    pub mod supplier_price;
    pub mod warehouse_rows;
}
pub mod hole;
pub mod hub;
pub mod journal;
pub mod journal_counts;
pub mod mapping;
pub mod member;
pub mod member_store;
pub mod passkey;
pub mod payables;
pub mod price;
pub mod product;
pub mod record;
pub mod rollup;
pub mod settlement;
pub mod staff;
pub mod store;
pub mod user;

pub use goods::{purchase_order, supplier_price, warehouse_rows};
