//! `config check`

use crate::config::load::Loaded;
use crate::exit::{Exit, USAGE};

/// Reads the files that the settings name; the settings themselves were checked when they were read.
pub fn run(loaded: &Loaded) -> anyhow::Result<()> {
    loaded.config.http.tls().map_err(|error| Exit::new(USAGE, error.to_string()))?;
    println!("{}", loaded.is_right());
    Ok(())
}
