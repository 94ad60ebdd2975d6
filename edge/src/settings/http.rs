//! `[http]`: the same keys at store and hub.

use super::duration::Period;
use crate::credentials::passkeys;
use crate::forwarded::{ForwardedHeader, Proxies};
use crate::limits::Limits;
use crate::network;
use crate::server::certificate::Named;
use crate::server::hosts;
use crate::server::tls::{Tls, TlsError};
use serde::{Deserialize, Serialize};
use std::{marker::PhantomData, net::SocketAddr, path::PathBuf, sync::Arc};

/// A program's own port.
pub trait Port {
    /// Port that is used by default.
    const PORT: u16;
}

/// `[http]`, with the port of the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, bound(deserialize = "P: Port"))]
pub struct Http<P> {
    /// Address and port to listen on.
    pub listen: SocketAddr,
    /// Peers outside of these networks are refused.
    pub allowed_networks: Vec<ipnet::IpNet>,
    /// Networks of the proxies whose callers are named by `forwarded_header` or `proxy_protocol`.
    pub trusted_proxies: Vec<ipnet::IpNet>,
    /// Header in which these proxies name a caller.
    pub forwarded_header: ForwardedHeader,
    /// Whether their connections begin with a header of the PROXY protocol.
    pub proxy_protocol: bool,
    /// Names that requests may call this server by, beside the origin's, addresses and names without a dot.
    pub allowed_hosts: Vec<String>,
    /// Largest request body; some routes have limits of their own.
    pub max_body_bytes: u64,
    /// Time for a whole body to arrive.
    pub request_timeout: Period,
    /// Time for a whole header, and for the next request on an open connection.
    pub header_timeout: Period,
    /// Time for the first byte of a connection, and again for a TLS handshake.
    pub handshake_timeout: Period,
    /// Open connections at once.
    pub max_connections: usize,
    /// Open connections of one address at once.
    pub max_connections_per_address: usize,
    /// PEM file of the certificate chain; empty: plain HTTP.
    pub tls_cert: PathBuf,
    /// PEM file of its private key.
    pub tls_key: PathBuf,
    /// Origin that a browser's address bar shows, for passkeys.
    pub origin: String,
    #[serde(skip)]
    port: PhantomData<P>,
}

impl<P: Port> Default for Http<P> {
    fn default() -> Self {
        let limits = Limits::default();
        Self {
            listen: SocketAddr::from(([0, 0, 0, 0], P::PORT)),
            allowed_networks: network::local_networks(),
            trusted_proxies: Vec::new(),
            forwarded_header: ForwardedHeader::default(),
            proxy_protocol: false,
            allowed_hosts: Vec::new(),
            max_body_bytes: limits.max_body_bytes as u64,
            request_timeout: limits.request_timeout.into(),
            header_timeout: limits.header_timeout.into(),
            handshake_timeout: limits.handshake_timeout.into(),
            max_connections: limits.max_connections,
            max_connections_per_address: limits.max_connections_per_address,
            tls_cert: PathBuf::new(),
            tls_key: PathBuf::new(),
            origin: String::new(),
            port: PhantomData,
        }
    }
}

impl<P> Http<P> {
    /// Passes every rule that types alone can't express to `rule`: whether it holds, its key, the problem.
    pub fn check(&self, rule: &mut dyn FnMut(bool, &'static str, &str)) {
        rule(!self.allowed_networks.is_empty(), "http.allowed_networks", "must name at least one network");
        let everybody = self.trusted_proxies.iter().any(|network| network.prefix_len() == 0);
        rule(!everybody, "http.trusted_proxies", "must name the proxies, not every address");
        let used = !self.proxy_protocol || !self.trusted_proxies.is_empty();
        rule(used, "http.proxy_protocol", "needs http.trusted_proxies");
        let name =
            |host: &String| host.parse::<http::uri::Authority>().is_ok_and(|known| known.host() == host);
        let named = self.allowed_hosts.iter().all(name);
        rule(named, "http.allowed_hosts", "must be names without a port");
        let body = (1024..=64 << 20).contains(&self.max_body_bytes);
        rule(body, "http.max_body_bytes", "must be 1 KiB to 64 MiB");
        let sensible = |timeout| (Period::seconds(1)..=Period::seconds(300)).contains(&timeout);
        rule(sensible(self.request_timeout), "http.request_timeout", "must be 1s to 5m");
        rule(sensible(self.header_timeout), "http.header_timeout", "must be 1s to 5m");
        rule(sensible(self.handshake_timeout), "http.handshake_timeout", "must be 1s to 5m");
        let places = |number: usize| (1..=65_536).contains(&number);
        rule(places(self.max_connections), "http.max_connections", "must be 1 to 65536");
        let of_one = self.max_connections_per_address;
        rule(places(of_one), "http.max_connections_per_address", "must be 1 to 65536");
        let pair = self.tls_cert.as_os_str().is_empty() == self.tls_key.as_os_str().is_empty();
        rule(pair, "http.tls_key", "and http.tls_cert must be set together");
        if let Err(problem) = passkeys::origin::allowed(&self.origin, self.listen.port()) {
            rule(false, "http.origin", &problem.to_string());
        }
    }

    /// The limits that these settings ask for.
    pub fn limits(&self) -> Limits {
        Limits {
            allowed_networks: self.allowed_networks.clone(),
            proxies: Proxies {
                trusted: self.trusted_proxies.clone(),
                header: self.forwarded_header,
                protocol: self.proxy_protocol,
            },
            allowed_hosts: self.allowed_hosts.iter().cloned().chain(hosts::of_origin(&self.origin)).collect(),
            // Checked to be at most 64 MiB.
            max_body_bytes: usize::try_from(self.max_body_bytes).unwrap_or(usize::MAX),
            request_timeout: self.request_timeout.duration(),
            header_timeout: self.header_timeout.duration(),
            first_byte_timeout: self.handshake_timeout.duration(),
            handshake_timeout: self.handshake_timeout.duration(),
            max_connections: self.max_connections,
            max_connections_per_address: self.max_connections_per_address,
            ..Limits::default()
        }
    }

    /// The certificate that is shown.
    pub fn certificate(&self) -> Named<'_> {
        Named { setting: "http.tls_cert", path: &self.tls_cert, is_bundle: false }
    }

    /// TLS, if it is set.
    ///
    /// # Errors
    /// A file that can't be used.
    pub fn tls(&self) -> Result<Option<Arc<Tls>>, TlsError> {
        if self.tls_cert.as_os_str().is_empty() {
            return Ok(None);
        }
        Ok(Some(Arc::new(Tls::load(&self.tls_cert, &self.tls_key)?)))
    }
}
