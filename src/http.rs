//! The store's HTTP interface: one table of routes, one file per noun.

pub mod actors;
pub mod adjustments;
pub mod admin;
pub mod approval;
pub mod ask;
pub mod audit;
pub mod auth;
pub mod days;
pub mod docs;
pub mod documents;
pub mod events;
pub mod failure;
pub mod health;
pub mod holds;
pub mod identity;
pub mod labels;
pub mod members;
pub mod metrics;
pub mod opname;
pub mod prices;
mod products;
pub mod purchase;
pub mod reasons;
pub mod receipts;
pub mod receiving;
pub mod registers;
pub mod reports;
pub mod returns;
pub mod routes;
pub mod safe;
pub mod shifts;
pub mod state;
pub mod stock;
pub mod supplier_returns;
pub mod sync;
pub mod till;
#[cfg(debug_assertions)]
pub mod told;
pub mod transactions;
pub mod transfers;

pub use routes::ROUTES;
pub use state::Shop;

use edge::{ApiError, Reply};

/// What every handler gives back.
pub type Answered = Result<Reply, ApiError>;
/// A request of this interface.
pub type Request = edge::Request<Shop>;

#[cfg(test)]
mod access_tests;
