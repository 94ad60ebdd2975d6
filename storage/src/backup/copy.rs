//! Copying a file: hashed on the way, durable in small parts so that the journal's own syncs don't wait.

use super::BackupFile;
use crate::error::StorageError;
use crate::folder::layout::FILE_MODE;
use domain::model::hub::chain::hex;
use sha2::{Digest, Sha256};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Bytes that are copied at once.
const PART_BYTES: usize = 1024 * 1024;
/// Bytes after which the copy is brought to the disk.
const SYNC_BYTES: u64 = 8 * 1024 * 1024;

/// Size and checksum of a copied file.
#[derive(Debug, PartialEq, Eq)]
pub struct Copied {
    /// Number of bytes copied.
    pub bytes: u64,
    /// Its SHA-256 in lower-case hex.
    pub sha256: String,
}

impl Copied {
    /// As an entry of the list.
    pub fn listed(self, path: PathBuf) -> BackupFile {
        BackupFile { path, bytes: self.bytes, sha256: self.sha256 }
    }
}

/// Copies a file, or its first `upto` bytes, and says after each part how many bytes that were.
pub fn copy(
    from: &Path,
    upto: Option<u64>,
    to: &Path,
    part: &mut dyn FnMut(u64) -> Result<(), StorageError>,
) -> Result<Copied, StorageError> {
    let mut input = File::open(from).map_err(StorageError::io("open", from))?.take(upto.unwrap_or(u64::MAX));
    let copied = copy_from(&mut input, from, to, part)?;
    if upto.is_some_and(|upto| upto != copied.bytes) {
        return Err(StorageError::damaged(from, copied.bytes, "the file is too short"));
    }
    Ok(copied)
}

fn copy_from(
    input: &mut impl Read,
    from: &Path,
    to: &Path,
    part: &mut dyn FnMut(u64) -> Result<(), StorageError>,
) -> Result<Copied, StorageError> {
    let open = OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(to);
    let mut output = open.map_err(StorageError::io("make", to))?;
    let mut unsynced = 0;
    let copied = digest(from, input, &mut |bytes| {
        output.write_all(bytes).map_err(StorageError::io("write", to))?;
        unsynced += bytes.len() as u64;
        if unsynced >= SYNC_BYTES {
            unsynced = 0;
            output.sync_data().map_err(StorageError::io("sync", to))?;
        }
        part(bytes.len() as u64)
    })?;
    output.sync_all().map_err(StorageError::io("sync", to))?;
    Ok(copied)
}

/// Copies a file of a backup that is to be as the list says: a plain file, in plain folders, of that length.
pub fn copy_listed(
    source: &Path,
    listed: &BackupFile,
    to: &Path,
    part: &mut dyn FnMut(u64) -> Result<(), StorageError>,
) -> Result<(), StorageError> {
    let from = source.join(&listed.path);
    let other = || StorageError::damaged(&from, 0, "it is not the file that the backup was made with");
    let input = open_plain(source, &listed.path).map_err(StorageError::io("open", &from))?;
    if input.metadata().map_err(StorageError::io("read", &from))?.len() != listed.bytes {
        return Err(other());
    }
    // One that grows meanwhile is one byte too long.
    let copied = copy_from(&mut input.take(listed.bytes.saturating_add(1)), &from, to, part)?;
    let same = copied.bytes == listed.bytes && copied.sha256 == listed.sha256;
    if same { Ok(()) } else { Err(other()) }
}

/// Reads a plain file of at most this many bytes.
pub fn read_plain(folder: &Path, path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let input = open_plain(folder, path)?;
    if input.metadata()?.len() > bytes_max {
        return Err(io::Error::other(format!("it is longer than {bytes_max} bytes")));
    }
    let mut bytes = Vec::new();
    input.take(bytes_max).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a file of a folder that neither is a link, a device or a pipe, nor is behind a link.
fn open_plain(folder: &Path, path: &Path) -> io::Result<File> {
    let mut at = folder.to_owned();
    let folders = path.components().count().saturating_sub(1);
    for part in path.components().take(folders) {
        at.push(part);
        if !fs::symlink_metadata(&at)?.is_dir() {
            return Err(io::Error::other(format!("{} is not a folder", at.display())));
        }
    }
    let named = folder.join(path);
    let found = fs::symlink_metadata(&named)?;
    if !found.is_file() {
        return Err(io::Error::other("it is not a plain file"));
    }
    let file = File::open(&named)?;
    let opened = file.metadata()?;
    if (opened.dev(), opened.ino()) != (found.dev(), found.ino()) {
        return Err(io::Error::other("it was replaced in the meantime"));
    }
    Ok(file)
}

/// Length and hash of a file.
pub fn hash(path: &Path) -> Result<Copied, StorageError> {
    let mut input = File::open(path).map_err(StorageError::io("open", path))?;
    digest(path, &mut input, &mut |_| Ok(()))
}

/// Keeps everybody but its owner out of a file.
pub fn protect(path: &Path) -> Result<(), StorageError> {
    fs::set_permissions(path, fs::Permissions::from_mode(FILE_MODE))
        .map_err(StorageError::io("protect", path))
}

fn digest(
    path: &Path,
    input: &mut impl Read,
    show: &mut dyn FnMut(&[u8]) -> Result<(), StorageError>,
) -> Result<Copied, StorageError> {
    let mut part = vec![0; PART_BYTES];
    let (mut sha, mut bytes) = (Sha256::new(), 0);
    loop {
        let read = match input.read(&mut part) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(StorageError::io("read", path)(error)),
        };
        let read = part.get(..read).unwrap_or_default();
        sha.update(read);
        bytes += read.len() as u64;
        show(read)?;
    }
    Ok(Copied { bytes, sha256: hex(&sha.finalize()) })
}
