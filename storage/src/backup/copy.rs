//! Copies files, hashes them meanwhile, and syncs in small parts, so that syncs of the journal don't wait long.

use super::BackupFile;
use crate::error::StorageError;
use crate::folder::layout::FILE_MODE;
use domain::model::hub::chain::hex;
use sha2::{Digest, Sha256};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Number of bytes that are read at once.
const PART_BYTES: usize = 1024 * 1024;
/// Number of bytes after which the copy is synced.
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
    /// The entry of `backup.json` for this file.
    pub fn into_entry(self, path: PathBuf) -> BackupFile {
        BackupFile { path, bytes: self.bytes, sha256: self.sha256 }
    }
}

/// Copies a file, or its first `upto` bytes. Calls `on_part` with the length of each part; its error ends the copy.
pub fn copy(
    from: &Path,
    upto: Option<u64>,
    to: &Path,
    on_part: &mut dyn FnMut(u64) -> Result<(), StorageError>,
) -> Result<Copied, StorageError> {
    let mut input = File::open(from).map_err(StorageError::io("open", from))?.take(upto.unwrap_or(u64::MAX));
    let copied = copy_from(&mut input, from, to, on_part)?;
    if upto.is_some_and(|upto| upto != copied.bytes) {
        return Err(StorageError::damaged(from, copied.bytes, "the file is too short"));
    }
    Ok(copied)
}

fn copy_from(
    input: &mut impl Read,
    from: &Path,
    to: &Path,
    on_part: &mut dyn FnMut(u64) -> Result<(), StorageError>,
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
        on_part(bytes.len() as u64)
    })?;
    output.sync_all().map_err(StorageError::io("sync", to))?;
    Ok(copied)
}

/// Copies a file of a backup and checks it against its entry in `backup.json`: it is a plain file in plain folders and
/// has the listed length and hash.
pub fn copy_listed(
    source: &Path,
    listed: &BackupFile,
    to: &Path,
    on_part: &mut dyn FnMut(u64) -> Result<(), StorageError>,
) -> Result<(), StorageError> {
    let from = source.join(&listed.path);
    let differs = || StorageError::damaged(&from, 0, "it is not the file that the backup was made with");
    let input = open_plain(source, &listed.path).map_err(StorageError::io("open", &from))?;
    if input.metadata().map_err(StorageError::io("read", &from))?.len() != listed.bytes {
        return Err(differs());
    }
    // One byte more than listed, to notice a file that grows meanwhile.
    let copied = copy_from(&mut input.take(listed.bytes.saturating_add(1)), &from, to, on_part)?;
    let same = copied.bytes == listed.bytes && copied.sha256 == listed.sha256;
    if same { Ok(()) } else { Err(differs()) }
}

/// Reads a plain file of at most `bytes_max` bytes.
pub fn read_plain(folder: &Path, path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let input = open_plain(folder, path)?;
    if input.metadata()?.len() > bytes_max {
        return Err(io::Error::other(format!("it is longer than {bytes_max} bytes")));
    }
    let mut bytes = Vec::new();
    input.take(bytes_max).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a plain file below `folder`. Refuses links, devices and pipes, and folders that are links, so that a prepared
/// backup can't make a restore read other files.
fn open_plain(folder: &Path, path: &Path) -> io::Result<File> {
    let mut parent = folder.to_owned();
    let folders = path.components().count().saturating_sub(1);
    for part in path.components().take(folders) {
        parent.push(part);
        if !fs::symlink_metadata(&parent)?.is_dir() {
            return Err(io::Error::other(format!("{} is not a folder", parent.display())));
        }
    }
    let file_path = folder.join(path);
    let expected = fs::symlink_metadata(&file_path)?;
    if !expected.is_file() {
        return Err(io::Error::other("it is not a plain file"));
    }
    let file = File::open(&file_path)?;
    let opened = file.metadata()?;
    // Another process may have replaced the file between the check and opening it.
    if (opened.dev(), opened.ino()) != (expected.dev(), expected.ino()) {
        return Err(io::Error::other("it was replaced in the meantime"));
    }
    Ok(file)
}

/// Computes length and hash of a file.
pub fn hash(path: &Path) -> Result<Copied, StorageError> {
    let mut input = File::open(path).map_err(StorageError::io("open", path))?;
    digest(path, &mut input, &mut |_| Ok(()))
}

/// Makes a file accessible to its owner only.
pub fn protect(path: &Path) -> Result<(), StorageError> {
    fs::set_permissions(path, fs::Permissions::from_mode(FILE_MODE))
        .map_err(StorageError::io("protect", path))
}

/// Reads `input` to its end and hashes it. Calls `on_part` with each part.
fn digest(
    path: &Path,
    input: &mut impl Read,
    on_part: &mut dyn FnMut(&[u8]) -> Result<(), StorageError>,
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
        on_part(read)?;
    }
    Ok(Copied { bytes, sha256: hex(&sha.finalize()) })
}
