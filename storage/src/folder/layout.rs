//! The folder: the place of each file, and how files and folders are made durable.

use crate::error::StorageError;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Only its owner may read or write a file of a store: sales, members and password hashes are in it.
pub const FILE_MODE: u32 = 0o600;
/// Permission bits of folders.
const FOLDER_MODE: u32 = 0o700;

/// Paths inside a store's folder.
#[derive(Debug, Clone)]
pub struct Layout(pub PathBuf);

impl Layout {
    /// Held while a process uses the folder.
    pub fn lock(&self) -> PathBuf {
        self.0.join("lock")
    }
    /// The identity of the store; written last by `init`.
    pub fn manifest(&self) -> PathBuf {
        self.0.join("store.json")
    }
    /// The key of idempotency fingerprints.
    pub fn install_key(&self) -> PathBuf {
        self.0.join("install.key")
    }
    /// The position that the journal certainly reached.
    pub fn high_water(&self) -> PathBuf {
        self.0.join("highwater")
    }
    /// Marks a restore that did not complete.
    pub fn restoring(&self) -> PathBuf {
        self.0.join("restore.unfinished")
    }
    /// The contents of a backup; written last.
    pub fn backup(&self) -> PathBuf {
        self.0.join("backup.json")
    }
    /// Room that is given up on a full disk.
    pub fn reserve(&self) -> PathBuf {
        self.0.join("reserve")
    }
    /// Segments and their indexes.
    pub fn journal(&self) -> PathBuf {
        self.0.join("journal")
    }
    /// Folder of the engine's rows.
    pub fn rows(&self) -> PathBuf {
        self.0.join("rows")
    }
    /// Tells the next start to rebuild the rows.
    pub fn rows_suspect(&self) -> PathBuf {
        self.0.join("rows.suspect")
    }
    /// Work beside the rows; its contents at a start are those of a process that died.
    pub fn scratch(&self) -> PathBuf {
        self.0.join("scratch")
    }
    /// Copies of the current rows.
    pub fn snapshots(&self) -> PathBuf {
        self.0.join("snapshots")
    }
    /// A segment, by its first lsn.
    pub fn segment(&self, first_lsn: u64) -> PathBuf {
        self.journal().join(format!("{first_lsn:016}.seg"))
    }
    /// A sealed segment's index.
    pub fn index(&self, first_lsn: u64) -> PathBuf {
        self.journal().join(format!("{first_lsn:016}.idx"))
    }
    /// The segment that is ready to be used next.
    pub fn next_segment(&self) -> PathBuf {
        self.journal().join("next.seg")
    }
    /// A snapshot, by the lsn that its replay starts after.
    pub fn snapshot(&self, lsn: u64) -> PathBuf {
        self.snapshots().join(format!("{lsn:016}.snap"))
    }
}

/// Makes names in a folder durable.
pub fn sync_dir(path: &Path) -> Result<(), StorageError> {
    File::open(path).and_then(|dir| dir.sync_all()).map_err(StorageError::io("sync", path))
}

/// Writes a small file so that either the old or the new content is there after an interruption.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), StorageError> {
    let temporary = path.with_extension("tmp");
    remove(&temporary)?;
    let write = || {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(&temporary)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().map_err(StorageError::io("write", path))?;
    path.parent().map_or(Ok(()), sync_dir)
}

/// Removes a file that may be missing.
pub fn remove(path: &Path) -> Result<(), StorageError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(StorageError::io("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// Makes a folder and those above it for their owner alone, durable with their names.
///
/// # Errors
/// The disk refuses.
pub fn make_dir(path: &Path) -> Result<(), StorageError> {
    let new =
        path.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()).count();
    let made = DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path);
    made.map_err(StorageError::io("make", path))?;
    // The new folders, and the one above that has a new name in it.
    let folders = path.ancestors().take(new.max(1) + 1);
    folders
        .map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
        .try_for_each(sync_dir)
}

/// Numbers in the names of files with an extension, ascending.
pub fn numbered(folder: &Path, extension: &str) -> Result<Vec<u64>, StorageError> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder).map_err(StorageError::io("list", folder))? {
        let path = entry.map_err(StorageError::io("list", folder))?.path();
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if path.extension().is_some_and(|found| found == extension) {
            numbers.extend(name.parse::<u64>());
        }
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// Removes unfinished files of an interrupted process.
pub fn clear_temporaries(layout: &Layout) -> Result<(), StorageError> {
    remove(&layout.reserve().with_extension("tmp"))?;
    match fs::remove_dir_all(layout.scratch()) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(StorageError::io("remove", &layout.scratch())(error));
        }
        _ => {}
    }
    for folder in [layout.journal(), layout.snapshots()].into_iter().filter(|folder| folder.exists()) {
        for entry in fs::read_dir(&folder).map_err(StorageError::io("list", &folder))? {
            let path = entry.map_err(StorageError::io("list", &folder))?.path();
            if path.extension().is_some_and(|extension| extension == "tmp") {
                remove(&path)?;
            }
        }
    }
    Ok(())
}

/// Whether a folder is there and holds anything.
pub fn is_filled(path: &Path) -> Result<bool, StorageError> {
    match fs::read_dir(path) {
        Ok(mut entries) => Ok(entries.next().is_some()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(StorageError::io("list", path)(error)),
    }
}
