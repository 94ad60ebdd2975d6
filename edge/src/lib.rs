//! Shared by the HTTP edges of store and hub: one table of routes behind one warp filter, the error table, request
//! limits, tokens, passwords, the login limiter, telemetry and metrics.
//!
//! Nothing here depends on a store or a hub: the program passes its `ROUTES`, its state and its [`Limits`], and finds
//! the user of a bearer token ([`Authority`]).
//!
//! Terms are those of docs/glossary.md.

#![warn(missing_docs)]

mod api;
pub mod clock;
mod connection_slot;
mod credentials;
pub mod csv;
pub mod forwarded;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
pub mod identity;
pub mod ids;
pub mod limits;
pub mod metrics;
pub mod network;
pub mod pages;
pub mod private;
pub mod product_codes;
pub mod product_csv;
pub mod secret;
pub mod server;
pub mod settings;
pub mod sheet;
pub mod telemetry;
mod ui;

pub use api::error::{ApiError, Code};
pub use api::reply::Reply;
pub use api::request::{Request, json::parse as parse_json};
pub use api::route::{
    API_KEY_PREFIX, Access, Authority, BodyKind, Doc, Handler, KeyedRequest, Message, Route,
};
pub use api::{docs, error, event_stream, figures, openapi, page, query, rate_limit, reply, request, route};
pub use credentials::{keys, passkeys, passwords, tokens};
pub use limits::Limits;

/// Version of both programs. A release adds the commit it was built from, for example `0.1.0+3f2a9c1d`.
pub const VERSION: &str = match option_env!("BUILD_VERSION") {
    Some(version) => version,
    None => env!("CARGO_PKG_VERSION"),
};
