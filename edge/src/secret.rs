//! Files with secrets: read only if they are readable for nobody but their owner, or the service manager.

use std::{
    fs::File,
    io::{self, Read},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

/// Environment variable with the folder in which systemd puts the files of `LoadCredential=`.
const CREDENTIALS: &str = "CREDENTIALS_DIRECTORY";

/// Reason why a file with a secret is not used.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// It could not be read.
    #[error("{path}: {source}")]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// Others may read or write it.
    #[error("{path} has mode {mode:o}: only its owner may read it (chmod 600)")]
    Permissions {
        /// Path of the file.
        path: PathBuf,
        /// Permission bits of the file.
        mode: u32,
    },
    /// Others may change what is in it.
    #[error("{path} has mode {mode:o}: only its owner may write in it (chmod 700)")]
    Folder {
        /// Path of the folder.
        path: PathBuf,
        /// Permission bits of the file.
        mode: u32,
    },
    /// It belongs to neither this user nor root.
    #[error("{path} belongs to user {uid}, but must belong to the user of this program: run it as that user")]
    Owner {
        /// Path of the file.
        path: PathBuf,
        /// Owner of the file.
        uid: u32,
    },
    /// It is not a plain file, or too large for such a secret.
    #[error("{path} is not a file of at most {bytes_max} bytes")]
    Shape {
        /// Path of the file.
        path: PathBuf,
        /// The largest that is read, in bytes.
        bytes_max: u64,
    },
}

/// Reads a secret of at most `bytes_max` bytes; mode and owner are those of the file itself.
///
/// # Errors
/// [`SecretError`]; a refused file is not read.
pub fn read(path: &Path, bytes_max: u64) -> Result<Vec<u8>, SecretError> {
    let failed = |source| SecretError::Io { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    let meta = file.metadata().map_err(failed)?;
    if !meta.is_file() || meta.len() > bytes_max {
        return Err(SecretError::Shape { path: path.to_owned(), bytes_max });
    }
    let mode = meta.permissions().mode() & 0o7777;
    // systemd lets the service in by an access list, which shows as bits of the group.
    let others = if is_credential(path) { 0o027 } else { 0o077 };
    if mode & others != 0 {
        return Err(SecretError::Permissions { path: path.to_owned(), mode });
    }
    let own = std::fs::metadata("/proc/self").map_err(failed)?.uid();
    if meta.uid() != own && meta.uid() != 0 {
        return Err(SecretError::Owner { path: path.to_owned(), uid: meta.uid() });
    }
    let mut bytes = Vec::new();
    file.take(bytes_max).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

fn is_credential(path: &Path) -> bool {
    std::env::var_os(CREDENTIALS)
        .is_some_and(|folder| !folder.is_empty() && path.parent() == Some(Path::new(&folder)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::{SecretError, read};
    use std::{fs, os::unix::fs::PermissionsExt};

    #[test]
    fn only_the_owners_own_plain_small_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        fs::write(&path, "hush").unwrap();
        for (mode, fit) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o620, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            match read(&path, 64) {
                Ok(bytes) => assert!(fit && bytes == b"hush", "{mode:o}"),
                Err(SecretError::Permissions { mode: found, .. }) => {
                    assert!(!fit && found == mode, "{mode:o}")
                }
                Err(other) => panic!("{mode:o}: {other}"),
            }
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(matches!(read(&path, 3), Err(SecretError::Shape { .. })));
        assert!(matches!(read(folder.path(), 64), Err(SecretError::Shape { .. })));
        assert!(matches!(read(&folder.path().join("none"), 64), Err(SecretError::Io { .. })));
    }
}
