//! The pages in a real Chromium with the real daemon: by keyboard only, at a scanner's speed, and killed during
//! payments.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod admin;
mod box_pages;
mod budgets;
mod counting;
mod device;
mod examine;
mod first_day;
mod furnished;
mod layout;
mod live;
mod looks;
mod passkeys;
mod renewed;
mod screen;
mod sessions;
mod sources;
mod stockroom;
mod takings;
mod units;
mod walk;
/// Head office's portal.
mod office {
    pub mod books;
    pub mod bought;
    pub mod buying;
    pub mod catalogue;
    pub mod columns;
    pub mod company;
    mod corrected;
    mod currency;
    pub mod named;
    pub mod order_to_settlement;
    pub mod portal;
    pub mod set_aside;
}
/// The cashier's page.
mod till {
    pub mod broken_scans;
    pub mod currency;
    pub mod day;
    pub mod drawer;
    pub mod flows;
    pub mod keystrokes;
    pub mod killed;
    pub mod layout;
    pub mod lock;
    pub mod mistakes;
    pub mod paper;
    pub mod pins;
    pub mod quick_keys;
    pub mod sale;
    pub mod scans;
    pub mod standing;
    pub mod taken_back;
    pub mod tasks;
    pub mod ways;
}
