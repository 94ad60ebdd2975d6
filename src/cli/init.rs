//! `init`: a new data folder with its keys, its first epoch and its first administrator.

use super::{commit, secret, users};
use crate::config::Config;
use crate::{folder, random};
use domain::ids::StoreId;
use domain::user::{Role, User};
use edge::keys::SigningKey;
use storage::Storage;

/// Makes everything that `serve` needs. An existing folder is not touched.
pub fn run(config: &Config, admin: &str, from_stdin: bool) -> anyhow::Result<()> {
    let username = users::username(admin)?;
    let secret = secret::secret(config, &username, from_stdin)?;
    let user = users::new(config, username.clone(), "Administrator".to_owned(), Role::Admin, secret.hash);
    store(config, user)?;
    println!("store {} is ready in {}", config.store.id, config.storage.path.display());
    users::announce(&username, secret.shown.as_deref());
    let tax = if config.tax.prices_include_tax { "contain" } else { "are without" };
    println!("prices {tax} tax: tax.prices_include_tax in config.toml, to be settled before the first sale");
    Ok(())
}

/// The folder with its keys, its first epoch and this user.
pub fn store(config: &Config, admin: User) -> anyhow::Result<()> {
    folder::create(config)?;
    SigningKey::create(&folder::token_key(config))?;
    SigningKey::create(&folder::sync_key(config))?;
    let store_id = StoreId(config.store.id.clone());
    Storage::init(&config.storage.path, &store_id, &random::first_epoch()).map_err(folder::in_use)?;
    let storage = folder::open(config)?;
    commit::first(&storage, admin)?;
    folder::close(storage)
}
