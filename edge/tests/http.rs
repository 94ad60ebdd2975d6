//! The edge as a client sees it: real sockets, every failure's exact shape, every limit.

mod bodies;
mod client;
mod desk;
mod drain;
mod failures;
mod headers;
mod limits;
mod network;
mod proxies;
mod routing;
mod tls;
mod tokens;
