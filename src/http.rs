//! The store's HTTP interface: one table of routes, one file per noun in the folder of its area.

pub mod ask;
pub mod documents;
pub mod failure;
pub mod labels;
pub mod members;
pub mod routes;
pub mod state;

/// Routes of a till.
pub mod selling {
    pub mod days;
    pub mod holds;
    pub mod prices;
    pub mod prints;
    pub mod quick_keys;
    pub mod reasons;
    pub mod receipts;
    pub mod registers;
    pub mod returns;
    pub mod safe;
    pub mod shifts;
    pub mod till;
    pub mod transactions;
}
/// Goods: on the shelf, coming, going and counted.
pub mod inventory {
    pub mod adjustments;
    pub mod catalogue;
    pub mod categories;
    pub mod opname;
    pub mod products;
    pub mod purchase;
    pub mod receiving;
    pub mod stock;
    pub mod supplier_returns;
    pub mod transfers;
}
/// Log-in, audit log and approvals.
pub mod access {
    pub mod approval;
    pub mod audit;
    pub mod identity;
    pub mod staff;
}
/// The store itself: its health, synchronisation, data of screens and reports.
pub mod operation {
    pub mod actors;
    pub mod admin;
    pub mod docs;
    pub mod events;
    pub mod health;
    pub mod metrics;
    pub mod reports;
    pub mod setup;
    pub mod stores;
    pub mod sync;
}

pub use routes::ROUTES;
pub use state::AppState;

use edge::{ApiError, Reply};

/// Result of every handler.
pub type Answered = Result<Reply, ApiError>;
/// A request of this interface.
pub type Request = edge::Request<AppState>;

#[cfg(test)]
mod access_tests;
