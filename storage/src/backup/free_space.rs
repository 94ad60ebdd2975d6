//! Room for a backup: it never takes the space that selling needs.

use crate::error::StorageError;
use crate::handle::Storage;
use crate::writer::shared::Shared;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Free room that a backup leaves on a disk of its own.
const SPARE_BYTES: u64 = 64 * 1024 * 1024;

impl Storage {
    /// Whether a backup into that folder leaves the space that selling needs: asked before anything is written.
    ///
    /// # Errors
    /// [`StorageError::NoRoom`], or the data folder can't be read.
    pub fn room_for_backup(&self, folder: &Path) -> Result<(), StorageError> {
        let shared = self.shared();
        let journal: u64 = shared.history.segments().iter().map(|segment| segment.len).sum();
        let rows = shared.layout.rows();
        // A snapshot of the rows is about as large as they are.
        let rows = bytes_in(&rows).map_err(StorageError::io("read", &rows))?;
        refuse_without(shared, folder, journal.saturating_add(rows))
    }
}

/// Refuses if this many more bytes would not leave enough free space.
pub fn refuse_without(shared: &Shared, folder: &Path, bytes: u64) -> Result<(), StorageError> {
    // If the free space is unknown, the write itself reports a full disk.
    let free = fs2::available_space(folder).unwrap_or(u64::MAX);
    let needed = bytes.saturating_add(spare(shared, folder));
    if free >= needed {
        return Ok(());
    }
    Err(StorageError::NoRoom { path: folder.to_owned(), free, needed })
}

/// Space that stays free: on the store's own disk the limit below which selling is refused, and the next segment.
fn spare(shared: &Shared, folder: &Path) -> u64 {
    let disk = |path: &Path| fs::metadata(path).map(|meta| meta.dev()).ok();
    if disk(folder) != disk(&shared.layout.0) {
        return SPARE_BYTES;
    }
    let options = &shared.options;
    SPARE_BYTES.max(options.min_free_bytes.saturating_add(options.segment_bytes))
}

fn bytes_in(folder: &Path) -> io::Result<u64> {
    let sizes = fs::read_dir(folder)?.map(|entry| {
        let meta = entry?.metadata()?;
        Ok(if meta.is_file() { meta.len() } else { 0 })
    });
    sizes.sum()
}
