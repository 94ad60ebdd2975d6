//! The data folder: keys beside the files of storage, and access to it.

use crate::config::Config;
use crate::exit::{Exit, FAILED, USAGE};
use anyhow::Context;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use storage::{Options, Storage, StorageError};

/// Only its owner may look into the data folder.
const FOLDER_MODE: u32 = 0o700;

/// Key files of the program, relative to the data folder.
pub const KEY_FILES: [&str; 2] = ["keys/tokens.pem", "keys/sync.pem"];

/// The key file that signs access tokens.
pub fn token_key(config: &Config) -> PathBuf {
    config.storage.path.join(KEY_FILES[0])
}

/// The key file that signs calls to the hub.
pub fn sync_key(config: &Config) -> PathBuf {
    config.storage.path.join(KEY_FILES[1])
}

/// Folder of the backups that a page or `backup` without a folder makes.
pub fn backups(config: &Config) -> PathBuf {
    config.storage.path.join("backups")
}

/// Makes the folder of keys.
pub fn create_keys(config: &Config) -> anyhow::Result<()> {
    folder(&config.storage.path.join("keys"))
}

/// Refuses a folder without a store, before anything is created in it.
pub fn has_store(config: &Config) -> anyhow::Result<()> {
    let path = &config.storage.path;
    if path.join("store.json").exists() {
        return Ok(());
    }
    Err(Exit::new(FAILED, format!("{} has no store: run store-router init", path.display())).into())
}

/// Refuses a folder that holds anything.
pub fn vacant(config: &Config) -> anyhow::Result<()> {
    let path = &config.storage.path;
    if path.exists() {
        let mut entries = fs::read_dir(path).with_context(|| format!("can't read {}", path.display()))?;
        if entries.next().is_some() {
            let message = format!(
                "{} is not empty, and init does not change an existing store: choose another folder \
                 (storage.path), or run init in another directory",
                path.display()
            );
            return Err(Exit::new(FAILED, message).into());
        }
    }
    Ok(())
}

/// Makes the folder and its folder of keys. One that holds anything is not touched.
pub fn create(config: &Config) -> anyhow::Result<()> {
    let path = &config.storage.path;
    vacant(config)?;
    if !path.exists() {
        folder(path)?;
    }
    let private = fs::Permissions::from_mode(FOLDER_MODE);
    fs::set_permissions(path, private).with_context(|| format!("can't protect {}", path.display()))?;
    create_keys(config)
}

/// Made durable with the names of its parents: a power cut removes a name that was not synced.
fn folder(path: &Path) -> anyhow::Result<()> {
    storage::make_dir(path).map_err(in_use)
}

/// Options of the storage.
pub fn options(config: &Config) -> Options {
    Options {
        cache_bytes: config.storage.cache_bytes,
        memtable_bytes: config.storage.memtable_bytes,
        min_free_bytes: config.storage.min_free_bytes,
        answers_days: config.idempotency.retention_days,
        ..Options::default()
    }
}

/// Opens the storage of this shop and no other.
pub fn open(config: &Config) -> anyhow::Result<Storage> {
    edge::private::check_folder(&config.storage.path)?;
    let storage = Storage::open(&config.storage.path, &options(config)).map_err(in_use)?;
    let kept = storage.store_id().as_str();
    if kept != config.store.id {
        let path = config.storage.path.display();
        let message = format!("store.id is \"{}\", but {path} belongs to \"{kept}\"", config.store.id);
        return Err(Exit::new(USAGE, message).into());
    }
    Ok(storage)
}

/// Writes the submissions and closes.
pub fn close(storage: Storage) -> anyhow::Result<()> {
    storage.close().map_err(in_use)
}

/// The storage's own codes; the message about a folder in use includes advice.
pub fn in_use(error: StorageError) -> anyhow::Error {
    let code = u8::try_from(error.exit_code()).unwrap_or(FAILED);
    let hint = if code == crate::exit::IN_USE {
        ": stop the daemon first (systemctl stop store-router)"
    } else {
        ""
    };
    Exit::new(code, format!("{error}{hint}")).into()
}
