//! A sealed segment's index on the disk: immutable, checksummed block by block, remade when damaged.
//!
//! Block 0: header. Then blocks of sorted entries (count, entries of 12 bytes, CRC32C). Then the tags of
//! idempotency keys, four bytes each, and their CRC32C. Hashes are evenly spread, so a lookup guesses the block and is
//! rarely far off.

use super::Entries;
use super::filter::Tag;
use crate::bytes::{array, u32_at, u64_at};
use crate::error::StorageError;
use crate::folder::format;
use crate::folder::layout::{FILE_MODE, remove, sync_dir};
use crate::folder::lazy_file::LazyFile;
use crate::journal::frame::Chain;
use crate::journal::record_head::RecordHead;
use crate::journal::segment::Segment;
use crate::journal::walk::Position;
use bincode::{Decode, Encode};
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const MAGIC: [u8; 8] = *b"SRINDEXF";
const BLOCK_BYTES: usize = 4096;
const ENTRY_BYTES: usize = 12;
const TAG_BYTES: usize = 4;
const ENTRIES_PER_BLOCK: usize = (BLOCK_BYTES - 8) / ENTRY_BYTES;
/// Bytes that are written at once.
const WRITTEN_BYTES: usize = 256 * 1024;
/// Guesses by position before a lookup uses bisection.
const GUESSES_MAX: u32 = 3;

/// First and last values of a sealed segment.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct Seal {
    /// First lsn of the segment.
    pub first_lsn: u64,
    /// Frame chain before it.
    pub start_chain: Chain,
    /// Last lsn of the segment.
    pub last_lsn: u64,
    /// Frame chain behind the last frame.
    pub end_chain: Chain,
    /// End of its last frame.
    pub end_offset: u64,
    /// Position of the records.
    pub records: RecordHead,
    /// Wall clock of its last commit, milliseconds since 1970.
    pub at: i64,
    /// Number of entries.
    pub entries: u64,
    /// Number of tags.
    pub tags: u64,
}

impl Seal {
    /// The place behind the segment's last frame.
    pub fn end(&self) -> Position {
        Position {
            lsn: self.last_lsn,
            chain: self.end_chain,
            offset: self.end_offset,
            records: self.records.clone(),
            at: self.at,
        }
    }
}

/// An open index file.
#[derive(Debug)]
pub struct IndexFile {
    /// The segment's beginning and end.
    pub seal: Seal,
    path: PathBuf,
    file: LazyFile,
    blocks: u64,
}

/// Writes the index of a segment that ends at `end`.
pub fn write(path: &Path, segment: &Segment, end: &Position, entries: &Entries) -> Result<(), StorageError> {
    write_with(path, (segment, end), &entries.tags(), entries.sorted().into_iter().map(Ok))
}

/// Writes an index of entries that come in order, one block in memory at a time; no tags.
pub fn write_all(
    path: &Path,
    first: &Segment,
    end: &Position,
    entries: impl Iterator<Item = Result<(u64, u32), StorageError>>,
) -> Result<(), StorageError> {
    write_with(path, (first, end), &[], entries)
}

fn write_with(
    path: &Path,
    (first, end): (&Segment, &Position),
    tags: &[Tag],
    entries: impl Iterator<Item = Result<(u64, u32), StorageError>>,
) -> Result<(), StorageError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    let temporary = PathBuf::from(name);
    remove(&temporary)?;
    let open = OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(&temporary);
    let file = open.map_err(StorageError::io("write", path))?;
    let written = write_file(&file, path, (first, end), tags, entries)
        .and_then(|()| fs::rename(&temporary, path).map_err(StorageError::io("name", path)));
    if let Err(error) = written {
        // Half an index is of no use and takes room.
        remove(&temporary)?;
        return Err(error);
    }
    path.parent().map_or(Ok(()), sync_dir)
}

