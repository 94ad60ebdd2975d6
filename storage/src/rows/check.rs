//! Checks whether the engine still holds the rows that it was given, and refills it.

use super::mark::Mark;
use super::sums::{Change, Scan, Sums};
use super::table::Table;
use super::{MARK_KEY, Page, Rows, changed, guarded};
use crate::error::StorageError;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Up to this many rows are compared before a start is ready, more in the background.
pub const CHECKED_AT_START_MAX: u64 = 300_000;
/// Rows that are read at once while writes wait.
const PAGE_ROWS: usize = 1_000;

impl Rows {
    /// Rows of the engine after a whole key, of all tables, in order; the mark is not one.
    pub fn after(&self, key: Option<&[u8]>, limit: usize) -> Result<Page, StorageError> {
        let start = Bound::Excluded(key.unwrap_or(MARK_KEY));
        guarded(&self.path, || {
            let rows = self.db.range::<&[u8], _>((start, Bound::Unbounded)).take(limit);
            rows.map(|row| row.map(|(key, value)| (key.to_vec(), value.to_vec()))).collect()
        })
    }

    /// Compares all rows of the engine with the sums in its mark while writes may continue.
    pub fn intact(&self, stop: &AtomicBool) -> Result<bool, StorageError> {
        self.state().scan = Some(Scan::default());
        loop {
            let mut state = self.state();
            let mut scan = state.scan.take().unwrap_or_default();
            let page =
                self.after(Some(&scan.upto).filter(|key| !key.is_empty()).map(Vec::as_slice), PAGE_ROWS)?;
            let Some((last, _)) = page.last() else {
                return Ok(scan.sums.same(&state.mark.sums));
            };
            scan.upto.clone_from(last);
            for (key, value) in &page {
                scan.sums.change(&Change::new(key, None, Some(value)));
            }
            state.scan = Some(scan);
            if stop.load(Relaxed) {
                return Ok(true);
            }
        }
    }

    /// Puts rows into an empty engine; they count only once [`Rows::begin_at`] set the mark.
    pub fn fill(&self, rows: &mut Page) -> Result<(), StorageError> {
        let mut state = self.state();
        changed(&self.path, &self.db, || {
            let mut batch = sled::Batch::default();
            for (key, value) in rows.drain(..) {
                state.mark.sums.change(&Change::new(&key, None, Some(&value)));
                batch.insert(key, value);
            }
            self.db.apply_batch(batch)
        })
    }

    /// Sets the mark of rows that were filled in.
    pub fn begin_at(&self, mut mark: Mark) -> Result<(), StorageError> {
        let mut state = self.state();
        mark.sums = state.mark.sums.clone();
        self.known.has_prices(mark.sums.count(Table::Price as usize) > 0);
        changed(&self.path, &self.db, || self.db.insert(MARK_KEY, mark.encode()))?;
        self.memtable_mut().mark = Mark { sums: Sums::default(), ..mark.clone() };
        state.mark = mark;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use crate::rows::RowOp;

    fn put(table: u8, number: u32, value: u8) -> RowOp {
        RowOp { key: [&[table][..], &number.to_be_bytes()].concat(), value: Some(vec![value; 40].into()) }
    }

    #[test]
    fn a_check_beside_writes_sees_every_row_once() {
        let folder = tempfile::tempdir().unwrap();
        let rows = Rows::open(&folder.path().join("rows"), 1 << 20).unwrap();
        let mut ops: Vec<_> = (0..8_000).map(|number| put(1 + (number % 3) as u8, number, 1)).collect();
        rows.apply(&mut ops, Mark::default()).unwrap();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let check = scope.spawn(|| rows.intact(&stop).unwrap());
            for round in 0..500_u32 {
                let gone = RowOp { value: None, ..put(1 + (round % 3) as u8, round, 0) };
                let mut ops = vec![gone, put(2, round * 7, 9), put(1, 20_000 + round, 5)];
                rows.apply(&mut ops, Mark { lsn: u64::from(round), ..Mark::default() }).unwrap();
                // Rows in memory are not checked.
                rows.flush().unwrap();
            }
            assert!(check.join().unwrap());
        });
        assert!(rows.intact(&stop).unwrap());
        rows.db.insert(put(2, 77 * 7, 0).key, b"changed behind our back").unwrap();
        assert!(!rows.intact(&stop).unwrap());
    }

    #[test]
    fn a_mark_of_another_version_is_refused() {
        for version in [0, 9] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("rows");
            Rows::open(&path, 1 << 20).unwrap().db.insert(MARK_KEY, &[version, 1, 2]).unwrap();
            let error = Rows::open(&path, 1 << 20).unwrap_err();
            let found = u32::from(version);
            assert!(matches!(error, StorageError::Format { found: other, .. } if other == found), "{error}");
        }
    }

    #[test]
    fn a_lost_row_is_seen_and_sums_survive_a_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        let rows = Rows::open(&path, 1 << 20).unwrap();
        rows.apply(&mut vec![put(1, 1, 1), put(1, 2, 2)], Mark { lsn: 1, ..Mark::default() }).unwrap();
        rows.apply(&mut vec![put(1, 1, 3)], Mark { lsn: 2, ..Mark::default() }).unwrap();
        rows.sync().unwrap();
        drop(rows);
        let rows = Rows::open(&path, 1 << 20).unwrap();
        let stop = AtomicBool::new(false);
        assert!(rows.intact(&stop).unwrap());
        assert_eq!((rows.mark().lsn, rows.flush().unwrap().sums.count(1)), (2, 2));
        rows.db.remove(put(1, 1, 3).key).unwrap();
        assert!(!rows.intact(&stop).unwrap());
    }
}
