//! Files for this program only: those that it creates, and those that it finds in its folder.

use crate::secret::SecretError;
use rustix::fs::Mode;
use std::{
    fs::{self, Metadata},
    io::{self, ErrorKind},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
};

/// Permission bits that others may not have on a file.
const OTHERS: u32 = 0o077;
/// Permission bits that others may not have on a folder: only the owner may change names in it.
const WRITABLE: u32 = 0o022;
/// Folder that a file system keeps at its root for itself.
const NOT_OURS: &str = "lost+found";

/// Makes all files that this process creates from now on its owner's alone, whatever mask it was started with: an
/// engine's own files too.
pub fn new_files_only_for_owner() {
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
}

/// Refuses a folder in which anything belongs to another user, or which lets others read a file or change a name. Links
/// in it are followed only to their target.
///
/// # Errors
/// [`SecretError`] names the first such file.
pub fn check_folder(folder: &Path) -> Result<(), SecretError> {
    let own = own_uid(folder)?;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Some(meta) = gone_is_none(&folder, fs::metadata(&folder))? else { continue };
        check(&folder, &meta, own)?;
        let failed = |source| SecretError::Io { path: folder.clone(), source };
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = entry.path();
            let Some(kind) = gone_is_none(&path, entry.file_type())? else { continue };
            if kind.is_dir() && entry.file_name() != NOT_OURS {
                folders.push(path);
            } else if !kind.is_dir() {
                check_file_of(&path, own)?;
            }
        }
    }
    Ok(())
}

/// Refuses a file, if it exists, that belongs to another user or that others may read.
///
/// # Errors
/// [`SecretError`].
pub fn check_file(path: &Path) -> Result<(), SecretError> {
    check_file_of(path, own_uid(path)?)
}

fn check_file_of(path: &Path, own: u32) -> Result<(), SecretError> {
    gone_is_none(path, fs::metadata(path))?.map_or(Ok(()), |meta| check(path, &meta, own))
}

fn check(path: &Path, meta: &Metadata, own: u32) -> Result<(), SecretError> {
    if meta.uid() != own {
        return Err(SecretError::Owner { path: path.to_owned(), uid: meta.uid() });
    }
    let mode = meta.permissions().mode() & 0o7777;
    match meta.is_dir() {
        true if mode & WRITABLE != 0 => Err(SecretError::Folder { path: path.to_owned(), mode }),
        false if mode & OTHERS != 0 => Err(SecretError::Permissions { path: path.to_owned(), mode }),
        _ => Ok(()),
    }
}

fn own_uid(path: &Path) -> Result<u32, SecretError> {
    let of_process = fs::metadata("/proc/self");
    of_process.map(|meta| meta.uid()).map_err(|source| SecretError::Io { path: path.to_owned(), source })
}

/// Turns a missing file into `None`: another process of this program may have taken it away meanwhile.
fn gone_is_none<T>(path: &Path, found: io::Result<T>) -> Result<Option<T>, SecretError> {
    match found {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        found => found.map(Some).map_err(|source| SecretError::Io { path: path.to_owned(), source }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use std::fs::Permissions;

    #[test]
    fn a_file_that_others_may_read_and_a_folder_they_may_change_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        let file = inner.join("file");
        fs::write(&file, "sales").unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        for (of_folder, of_file, fit) in
            [(0o700, 0o600, true), (0o755, 0o600, true), (0o770, 0o600, false), (0o700, 0o640, false)]
        {
            set(&inner, of_folder);
            set(&file, of_file);
            let named = match check_folder(folder.path()) {
                Ok(()) => None,
                Err(SecretError::Folder { path, .. } | SecretError::Permissions { path, .. }) => Some(path),
                Err(other) => panic!("{other}"),
            };
            let bad = if of_file == 0o600 { &inner } else { &file };
            assert_eq!(named.as_ref(), (!fit).then_some(bad), "{of_folder:o} {of_file:o}");
        }
        assert!(check_file(&inner.join("none")).is_ok());
        assert!(matches!(check_file(&file), Err(SecretError::Permissions { mode: 0o640, .. })));
    }
}
