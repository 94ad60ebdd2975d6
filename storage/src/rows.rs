//! Current rows: one engine tree, key = table byte ‖ key, so that a batch and its mark are atomic; before it a memtable.
//!
//! The only files that name the engine are this one and its submodules.

pub mod apply;
pub mod cached;
pub mod check;
pub mod codec;
pub mod known;
pub mod mark;
mod memtable;
mod prices;
mod row_cache;
pub mod scratch;
pub mod sums;
pub mod table;
pub mod typed;

use crate::error::StorageError;
use crate::folder::format;
use crate::folder::layout::{Layout, remove};
use known::Known;
use mark::Mark;
use memtable::{Changes, Memtable, in_steps, merged};
use std::fs::File;
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed, Ordering::Release};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};
use sums::{Scan, Sums};
use table::Table;

/// Space that the engine needs in addition to the rows: its own files grow in steps.
const ROOM_BYTES: u64 = 4 * 1024 * 1024;
/// Most keys of a snapshot in one batch.
pub const BATCH_KEYS_MAX: usize = 1_000;
/// Longest time that a closing handle may hold the engine's lock.
const CLOSING_MAX: Duration = Duration::from_secs(5);
const CLOSING_PAUSE: Duration = Duration::from_millis(5);
/// Key of the mark: table 0, no key.
pub const MARK_KEY: &[u8] = &[0];

/// One change of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowOp {
    /// Table byte and key.
    pub key: Vec<u8>,
    /// The row afterwards; `None` if it was deleted.
    pub value: Option<sled::IVec>,
}

/// The engine with its mark, and the rows that it does not have yet.
pub struct Rows {
    db: sled::Db,
    path: PathBuf,
    /// Held while the engine or the memtable is changed.
    state: Mutex<State>,
    memtable: RwLock<Memtable>,
    /// Decoded rows.
    pub known: Known,
    /// Rises with every change of users and sessions, once readers see it.
    pub accounts: AtomicU64,
    /// Operations of the engine.
    pub counters: Counters,
}

/// Operations of the engine, and hashes for it.
#[derive(Debug, Default)]
pub struct Counters {
    /// Rows read by key, and ranges begun.
    pub reads: AtomicU64,
    /// Rows put and deleted, marks among them.
    pub writes: AtomicU64,
    /// Bytes of rows hashed for the sums.
    pub hashed_bytes: AtomicU64,
}

impl std::fmt::Debug for Rows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rows({})", self.path.display())
    }
}

struct State {
    /// Mark of the rows in the engine.
    mark: Mark,
    scan: Option<Scan>,
    /// Why the engine accepts no more rows: a batch failed, and a part may have been written.
    failed: Option<StorageError>,
}

impl Rows {
    /// Opens or makes the engine's folder. A panic inside the engine is an error here.
    pub fn open(path: &Path, cache_bytes: u64) -> Result<Self, StorageError> {
        let config = sled::Config::new().path(path).cache_capacity(cache_bytes).flush_every_ms(None);
        let db = open_engine(path, &config)?;
        let mark = match guarded(path, || db.get(MARK_KEY))? {
            Some(bytes) => {
                format::check(path, Mark::version(&bytes), format::ROWS)?;
                Mark::decode(&bytes).map_err(|what| failed(path, what))?
            }
            None => Mark::default(),
        };
        let memtable = RwLock::new(Memtable::at(Mark { sums: Sums::default(), ..mark.clone() }));
        let (known, accounts, counters) = <(Known, _, _)>::default();
        known.has_prices(mark.sums.count(Table::Price as usize) > 0);
        let state = Mutex::new(State { mark, scan: None, failed: None });
        Ok(Self { db, path: path.to_owned(), state, memtable, known, accounts, counters })
    }

    /// The position of the rows; the sums are the engine's: [`Rows::flush`].
    pub fn mark(&self) -> Mark {
        self.memtable().mark.clone()
    }

