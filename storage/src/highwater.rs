//! The high-water mark: how far the journal surely was, kept apart from it.
//!
//! Two slots, written in turn, so that a torn write leaves the other one.

use crate::bytes::{array, u32_at, u64_at};
use crate::error::StorageError;
use crate::layout::FILE_MODE;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const MAGIC: [u8; 8] = *b"SRHIGHW1";
const SLOT_BYTES: u64 = 4096;
const RECORD_BYTES: usize = 28;

/// The open file.
#[derive(Debug)]
pub struct HighWater {
    file: File,
    path: PathBuf,
    turn: u64,
    lsn: u64,
    synced: u64,
}

impl HighWater {
    /// Opens or makes the file.
    pub fn open(path: &Path) -> Result<Self, StorageError> {
        let mut open = OpenOptions::new();
        open.read(true).write(true).create(true).truncate(false).mode(FILE_MODE);
        let file = open.open(path).map_err(StorageError::io("open", path))?;
        let newest = [0, 1].into_iter().filter_map(|slot| read_slot(&file, slot)).max().unwrap_or_default();
        Ok(Self { file, path: path.to_owned(), turn: newest.0, lsn: newest.1, synced: newest.1 })
    }

    /// The highest lsn that is known to have been durable.
    pub fn lsn(&self) -> u64 {
        self.lsn
    }

    /// Notes an lsn that is durable in the journal. Not synced: losing a note only weakens the alarm.
    pub fn note(&mut self, lsn: u64) -> Result<(), StorageError> {
        if lsn > self.lsn { self.write(lsn) } else { Ok(()) }
    }

    /// Writes the mark of a start, also where it says so already: what was read may have been in the page
    /// cache alone.
    pub fn confirm(&mut self, lsn: u64) -> Result<(), StorageError> {
        self.write(lsn.max(self.lsn))?;
        self.sync()
    }

    fn write(&mut self, lsn: u64) -> Result<(), StorageError> {
        self.turn += 1;
        let mut record = MAGIC.to_vec();
        record.extend_from_slice(&self.turn.to_le_bytes());
        record.extend_from_slice(&lsn.to_le_bytes());
        record.extend_from_slice(&crc32c::crc32c(&record).to_le_bytes());
        let at = (self.turn % 2) * SLOT_BYTES;
        self.file.write_all_at(&record, at).map_err(StorageError::io("write", &self.path))?;
        self.lsn = lsn;
        Ok(())
    }

    /// Makes the last note durable.
    pub fn sync(&mut self) -> Result<(), StorageError> {
        self.file.sync_all().map_err(StorageError::io("sync", &self.path))?;
        self.synced = self.lsn;
        Ok(())
    }

    /// Whether a note is not yet on the disk.
    pub fn dirty(&self) -> bool {
        self.synced < self.lsn
    }
}

fn read_slot(file: &File, slot: u64) -> Option<(u64, u64)> {
    let mut record = [0; RECORD_BYTES];
    file.read_exact_at(&mut record, slot * SLOT_BYTES).ok()?;
    let intact = array(&record, 0)? == MAGIC && record.get(..24).map(crc32c::crc32c) == u32_at(&record, 24);
    intact.then_some((u64_at(&record, 8)?, u64_at(&record, 16)?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn a_torn_slot_leaves_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("highwater");
        let mut mark = HighWater::open(&path).unwrap();
        mark.note(5).unwrap();
        mark.note(9).unwrap();
        mark.note(7).unwrap();
        assert_eq!(HighWater::open(&path).unwrap().lsn(), 9, "it never goes back");
        let newest = (mark.turn % 2) * SLOT_BYTES;
        mark.file.write_all_at(&[0xff], newest + 17).unwrap();
        assert_eq!(HighWater::open(&path).unwrap().lsn(), 5);
    }
}