fn write_file(
    file: &File,
    path: &Path,
    (first, end): (&Segment, &Position),
    tags: &[Tag],
    entries: impl Iterator<Item = Result<(u64, u32), StorageError>>,
) -> Result<(), StorageError> {
    let failed = || StorageError::io("write", path);
    let mut out = BufWriter::with_capacity(WRITTEN_BYTES, file);
    // The header's place: its contents are known at the end.
    out.write_all(&[0; BLOCK_BYTES]).map_err(failed())?;
    let (mut count, mut block) = (0_u64, Vec::with_capacity(ENTRIES_PER_BLOCK));
    for entry in entries {
        block.push(entry?);
        count += 1;
        if block.len() == ENTRIES_PER_BLOCK {
            out.write_all(&encode(&block)).map_err(failed())?;
            block.clear();
        }
    }
    if !block.is_empty() {
        out.write_all(&encode(&block)).map_err(failed())?;
    }
    let bytes: Vec<u8> = tags.iter().flat_map(|tag| tag.to_le_bytes()).collect();
    out.write_all(&bytes).map_err(failed())?;
    out.write_all(&crc32c::crc32c(&bytes).to_le_bytes()).map_err(failed())?;
    out.flush().map_err(failed())?;
    let seal = Seal {
        first_lsn: first.head.first_lsn,
        start_chain: first.head.chain,
        last_lsn: end.lsn,
        end_chain: end.chain,
        end_offset: end.offset,
        records: end.records.clone(),
        at: end.at,
        entries: count,
        tags: tags.len() as u64,
    };
    file.write_all_at(&header(&seal), 0).and_then(|()| file.sync_all()).map_err(failed())
}

fn encode(entries: &[(u64, u32)]) -> Vec<u8> {
    let mut block = Vec::with_capacity(BLOCK_BYTES);
    block.extend_from_slice(&(entries.len() as u32).to_le_bytes());
    for (hash, value) in entries {
        block.extend_from_slice(&hash.to_le_bytes());
        block.extend_from_slice(&value.to_le_bytes());
    }
    block.resize(BLOCK_BYTES - 4, 0);
    let crc = crc32c::crc32c(&block);
    block.extend_from_slice(&crc.to_le_bytes());
    block
}

fn header(seal: &Seal) -> Vec<u8> {
    let mut block = MAGIC.to_vec();
    block.extend_from_slice(&format::INDEX.to_le_bytes());
    // These types always encode.
    block.extend_from_slice(&bincode::encode_to_vec(seal, bincode::config::standard()).unwrap_or_default());
    block.resize(BLOCK_BYTES - 4, 0);
    let crc = crc32c::crc32c(&block);
    block.extend_from_slice(&crc.to_le_bytes());
    block
}

impl IndexFile {
    /// Opens an index and checks its header, size and whether it is this segment's.
    pub fn open(path: &Path, segment: &Segment) -> Result<Self, StorageError> {
        let file = File::open(path).map_err(StorageError::io("open", path))?;
        let damaged = |what: &str| StorageError::damaged(path, 0, what);
        let mut block = [0; BLOCK_BYTES];
        file.read_exact_at(&mut block, 0).map_err(|_| damaged("too short"))?;
        if array(&block, 0) != Some(MAGIC) || !sealed(&block) {
            return Err(damaged("the header is not right"));
        }
        format::check(path, u32_at(&block, 8).unwrap_or_default(), format::INDEX)?;
        let fields = block.get(12..BLOCK_BYTES - 4).unwrap_or_default();
        let config = bincode::config::standard().with_limit::<BLOCK_BYTES>();
        let (seal, _): (Seal, usize) =
            bincode::decode_from_slice(fields, config).map_err(|error| damaged(&error.to_string()))?;
        let blocks = seal.entries.div_ceil(ENTRIES_PER_BLOCK as u64);
        let wanted = (1 + blocks) * BLOCK_BYTES as u64 + seal.tags.saturating_mul(TAG_BYTES as u64) + 4;
        if (seal.first_lsn, seal.start_chain) != (segment.head.first_lsn, segment.head.chain) {
            return Err(damaged("it belongs to another segment"));
        }
        if file.metadata().map_err(StorageError::io("read", path))?.len() != wanted {
            return Err(damaged("its size is not right"));
        }
        Ok(Self { seal, path: path.to_owned(), file: LazyFile::open(path, file), blocks })
    }

