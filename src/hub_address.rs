//! Where head office is: told to `enrol`, perhaps repeated in the settings, never two places.

use crate::config::Config;
use crate::exit::{Exit, USAGE};

/// `hub.url` of the settings, where set, has to be the hub that the store is enrolled at.
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
