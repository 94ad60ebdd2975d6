//! A shop's trade: planned and made sales, and the expected results.

pub mod books;
pub mod compare;
pub mod figures;
pub mod hubside;
pub mod members;
pub mod month;
pub mod office;
pub mod plan;
pub mod settled_day;
pub mod stock_value;
pub mod table;
pub mod till;
