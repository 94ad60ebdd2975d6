//! Limits of size and time for everything that clients send.

use crate::forwarded::Proxies;
use crate::network;
use ipnet::IpNet;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Most bytes of a body on a route that asks for no token, such as a log-in (413).
pub const PUBLIC_BODY_BYTES_MAX: usize = 4 * 1024;
/// Bytes of each body in progress that are not counted.
pub const BODY_FREE_BYTES: usize = 16 * 1024;
/// Most bytes of all bodies in progress together, beyond the uncounted part of each (503 for the next one). With 1,024
/// connections both are 64 MiB.
pub const BODIES_BYTES_MAX: usize = 48 * 1024 * 1024;

/// Limits of the HTTP edge; `config.toml` `[http]` fills the settable ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Peers outside of these networks get 403 `network_not_allowed` and are closed.
    pub allowed_networks: Vec<IpNet>,
    /// Trusted proxies, whose statements about callers are used; addresses above and below are then those of their
    /// callers.
    pub proxies: Proxies,
    /// Names beside addresses and names without a dot that a request may call this server by (421).
    pub allowed_hosts: Vec<String>,
    /// Most bytes of a body, before and after unpacking (413); on a route without a token [`PUBLIC_BODY_BYTES_MAX`].
    pub max_body_bytes: usize,
    /// Most bytes of an imported file, before and after unpacking (413).
    pub max_import_bytes: usize,
    /// From the end of the header to the end of the body (408).
    pub request_timeout: Duration,
    /// Most connections at once (503 for the next one).
    pub max_connections: usize,
    /// Most connections of one address, or of one IPv6 network of 64 bits, at once (503 for the next one).
    pub max_connections_per_address: usize,
    /// From accepting a connection to its first byte (closed).
    pub first_byte_timeout: Duration,
    /// For a whole TLS handshake (closed).
    pub handshake_timeout: Duration,
    /// For a whole header, and for an idle connection until its next one (closed, 408 if half of it came).
    pub header_timeout: Duration,
    /// Most bytes of a header; also the read buffer of a connection.
    pub max_header_bytes: usize,
    /// Time that one write of an answer may be blocked because the client does not read it (closed).
    pub write_timeout: Duration,
    /// Time that requests in flight may take to finish once the server stops.
    pub drain_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            allowed_networks: network::local_networks(),
            proxies: Proxies::default(),
            allowed_hosts: Vec::new(),
            max_body_bytes: 1024 * 1024,
            max_import_bytes: 16 * 1024 * 1024,
            request_timeout: Duration::from_secs(10),
            max_connections: 1024,
            max_connections_per_address: 512,
            first_byte_timeout: Duration::from_secs(5),
            handshake_timeout: Duration::from_secs(5),
            header_timeout: Duration::from_secs(15),
            max_header_bytes: 32 * 1024,
            write_timeout: Duration::from_secs(20),
            drain_timeout: Duration::from_secs(10),
        }
    }
}

/// The least header buffer that hyper works with, in bytes.
const HEADER_BYTES_MIN: usize = 8 * 1024;
/// Longest timeout. A longer one could overflow the clock.
const TIMEOUT_MAX: Duration = Duration::from_secs(24 * 3600);

impl Limits {
    /// The same limits within the bounds of the layers below: settings must not make them panic.
    pub(crate) fn bounded(mut self) -> Self {
        self.max_header_bytes = self.max_header_bytes.max(HEADER_BYTES_MIN);
        self.max_connections = self.max_connections.min(Semaphore::MAX_PERMITS);
        for timeout in [
            &mut self.request_timeout,
            &mut self.first_byte_timeout,
            &mut self.handshake_timeout,
            &mut self.header_timeout,
            &mut self.write_timeout,
            &mut self.drain_timeout,
        ] {
            *timeout = (*timeout).min(TIMEOUT_MAX);
        }
        self
    }
}
