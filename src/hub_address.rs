//! Address of head office: given to `enrol`, perhaps repeated in the settings, never two different ones.

use crate::config::Config;
use crate::exit::{Exit, USAGE};
use edge::server::certificate::Named;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;

/// The largest file of `hub.ca_cert`, in bytes.
const AUTHORITY_BYTES_MAX: u64 = 256 * 1024;

/// `hub.url` of the settings, if set, has to be the hub that the store is enrolled at.
pub fn agrees(config: &Config, url: &str) -> Result<(), Exit> {
    let set = config.hub.url.trim_end_matches('/');
    if set.is_empty() || set == url.trim_end_matches('/') {
        return Ok(());
    }
    Err(Exit::new(
        USAGE,
        format!("hub.url is \"{set}\", but the store's hub is \"{url}\": change one of them"),
    ))
}

/// The certificates that the settings name.
pub fn certificates(config: &Config) -> [Named<'_>; 2] {
    [config.http.certificate(), Named { setting: "hub.ca_cert", path: &config.hub.ca_cert, is_bundle: true }]
}

/// The certificate of `hub.ca_cert`, in PEM form; `None` if the system's authorities are trusted.
pub fn authority(config: &Config) -> Result<Option<Arc<[u8]>>, Exit> {
    let path = &config.hub.ca_cert;
    if path.as_os_str().is_empty() {
        return Ok(None);
    }
    let wrong = |problem: String| Exit::new(USAGE, format!("hub.ca_cert {}: {problem}", path.display()));
    let mut pem = Vec::new();
    let read = File::open(path).and_then(|file| file.take(AUTHORITY_BYTES_MAX).read_to_end(&mut pem));
    read.map_err(|error| wrong(error.to_string()))?;
    match reqwest::Certificate::from_pem_bundle(&pem) {
        Ok(certificates) if !certificates.is_empty() => Ok(Some(pem.into())),
        _ => Err(wrong("holds no certificate in PEM form".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailing_slash_makes_no_difference_another_host_does() {
        let mut config = Config::default();
        assert!(agrees(&config, "https://hub.example").is_ok());
        config.hub.url = "https://hub.example/".to_owned();
        assert!(agrees(&config, "https://hub.example").is_ok());
        assert!(agrees(&config, "https://other.example").is_err_and(|exit| exit.code == USAGE));
    }
}
