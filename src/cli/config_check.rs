//! `config check`: checks the settings, and the files that they name.

use crate::config::load::Loaded;
use crate::exit::{Exit, USAGE};
use crate::hub_address;
use edge::clock;
use edge::server::certificate;

/// Checks the files that the settings name. The settings themselves were checked when they were loaded.
pub fn run(loaded: &Loaded) -> anyhow::Result<()> {
    loaded.config.http.tls().map_err(|error| Exit::new(USAGE, error.to_string()))?;
    hub_address::authority(&loaded.config)?;
    let named = hub_address::certificates(&loaded.config);
    let lines = certificate::check(&named, clock::now().timestamp());
    lines.map_err(|error| Exit::new(USAGE, error.to_string()))?.iter().for_each(|line| println!("{line}"));
    println!("{}", loaded.confirmation());
    Ok(())
}
