//! Rules of stock.

mod context;
mod cost;
mod damaged;
mod document;
mod opening;
mod stock_view;
mod write_off;
pub use context::StockContext;
pub(crate) use context::check_on_hand;
pub(crate) use cost::average;
pub use cost::{Incoming, Moved};
pub(crate) use damaged::enough_damaged;
pub(crate) use document::{Document, Moves};
pub use opening::{OPENING_ROWS_MAX, OpeningCost, OpeningRow, open_stock};
pub use stock_view::{StockView, out_of_catalogue, view};
pub(crate) use write_off::Allowed;
