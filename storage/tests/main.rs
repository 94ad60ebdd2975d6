//! Tests of the storage through its public functions: commits are kept, whatever happens to files and processes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may fail loudly"
)]

mod backup;
mod commits;
mod damage;
mod files;
mod golden;
mod known;
mod lookups;
mod notes;
mod refill;
mod repeats;
mod rows;
mod shift_sums;
mod shop;
mod verify;
mod versions;
