//! The high-water mark: how far the journal surely was, kept apart from it.
//!
//! Two slots, written in turn, so that a torn write leaves the other one.

use crate::bytes::{array, u32_at, u64_at};
use crate::error::StorageError;
use crate::folder::format;
use crate::folder::layout::FILE_MODE;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const MAGIC: [u8; 8] = *b"SRHIGHWM";
const SLOT_BYTES: u64 = 4096;
/// Magic, version, turn, lsn, CRC32C.
const RECORD_BYTES: usize = 32;

/// The open file of the high-water mark.
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
        let slots = [read_slot(&file, path, 0)?, read_slot(&file, path, 1)?];
        let (turn, lsn) = slots.into_iter().flatten().max().unwrap_or_default();
        Ok(Self { file, path: path.to_owned(), turn, lsn, synced: lsn })
    }

    /// The highest lsn that is known to have been durable.
    pub fn lsn(&self) -> u64 {
        self.lsn
    }

    /// Notes an lsn that is durable in the journal. Not synced: losing a note only weakens the alarm.
    pub fn note(&mut self, lsn: u64) -> Result<(), StorageError> {
        if lsn > self.lsn { self.write(lsn) } else { Ok(()) }
    }

    /// Writes the mark at the start even if the file has it already: the file may have been only in the page cache.
    pub fn confirm(&mut self, lsn: u64) -> Result<(), StorageError> {
        self.write(lsn.max(self.lsn))?;
        self.sync()
    }

    fn write(&mut self, lsn: u64) -> Result<(), StorageError> {
        self.turn += 1;
        let mut record = Vec::with_capacity(RECORD_BYTES);
        record.extend_from_slice(&MAGIC);
        record.extend_from_slice(&format::HIGH_WATER.to_le_bytes());
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

/// Turn and lsn; `None` if the slot was not written, or torn.
fn read_slot(file: &File, path: &Path, slot: u64) -> Result<Option<(u64, u64)>, StorageError> {
    let mut record = [0; RECORD_BYTES];
    let read = file.read_exact_at(&mut record, slot * SLOT_BYTES).is_ok();
    let checksum = record.get(..RECORD_BYTES - 4).map(crc32c::crc32c);
    if !read || array(&record, 0) != Some(MAGIC) || checksum != u32_at(&record, RECORD_BYTES - 4) {
        return Ok(None);
    }
    format::check(path, u32_at(&record, 8).unwrap_or_default(), format::HIGH_WATER)?;
    Ok(u64_at(&record, 12).zip(u64_at(&record, 20)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn a_mark_has_the_bytes_of_version_1_and_another_version_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("highwater");
        let mut mark = HighWater::open(&path).unwrap();
        mark.note(5).unwrap();
        let mut record = [0; RECORD_BYTES];
        mark.file.read_exact_at(&mut record, SLOT_BYTES).unwrap();
        let (fields, checksum) = record.split_at(RECORD_BYTES - 4);
        assert_eq!(fields, b"SRHIGHWM\x01\0\0\0\x01\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0");
        assert_eq!(checksum, crc32c::crc32c(fields).to_le_bytes());
        let mut other = fields.to_vec();
        other[8] = 2;
        other.extend_from_slice(&crc32c::crc32c(&other).to_le_bytes());
        mark.file.write_all_at(&other, SLOT_BYTES).unwrap();
        let error = HighWater::open(&path).unwrap_err();
        assert!(matches!(error, StorageError::Format { found: 2, known: 1, .. }), "{error}");
    }

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
