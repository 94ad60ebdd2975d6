//! Brings the rows up to the end of the journal at a start, and rebuilds them if they are damaged.

use crate::error::StorageError;
use crate::folder::layout::{Layout, numbered, remove, replace, sync_dir};
use crate::journal::record_head::RecordHead;
use crate::journal::segment::Segment;
use crate::journal::walk::Step;
use crate::options::MEMTABLE_BYTES;
use crate::recovery::journal_end::{Found, Frames};
use crate::rows::apply::{epoch_ops, epoch_row, ops};
use crate::rows::check::CHECKED_AT_START_MAX;
use crate::rows::mark::Mark;
use crate::rows::{BATCH_KEYS_MAX, RowOp, Rows};
use crate::snapshot::{self, read_snapshot::Snapshot};
use domain::model::base::event::Fact;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The engine at a start.
#[derive(Debug)]
pub enum Engine {
    /// The engine opened.
    Open(Box<Rows>),
    /// The rows must be rebuilt, for this reason.
    Doubtful(String),
}

impl Engine {
    /// Opens the engine. If it is damaged it is rebuilt.
    ///
    /// # Errors
    /// The disk is full, access is denied, or the rows have another format.
    pub fn open(layout: &Layout, cache_bytes: u64) -> Result<Self, StorageError> {
        if layout.rows_suspect().exists() {
            return Ok(Self::Doubtful("a check found rows missing or changed".into()));
        }
        match Rows::open(&layout.rows(), cache_bytes) {
            Ok(rows) => Ok(Self::Open(Box::new(rows))),
            Err(error @ StorageError::Format { .. }) => Err(error),
            Err(error) if error.is_full() || error.is_denied() => Err(error),
            Err(error) => Ok(Self::Doubtful(error.to_string())),
        }
    }

    /// LSN of the engine's mark. 0 if it must be rebuilt.
    pub fn mark_lsn(&self) -> u64 {
        match self {
            Self::Open(rows) => rows.mark().lsn,
            Self::Doubtful(_) => 0,
        }
    }

    /// Brings the rows up to the end of the journal, or rebuilds them.
    pub fn settle(
        self,
        layout: &Layout,
        store_id: &str,
        found: &Found,
        cache_bytes: u64,
    ) -> Result<Rows, StorageError> {
        let why = match self {
            Self::Doubtful(why) => why,
            Self::Open(rows) => match bring_up(&rows, found)? {
                None => return Ok(*rows),
                Some(why) => why,
            },
        };
        tracing::warn!(why, "rebuilding the current rows from snapshot and journal");
        rebuild(layout, store_id, found, cache_bytes)
    }
}

/// Checks the rows and applies the missing commits. Returns the reason if the rows must be rebuilt. An engine that can
/// be opened but not read must be rebuilt too, because the next start would meet the same error.
fn bring_up(rows: &Rows, found: &Found) -> Result<Option<String>, StorageError> {
    let checked = match check(rows, found) {
        Ok(None) => catch_up(rows, &found.segments()).map(|()| None),
        checked => checked,
    };
    match checked {
        Err(error) if error.is_of_engine(rows.path()) => Ok(Some(error.to_string())),
        checked => checked,
    }
}

/// Checks the rows against the journal. Returns the reason if they must be rebuilt.
fn check(rows: &Rows, found: &Found) -> Result<Option<String>, StorageError> {
    let mark = rows.flush()?;
    if mark.lsn == 0 && found.end.lsn > 0 {
        return Ok(Some("they have no mark".into()));
    }
    if mark.lsn > 0 && found.chain_at_mark != Some(mark.chain) {
        return Ok(Some("their mark is of another journal".into()));
    }
    let intact = mark.sums.total() > CHECKED_AT_START_MAX || rows.intact(&AtomicBool::new(false))?;
    Ok((!intact).then(|| "their counts and hash sums differ".into()))
}

/// Applies the frames that the rows lack.
pub fn catch_up(rows: &Rows, segments: &[Arc<Segment>]) -> Result<(), StorageError> {
    let from = rows.mark();
    let mut frames = Frames::after(segments, &from);
    let mut mark = from.clone();
    while let Some((segment, step)) = frames.next()? {
        let (mut ops, after) = replay(&step, &mark, segment.head.first_lsn)
            .map_err(|what| StorageError::damaged(&segment.path, step.offset, what))?;
        mark = after;
        rows.apply(&mut ops, mark.clone())?;
        rows.flush_when_full(MEMTABLE_BYTES)?;
    }
    if mark.lsn > from.lsn {
        tracing::info!(from = from.lsn, to = mark.lsn, "applied the journal's tail to the rows");
    }
    Ok(())
}

