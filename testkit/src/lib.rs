//! Shared by the tests of several crates; no released program uses it. Without features it is a small shop for the
//! tests of the rules, so that those build in seconds.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may fail loudly"
)]

pub mod acts;
#[cfg(feature = "daemons")]
mod daemons;
pub mod records;
pub mod shop;

#[cfg(feature = "daemons")]
pub use daemons::*;
