//! Addresses that the hub may send events to. A webhook must not reach services that only the hub's own network should
//! reach: other services of the machine, the router, a cloud's metadata.

use edge::network;
use ipnet::IpNet;
use reqwest::Url;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Longest address of a webhook, in bytes.
pub const URL_BYTES_MAX: usize = 2_000;

/// IPv4 networks that are not public.
const SPECIAL_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];
/// IPv6 networks within the public one, 2000::/3, that are not public, or that lead to an IPv4 address.
const SPECIAL_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];
const PUBLIC_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Permitted addresses.
#[derive(Debug, Clone, Default)]
pub struct Rule {
    /// Networks that the settings allow, also without TLS.
    pub allowed: Vec<IpNet>,
}

impl Rule {
    /// Whether events may be sent there: to every public address with TLS, and to the allowed networks.
    pub fn permits(&self, address: IpAddr, with_tls: bool) -> bool {
        network::allows(&self.allowed, address) || (with_tls && is_public(address))
    }

    /// The address of a webhook. A name is checked when its addresses are known: when a message is sent.
    ///
    /// # Errors
    /// The problem, for people.
    pub fn parse(&self, text: &str) -> Result<Url, String> {
        if text.len() > URL_BYTES_MAX {
            return Err(format!("must have at most {URL_BYTES_MAX} bytes"));
        }
        let url: Url = text.parse().map_err(|_| "must be an address, https://…".to_owned())?;
        let with_tls = url.scheme() == "https";
        if !with_tls && (url.scheme() != "http" || self.allowed.is_empty()) {
            return Err("must begin with https://".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
            return Err("must have no user, password or fragment".to_owned());
        }
        match literal(&url) {
            Some(address) if !self.permits(address, with_tls) => Err(refused(address)),
            _ => Ok(url),
        }
    }
}

/// The IP address that the URL has in place of a name, in any spelling.
pub fn literal(url: &Url) -> Option<IpAddr> {
    url.host_str()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// The message about an address that is not permitted.
pub fn refused(address: IpAddr) -> String {
    format!(
        "{address} may not be reached: events go to public addresses by https, or to webhooks.allowed_networks"
    )
}

fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => !SPECIAL_V4.iter().any(|network| is_in_v4(address, *network)),
        IpAddr::V6(address) => {
            is_in_v6(address, PUBLIC_V6) && !SPECIAL_V6.iter().any(|network| is_in_v6(address, *network))
        }
    }
}

fn is_in_v4(address: Ipv4Addr, (network, bits): (Ipv4Addr, u32)) -> bool {
    (address.to_bits() ^ network.to_bits()).leading_zeros() >= bits
}

fn is_in_v6(address: Ipv6Addr, (network, bits): (Ipv6Addr, u32)) -> bool {
    (address.to_bits() ^ network.to_bits()).leading_zeros() >= bits
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    fn rule(networks: &[&str]) -> Rule {
        Rule { allowed: networks.iter().map(|network| network.parse().unwrap()).collect() }
    }

    #[test]
    fn only_public_addresses_are_reached_and_only_with_tls() {
        let none = rule(&[]);
        for address in
            ["8.8.8.8", "100.63.0.1", "172.32.0.1", "::ffff:8.8.8.8", "2606:4700::1111", "2001:4860::1"]
        {
            let address = address.parse().unwrap();
            assert!(none.permits(address, true) && !none.permits(address, false), "{address}");
        }
        for address in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::10.0.0.1",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "fec0::1",
        ] {
            let address = address.parse().unwrap();
            assert!(!none.permits(address, true) && !none.permits(address, false), "{address}");
        }
    }

    #[test]
    fn a_network_of_the_settings_is_reached_also_without_tls() {
        let one = rule(&["10.1.0.0/16"]);
        for (address, permitted) in [("10.1.2.3", true), ("::ffff:10.1.2.3", true), ("10.2.0.1", false)] {
            let address = address.parse().unwrap();
            assert_eq!(
                (one.permits(address, true), one.permits(address, false)),
                (permitted, permitted),
                "{address}"
            );
        }
    }

    #[test]
    fn an_address_is_checked_as_it_is_written() {
        for (text, expected) in [
            ("https://hooks.example/in?key=1", true),
            ("https://8.8.8.8:8443/", true),
            ("http://hooks.example/", false),
            ("ftp://hooks.example/", false),
            ("https://user:secret@hooks.example/", false),
            ("https://hooks.example/#a", false),
            ("https://127.0.0.1/", false),
            ("https://2130706433/", false),
            ("https://0x7f.1/", false),
            ("https://[::1]/", false),
            ("https://[::ffff:10.0.0.1]/", false),
            ("hooks.example", false),
        ] {
            assert_eq!(rule(&[]).parse(text).is_ok(), expected, "{text}");
        }
        let long = format!("https://hooks.example/{}", "a".repeat(URL_BYTES_MAX));
        assert!(rule(&[]).parse(&long).is_err());
        for (text, expected) in
            [("http://127.0.0.1:9000/", true), ("http://10.0.0.1/", false), ("http://8.8.8.8/", false)]
        {
            assert_eq!(rule(&["127.0.0.0/8"]).parse(text).is_ok(), expected, "{text}");
        }
    }
}
