//! Peers that may connect to this server.

use ipnet::IpNet;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

/// Loopback, RFC 1918, link-local and unique local addresses: the default of `http.allowed_networks`.
pub const LOCAL_NETWORKS: [&str; 8] = [
    "127.0.0.0/8",
    "::1/128",
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "169.254.0.0/16",
    "fe80::/10",
    "fc00::/7",
];

/// [`LOCAL_NETWORKS`], parsed.
pub fn local_networks() -> Vec<IpNet> {
    LOCAL_NETWORKS.iter().filter_map(|network| network.parse().ok()).collect()
}

/// The address a rule should look at: an IPv4 address in IPv6 clothes is unmapped.
pub fn unmapped(peer: SocketAddr) -> SocketAddr {
    SocketAddr::new(peer.ip().to_canonical(), peer.port())
}

/// Whether one of the networks contains the address.
pub fn allows(networks: &[IpNet], address: IpAddr) -> bool {
    let address = address.to_canonical();
    networks.iter().any(|network| network.contains(&address))
}

/// Bits of an IPv6 address that name its network: every machine may give itself any of the addresses in it.
const IPV6_NETWORK_BITS: u32 = 64;

/// Address or network that an address counts as: an IPv6 address counts as its network of 64 bits, since one user may
/// have many.
pub fn counted_as(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let host_bits = Ipv6Addr::BITS.saturating_sub(IPV6_NETWORK_BITS);
            let mask = u128::MAX.checked_shl(host_bits).unwrap_or_default();
            Ipv6Addr::from_bits(address.to_bits() & mask).into()
        }
        address => address,
    }
}

/// Time that an address stays known after a request with a good token.
const KNOWN: Duration = Duration::from_secs(24 * 3600);
/// Interval at which it is stored again.
const SEEN_EVERY: Duration = Duration::from_secs(60);

/// Addresses of recent requests with a valid token. In memory: a restart begins with those of log-ins.
#[derive(Debug, Default)]
pub struct KnownAddresses(RwLock<HashMap<IpAddr, Instant>>);

impl KnownAddresses {
    /// Most that are remembered; one more ends the quietest.
    pub const MAX: usize = 4096;

    /// A request with a good token came from there.
    pub fn seen(&self, address: IpAddr) {
        let (address, now) = (address.to_canonical(), Instant::now());
        if self.since(address).is_some_and(|since| since < SEEN_EVERY) {
            return;
        }
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= Self::MAX && !all.contains_key(&address) {
            let quietest = all.iter().min_by_key(|(_, at)| **at).map(|(address, _)| *address);
            quietest.map(|quietest| all.remove(&quietest));
        }
        all.insert(address, now);
    }

    /// Whether one came from there lately.
    pub fn knows(&self, address: IpAddr) -> bool {
        self.since(address.to_canonical()).is_some_and(|since| since < KNOWN)
    }

    fn since(&self, address: IpAddr) -> Option<Duration> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.get(&address).map(Instant::elapsed)
    }
}

#[cfg(test)]
mod tests {
    use super::{LOCAL_NETWORKS, allows, local_networks};

    #[test]
    fn every_default_network_parses() {
        assert_eq!(local_networks().len(), LOCAL_NETWORKS.len());
    }

    #[test]
    fn local_peers_are_allowed_and_strangers_are_not() {
        let networks = local_networks();
        let allowed = |text: &str| text.parse().is_ok_and(|address| allows(&networks, address));
        for local in ["127.0.0.1", "::1", "10.1.2.3", "172.31.0.1", "192.168.1.9", "fe80::1", "fd00::7"] {
            assert!(allowed(local), "{local}");
        }
        for mapped in ["::ffff:192.168.1.9", "::ffff:127.0.0.1"] {
            assert!(allowed(mapped), "{mapped}");
        }
        for stranger in ["8.8.8.8", "::ffff:8.8.8.8", "100.64.0.1", "172.32.0.1", "2001:db8::1"] {
            assert!(!allowed(stranger), "{stranger}");
        }
    }
}