    /// Applies the rows of whole commits and the mark after them, at once. Later operations on the same
    /// key win.
    pub fn apply(&self, ops: &mut Vec<RowOp>, mark: Mark) -> Result<(), StorageError> {
        let of_accounts = [Table::User as u8, Table::Session as u8];
        let accounts = ops.iter().any(|op| op.key.first().is_some_and(|table| of_accounts.contains(table)));
        let touched = self.known.touched(ops);
        let changes = Changes::of(ops.drain(..));
        let state = self.state();
        let mut memtable = self.memtable_mut();
        memtable.take_in(changes);
        memtable.mark = Mark { sums: Sums::default(), ..mark };
        // An engine without any mark counts as one that lost its rows.
        let first = state.mark.lsn == 0;
        drop(memtable);
        drop(state);
        self.known.forget(&touched);
        if accounts {
            self.accounts.fetch_add(1, Release);
        }
        if first { self.flush().map(drop) } else { Ok(()) }
    }

    /// Gives the rows to the engine once this many bytes were put.
    pub fn flush_when_full(&self, bytes_max: usize) -> Result<(), StorageError> {
        let full = self.memtable().bytes() >= bytes_max;
        if full { self.flush().map(drop) } else { Ok(()) }
    }

    /// Writes all rows into the engine, in one batch with the mark, which is returned.
    pub fn flush(&self) -> Result<Mark, StorageError> {
        let mut state = self.state();
        if let Some(error) = &state.failed {
            return Err(error.clone());
        }
        let written = self.write(&mut state, &self.memtable());
        if let Err(error) = written {
            state.failed = Some(error.clone());
            return Err(error);
        }
        let given = self.memtable_mut().take();
        let mark = state.mark.clone();
        drop(state);
        // Thousands of rows are freed while no caller waits for them.
        drop(given);
        Ok(mark)
    }

    fn write(&self, state: &mut State, memtable: &Memtable) -> Result<(), StorageError> {
        let mut mark = Mark { sums: state.mark.sums.clone(), ..memtable.mark.clone() };
        if memtable.is_empty() && mark == state.mark {
            return Ok(());
        }
        self.make_way(memtable.bytes());
        changed(&self.path, &self.db, || {
            let mut batch = sled::Batch::default();
            let (mut reads, mut writes) = (0, 1);
            for (key, value) in memtable.iter() {
                reads += 1;
                let old = self.db.get(key)?;
                if old == *value {
                    continue;
                }
                writes += 1;
                let change = sums::Change::new(key, old.as_deref(), value.as_deref());
                self.counters.hashed_bytes.fetch_add(change.hashed_bytes(), Relaxed);
                mark.sums.change(&change);
                if let Some(scan) = &mut state.scan {
                    scan.change(key, &change);
                }
                match value {
                    Some(value) => batch.insert(key.as_slice(), value),
                    None => batch.remove(key.as_slice()),
                }
            }
            self.counters.reads.fetch_add(reads, Relaxed);
            self.counters.writes.fetch_add(writes, Relaxed);
            batch.insert(MARK_KEY, mark.encode());
            self.db.apply_batch(batch)
        })?;
        state.mark = mark;
        Ok(())
    }

    /// Releases the journal's reserve if the disk may be too full for the engine. This is done before writing, since an
    /// engine that failed to write once accepts no more writes.
    fn make_way(&self, given: usize) {
        let wanted = ROOM_BYTES.saturating_add(u64::try_from(given).unwrap_or(u64::MAX).saturating_mul(2));
        let is_short = fs2::available_space(&self.path).is_ok_and(|free| free < wanted);
        let Some(folder) = self.path.parent().filter(|_| is_short) else { return };
        let reserve = Layout(folder.to_owned()).reserve();
        if reserve.exists() {
            tracing::warn!("the disk is full: the reserve is released for the rows");
            if let Err(error) = remove(&reserve) {
                tracing::error!(%error, "the reserve could not be released");
            }
        }
    }

    /// Brings everything to the disk: the engine's own flush is not an fsync on Linux.
    pub fn sync(&self) -> Result<(), StorageError> {
        self.flush()?;
        self.make_way(0);
        changed(&self.path, &self.db, || self.db.flush())?;
        let file = self.path.join("db");
        File::open(&file).and_then(|db| db.sync_data()).map_err(StorageError::io("sync", &file))
    }

