//! The memtable: the rows changed by the latest commits, before the engine has them.
//!
//! A sale changes the same few rows again and again, and a basket is a row only until it is paid: most entries never
//! get to the engine. The journal has every row, so a process that dies loses nothing.

use super::mark::Mark;
use super::{Page, RowOp};
use crate::error::StorageError;
use sled::IVec;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::mem;
use std::ops::Bound;

/// Rows that are read at once: a writer of the memtable waits that long, and later readers wait for the writer.
const STEP_ROWS: usize = 256;

/// Changes of commits, in the order of keys; prepared before any caller has to wait for them.
#[derive(Debug, Default)]
pub struct Changes {
    rows: BTreeMap<Vec<u8>, Option<IVec>>,
    bytes: usize,
}

impl Changes {
    /// Made from operations; later ones on the same key win.
    pub fn of(ops: impl Iterator<Item = RowOp>) -> Self {
        let mut changes = Self::default();
        for RowOp { key, value } in ops {
            changes.bytes += key.len() + value.as_ref().map_or(0, |value| value.len());
            changes.rows.insert(key, value);
        }
        changes
    }
}

/// Rows that are newer than the engine's.
#[derive(Debug, Default)]
pub struct Memtable {
    /// Changed rows by key; `None` if the row was deleted.
    rows: BTreeMap<Vec<u8>, Option<IVec>>,
    /// Bytes put since it was empty, overwritten ones among them.
    bytes: usize,
    /// The position of the rows, without the sums.
    pub mark: Mark,
}

impl Memtable {
    /// Nothing is newer than the engine, which is at this mark.
    pub fn at(mark: Mark) -> Self {
        Self { mark, ..Self::default() }
    }

    /// Applies changes.
    pub fn take_in(&mut self, changes: Changes) {
        self.bytes += changes.bytes;
        self.rows.extend(changes.rows);
    }

    /// The row, if it is newer than the engine's; an inner `None` means that it was deleted.
    pub fn get(&self, key: &[u8]) -> Option<Option<IVec>> {
        self.rows.get(key).cloned()
    }

    /// All rows in key order.
    pub fn iter(&self) -> impl Iterator<Item = (&Vec<u8>, &Option<IVec>)> {
        self.rows.iter()
    }

    /// The rows between two keys, in key order.
    pub fn range(
        &self,
        start: Bound<&[u8]>,
        end: Bound<&[u8]>,
    ) -> impl DoubleEndedIterator<Item = (&Vec<u8>, &Option<IVec>)> {
        self.rows.range::<[u8], _>((start, end))
    }

    /// Bytes put since it was empty.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the engine has all rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Empties the memtable, once the engine has every row; returns the rows to be dropped.
    pub fn take(&mut self) -> BTreeMap<Vec<u8>, Option<IVec>> {
        self.bytes = 0;
        mem::take(&mut self.rows)
    }
}

/// Reads a page in steps, each after the last key of the one before; a short step is the last.
pub fn in_steps(
    limit: usize,
    mut step: impl FnMut(Option<&[u8]>, usize) -> Result<Page, StorageError>,
) -> Result<Page, StorageError> {
    let mut page = Page::new();
    loop {
        let most = STEP_ROWS.min(limit - page.len());
        let read = step(page.last().map(|(key, _)| key.as_slice()), most)?;
        let ended = read.len() < most;
        page.extend(read);
        if ended || page.len() >= limit {
            return Ok(page);
        }
    }
}

