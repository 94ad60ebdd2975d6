//! Reports over the projections.

pub mod completeness;
pub mod sales;
