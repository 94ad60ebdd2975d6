//! Opens a folder: finds the journal's end, brings the rows up to it, and starts the threads.

use super::bring_up::{Engine, newest_snapshot_lsn};
use super::journal_end;
use crate::error::{StorageError, caught};
use crate::folder::format::{self, MIGRATIONS, Migration};
use crate::folder::high_water::HighWater;
use crate::folder::layout::{Layout, clear_temporaries, make_dir, replace, sync_dir};
use crate::folder::lock::FolderLock;
use crate::folder::manifest::{self, InstallKey, Manifest};
use crate::handle::Storage;
use crate::journal::history::History;
use crate::journal::supply::Supply;
use crate::options::Options;
use crate::rows::check::CHECKED_AT_START_MAX;
use crate::rows::mark::Mark;
use crate::rows::sums::Sums;
use crate::writer::commit::{Commit, Ready};
use crate::writer::pace::Pace;
use crate::writer::shared::Shared;
use crate::writer::{Message, Pending, WRITER, Writer, sealer};
use domain::model::base::event::fact;
use domain::model::base::ids::StoreId;
use domain::model::base::time::UtcMs;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};

impl Storage {
    /// Makes a new store in an empty or new folder.
    ///
    /// # Errors
    /// There is a store already, another process uses the folder, or the disk fails.
    pub fn init(path: &Path, store_id: &StoreId, epoch: &str) -> Result<(), StorageError> {
        manifest::init(path, store_id, epoch)
    }

    /// Opens a store, and locks its folder until the last clone is dropped.
    ///
    /// # Errors
    /// There is no store, the folder is in use, the disk fails, or a file is damaged. The error names the file, the
    /// place and the action to take.
    pub fn open(path: &Path, options: &Options) -> Result<Self, StorageError> {
        refuse_unfinished(&Layout(path.to_owned()))?;
        Self::open_any(path, options, &MIGRATIONS)
    }

    /// As [`Storage::open`], also for a folder that is being restored.
    pub(crate) fn open_any(
        path: &Path,
        options: &Options,
        migrations: &[Migration],
    ) -> Result<Self, StorageError> {
        let layout = Layout(path.to_owned());
        // Without a store, not even a lock is created.
        Manifest::read(&layout)?;
        let lock = FolderLock::take(&layout)?;
        let manifest = format::migrate(&layout, migrations)?;
        let key = InstallKey::load(&layout)?;
        make_dir(&layout.journal())?;
        clear_temporaries(&layout)?;
        let supply = Arc::new(Supply::new(&layout, options.segment_bytes, options.min_free_bytes));
        supply.make_room()?;
        let mut high_water = HighWater::open(&layout.high_water())?;
        let engine = Engine::open(&layout, options.cache_bytes)?;
        let newest_snapshot = newest_snapshot_lsn(&layout)?;
        let mark_lsn = engine.mark_lsn();
        let known = journal_end::Known {
            high_water: high_water.lsn(),
            mark_lsn,
            checked_from: if mark_lsn == 0 { newest_snapshot } else { newest_snapshot.min(mark_lsn) },
            // Rows and their snapshots are never ahead of durable commits.
            durable: high_water.lsn().max(mark_lsn).max(newest_snapshot),
        };
        let found = journal_end::load(&layout, &manifest, known, options)?;
        let rows = engine.settle(&layout, &manifest.store_id.0, &found, options.cache_bytes)?;
        high_water.confirm(found.end.lsn)?;
        sync_dir(&layout.0)?;
        let mut mark = Mark { sums: Sums::default(), ..rows.mark() };
        (mark.segment, mark.offset) = (found.open.head.first_lsn, found.end.offset);
        let sealed_lsn = found.open.head.first_lsn - 1;
        let history = History::new(
            found.sealed,
            Arc::clone(&found.open),
            found.entries,
            mark.at,
            options.answers_days,
        )?;
        let identity = (manifest.store_id.clone(), key, lock);
        let shared = Shared::new(layout, options.clone(), identity, (rows, history), supply);
        let (sealed, to_seal) = mpsc::channel();
        if newest_snapshot < sealed_lsn || shared.history.unmerged() {
            // This can't fail: the receiver exists.
            let _ = sealed.send(None);
        }
        let (queue, receiver) = mpsc::channel();
        if mark.lsn == 0 {
            open_first_epoch(&queue, &manifest);
        }
        let shared = Arc::new(shared);
        let writer = Writer {
            shared: Arc::clone(&shared),
            queue: receiver,
            segment: found.open,
            mark,
            high_water,
            sealed,
            pace: Pace::default(),
        };
        let threads = start(&shared, writer, to_seal)?;
        let storage = Self::new(shared, queue, threads);
        storage.wait_for_start()?;
        Ok(storage)
    }
}

