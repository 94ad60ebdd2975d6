//! Rules of sales.

mod answer_text;
mod transaction_view;
mod version;
pub use answer_text::answer;
pub use transaction_view::{TransactionView, view};
pub use version::version;
