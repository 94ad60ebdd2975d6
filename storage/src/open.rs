//! Opening a folder: find the journal's end, bring the rows up to it, start the writer.

pub mod journal;

use crate::commit::{Commit, Prepared};
use crate::error::StorageError;
use crate::handle::{Options, Shared, Storage};
use crate::highwater::HighWater;
use crate::history::History;
use crate::journal::Step;
use crate::layout::{Layout, make_dir};
use crate::lock::FolderLock;
use crate::manifest::{self, InstallKey, Manifest};
use crate::rows::apply::{epoch_ops, ops};
use crate::rows::mark::{Mark, RecordHead};
use crate::rows::{RowOp, Rows};
use crate::writer::group::Batch;
use crate::writer::{Message, Pending, Writer};
use domain::event::Event;
use domain::ids::StoreId;
use domain::time::UtcMs;
use std::path::Path;
use std::sync::{Arc, mpsc};

impl Storage {
    /// Makes a new store in an empty or new folder.
    ///
    /// # Errors
    /// There is one already, another process has the folder, or the disk refuses.
    pub fn init(path: &Path, store_id: &StoreId, epoch: &str) -> Result<(), StorageError> {
        manifest::init(path, store_id, epoch)
    }

    /// Opens a store and holds its folder until the last clone is gone.
    ///
    /// # Errors
    /// No store, folder in use, disk, damage: each names the file, the place and what to do.
    pub fn open(path: &Path, options: &Options) -> Result<Self, StorageError> {
        let layout = Layout(path.to_owned());
        let manifest = Manifest::load(&layout)?;
        let lock = FolderLock::take(&layout)?;
        let key = InstallKey::load(&layout)?;
        make_dir(&layout.journal())?;
        let mut high_water = HighWater::open(&layout.high_water())?;
        let found = journal::load(&layout, &manifest, high_water.lsn(), options)?;
        let rows = Rows::open(&layout.rows(), options.cache_bytes)?;
        journal::catch_up(&rows, &found)?;
        high_water.note(found.end.lsn)?;
        high_water.sync()?;
        let mut mark = rows.mark();
        (mark.segment, mark.offset) = (found.open.head.first_lsn, found.end.offset);
        let history = History::new(found.sealed, Arc::clone(&found.open), found.entries);
        let identity = (manifest.store_id.clone(), key, lock);
        let shared = Arc::new(Shared::new(layout, options.clone(), identity, rows, history));
        let (queue, receiver) = mpsc::channel();
        if mark.lsn == 0 {
            begin(&queue, &manifest);
        }
        let writer =
            Writer { shared: Arc::clone(&shared), queue: receiver, segment: found.open, mark, high_water };
        let spawn = std::thread::Builder::new().name("journal-writer".into()).spawn(move || writer.run());
        let thread = spawn.map_err(StorageError::io("start a thread for", path))?;
        let storage = Self::new(shared, queue, vec![thread]);
        storage.wait_for_start()?;
        Ok(storage)
    }
}

/// The first commit of a store opens its first epoch.
fn begin(queue: &mpsc::Sender<Message>, manifest: &Manifest) {
    let event = Event::EpochOpened { epoch: manifest.first_epoch.clone() };
    let commit = Commit { events: vec![event], records: vec![], keyed: None, at: UtcMs(0), hlc: None };
    match Prepared::new(commit) {
        Ok(prepared) => {
            // The receiver is held by the caller.
            let _ = queue.send(Message::Commit(Box::new(Pending { prepared, then: Box::new(|_| {}) })));
        }
        Err(error) => tracing::error!(error, "the first epoch can't be opened"),
    }
}

/// The row operations of a stored frame and the mark after it: the same as when it was written.
pub fn replay(step: &Step, before: &Mark, segment: u64) -> Result<(Vec<RowOp>, Mark), String> {
    let mut mark = before.clone();
    let mut out: Vec<RowOp> = Vec::new();
    for event in step.body.events()? {
        ops(&event, &mut out)?;
        if let Event::EpochOpened { epoch } = event {
            epoch_ops(&mark.records, &epoch, &mut out)?;
            mark.records = RecordHead { epoch, ..RecordHead::default() };
        }
    }
    if let Some(hash) = step.body.stamps.hashes.last() {
        mark.records.seq += step.body.stamps.hashes.len() as u64;
        mark.records.hash = *hash;
    }
    let end = step.offset + step.header.span() as u64;
    let content = &step.body.content;
    mark.advance(step.header.lsn, step.header.chain, (segment, end), content.at, content.hlc.as_deref());
    Ok((out, mark))
}

/// Replays frames into the rows.
pub fn replay_into(rows: &Rows, steps: &mut journal::Frames<'_>) -> Result<u64, StorageError> {
    let mut batch = Batch::default();
    let mut mark = rows.mark();
    let mut replayed = 0;
    while let Some((segment, step)) = steps.next()? {
        let (ops, after) = replay(&step, &mark, segment.head.first_lsn)
            .map_err(|what| StorageError::damaged(&segment.path, step.offset, what))?;
        mark = after;
        batch.add(rows, ops, &mark)?;
        replayed += 1;
    }
    batch.finish(rows)?;
    Ok(replayed)
}
