//! The key that signs calls to the hub. Enrolment replaces it while the daemon runs.

use edge::keys::{self, KeyError, SigningKey};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The key of a file, read again after the file was replaced.
pub struct SyncKey {
    path: PathBuf,
    read: Mutex<Read>,
}

struct Read {
    key: SigningKey,
    /// Number of the file that it was read from.
    inode: Option<u64>,
}

impl SyncKey {
    /// Reads the key.
    ///
    /// # Errors
    /// The errors of [`SigningKey::load`].
    pub fn load(path: PathBuf) -> Result<Self, KeyError> {
        let (inode, key) = (inode(&path), SigningKey::load(&path)?);
        Ok(Self { path, read: Mutex::new(Read { key, inode }) })
    }

    /// Signs with the key that is in the file now. If the file can't be read, the last key signs.
    pub fn sign<T>(&self, sign: impl FnOnce(&SigningKey) -> T) -> T {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let now = inode(&self.path);
        if now != read.inode
            && let Ok(key) = SigningKey::load(&self.path)
        {
            *read = Read { key, inode: now };
        }
        sign(&read.key)
    }

    /// Whether the key of that name is the signing one, or the one of a running enrolment.
    pub fn is_own(&self, kid: &str) -> bool {
        self.sign(|key| key.kid() == kid) || keys::offered(&self.path).is_some_and(|key| key.kid() == kid)
    }
}

fn inode(path: &std::path::Path) -> Option<u64> {
    fs::metadata(path).ok().map(|file| file.ino())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::SyncKey;
    use edge::keys::{self, SigningKey};

    #[test]
    fn a_key_that_was_replaced_signs_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sync.pem");
        let first = SigningKey::create(&path).unwrap().kid();
        let key = SyncKey::load(path.clone()).unwrap();
        assert_eq!(key.sign(SigningKey::kid), first);
        let next = keys::candidate(&path).unwrap().kid();
        let signs = key.sign(SigningKey::kid);
        assert_eq!((keys::candidate(&path).unwrap().kid(), &signs), (next.clone(), &first));
        assert!(key.is_own(&next), "the hub may have enrolled it already");
        keys::adopt(&path).unwrap();
        assert!(key.is_own(&next) && !key.is_own(&first));
        assert_eq!(key.sign(SigningKey::kid), next);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(key.sign(SigningKey::kid), next, "the last key signs");
    }
}
