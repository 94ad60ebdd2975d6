//! Rules of returns.

mod after;
mod draft;
mod lines;
mod money;
mod return_command;
mod return_view;
mod settle;
mod stock_moves;
mod taken;
mod void;
pub(crate) use after::{refunded, unrefunded};
pub use draft::{ReturnDraft, ReturnIds, draft};
pub use return_command::{NewRefund, NewReturn, NewReturnItem, REFUNDS_MAX};
pub use return_view::{ReturnQuote, ReturnView, view};
pub use settle::{Exchange, Settled, settle};
pub use taken::taken_back;
pub use void::{ReturnVoidDraft, draft_void, settle_void};
