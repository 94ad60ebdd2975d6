//! The edge from a client's view: real sockets, the exact shape of every failure, every limit.

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
