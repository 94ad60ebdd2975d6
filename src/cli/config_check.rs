//! `config check`

use crate::config::load::Loaded;
use crate::exit::{Exit, USAGE};
use crate::hub_address;
use edge::clock;
use edge::server::certificate;

/// Reads the files that the settings name; the settings themselves were checked when they were read.
pub fn run(loaded: &Loaded) -> anyhow::Result<()> {
    loaded.config.http.tls().map_err(|error| Exit::new(USAGE, error.to_string()))?;
    hub_address::authority(&loaded.config)?;
    let named = hub_address::certificates(&loaded.config);
    let lines = certificate::check(&named, clock::now().timestamp());
    lines.map_err(|error| Exit::new(USAGE, error.to_string()))?.iter().for_each(|line| println!("{line}"));
    println!("{}", loaded.is_right());
    Ok(())
}
