//! The origin that passkeys are bound to: the one in a browser's address bar.

use webauthn_rs::prelude::Url;

/// Reason why an origin can't carry passkeys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OriginError {
    /// Browsers bind passkeys to names.
    #[error("must have a name, not an IP address: browsers do not accept passkeys for addresses")]
    Address,
    /// Browsers offer passkeys in a secure context only.
    #[error("must begin with https:// (http:// for localhost only)")]
    Insecure,
    /// Scheme, name, perhaps a port.
    #[error("must be a scheme, a name and an optional port, such as https://shop.example:8443")]
    Form,
}

/// The origins that a credential may come from, the first naming the relying party. Empty: this machine's own
/// browser, with or without TLS.
///
/// # Errors
/// [`OriginError`], for a person.
pub fn allowed(origin: &str, port: u16) -> Result<Vec<Url>, OriginError> {
    if origin.is_empty() {
        let local = ["http", "https"].map(|scheme| format!("{scheme}://localhost:{port}"));
        return local.iter().map(|origin| one(origin)).collect();
    }
    one(origin).map(|origin| vec![origin])
}

fn one(origin: &str) -> Result<Url, OriginError> {
    let url = Url::parse(origin).map_err(|_| OriginError::Form)?;
    let (Some(_), Some(host)) = (url.host_str(), url.host_str()) else { return Err(OriginError::Form) };
    let Some(name) = url.domain() else { return Err(OriginError::Address) };
    let plain = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let anonymous = url.username().is_empty() && url.password().is_none();
    if !plain || !anonymous || origin.ends_with('/') || host.is_empty() {
        return Err(OriginError::Form);
    }
    let local = name == "localhost" || name.ends_with(".localhost");
    match url.scheme() {
        "https" => Ok(url),
        "http" if local => Ok(url),
        "http" => Err(OriginError::Insecure),
        _ => Err(OriginError::Form),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::{OriginError, allowed};

    #[test]
    fn names_only_and_secure_contexts_only() {
        for origin in ["https://shop.example", "https://s17.pos.example:8443", "http://localhost:8081"] {
            assert_eq!(allowed(origin, 1).unwrap().len(), 1, "{origin}");
        }
        for (origin, wrong) in [
            ("https://192.168.1.10", OriginError::Address),
            ("https://192.168.1.10:8443", OriginError::Address),
            ("https://[::1]:8081", OriginError::Address),
            ("http://shop.example", OriginError::Insecure),
            ("https://shop.example/", OriginError::Form),
            ("https://shop.example/pos", OriginError::Form),
            ("https://me@shop.example", OriginError::Form),
            ("ftp://shop.example", OriginError::Form),
            ("shop.example", OriginError::Form),
            ("shop.example:8443", OriginError::Form),
        ] {
            assert_eq!(allowed(origin, 1).unwrap_err(), wrong, "{origin}");
        }
        let local = allowed("", 8081).unwrap();
        assert_eq!(local.first().unwrap().as_str(), "http://localhost:8081/");
    }
}