/// Refuses a folder whose restore was interrupted.
fn refuse_unfinished(layout: &Layout) -> Result<(), StorageError> {
    if !layout.restoring().exists() {
        return Ok(());
    }
    let what = "a restore was interrupted here: empty the folder and restore again".to_owned();
    Err(StorageError::Refused { path: layout.0.clone(), what })
}

/// Starts the threads of the storage.
fn start(
    shared: &Arc<Shared>,
    writer: Writer,
    to_seal: mpsc::Receiver<Option<Arc<crate::journal::history::part::Part>>>,
) -> Result<Vec<JoinHandle<()>>, StorageError> {
    let (sealing, supplying) = (Arc::clone(shared), Arc::clone(&shared.supply));
    let (scrubbing, checking) = (Arc::clone(shared), Arc::clone(shared));
    let mut threads = vec![
        spawn(shared, WRITER, move || writer.run())?,
        spawn(shared, "journal-supply", move || supplying.run())?,
        spawn(shared, "journal-sealer", move || sealer::run(&sealing, &to_seal))?,
        spawn(shared, "journal-scrub", move || scrubbing.scrub.run(&scrubbing.history))?,
    ];
    if shared.rows.flush()?.sums.total() > CHECKED_AT_START_MAX {
        threads.push(spawn(shared, "rows-check", move || check_rows(&checking))?);
    }
    Ok(threads)
}

/// Starts a thread. If it panics, the storage fails.
fn spawn(
    shared: &Arc<Shared>,
    name: &'static str,
    run: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, StorageError> {
    let witness = Arc::clone(shared);
    let guarded = move || {
        if let Err(error) = caught(name, || {
            run();
            Ok(())
        }) {
            witness.fail(error);
        }
    };
    let spawn = thread::Builder::new().name(name.to_owned()).spawn(guarded);
    spawn.map_err(StorageError::io("start a thread for", &shared.layout.0))
}

/// Checks the rows in the background if they are too many for a start. A difference stops the storage, and the next
/// start rebuilds the rows.
fn check_rows(shared: &Shared) {
    let failure = match shared.rows.intact(&shared.stopping) {
        Ok(true) => return,
        Ok(false) => StorageError::Rows {
            path: shared.layout.rows(),
            what: "their counts and hash sums differ".into(),
        },
        Err(error) => error,
    };
    if let Err(error) = replace(&shared.layout.rows_suspect(), b"") {
        tracing::error!(%error, "the rows could not be marked for a rebuild");
    }
    shared.fail(failure);
}

/// Sends the first commit of a store, which opens its first epoch.
fn open_first_epoch(queue: &mpsc::Sender<Message>, manifest: &Manifest) {
    let event = fact::EpochOpened { epoch: manifest.first_epoch.clone() }.into();
    let commit = Commit { events: vec![event], records: vec![], keyed: None, at: UtcMs(0), hlc: None };
    match Ready::of(commit, None) {
        Ok(Ready { prepared, .. }) => {
            // This can't fail: the caller has the receiver.
            let _ = queue.send(Message::Commit(Box::new(Pending { prepared, then: Box::new(|_| {}) })));
        }
        Err(error) => tracing::error!(error, "the first epoch can't be opened"),
    }
}

#[cfg(test)]
mod tests;
