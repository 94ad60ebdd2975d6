//! Snapshots of the current rows: a rebuild starts from one instead of reading the whole journal.
//!
//! A snapshot is taken while writes continue. Its rows are of any time between the mark at its start and the
//! mark at its end; because events carry rows as they are afterwards, replaying the journal from the
//! start mark makes them right. So it is usable only while the journal reaches the end mark.

pub mod read_snapshot;

use crate::error::StorageError;
use crate::folder::format;
use crate::folder::layout::{FILE_MODE, Layout, make_dir, numbered, remove, sync_dir};
use crate::rows::Rows;
use crate::rows::mark::Mark;
use crate::rows::sums::Sums;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Snapshots that are kept.
pub const KEPT: usize = 2;
const MAGIC: [u8; 8] = *b"SRSNAPSH";
const END: [u8; 8] = *b"SRSNAEND";
const BLOCK_BYTES: usize = 64 * 1024;
/// Rows that are read from the engine at once.
const PAGE_ROWS: usize = 1_000;

/// Writes a snapshot of the present rows and removes old ones.
pub fn take(layout: &Layout, store_id: &str, rows: &Rows) -> Result<(), StorageError> {
    let start = rows.flush()?;
    let path = layout.snapshot(start.lsn);
    if path.exists() {
        return Ok(());
    }
    make_dir(&layout.snapshots())?;
    let temporary = path.with_extension("tmp");
    let written = write(&temporary, store_id, start, rows);
    if let Err(error) = written {
        // Half a snapshot is of no use and takes room.
        remove(&temporary)?;
        return Err(error);
    }
    fs::rename(&temporary, &path).map_err(StorageError::io("name", &path))?;
    sync_dir(&layout.snapshots())?;
    let mut numbers = numbered(&layout.snapshots(), "snap")?;
    numbers.truncate(numbers.len().saturating_sub(KEPT));
    numbers.iter().try_for_each(|lsn| remove(&layout.snapshot(*lsn)))
}

/// Writes a snapshot of the engine's rows, from the mark that it was flushed at, into any file.
pub fn write(path: &Path, store_id: &str, mut start: Mark, rows: &Rows) -> Result<(), StorageError> {
    remove(path)?;
    let open = OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(path);
    let file = open.map_err(StorageError::io("make", path))?;
    let mut out = Out { path, file, crc: 0, block: Vec::new() };
    start.sums = Sums::default();
    let store = store_id.as_bytes();
    let mark = start.encode();
    let parts: [&[u8]; 6] = [
        &MAGIC,
        &format::SNAPSHOT.to_le_bytes(),
        &(store.len() as u32).to_le_bytes(),
        store,
        &(mark.len() as u32).to_le_bytes(),
        &mark,
    ];
    out.raw(&parts.concat())?;
    let mut after: Option<Vec<u8>> = None;
    let mut count = 0_u64;
    loop {
        let page = rows.after(after.as_deref(), PAGE_ROWS)?;
        for (key, value) in &page {
            out.row(key, value)?;
            count += 1;
        }
        match page.into_iter().next_back() {
            Some((last, _)) => after = Some(last),
            None => break,
        }
    }
    out.end(count, rows.mark().lsn)
}

struct Out<'a> {
    path: &'a Path,
    file: File,
    crc: u32,
    block: Vec<u8>,
}

impl Out<'_> {
    fn raw(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        self.crc = crc32c::crc32c_append(self.crc, bytes);
        self.file.write_all(bytes).map_err(StorageError::io("write", self.path))
    }

    fn row(&mut self, key: &[u8], value: &[u8]) -> Result<(), StorageError> {
        self.block.extend_from_slice(&(key.len() as u32).to_le_bytes());
        self.block.extend_from_slice(&(value.len() as u32).to_le_bytes());
        self.block.extend_from_slice(key);
        self.block.extend_from_slice(value);
        if self.block.len() >= BLOCK_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), StorageError> {
        let block = std::mem::take(&mut self.block);
        if block.is_empty() {
            return Ok(());
        }
        self.raw(&(block.len() as u32).to_le_bytes())?;
        self.raw(&crc32c::crc32c(&block).to_le_bytes())?;
        self.raw(&block)
    }

    /// An empty block, then the trailer: rows, lsn at the end, CRC32C of all before.
    fn end(mut self, count: u64, end_lsn: u64) -> Result<(), StorageError> {
        self.flush()?;
        self.raw(&[0; 8])?;
        self.raw(&[END.as_slice(), &count.to_le_bytes(), &end_lsn.to_le_bytes()].concat())?;
        let crc = self.crc;
        self.raw(&crc.to_le_bytes())?;
        self.file.sync_all().map_err(StorageError::io("sync", self.path))
    }
}
