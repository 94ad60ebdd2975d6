//! Reading settings: see `edge::settings`.

use super::{Config, check};
use edge::settings::{Settings, error::SettingsError};
use std::path::Path;

/// Settings in force, and where each that is not a default comes from.
pub type Loaded = edge::settings::load::Loaded<Config>;

impl Settings for Config {
    const FILES: &'static [&'static str] = &["./config.toml", "/etc/store-router/config.toml"];
    const ENV_PREFIX: &'static str = "STORE_ROUTER__";
    const MASKED: &'static [&'static str] = &["hub.url"];

    fn problems(&self) -> Vec<(&'static str, String)> {
        check::problems(self)
    }
}

/// Reads and checks everything; the first file that exists counts, `explicit` alone if given.
pub fn load(explicit: Option<&Path>, environment: Vec<(String, String)>) -> Result<Loaded, SettingsError> {
    edge::settings::load::load(explicit, environment)
}

#[cfg(test)]
mod tests;