/// Rows of the engine, replaced by newer ones: at most `limit`. Both come in the same order: `first` decides which of
/// two keys comes first.
pub fn merged<'m>(
    older: impl Iterator<Item = sled::Result<(IVec, IVec)>>,
    newer: impl Iterator<Item = (&'m Vec<u8>, &'m Option<IVec>)>,
    first: impl Fn(&[u8], &[u8]) -> Ordering,
    limit: usize,
) -> sled::Result<Page> {
    let (mut older, mut newer) = (older.peekable(), newer.peekable());
    let mut page = Page::new();
    while page.len() < limit {
        let order = match (older.peek(), newer.peek()) {
            (None, None) => break,
            (Some(Err(_)), _) | (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(Ok((old, _))), Some((new, _))) => first(old, new),
        };
        if order.is_le()
            && let Some(row) = older.next()
        {
            let (key, value) = row?;
            if order.is_lt() {
                page.push((key.to_vec(), value.to_vec()));
                continue;
            }
        }
        if let Some((key, Some(value))) = newer.next() {
            page.push((key.clone(), value.to_vec()));
        }
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::super::Rows;
    use super::super::table::Table;
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    fn put(number: u8, value: Option<u8>) -> RowOp {
        RowOp { key: vec![1, number], value: value.map(|value| vec![value].into()) }
    }

    fn applied(rows: &Rows, lsn: u64, ops: &[RowOp]) {
        rows.apply(&mut ops.to_vec(), Mark { lsn, ..Mark::default() }).unwrap();
    }

    fn numbers(page: &Page) -> Vec<(u8, u8)> {
        page.iter()
            .map(|(key, value)| (key.last().copied().unwrap(), value.first().copied().unwrap()))
            .collect()
    }

    fn check(rows: &Rows) {
        let all = [(1, 1), (3, 30), (5, 5), (6, 60), (9, 90)];
        assert_eq!(numbers(&rows.range(&[1], None, 9).unwrap()), all);
        assert_eq!(numbers(&rows.range(&[1], Some(&[3]), 2).unwrap()), all[2..4]);
        let back: Vec<_> = all.iter().rev().copied().collect();
        assert_eq!(numbers(&rows.range_back(&[1], &[2], 9).unwrap()), back);
        assert_eq!(numbers(&rows.range_back(&[1, 1], &[1, 9], 2).unwrap()), *back.get(1..3).unwrap());
        for number in 0..12 {
            let row = all.iter().find(|row| row.0 == number).map(|row| vec![row.1]);
            assert_eq!(rows.get(&[1, number]).unwrap().map(|row| row.to_vec()), row);
        }
    }

    #[test]
    fn rows_newer_than_the_engine_are_read_from_the_memtable() {
        let folder = tempfile::tempdir().unwrap();
        let rows = Rows::open(folder.path(), 1 << 20).unwrap();
        applied(&rows, 1, &[1, 2, 3, 4, 5].map(|number| put(number, Some(number))));
        applied(&rows, 2, &[put(0, Some(1)), put(7, Some(7))]);
        let early = rows.flush().unwrap();
        assert_eq!((early.lsn, early.sums.total()), (2, 7));
        let later =
            [put(0, None), put(2, None), put(3, Some(30)), put(4, None), put(6, Some(60)), put(7, None)];
        applied(&rows, 3, &later);
        applied(&rows, 4, &[put(9, Some(90)), put(8, Some(1)), put(8, None)]);
        check(&rows);
        assert_eq!(rows.mark().lsn, 4);
        let mark = rows.flush().unwrap();
        assert_eq!((mark.lsn, mark.sums.total()), (4, 5));
        check(&rows);
        rows.sync().unwrap();
        drop(rows);
        let rows = Rows::open(folder.path(), 1 << 20).unwrap();
        check(&rows);
        assert_eq!(rows.mark().lsn, 4);
    }

    #[test]
    fn rows_that_were_not_flushed_are_lost_with_the_process_as_its_mark_shows() {
        let folder = tempfile::tempdir().unwrap();
        let rows = Rows::open(folder.path(), 1 << 20).unwrap();
        applied(&rows, 1, &[put(1, Some(1))]);
        applied(&rows, 2, &[put(1, Some(2))]);
        drop(rows);
        let rows = Rows::open(folder.path(), 1 << 20).unwrap();
        assert_eq!((rows.mark().lsn, numbers(&rows.range(&[1], None, 9).unwrap())), (1, vec![(1, 1)]));
        let long = |number: u8| vec![RowOp { key: vec![1, number], value: Some(vec![0; 500].into()) }];
        for lsn in 2..=3 {
            rows.apply(&mut long(lsn as u8), Mark { lsn, ..Mark::default() }).unwrap();
            rows.flush_when_full(1_000).unwrap();
        }
        rows.apply(&mut long(4), Mark { lsn: 4, ..Mark::default() }).unwrap();
        rows.flush_when_full(1_000).unwrap();
        drop(rows);
        assert_eq!(Rows::open(folder.path(), 1 << 20).unwrap().mark().lsn, 3);
    }

    #[test]
    fn a_page_of_several_steps_has_every_row_once_both_ways() {
        let folder = tempfile::tempdir().unwrap();
        let rows = Rows::open(folder.path(), 1 << 20).unwrap();
        let count = STEP_ROWS as u32 * 3;
        let op = |number: u32, value: Option<Vec<u8>>| RowOp {
            key: [&[1_u8][..], &number.to_be_bytes()].concat(),
            value: value.map(IVec::from),
        };
        let mut all: Vec<_> = (0..count).map(|number| op(number, Some(vec![1]))).collect();
        rows.apply(&mut all, Mark { lsn: 1, ..Mark::default() }).unwrap();
        let mut later: Vec<_> = (0..count).step_by(3).map(|number| op(number, None)).collect();
        later.extend((count..count + 3).map(|number| op(number, Some(vec![1]))));
        rows.apply(&mut later, Mark { lsn: 2, ..Mark::default() }).unwrap();
        let left = (0..count).filter(|number| number % 3 != 0).chain(count..count + 3);
        let left: Vec<_> = left.map(|number| op(number, None).key).collect();
        let keys = |page: Page| page.into_iter().map(|(key, _)| key).collect::<Vec<_>>();
        for limit in [0, 1, STEP_ROWS, STEP_ROWS + 1, STEP_ROWS * 2, left.len(), usize::MAX] {
            let most = limit.min(left.len());
            assert_eq!(keys(rows.range(&[1], None, limit).unwrap()), *left.get(..most).unwrap());
            let back: Vec<_> = left.iter().rev().take(most).cloned().collect();
            assert_eq!(keys(rows.range_back(&[1], &[2], limit).unwrap()), back);
        }
    }

    #[test]
    fn rows_are_counted_without_the_engine_being_given_any() {
        let folder = tempfile::tempdir().unwrap();
        let rows = Rows::open(folder.path(), 1 << 20).unwrap();
        applied(&rows, 1, &[1, 2, 3].map(|number| put(number, Some(number))));
        applied(&rows, 2, &[put(2, None), put(3, Some(9)), put(4, Some(4)), put(5, Some(5)), put(6, None)]);
        let before = rows.counters.writes.load(Relaxed);
        assert_eq!((rows.count(Table::Product).unwrap(), rows.count(Table::Stock).unwrap()), (4, 0));
        assert_eq!(rows.counters.writes.load(Relaxed), before);
        assert_eq!(rows.flush().unwrap().sums.count(Table::Product as usize), 4);
    }

    #[test]
    fn after_a_batch_that_failed_the_engine_is_given_nothing_more() {
        let folder = tempfile::tempdir().unwrap();
        let rows = Rows::open(folder.path(), 1 << 20).unwrap();
        applied(&rows, 1, &[put(1, Some(1))]);
        applied(&rows, 2, &[put(2, Some(2))]);
        rows.state().failed = Some(super::super::failed(folder.path(), "the disk is full"));
        let before = rows.counters.writes.load(Relaxed);
        assert!(rows.flush().is_err() && rows.sync().is_err());
        assert_eq!(rows.counters.writes.load(Relaxed), before);
        assert_eq!(rows.get(&[1, 2]).unwrap().unwrap().to_vec(), vec![2]);
    }

    #[test]
    fn an_engine_whose_batch_failed_keeps_nobody_from_ending() {
        let folder = tempfile::tempdir().unwrap();
        let rows = Rows::open(folder.path(), 1 << 20).unwrap();
        applied(&rows, 1, &[put(1, Some(1))]);
        // The engine keeps a value of this length in a file of its own.
        std::fs::remove_dir_all(folder.path().join("blobs")).unwrap();
        let long = RowOp { key: vec![1, 2], value: Some(vec![7; 300_000].into()) };
        applied(&rows, 2, &[long]);
        assert!(rows.flush().is_err());
        let (ended, end) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            drop(rows);
            ended.send(()).unwrap();
        });
        assert_eq!(end.recv_timeout(std::time::Duration::from_secs(60)), Ok(()), "closing comes to an end");
    }
}
