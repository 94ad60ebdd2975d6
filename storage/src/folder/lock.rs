//! The folder lock: one process per store.

use crate::error::StorageError;
use crate::folder::layout::{FILE_MODE, Layout};
use fs2::FileExt;
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;

/// Held until it is dropped.
#[derive(Debug)]
pub struct FolderLock {
    file: File,
}

impl FolderLock {
    /// Takes the lock. Fails if another process holds it.
    pub fn take(layout: &Layout) -> Result<Self, StorageError> {
        let path = layout.lock();
        let mut open = OpenOptions::new();
        open.create(true).truncate(false).write(true).mode(FILE_MODE);
        let file = match open.open(&path) {
            // A store on a read-only disk can still be read.
            Err(error) if error.kind() == ErrorKind::ReadOnlyFilesystem => File::open(&path),
            opened => opened,
        };
        let file = file.map_err(StorageError::io("open", &path))?;
        file.try_lock_exclusive().map_err(|_| StorageError::Locked { path: layout.0.clone() })?;
        Ok(Self { file })
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // The lock goes with the file anyway.
        let _ = FileExt::unlock(&self.file);
    }
}
