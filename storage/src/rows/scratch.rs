//! Space beside the live rows for work that is too big for memory: a set of keys and files, on the store's own disk,
//! removed with the value, or at the next start if the process died.

use super::{changed, guarded};
use crate::error::StorageError;
use crate::folder::layout::FILE_MODE;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Memory that the set's engine may use, in bytes.
const CACHE_BYTES: u64 = 8 * 1024 * 1024;

/// A set of keys on the disk, in a folder of its own.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    set: Option<sled::Db>,
    count: u64,
}

impl Scratch {
    /// A new one in the folder.
    pub fn new(all: &Path) -> Result<Self, StorageError> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let folder = all.join(NEXT.fetch_add(1, Relaxed).to_string());
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        made.map_err(StorageError::io("make", &folder))?;
        let mut scratch = Self { folder, set: None, count: 0 };
        let path = scratch.folder.join("set");
        let config = sled::Config::new().path(&path).cache_capacity(CACHE_BYTES).flush_every_ms(None);
        scratch.set = Some(guarded(&path, || config.open())?);
        Ok(scratch)
    }

    /// Adds a key. An existing key changes nothing.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn add(&mut self, key: &[u8]) -> Result<(), StorageError> {
        if let Some(set) = &self.set
            && changed(&self.folder, set, || set.insert(key, b"".as_slice()))?.is_none()
        {
            self.count += 1;
        }
        Ok(())
    }

    /// Whether a key was added.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn has(&self, key: &[u8]) -> Result<bool, StorageError> {
        self.set.as_ref().map_or(Ok(false), |set| guarded(&self.folder, || set.contains_key(key)))
    }

    /// Keys that were added.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// A new file beside the set, to be written and read again.
    ///
    /// # Errors
    /// The disk refuses, or there is one of this name.
    pub fn file(&self, name: &str) -> Result<File, StorageError> {
        let path = self.folder.join(name);
        let mut open = OpenOptions::new();
        open.read(true).write(true).create_new(true).mode(FILE_MODE);
        open.open(&path).map_err(StorageError::io("make", &path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.set = None;
        // A set that failed keeps its file open: its room on the disk is given back all the same.
        let db = OpenOptions::new().write(true).open(self.folder.join("set").join("db"));
        let _ = db.and_then(|db| db.set_len(0));
        // A folder that can't be removed is removed at the next start.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
