//! `rotate-keys`: tokens are signed with another key from the daemon's next look at it.

use crate::config::Config;
use crate::exit::{Exit, FAILED};
use crate::folder;
use edge::keys::SigningKey;
use edge::{clock, keys};

/// Puts a new key into the place of the old one; without `at_once` the old one's tokens live to their end.
pub fn run(config: &Config, at_once: bool) -> anyhow::Result<()> {
    let overlap = (!at_once).then(|| config.auth.refresh_ttl.duration());
    let key = keys::rotate(&folder::token_key(config), overlap, clock::now())
        .map_err(|error| Exit::new(FAILED, error.to_string()))?;
    println!("tokens are signed with key {} after the next reload or start", key.kid());
    println!("reload a running daemon: systemctl reload store-router");
    if at_once {
        println!("all older tokens are then invalid: everybody must log in again");
    }
    Ok(())
}

/// Makes the key of a store whose key file is missing.
pub fn make(config: &Config) -> anyhow::Result<()> {
    folder::has_store(config)?;
    let path = folder::token_key(config);
    if path.exists() {
        let message = format!("{} exists: run rotate-keys without --new to replace it", path.display());
        return Err(Exit::new(FAILED, message).into());
    }
    let key = SigningKey::create(&path).map_err(|error| Exit::new(FAILED, error.to_string()))?;
    println!("{} was made; tokens are signed with key {} after the next start", path.display(), key.kid());
    println!("everybody must log in again");
    Ok(())
}
