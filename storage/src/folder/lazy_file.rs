//! Files of old segments, opened when they are read: history must not use up the process's descriptors.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// A file that may be closed between reads.
#[derive(Debug)]
pub struct LazyFile {
    path: PathBuf,
    kept: RwLock<Option<Arc<File>>>,
}

impl LazyFile {
    /// A file that stays open until [`LazyFile::evict`].
    pub fn open(path: &Path, file: File) -> Self {
        Self { path: path.to_owned(), kept: RwLock::new(Some(Arc::new(file))) }
    }

    /// The file; one that was let go is opened for reading, for as long as the caller holds it.
    pub fn get(&self) -> io::Result<Arc<File>> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner).clone();
        kept.map_or_else(|| OpenOptions::new().read(true).open(&self.path).map(Arc::new), Ok)
    }

    /// Closes the file between reads from now on.
    pub fn evict(&self) {
        *self.kept.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
