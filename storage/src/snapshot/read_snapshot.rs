//! Reading a snapshot: the whole file is checked before any of its rows is used.

use super::{END, MAGIC};
use crate::bytes::{array, u32_at, u64_at};
use crate::error::StorageError;
use crate::folder::format;
use crate::folder::layout::{Layout, numbered};
use crate::rows::mark::Mark;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// The longest block or header field that is believed.
const PART_BYTES_MAX: u32 = 64 * 1024 * 1024;

/// Callback for the rows: key and value.
pub type Visit<'a> = &'a mut dyn FnMut(&[u8], &[u8]) -> Result<(), StorageError>;

/// A snapshot that was read to its end and is intact.
#[derive(Debug)]
pub struct Snapshot {
    /// Path of the file.
    pub path: PathBuf,
    /// Mark from which replay continues; its sums are empty.
    pub start: Mark,
    /// The journal must reach this.
    pub end_lsn: u64,
}

/// The newest snapshot that is intact, of this store, and of a place that the journal has.
pub fn newest(
    layout: &Layout,
    store_id: &str,
    usable: &dyn Fn(&Snapshot) -> bool,
) -> Result<Option<Snapshot>, StorageError> {
    if !layout.snapshots().exists() {
        return Ok(None);
    }
    for lsn in numbered(&layout.snapshots(), "snap")?.into_iter().rev() {
        match read(&layout.snapshot(lsn), store_id, &mut |_, _| Ok(())) {
            Ok(snapshot) if usable(&snapshot) => return Ok(Some(snapshot)),
            Ok(snapshot) => {
                tracing::warn!(path = %snapshot.path.display(), "a snapshot is of another journal or ahead of it");
            }
            Err(error @ StorageError::Format { .. }) => return Err(error),
            Err(error) => tracing::warn!(%error, "a snapshot can't be used"),
        }
    }
    Ok(None)
}

/// Reads a snapshot and shows every row.
pub fn read(path: &Path, store_id: &str, row: Visit<'_>) -> Result<Snapshot, StorageError> {
    let (mut input, store, start) = In::begin(path)?;
    if store != store_id.as_bytes() {
        return Err(input.damaged("it belongs to another store"));
    }
    let mut rows = 0_u64;
    loop {
        let (len, crc) = (input.number()?, input.number()?);
        if len == 0 {
            break;
        }
        let block = input.bytes(len)?;
        if crc32c::crc32c(&block) != crc {
            return Err(input.damaged("the checksum of a block is wrong"));
        }
        rows += show(&block, row)?.ok_or_else(|| input.damaged("a row is cut off"))?;
    }
    let trailer = input.take(24)?;
    let crc = input.crc;
    let intact = array(&trailer, 0) == Some(END) && u64_at(&trailer, 8) == Some(rows);
    if !intact || input.number()? != crc {
        return Err(input.damaged("the end is not right"));
    }
    let end_lsn = u64_at(&trailer, 16).unwrap_or(u64::MAX);
    Ok(Snapshot { path: path.to_owned(), start, end_lsn })
}

fn show(block: &[u8], row: Visit<'_>) -> Result<Option<u64>, StorageError> {
    let (mut at, mut rows) = (0, 0);
    while at < block.len() {
        let (Some(key), Some(value)) = (u32_at(block, at), u32_at(block, at + 4)) else {
            return Ok(None);
        };
        let (key_at, value_at) = (at + 8, at + 8 + key as usize);
        let end = value_at + value as usize;
        let (Some(key), Some(value)) = (block.get(key_at..value_at), block.get(value_at..end)) else {
            return Ok(None);
        };
        row(key, value)?;
        (at, rows) = (end, rows + 1);
    }
    Ok(Some(rows))
}

struct In<'a> {
    path: &'a Path,
    input: BufReader<File>,
    crc: u32,
    at: u64,
}

impl<'a> In<'a> {
    /// Reads the head: the store, and the mark from which replay continues.
    fn begin(path: &'a Path) -> Result<(Self, Vec<u8>, Mark), StorageError> {
        let file = File::open(path).map_err(StorageError::io("open", path))?;
        let mut input = Self { path, input: BufReader::with_capacity(1 << 20, file), crc: 0, at: 0 };
        if input.take(8)? != MAGIC {
            return Err(input.damaged("not a snapshot"));
        }
        format::check(path, input.number()?, format::SNAPSHOT)?;
        let store = input.part()?;
        let mark = input.part()?;
        format::check(path, Mark::version(&mark), format::ROWS)?;
        let start = Mark::decode(&mark).map_err(|what| input.damaged(&what))?;
        Ok((input, store, start))
    }

    fn take(&mut self, len: usize) -> Result<Vec<u8>, StorageError> {
        let mut bytes = vec![0; len];
        self.input.read_exact(&mut bytes).map_err(|error| self.damaged(&error.to_string()))?;
        self.crc = crc32c::crc32c_append(self.crc, &bytes);
        self.at += len as u64;
        Ok(bytes)
    }

    fn number(&mut self) -> Result<u32, StorageError> {
        Ok(u32_at(&self.take(4)?, 0).unwrap_or_default())
    }

    fn bytes(&mut self, len: u32) -> Result<Vec<u8>, StorageError> {
        if len > PART_BYTES_MAX {
            return Err(self.damaged("a length is not right"));
        }
        self.take(len as usize)
    }

    fn part(&mut self) -> Result<Vec<u8>, StorageError> {
        let len = self.number()?;
        self.bytes(len)
    }

    fn damaged(&self, what: &str) -> StorageError {
        StorageError::damaged(self.path, self.at, what)
    }
}
