//! Checks the `Host` of a request, as a protection against DNS rebinding.
//!
//! A page of `evil.example` can have its own name resolve to the store's address. Its requests then come from inside
//! the store's network and count as same-origin. Only the `Host` that the browser sends reveals it. Addresses can't be
//! rebound, and neither can names without a dot, which no stranger can own. Every other name must be configured.

use crate::api::error::ApiError;
use crate::network;
use http::{HeaderMap, Uri, Version, header, uri::Authority};
use ipnet::IpNet;
use std::net::IpAddr;

/// Checks `Host`, and the authority of an absolute request line.
///
/// # Errors
/// 400 if HTTP/1.1 came without exactly one valid `Host`; 421 for a name that is not this server's.
pub(crate) fn check(
    version: Version,
    uri: &Uri,
    headers: &HeaderMap,
    names: &[String],
    networks: &[IpNet],
) -> Result<(), ApiError> {
    let malformed = || ApiError::invalid_header("Host", "one name or address, with an optional port");
    let mut lines = headers.get_all(header::HOST).iter();
    let host = match (lines.next(), lines.next()) {
        (Some(line), None) => Some(Authority::try_from(line.as_bytes()).map_err(|_| malformed())?),
        (None, _) if version < Version::HTTP_11 => None,
        _ => return Err(malformed()),
    };
    for authority in host.iter().chain(uri.authority()) {
        if authority.as_str().contains('@') {
            return Err(malformed());
        }
        if !is_ours(authority.host(), names, networks) {
            return Err(ApiError::misdirected_request());
        }
    }
    Ok(())
}

/// Whether a name or address is one of this server's.
fn is_ours(host: &str, names: &[String], networks: &[IpNet]) -> bool {
    let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    if let Ok(address) = bare.parse::<IpAddr>() {
        return network::allows(networks, address) || network::allows(&network::local_networks(), address);
    }
    let name = host.strip_suffix('.').unwrap_or(host);
    let single =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    single || names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The host of an origin such as `https://store-1.pos.example:8443`.
pub fn of_origin(origin: &str) -> Option<String> {
    let uri: Uri = origin.parse().ok()?;
    Some(uri.host()?.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::{is_ours, of_origin};
    use crate::network::local_networks;

    #[test]
    fn local_names_addresses_of_allowed_networks_and_configured_names_are_ours() {
        let names = ["Store-1.pos.example".to_owned()];
        let public = vec!["198.51.100.0/24".parse().unwrap()];
        let ours = |host: &str| is_ours(host, &names, &public);
        for own in [
            "localhost",
            "STORE",
            "till-1",
            "store-1.pos.example",
            "store-1.POS.example.",
            "127.0.0.1",
            "[::1]",
            "192.168.1.10",
            "[::ffff:10.0.0.1]",
            "[fe80::1]",
            "198.51.100.7",
        ] {
            assert!(ours(own), "{own}");
        }
        for strange in [
            "evil.example",
            "localhost.evil.example",
            "pos.example",
            "8.8.8.8",
            "[2001:db8::1]",
            "",
            "127.0.0.1.nip.io",
            "0x7f.1",
            "store-1.pos.example.evil.example",
            "store.local",
            ".",
        ] {
            assert!(!ours(strange), "{strange}");
        }
        assert!(!is_ours("198.51.100.7", &names, &local_networks()));
    }

    #[test]
    fn an_origin_names_its_host() {
        assert_eq!(of_origin("https://store-1.pos.example:8443").as_deref(), Some("store-1.pos.example"));
        assert_eq!(of_origin("http://localhost:8081").as_deref(), Some("localhost"));
        assert_eq!(of_origin(""), None);
    }
}
