//! `rotate-keys`: tokens are signed with another key from the hub's next look at it.

use crate::app::token_key;
use crate::config::Config;
use edge::{clock, keys};

/// Puts a new key into the place of the old one; without `at_once` the old one's tokens live to their end.
pub fn run(config: &Config, at_once: bool) -> anyhow::Result<()> {
    let overlap = (!at_once).then(|| config.auth.refresh_ttl.duration());
    let key = keys::rotate(&token_key(&config.storage.path), overlap, clock::now())?;
    println!("tokens are signed with key {} from the next reload or start on", key.kid());
    println!("a running hub: systemctl reload cloud-hub");
    if at_once {
        println!("then every token from before is dead: everybody logs in anew");
    }
    Ok(())
}
