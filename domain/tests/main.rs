//! The rules, called as the owners of a store and head office call them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may fail loudly"
)]

mod baskets;
mod books;
mod cash;
mod day;
mod documents;
mod laws;
mod opening;
mod people;
mod profiles;
mod properties;
mod receiving;
mod resubmitted;
mod returns;
mod sale;
mod settlement;
mod sync;
mod vectors;
