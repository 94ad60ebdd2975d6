//! Rebuilds everything that is derived from the journal.

use crate::error::StorageError;
use crate::folder::high_water::HighWater;
use crate::folder::layout::{Layout, numbered, remove};
use crate::folder::lock::FolderLock;
use crate::folder::manifest::Manifest;
use crate::journal::history::merged;
use crate::journal::history::part::remake;
use crate::options::Options;
use crate::recovery::bring_up::{catch_up, start_anew};
use crate::recovery::journal_end::{Known, load};
use crate::recovery::verify::Progress;
use crate::snapshot;
use std::path::Path;

/// Rebuilds indexes and current rows of a stopped store, from the journal's first frame.
///
/// # Errors
/// The folder is in use or holds no store, the disk refuses, or the journal itself is damaged.
pub fn rebuild_index(path: &Path, progress: &mut dyn FnMut(Progress)) -> Result<(), StorageError> {
    let layout = Layout(path.to_owned());
    let manifest = Manifest::load(&layout)?;
    let _lock = FolderLock::take(&layout)?;
    if !layout.journal().exists() {
        return Ok(());
    }
    let options = Options::default();
    let high_water = HighWater::open(&layout.high_water())?.lsn();
    let known = Known { high_water, mark_lsn: 0, checked_from: 0, durable: high_water };
    let found = load(&layout, &manifest, known, &options)?;
    merged::forget(&layout.journal())?;
    for part in &found.sealed {
        remake(&part.segment, &layout.index(part.segment.head.first_lsn), None)?;
    }
    let segments = found.segments();
    let total: u64 = segments.iter().map(|segment| segment.len).sum();
    let rows = start_anew(&layout, options.cache_bytes)?;
    let mut done = 0;
    for (index, segment) in segments.iter().enumerate() {
        progress(Progress { step: "rows", done, total });
        catch_up(&rows, segments.get(..=index).unwrap_or_default())?;
        done += segment.len;
    }
    progress(Progress { step: "rows", done, total });
    rows.sync()?;
    for lsn in numbered_snapshots(&layout)? {
        remove(&layout.snapshot(lsn))?;
    }
    snapshot::take(&layout, &manifest.store_id.0, &rows)?;
    remove(&layout.rows_suspect())
}

fn numbered_snapshots(layout: &Layout) -> Result<Vec<u64>, StorageError> {
    if layout.snapshots().exists() { numbered(&layout.snapshots(), "snap") } else { Ok(Vec::new()) }
}
