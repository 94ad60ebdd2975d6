//! edge
pub mod product_csv;
