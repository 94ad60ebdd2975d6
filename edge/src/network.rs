//! Which peers may speak to this server.

use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};

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
