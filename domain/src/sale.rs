//! Selling: a basket is made, then paid.
//!
//! `create` and `pay` decide with what the shift alone knows; what two shifts can contend for,
//! the goods, is settled by the ledger ([`crate::ledger::settle`]).

mod command;
mod create;
mod pay;

pub use command::{
    CreateSale, ITEMS_MAX, METHOD_BYTES_MAX, NewItem, NewPayment, PAYMENTS_MAX, PRICE_MAX, PaySale, QTY_MAX,
};
pub use create::{OPEN_LINES_MAX, OPEN_MAX, create};
pub use pay::{PayOutcome, SaleDraft, pay};
