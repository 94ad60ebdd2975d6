//! Compares the rows that result from the journal with those that were read at its mark.

use super::VerifyReport;
use crate::bytes::hash64;
use crate::error::StorageError;
use crate::folder::layout::Layout;
use crate::rows::{RowOp, Rows};
use crate::snapshot::read_snapshot::read as read_snapshot;
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

const CACHE_BYTES: u64 = 32 * 1024 * 1024;
const PAGE_ROWS: usize = 1_000;

/// Rows as they were read, each at some time between two commits.
#[derive(Debug)]
struct Seen {
    what: String,
    from: u64,
    to: u64,
    hashes: HashMap<Vec<u8>, u64>,
}

/// Hashes of the rows as the journal gives them so far.
#[derive(Debug)]
pub struct Expected {
    seen: Option<Seen>,
    hashes: HashMap<Vec<u8>, u64>,
    /// Values of rows before they changed while they were read.
    before: HashMap<Vec<u8>, Vec<Option<u64>>>,
}

impl Expected {
    /// Reads the engine or, without one, the newest snapshot.
    pub fn open(layout: &Layout, store_id: &str, report: &mut VerifyReport) -> Self {
        let seen = if layout.rows().exists() {
            Rows::open(&layout.rows(), CACHE_BYTES).and_then(|rows| {
                if !rows.intact(&AtomicBool::new(false))? {
                    let path = rows.path().display();
                    report.problem(format!("{path}: counts and hash sums differ (a start rebuilds it)"));
                }
                Seen::engine(&rows).map(Some)
            })
        } else {
            Seen::snapshot(layout, store_id)
        };
        Self::of(seen, report)
    }

    /// Reads the engine of a running store.
    pub fn of_running(rows: &Rows, report: &mut VerifyReport) -> Self {
        Self::of(Seen::engine(rows).map(Some), report)
    }

    fn of(seen: Result<Option<Seen>, StorageError>, report: &mut VerifyReport) -> Self {
        let seen = seen.unwrap_or_else(|error| {
            report.problem(error);
            None
        });
        Self { seen, hashes: HashMap::new(), before: HashMap::new() }
    }

    /// The commit up to which the journal has to be read.
    pub fn upto(&self) -> Option<u64> {
        self.seen.as_ref().map(|seen| seen.to)
    }

    /// Applies a frame. At the frame at which the reading of the rows ended, everything is compared.
    pub fn apply(&mut self, ops: Vec<RowOp>, lsn: u64, report: &mut VerifyReport) {
        let meanwhile = self.seen.as_ref().is_some_and(|seen| seen.from < lsn && lsn <= seen.to);
        for op in ops {
            if meanwhile {
                let old = self.hashes.get(&op.key).copied();
                self.before.entry(op.key.clone()).or_default().push(old);
            }
            match op.value {
                Some(value) => self.hashes.insert(op.key, hash64([&*value])),
                None => self.hashes.remove(&op.key),
            };
        }
        if self.seen.as_ref().is_some_and(|seen| seen.to == lsn)
            && let Some(seen) = self.seen.take()
        {
            self.compare(&seen, report);
        }
    }

    /// Whether the rows' mark was met. One that is behind is brought up by the next start.
    pub fn finish(self, head: u64, report: &mut VerifyReport) {
        if let Some(Seen { to, .. }) = self.seen.filter(|seen| seen.to > 0) {
            report.problem(format!("the rows are at lsn {to}, the journal ends at lsn {head}"));
        }
    }

    fn compare(&self, seen: &Seen, report: &mut VerifyReport) {
        let what = &seen.what;
        for (key, hash) in &seen.hashes {
            if !self.was(key, Some(*hash)) {
                let key = String::from_utf8_lossy(key.get(1..).unwrap_or_default()).into_owned();
                report.problem(format!("{what}: row {key:?} is not what the journal gives"));
            }
        }
        let absent = self.hashes.keys().filter(|key| !seen.hashes.contains_key(*key));
        let lost = absent.filter(|key| !self.was(key, None)).count();
        if lost > 0 {
            let (met, given) = (seen.hashes.len(), self.hashes.len());
            report.problem(format!("{what}: {met} rows, the journal gives {given}; {lost} are missing"));
        }
        report.rows = seen.hashes.len() as u64;
    }

    /// Whether the row had this value while the rows were read.
    fn was(&self, key: &[u8], value: Option<u64>) -> bool {
        self.hashes.get(key).copied() == value
            || self.before.get(key).is_some_and(|values| values.contains(&value))
    }
}

impl Seen {
    fn engine(rows: &Rows) -> Result<Self, StorageError> {
        let from = rows.flush()?.lsn;
        let mut hashes = HashMap::new();
        let mut after: Option<Vec<u8>> = None;
        loop {
            let page = rows.after(after.as_deref(), PAGE_ROWS)?;
            let Some((last, _)) = page.last() else { break };
            after = Some(last.clone());
            hashes.extend(page.into_iter().map(|(key, value)| (key, hash64([&*value]))));
        }
        // A batch and its mark are one: whatever was read is not behind this mark.
        Ok(Self { what: rows.path().display().to_string(), from, to: rows.mark().lsn, hashes })
    }

    fn snapshot(layout: &Layout, store_id: &str) -> Result<Option<Self>, StorageError> {
        let lsn = crate::recovery::bring_up::newest_snapshot_lsn(layout)?;
        let path = layout.snapshot(lsn);
        if !path.exists() {
            return Ok(None);
        }
        let mut hashes = HashMap::new();
        let snapshot = read_snapshot(&path, store_id, &mut |key, value| {
            hashes.insert(key.to_vec(), hash64([value]));
            Ok(())
        })?;
        let (from, to) = (snapshot.start.lsn, snapshot.end_lsn);
        Ok(Some(Self { what: path.display().to_string(), from, to, hashes }))
    }
}
