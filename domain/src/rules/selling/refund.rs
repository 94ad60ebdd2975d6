//! Refunds: a sale taken apart by cumulative rounding, so that its parts add up to the whole
//! (docs/arithmetic.md#returns-and-refunds).

mod cash;
mod part;
mod tender;
pub use cash::cash_back;
pub use part::{RefundPart, SoldLine, cost_back};
pub use tender::{Tender, tenders};
