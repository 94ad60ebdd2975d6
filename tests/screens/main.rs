//! The pages in a real Chromium, on the real daemon: by keyboard alone, at a scanner's speed, and killed while they pay.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod admin;
mod books;
mod bought;
mod box_pages;
mod budgets;
mod buying;
mod catalogue;
mod examine;
mod furnished;
mod keystrokes;
mod killed;
mod live;
mod looks;
mod mistakes;
mod order_to_settlement;
mod paper;
mod passkeys;
mod portal;
mod sale;
mod scans;
mod screen;
mod sessions;
mod sources;
mod stockroom;
mod taken_back;
mod takings;
mod units;
mod walk;
