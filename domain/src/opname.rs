//! Opname: the stock is counted while the shop goes on selling.

mod line;

pub use line::{OpnameLine, ZoneCount};
