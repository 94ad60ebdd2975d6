//! What the HTTP edges of store and hub share: one table of routes behind one warp filter, the error
//! table, request limits, tokens, passwords, the login limiter, telemetry and metrics.
//!
//! Nothing here knows what a store or a hub is: whoever serves hands over its `ROUTES`, its state and
//! its [`Limits`], and answers one question, who a bearer token belongs to ([`Authority`]).
//!
//! The words are those of docs/glossary.md.

pub mod clock;
pub mod csv;
pub mod docs;
pub mod error;
pub mod feed;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
pub mod hangup;
pub mod hosts;
pub mod identity;
pub mod ids;
pub mod keys;
pub mod limiter;
pub mod limits;
pub mod memory;
pub mod metrics;
pub mod network;
pub mod openapi;
pub mod page;
pub mod passkeys;
pub mod passwords;
pub mod private;
pub mod product_csv;
pub mod query;
pub mod reply;
pub mod request;
pub mod route;
mod router;
pub mod secret;
pub mod server;
pub mod settings;
pub mod telemetry;
pub mod tls;
pub mod tokens;

pub use error::{ApiError, Code};
pub use limits::Limits;
pub use reply::Reply;
pub use request::{Request, json::parse as parse_json};
pub use route::{Access, Authority, BodyKind, Doc, Handler, Route};
