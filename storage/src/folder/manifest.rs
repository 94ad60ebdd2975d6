//! The identity of the store, and the installation key.

use crate::error::StorageError;
use crate::folder::format;
use crate::folder::layout::{Layout, make_dir, remove, replace};
use crate::folder::lock::FolderLock;
use domain::model::base::ids::StoreId;
use hmac::{Hmac, Mac};
use rand::TryRngCore;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Content of `store.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the folder.
    pub format_version: u32,
    /// Store that owns the folder.
    pub store_id: StoreId,
    /// The epoch that the first commit opens.
    pub first_epoch: String,
}

/// Makes a new store's folder; the manifest comes last, so a half-made folder is made again.
pub fn init(path: &Path, store_id: &StoreId, epoch: &str) -> Result<(), StorageError> {
    let layout = Layout(path.to_owned());
    make_dir(path)?;
    let _lock = FolderLock::take(&layout)?;
    if layout.manifest().exists() || layout.journal().exists() {
        return Err(StorageError::Exists { path: path.to_owned() });
    }
    make_key(&layout)?;
    let (store_id, first_epoch) = (store_id.clone(), epoch.to_owned());
    Manifest { format_version: format::FOLDER, store_id, first_epoch }.store(&layout)
}

/// Draws a new installation key.
pub fn make_key(layout: &Layout) -> Result<(), StorageError> {
    let mut key = [0; 32];
    rand::rngs::OsRng
        .try_fill_bytes(&mut key)
        .map_err(|error| StorageError::io("draw", &layout.install_key())(std::io::Error::other(error)))?;
    remove(&layout.install_key())?;
    replace(&layout.install_key(), &key)
}

impl Manifest {
    /// Reads the manifest; a folder of another version is refused.
    pub fn load(layout: &Layout) -> Result<Self, StorageError> {
        let manifest = Self::read(layout)?;
        format::check(&layout.manifest(), manifest.format_version, format::FOLDER)?;
        Ok(manifest)
    }

    /// Writes the manifest.
    pub fn store(&self, layout: &Layout) -> Result<(), StorageError> {
        replace(&layout.manifest(), &serde_json::to_vec_pretty(self).unwrap_or_default())
    }

    /// Reads the manifest of a folder of any version.
    pub fn read(layout: &Layout) -> Result<Self, StorageError> {
        let path = layout.manifest();
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(StorageError::Missing { path: layout.0.clone() });
            }
            read => read.map_err(StorageError::io("read", &path))?,
        };
        serde_json::from_slice(&bytes).map_err(|error| StorageError::damaged(&path, 0, error.to_string()))
    }
}

/// The key under which idempotency keys and bodies are stored.
pub struct InstallKey([u8; 32]);

impl std::fmt::Debug for InstallKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("InstallKey(…)")
    }
}

impl InstallKey {
    /// Reads the key; a file that others may read is refused.
    pub fn load(layout: &Layout) -> Result<Self, StorageError> {
        let path = layout.install_key();
        let meta = fs::metadata(&path).map_err(StorageError::io("read", &path))?;
        let mode = meta.permissions().mode() & 0o7777;
        if mode & 0o077 != 0 {
            let others = format!("mode {mode:o}: only its owner may read it (chmod 600)");
            return Err(StorageError::io("read", &path)(std::io::Error::other(others)));
        }
        let bytes = fs::read(&path).map_err(StorageError::io("read", &path))?;
        let key = bytes.try_into().map_err(|_| StorageError::damaged(&path, 0, "not 32 bytes"))?;
        Ok(Self(key))
    }

    /// HMAC-SHA-256 over length-prefixed parts.
    pub fn fingerprint(&self, parts: &[&[u8]]) -> [u8; 32] {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else {
            return [0; 32]; // HMAC takes keys of any length.
        };
        for part in parts {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}