/// The row operations of a stored frame and the mark after it: they equal those at the time of writing.
pub fn replay(step: &Step, before: &Mark, segment: u64) -> Result<(Vec<RowOp>, Mark), String> {
    let mut mark = before.clone();
    let mut out: Vec<RowOp> = Vec::new();
    let mut resets_clock = None;
    for event in step.body.events()? {
        ops(&event, &mut out)?;
        if let Fact::EpochOpened(it) = &event.fact {
            epoch_ops(&mark.records, &it.epoch, &mut out)?;
            mark.records = RecordHead { epoch: it.epoch.clone(), ..RecordHead::default() };
        }
        resets_clock =
            crate::journal::chain_events::reset_clock(std::slice::from_ref(&event)).or(resets_clock);
    }
    let stamps = &step.body.stamps;
    let count = stamps.hashes.len() as u64;
    match stamps.hashes.last() {
        Some(hash) if stamps.epoch == mark.records.epoch => {
            mark.records.seq += count;
            mark.records.hash = *hash;
        }
        Some(hash) => {
            let (epoch, seq) = (stamps.epoch.clone(), stamps.first_seq.saturating_sub(1) + count);
            epoch_row(&RecordHead { epoch, seq, hash: *hash }, &mut out)?;
        }
        None => {}
    }
    let end = step.offset + step.header.span() as u64;
    let content = &step.body.content;
    mark.advance(step.header.lsn, step.header.chain, (segment, end), content.at, content.hlc.as_deref());
    mark.reset_clock(resets_clock);
    Ok((out, mark))
}

/// Moves the engine aside and makes a new one from the newest usable snapshot and the journal after it.
pub fn rebuild(
    layout: &Layout,
    store_id: &str,
    found: &Found,
    cache_bytes: u64,
) -> Result<Rows, StorageError> {
    let segments = found.segments();
    let usable = |snapshot: &Snapshot| {
        snapshot.end_lsn <= found.end.lsn && Frames::continue_from(&segments, &snapshot.start, &found.end)
    };
    let rows = start_anew(layout, cache_bytes)?;
    if let Some(snapshot) = snapshot::read_snapshot::newest(layout, store_id, &usable)? {
        tracing::info!(path = %snapshot.path.display(), lsn = snapshot.start.lsn, "loading a snapshot");
        let mut page = Vec::with_capacity(BATCH_KEYS_MAX);
        snapshot::read_snapshot::read(&snapshot.path, store_id, &mut |key, value| {
            page.push((key.to_vec(), value.to_vec()));
            if page.len() >= BATCH_KEYS_MAX { rows.fill(&mut page) } else { Ok(()) }
        })?;
        rows.fill(&mut page)?;
        rows.begin_at(snapshot.start)?;
    }
    catch_up(&rows, &segments)?;
    rows.sync()?;
    remove(&layout.rows_suspect())?;
    Ok(rows)
}

/// Moves the engine aside and opens an empty one. Until the marker `rows_suspect` is removed, each start rebuilds the
/// rows again, so that an interrupted rebuild is repeated.
pub fn start_anew(layout: &Layout, cache_bytes: u64) -> Result<Rows, StorageError> {
    replace(&layout.rows_suspect(), b"")?;
    move_aside(layout)?;
    Rows::open(&layout.rows(), cache_bytes)
}

/// Renames the damaged engine, so that a person can examine it. An earlier one is removed.
fn move_aside(layout: &Layout) -> Result<(), StorageError> {
    let rows = layout.rows();
    if !rows.exists() {
        return Ok(());
    }
    let aside = rows.with_extension("damaged");
    if aside.exists() {
        fs::remove_dir_all(&aside).map_err(StorageError::io("remove", &aside))?;
    }
    fs::rename(&rows, &aside).map_err(StorageError::io("move", &rows))?;
    sync_dir(&layout.0)
}

/// LSN of the newest snapshot, by its file name; 0 if there is none. Segments after it are read at every start.
pub fn newest_snapshot_lsn(layout: &Layout) -> Result<u64, StorageError> {
    let folder: &Path = &layout.snapshots();
    if !folder.exists() {
        return Ok(0);
    }
    Ok(numbered(folder, "snap")?.last().copied().unwrap_or(0))
}
