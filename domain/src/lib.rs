//! The rules and the words of a shop: pure functions over plain values.
//!
//! Nothing in this crate waits, reads, writes, looks at a clock or rolls dice: time, ids and
//! randomness arrive as arguments. `decide` answers a command with an event or a refusal,
//! `settle` completes a draft with what two shifts can contend for, `evolve` folds an event.
//!
//! The words are those of docs/glossary.md.

#![warn(clippy::arithmetic_side_effects)]

pub mod adjustment;
pub mod answer;
pub mod audit;
pub mod basket;
pub mod business_date;
pub mod chain;
pub mod day;
pub mod deposit;
pub mod event;
pub mod fields;
pub mod hlc;
pub mod hold;
pub mod ids;
pub mod json;
pub mod ledger;
pub mod mandate;
pub mod member;
pub mod money;
pub mod opname;
pub mod payment;
pub mod points;
pub mod posting;
pub mod price;
pub mod product;
pub mod product_settings;
pub mod promotion;
pub mod purchase;
pub mod reasons;
pub mod receiving;
pub mod record;
pub mod refill;
pub mod refund;
pub mod refusal;
pub mod register;
pub mod report;
pub mod restored;
pub mod returns;
pub mod sale;
pub mod screen;
pub mod search;
pub mod settings;
pub mod shift;
pub mod stock;
pub mod supplier_return;
pub mod sync;
pub mod tax;
pub mod time;
pub mod transaction;
pub mod transfer;
pub mod trusted_time;
pub mod user;
