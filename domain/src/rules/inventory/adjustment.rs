//! The rules of adjustment: what may happen, and what comes of it.

mod adjustment_command;
mod decide;
mod post;
pub use adjustment_command::{NewAdjustment, NewAdjustmentLine};
pub use decide::{adjust, approve, reject, reverse};
