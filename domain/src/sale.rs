//! Selling: a basket is made, changed, paid, voided.
//!
//! Rules here decide with what the shift alone knows; what two shifts can contend for, goods and
//! points, is settled by the ledger ([`crate::ledger`]).

mod change;
mod command;
mod create;
mod pay;
mod price;
mod reverse;
mod scan;
mod tender;
mod till;
mod view;
mod void;

pub use change::{ChangeSale, Changed, change};
pub(crate) use change::{may_open, renew};
pub use command::{
    CreateSale, ITEMS_MAX, METHOD_BYTES_MAX, NewItem, NewPayment, PAYMENTS_MAX, PRICE_MAX, PaySale, QTY_MAX,
};
use command::{check_items, check_payments};
pub(crate) use create::basket;
pub use create::{OPEN_LINES_MAX, OPEN_MAX, create, discounted_above_limit};
pub use pay::{PayOutcome, SaleDraft, pay};
pub(crate) use pay::{complete, paid_by};
pub use price::Shelf;
pub use reverse::reverse_payment;
pub use scan::scan;
pub use tender::{CorrectTender, TenderDraft, draft_correction};
pub use till::Till;
pub use view::VoidedView;
pub use void::{GivenBack, VoidDraft, VoidSale, Voided, draft_void, only_return, void_open};
