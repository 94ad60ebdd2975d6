//! The edge as a client sees it: real sockets, every failure's exact shape, every limit.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test may fail loudly"
)]

mod bodies;
mod client;
mod desk;
mod drain;
mod failures;
mod headers;
mod limits;
mod network;
mod routing;
mod tls;
mod tokens;
