//! The address of a caller. Behind a proxy each request names it in a header; here alone it is computed, and limits,
//! lock-outs, `http.allowed_networks` and the audit log use the result.

use crate::network;
use http::HeaderMap;
use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, SocketAddr};

const X_FORWARDED_FOR: &str = "x-forwarded-for";
const FORWARDED: &str = "forwarded";

/// The header in which proxies name a caller. One only: a proxy passes on the other one as its client sent it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForwardedHeader {
    /// `X-Forwarded-For: 198.51.100.7`
    #[default]
    XForwardedFor,
    /// `Forwarded: for=198.51.100.7` (RFC 7239)
    Forwarded,
}

/// The proxies that this server believes, and the header that they set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    /// Networks of the proxies.
    pub trusted: Vec<IpNet>,
    /// The header that they set.
    pub header: ForwardedHeader,
    /// Connections of trusted proxies begin with a header of the PROXY protocol.
    pub protocol: bool,
}

impl Proxies {
    /// Whether a peer is a trusted proxy.
    pub fn trust(&self, peer: IpAddr) -> bool {
        network::allows(&self.trusted, peer)
    }

    /// The address of a request's caller: the rightmost one that is not a trusted proxy. Each proxy adds the address of
    /// its own peer at the right, so addresses to the left of that one are not read. A header that can't be understood
    /// is ignored: then it is the peer.
    pub fn caller(&self, peer: SocketAddr, headers: &HeaderMap) -> SocketAddr {
        self.walk(peer.ip(), headers).map_or(peer, |address| match address {
            address if address == peer.ip() => peer,
            // The header has no port that could be relied on.
            address => SocketAddr::new(address, 0),
        })
    }

    fn walk(&self, peer: IpAddr, headers: &HeaderMap) -> Option<IpAddr> {
        let (name, read): (_, fn(&str) -> Option<IpAddr>) = match self.header {
            ForwardedHeader::XForwardedFor => (X_FORWARDED_FOR, node),
            ForwardedHeader::Forwarded => (FORWARDED, element),
        };
        let mut address = peer;
        // A proxy may add a line of its own instead of an item. Addresses have no comma, so that a quote opened further
        // left can't hide a proxy's address.
        for line in headers.get_all(name).iter().rev() {
            for item in line.as_bytes().rsplit(|byte| *byte == b',') {
                if !self.trust(address) {
                    return Some(address);
                }
                address = read(std::str::from_utf8(item).ok()?)?;
            }
        }
        Some(address)
    }
}

/// Whether a request has a header of a proxy. It then does not count as a request of this machine, even from loopback.
pub fn is_forwarded(headers: &HeaderMap) -> bool {
    headers.contains_key(X_FORWARDED_FOR) || headers.contains_key(FORWARDED)
}

/// An address, with or without a port.
fn node(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok().map(IpAddr::V6);
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    let address = text.parse().ok().or_else(bare).or_else(with_port)?;
    Some(address.to_canonical())
}

/// The node of one element of `Forwarded` (RFC 7239), such as `for="[2001:db8::1]:4711";proto=https`.
fn element(text: &str) -> Option<IpAddr> {
    let pairs = text.split(';').filter_map(|pair| pair.split_once('='));
    let mut named = pairs.filter(|(name, _)| name.trim().eq_ignore_ascii_case("for"));
    let (Some((_, value)), None) = (named.next(), named.next()) else { return None };
    let value = value.trim();
    node(value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::{ForwardedHeader, Proxies};
    use http::{HeaderMap, HeaderValue};

    fn caller(header: ForwardedHeader, peer: &str, lines: &[&str]) -> String {
        let trusted = ["10.0.0.0/24", "fd00::/64"].map(|network| network.parse().unwrap()).to_vec();
        let mut headers = HeaderMap::new();
        for line in lines {
            let (name, value) = line.split_once(": ").unwrap();
            let name: http::HeaderName = name.parse().unwrap();
            headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let proxies = Proxies { trusted, header, protocol: false };
        proxies.caller(format!("{peer}:9").parse().unwrap(), &headers).ip().to_string()
    }

    #[test]
    fn the_rightmost_address_that_is_no_trusted_proxy() {
        let of = |lines: &[&str]| caller(ForwardedHeader::XForwardedFor, "10.0.0.1", lines);
        for (lines, address) in [
            (&[][..], "10.0.0.1"),
            (&["x-forwarded-for: 198.51.100.7"], "198.51.100.7"),
            (&["x-forwarded-for: 1.2.3.4, 198.51.100.7"], "198.51.100.7"),
            (&["x-forwarded-for: 198.51.100.7, 10.0.0.2"], "198.51.100.7"),
            (&["x-forwarded-for: 1.2.3.4", "x-forwarded-for: 198.51.100.7"], "198.51.100.7"),
            (&["x-forwarded-for: <garbage>, 198.51.100.7"], "198.51.100.7"),
            (&["x-forwarded-for: 10.0.0.3,10.0.0.2"], "10.0.0.3"),
            (&["x-forwarded-for: 198.51.100.7:4711"], "198.51.100.7"),
            (&["x-forwarded-for: [2001:db8::1]:4711"], "2001:db8::1"),
            (&["x-forwarded-for: 2001:db8::1"], "2001:db8::1"),
            (&["x-forwarded-for: ::ffff:198.51.100.7"], "198.51.100.7"),
            (&["x-forwarded-for: unknown"], "10.0.0.1"),
            (&["x-forwarded-for: 198.51.100.7,"], "10.0.0.1"),
            (&["x-forwarded-for: \u{f6}"], "10.0.0.1"),
            (&["forwarded: for=198.51.100.7"], "10.0.0.1"),
        ] {
            assert_eq!(of(lines), address, "{lines:?}");
        }
        let stranger = caller(ForwardedHeader::XForwardedFor, "10.0.1.1", &["x-forwarded-for: 1.2.3.4"]);
        assert_eq!(stranger, "10.0.1.1", "nobody believes a stranger");
    }

    #[test]
    fn the_standard_header_with_its_quotes() {
        let of = |lines: &[&str]| caller(ForwardedHeader::Forwarded, "10.0.0.1", lines);
        for (lines, address) in [
            (&["forwarded: for=198.51.100.7"][..], "198.51.100.7"),
            (&["forwarded: proto=https;For=\"[2001:db8::1]:4711\" ;host=a"], "2001:db8::1"),
            (&["forwarded: for=1.2.3.4, for=198.51.100.7;by=10.0.0.1"], "198.51.100.7"),
            (&["forwarded: for=\"1.2.3.4, for=198.51.100.7"], "198.51.100.7"),
            (&["forwarded: for=198.51.100.7, for=\"[fd00::7]\""], "198.51.100.7"),
            (&["forwarded: for=1.2.3.4;for=198.51.100.7"], "10.0.0.1"),
            (&["forwarded: for=_hidden"], "10.0.0.1"),
            (&["forwarded: proto=https"], "10.0.0.1"),
            (&["x-forwarded-for: 198.51.100.7"], "10.0.0.1"),
        ] {
            assert_eq!(of(lines), address, "{lines:?}");
        }
    }
}
