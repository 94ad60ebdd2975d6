//! Selling: a basket is made, changed, paid, voided.
//!
//! These rules decide with the shift's own facts; the ledger settles goods and points, for which two shifts can contend
//! ([`crate::rules::books::ledger`]).

mod change;
mod create;
mod discount_limit;
mod lines;
mod pay;
mod plausible;
mod price;
mod reverse;
mod sale_commands;
mod sale_view;
mod scan;
mod tender;
mod till_context;
mod void;
pub use change::{ChangeSale, Changed, change};
pub(crate) use change::{drop_changes_by_hand, may_open, renew};
pub(crate) use create::basket;
pub use create::{OPEN_LINES_MAX, OPEN_MAX, create};
pub use discount_limit::discounted_above_limit;
pub(crate) use discount_limit::return_raises_discount;
pub use lines::{AddLine, BasketChange, RemoveLine, SetLine};
pub use pay::{PayOutcome, SaleDraft, pay, sell};
pub(crate) use pay::{add_payments, finish_sale};
pub use plausible::prices_by_hand;
pub use price::{PricingContext, Products};
pub use reverse::{PaymentReversed, reverse_payment};
pub use sale_commands::{CreateSale, NewItem, PaySale};
pub use sale_view::VoidedView;
pub use scan::{Scanned, scan};
pub(crate) use scan::{check_name, check_scan, scanned};
pub use tender::{CorrectTender, TenderDraft, draft_correction};
pub use till_context::TillContext;
pub(crate) use void::may_drop;
pub use void::{VoidDraft, VoidSale, draft_void, only_return, void_open};
