//! Rules of adjustments of stock.

mod adjustment_command;
mod decide;
mod post;
pub use adjustment_command::{NewAdjustment, NewAdjustmentLine};
pub use decide::{adjust, approve, reject, reverse};