    /// Tags of the idempotency keys.
    pub fn tags(&self) -> Result<Vec<Tag>, StorageError> {
        let at = (1 + self.blocks) * BLOCK_BYTES as u64;
        let mut bytes = vec![0; self.seal.tags as usize * TAG_BYTES + 4];
        self.read(&mut bytes, at)?;
        let crc = u32_at(&bytes, bytes.len() - 4);
        bytes.truncate(bytes.len() - 4);
        if Some(crc32c::crc32c(&bytes)) != crc {
            return Err(StorageError::damaged(&self.path, at, "the checksum of the tags is wrong"));
        }
        Ok((0..bytes.len()).step_by(TAG_BYTES).filter_map(|at| u32_at(&bytes, at)).collect())
    }

    /// Offsets of the frames under a hash, ascending.
    pub fn offsets(&self, hash: u64) -> Result<Vec<u32>, StorageError> {
        let mut found = Vec::new();
        for block in self.first_block(hash)?..self.blocks {
            let entries = self.block(block)?;
            found.extend(entries.iter().filter(|entry| entry.0 == hash).map(|entry| entry.1));
            if entries.last().is_none_or(|last| last.0 > hash) {
                break;
            }
        }
        Ok(found)
    }

    /// All entries, in order, a block in memory at a time.
    pub fn walk(&self) -> impl Iterator<Item = Result<(u64, u32), StorageError>> {
        (0..self.blocks).flat_map(|number| match self.block(number) {
            Ok(entries) => entries.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        })
    }

    /// All entries, in order.
    pub fn entries(&self) -> Result<Vec<(u64, u32)>, StorageError> {
        self.walk().collect()
    }

    /// The first block whose last entry is not below the hash.
    fn first_block(&self, hash: u64) -> Result<u64, StorageError> {
        let (mut low, mut high) = (0, self.blocks);
        let (mut floor, mut ceiling) = (0, u64::MAX);
        let mut guesses = 0;
        while low < high {
            let share = (hash.saturating_sub(floor) as f64) / ((ceiling - floor).max(1) as f64);
            let guess = low + ((high - low) as f64 * share) as u64;
            let probe = if guesses < GUESSES_MAX { guess.min(high - 1) } else { low + (high - low) / 2 };
            guesses += 1;
            let entries = self.block(probe)?;
            let first = entries.first().map_or(0, |entry| entry.0);
            let last = entries.last().map_or(0, |entry| entry.0);
            if last < hash {
                (low, floor) = (probe + 1, last);
            } else if first < hash {
                return Ok(probe);
            } else {
                (high, ceiling) = (probe, first.max(floor));
            }
        }
        Ok(low)
    }

    /// Closes the file between reads from now on.
    pub fn evict(&self) {
        self.file.evict();
    }

    fn read(&self, out: &mut [u8], at: u64) -> Result<(), StorageError> {
        let read = self.file.get().and_then(|file| file.read_exact_at(out, at));
        read.map_err(StorageError::io("read", &self.path))
    }

    fn block(&self, number: u64) -> Result<Vec<(u64, u32)>, StorageError> {
        let at = (1 + number) * BLOCK_BYTES as u64;
        let mut block = [0; BLOCK_BYTES];
        self.read(&mut block, at)?;
        if !sealed(&block) {
            return Err(StorageError::damaged(&self.path, at, "the checksum of a block is wrong"));
        }
        let count = u32_at(&block, 0).unwrap_or_default() as usize;
        let entry = |index: usize| {
            let at = 4 + index * ENTRY_BYTES;
            Some((u64_at(&block, at)?, u32_at(&block, at + 8)?))
        };
        Ok((0..count.min(ENTRIES_PER_BLOCK)).filter_map(entry).collect())
    }
}

fn sealed(block: &[u8; BLOCK_BYTES]) -> bool {
    let end = BLOCK_BYTES - 4;
    block.get(..end).map(crc32c::crc32c) == u32_at(block, end)
}
