//! The rules of transaction: what may happen, and what comes of it.

mod transaction_view;
pub use transaction_view::{TransactionView, view};
