//! Current rows: one engine tree, key = table byte ‖ key, so that a batch and its mark are atomic.
//!
//! The only files that name the engine are this one and its submodules.

pub mod apply;
pub mod check;
pub mod codec;
mod days;
mod feed;
pub mod kept;
pub mod mark;
mod notes;
pub mod read;
pub mod scratch;
pub mod sums;
mod sync;
pub mod table;

use crate::error::StorageError;
use crate::format;
use domain::promotion::Promotion;
use kept::Kept;
use mark::Mark;
use std::collections::BTreeMap;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use sums::Scan;
use table::Table;

/// Most keys in one batch, whole commits and the mark.
pub const BATCH_KEYS_MAX: usize = 1_000;
/// How long a closing handle may hold the engine's lock.
const CLOSING_MAX: Duration = Duration::from_secs(5);
const CLOSING_PAUSE: Duration = Duration::from_millis(5);
/// Where the mark lies: table 0, no key.
pub const MARK_KEY: &[u8] = &[0];

/// One change of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowOp {
    /// Table byte and key.
    pub key: Vec<u8>,
    /// The row afterwards; none: deleted.
    pub value: Option<Vec<u8>>,
}

/// The engine with its mark.
pub struct Rows {
    db: sled::Db,
    path: PathBuf,
    state: Mutex<State>,
    /// Promotions: every basket is priced with them.
    pub promotions: Kept<Promotion>,
}

impl std::fmt::Debug for Rows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rows({})", self.path.display())
    }
}

struct State {
    mark: Mark,
    scan: Option<Scan>,
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
        let state = Mutex::new(State { mark, scan: None });
        Ok(Self { db, path: path.to_owned(), state, promotions: Kept::default() })
    }

    /// How far the rows are.
    pub fn mark(&self) -> Mark {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).mark.clone()
    }

    /// Applies the rows of whole commits and the mark after them, at once. Later operations on the same
    /// key win.
    pub fn apply(&self, ops: &mut Vec<RowOp>, mut mark: Mark) -> Result<(), StorageError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        mark.sums = std::mem::take(&mut state.mark.sums);
        let promoted = ops.iter().any(|op| op.key.first() == Some(&(Table::Promotion as u8)));
        let last: BTreeMap<_, _> = ops.drain(..).map(|op| (op.key, op.value)).collect();
        guarded(&self.path, || {
            let mut batch = sled::Batch::default();
            for (key, value) in last {
                let old = self.db.get(&key)?;
                let change = sums::Change::new(&key, old.as_deref(), value.as_deref());
                mark.sums.change(&change);
                if let Some(scan) = &mut state.scan {
                    scan.change(&key, &change);
                }
                match value {
                    Some(value) => batch.insert(key, value),
                    None => batch.remove(key),
                }
            }
            batch.insert(MARK_KEY, mark.encode());
            self.db.apply_batch(batch)
        })?;
        state.mark = mark;
        if promoted {
            self.promotions.forget();
        }
        Ok(())
    }

    /// Brings everything to the disk: the engine's own flush is not an fsync on Linux.
    pub fn sync(&self) -> Result<(), StorageError> {
        guarded(&self.path, || self.db.flush())?;
        let file = self.path.join("db");
        File::open(&file).and_then(|db| db.sync_data()).map_err(StorageError::io("sync", &file))
    }

    /// A row.
    pub fn get(&self, key: &[u8]) -> Result<Option<sled::IVec>, StorageError> {
        guarded(&self.path, || self.db.get(key))
    }

    /// Rows whose key begins with `prefix`, from `after` on (exclusive), at most `limit`.
    pub fn range(&self, prefix: &[u8], after: Option<&[u8]>, limit: usize) -> Result<Page, StorageError> {
        use std::ops::Bound;
        let start = match after {
            Some(after) => Bound::Excluded([prefix, after].concat()),
            None => Bound::Included(prefix.to_vec()),
        };
        guarded(&self.path, || {
            let rows = self.db.range((start, Bound::Unbounded));
            rows.take_while(|row| row.as_ref().is_ok_and(|(key, _)| key.starts_with(prefix)) || row.is_err())
                .take(limit)
                .map(|row| row.map(|(key, value)| (key.to_vec(), value.to_vec())))
                .collect()
        })
    }

    /// Rows from a key on (inclusive) up to another (exclusive), the last first, at most `limit`.
    pub fn range_back(&self, from: &[u8], before: &[u8], limit: usize) -> Result<Page, StorageError> {
        if from >= before {
            return Ok(Page::new());
        }
        guarded(&self.path, || {
            let rows = self.db.range(from..before).rev();
            rows.take(limit).map(|row| row.map(|(key, value)| (key.to_vec(), value.to_vec()))).collect()
        })
    }

    /// The engine's folder.
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

fn failed(path: &Path, what: impl Into<String>) -> StorageError {
    StorageError::Rows { path: path.to_owned(), what: what.into() }
}
