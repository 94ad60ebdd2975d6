//! The harness: real processes in folders of their own, a small HTTP client, tills that sell and
//! retry, and the audit that compares what they were told with what the store says afterwards.

pub mod audit;
pub mod authenticator;
pub mod books;
pub mod browser;
pub mod chaos;
pub mod clock;
pub mod contract;
pub mod counter;
pub mod database;
pub mod disk;
pub mod ends;
pub mod events;
pub mod goods;
pub mod http;
pub mod hub;
pub mod journal;
pub mod linked;
pub mod names;
pub mod operations;
pub mod postgres;
pub mod prepared;
pub mod process;
pub mod random;
pub mod shop;
pub mod simulated;
pub mod store;
pub mod till;
pub mod wait;
pub mod wire;

pub use http::{Client, Reply};
pub use store::Store;