    /// Reads a row.
    pub fn get(&self, key: &[u8]) -> Result<Option<sled::IVec>, StorageError> {
        if let Some(newer) = self.memtable().get(key) {
            return Ok(newer);
        }
        self.counters.reads.fetch_add(1, Relaxed);
        guarded(&self.path, || self.db.get(key))
    }

    /// Rows whose key begins with `prefix`, from `after` on (exclusive), at most `limit`: of a longer page each step is
    /// as the rows are then.
    pub fn range(&self, prefix: &[u8], after: Option<&[u8]>, limit: usize) -> Result<Page, StorageError> {
        self.counters.reads.fetch_add(1, Relaxed);
        let from = [prefix, after.unwrap_or_default()].concat();
        let first = if after.is_some() { Bound::Excluded(&*from) } else { Bound::Included(&*from) };
        in_steps(limit, |last, limit| {
            let start = last.map_or(first, Bound::Excluded);
            let memtable = self.memtable();
            let newer =
                memtable.range(start, Bound::Unbounded).take_while(|(key, _)| key.starts_with(prefix));
            guarded(&self.path, || {
                let rows = self.db.range::<&[u8], _>((start, Bound::Unbounded));
                let of_prefix = |row: &sled::Result<(sled::IVec, sled::IVec)>| {
                    row.as_ref().map_or(true, |(key, _)| key.starts_with(prefix))
                };
                merged(rows.take_while(of_prefix), newer, Ord::cmp, limit)
            })
        })
    }

    /// Rows from a key on (inclusive) up to another (exclusive), the last first, at most `limit`.
    pub fn range_back(&self, from: &[u8], before: &[u8], limit: usize) -> Result<Page, StorageError> {
        self.counters.reads.fetch_add(1, Relaxed);
        in_steps(limit, |last, limit| {
            let before = last.unwrap_or(before);
            if from >= before {
                return Ok(Page::new());
            }
            let memtable = self.memtable();
            let newer = memtable.range(Bound::Included(from), Bound::Excluded(before)).rev();
            guarded(&self.path, || merged(self.db.range(from..before).rev(), newer, |a, b| b.cmp(a), limit))
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn memtable(&self) -> RwLockReadGuard<'_, Memtable> {
        self.memtable.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn memtable_mut(&self) -> RwLockWriteGuard<'_, Memtable> {
        self.memtable.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Folder of the engine.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Keys and values, in key order.
pub type Page = Vec<(Vec<u8>, Vec<u8>)>;

/// A handle that this process just closed may hold the engine's own lock for a moment longer; other
/// processes are kept out by the folder's lock.
fn open_engine(path: &Path, config: &sled::Config) -> Result<sled::Db, StorageError> {
    let until = Instant::now() + CLOSING_MAX;
    loop {
        match guarded(path, || config.open()) {
            Err(error) if error.is_engine_lock() && Instant::now() < until => {
                std::thread::sleep(CLOSING_PAUSE)
            }
            opened => return opened,
        }
    }
}

fn guarded<T>(path: &Path, call: impl FnOnce() -> sled::Result<T>) -> Result<T, StorageError> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(sled::Error::Io(error))) => Err(StorageError::io("use", path)(error)),
        Ok(Err(error)) => Err(failed(path, error.to_string())),
        Err(panic) => {
            let what = panic.downcast_ref::<String>().cloned();
            let what = what.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Err(failed(path, format!("the engine panicked: {}", what.unwrap_or_default())))
        }
    }
}

/// A call that changes the engine. A failed call may leave a gap in the engine's log, and closing the engine would
/// wait for the gap forever and block other callers. Such an engine is left open until the process ends.
fn changed<T>(path: &Path, db: &sled::Db, call: impl FnOnce() -> sled::Result<T>) -> Result<T, StorageError> {
    let done = guarded(path, call);
    if done.is_err() {
        std::mem::forget(db.clone());
    }
    done
}

fn failed(path: &Path, what: impl Into<String>) -> StorageError {
    StorageError::Rows { path: path.to_owned(), what: what.into() }
}
