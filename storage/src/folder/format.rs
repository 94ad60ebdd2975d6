//! The versions of everything that is on the disk, and the way from one version of the folder to the next.
//!
//! A file whose version is not this program's is refused, whether it is newer or older. How a release changes a
//! format: `docs/decisions/0028-one-format-until-1.0.md`.

use crate::error::StorageError;
use crate::folder::layout::Layout;
use crate::folder::manifest::Manifest;
use std::path::Path;

/// Segments: their header and the frames behind it.
pub const SEGMENT: u32 = 1;
/// Bodies of frames: the first byte of each.
pub const BODY: u8 = 1;
/// Index files, plain and merged.
pub const INDEX: u32 = 1;
/// Rows and the mark: the first byte of each.
pub const ROWS: u8 = 1;
/// Format version of snapshots.
pub const SNAPSHOT: u32 = 1;
/// Format version of the high-water mark.
pub const HIGH_WATER: u32 = 1;
/// Format version of `backup.json`.
pub const BACKUP: u32 = 1;
/// The folder as a whole, in `store.json`: it changes whenever one of the others does.
pub const FOLDER: u32 = after(&MIGRATIONS);

/// Brings a folder from one version to the next. One that was interrupted runs again.
pub type Migration = fn(&Layout) -> Result<(), StorageError>;

/// The first brings version 1 to version 2, and so on.
pub const MIGRATIONS: [Migration; 0] = [];

/// The version that these migrations lead to.
const fn after(migrations: &[Migration]) -> u32 {
    1 + migrations.len() as u32
}

/// Refuses a file of another version than this program's.
pub fn check<V: Into<u32>>(path: &Path, found: V, known: V) -> Result<(), StorageError> {
    let (found, known) = (found.into(), known.into());
    if found == known { Ok(()) } else { Err(StorageError::Format { path: path.to_owned(), found, known }) }
}

/// Runs the migrations that a folder lacks, under its lock; one of any other version is refused.
pub fn migrate(layout: &Layout, migrations: &[Migration]) -> Result<Manifest, StorageError> {
    let mut manifest = Manifest::read(layout)?;
    let done = manifest.format_version.checked_sub(1).map(|done| done as usize);
    let Some(missing) = done.and_then(|done| migrations.get(done..)) else {
        check(&layout.manifest(), manifest.format_version, after(migrations))?;
        return Ok(manifest);
    };
    for migration in missing {
        let (from, to) = (manifest.format_version, manifest.format_version + 1);
        tracing::info!(from, to, "upgrading the folder to the next format version");
        migration(layout)?;
        manifest.format_version = to;
        manifest.store(layout)?;
    }
    Ok(manifest)
}
