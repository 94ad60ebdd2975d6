//! `rotate-keys`: tokens are signed with another key from the hub's next look at it.

use crate::config::Config;
use crate::state::hub::{open_db, token_key};
use crate::table::audit;
use domain::model::base::ids::UserId;
use edge::keys::SigningKey;
use edge::server::command::words;
use edge::{clock, keys};
use serde_json::json;

/// Puts a new key into the place of the old one; without `at_once` the old one's tokens live to their end.
pub async fn run(config: &Config, at_once: bool) -> anyhow::Result<()> {
    let overlap = (!at_once).then(|| config.auth.refresh_ttl.duration());
    let key = keys::rotate(&token_key(&config.storage.path), overlap, clock::now())?;
    println!("tokens are signed with key {} after the next reload or start", key.kid());
    println!("reload a running hub: systemctl reload cloud-hub");
    if at_once {
        println!("all older tokens are then invalid: everybody must log in again");
    }
    // A possibly leaked key is changed whether or not the database is reachable.
    if let Err(error) = noted(config, &key.kid(), at_once).await {
        eprintln!("the change could not be written to the audit log: {}", words(error.as_ref()));
    }
    Ok(())
}

async fn noted(config: &Config, kid: &str, at_once: bool) -> anyhow::Result<()> {
    let (db, _) = open_db(config).await?;
    let mut write = db.write().await?;
    let details = json!({"kid": kid, "at_once": at_once});
    audit::append(&mut write, &UserId::default(), "keys.rotated", &details, clock::now()).await?;
    write.commit().await?;
    db.close().await;
    Ok(())
}

/// Makes the key of a hub whose key file is missing.
pub async fn make(config: &Config) -> anyhow::Result<()> {
    let (db, _) = open_db(config).await?;
    db.close().await;
    let path = token_key(&config.storage.path);
    let key = SigningKey::create(&path)?;
    println!("{} was made; tokens are signed with key {} after the next start", path.display(), key.kid());
    println!("everybody must log in again");
    if let Err(error) = noted(config, &key.kid(), true).await {
        eprintln!("the change could not be written to the audit log: {}", words(error.as_ref()));
    }
    Ok(())
}
