//! Segment files: a header block, then frames, then zeros.

use crate::bytes::{array, u32_at};
use crate::error::StorageError;
use crate::folder::format;
use crate::folder::layout::{FILE_MODE, sync_dir};
use crate::folder::lazy_file::LazyFile;
use crate::journal::body::Body;
use crate::journal::frame::{BODY_BYTES_MAX, Chain, HEADER_BYTES, Header};
use crate::journal::record_head::RecordHead;
use bincode::{Decode, Encode};
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Bytes before the first frame.
pub const HEAD_BYTES: u64 = 4096;
/// Bytes that are written again at once.
const REWRITTEN_BYTES: usize = 1024 * 1024;
const MAGIC: [u8; 8] = *b"SRSEGMNT";

/// The state that a segment continues.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct SegmentHeader {
    /// Store that wrote the segment.
    pub store_id: String,
    /// Lsn of its first frame.
    pub first_lsn: u64,
    /// Frame chain before it.
    pub chain: Chain,
    /// Position of the records before it.
    pub records: RecordHead,
}

/// An open segment file.
#[derive(Debug)]
pub struct Segment {
    /// Path of the file.
    pub path: PathBuf,
    /// Its header, with the place that it continues from.
    pub head: SegmentHeader,
    /// Its size in bytes.
    pub len: u64,
    file: LazyFile,
    /// Tests let the next sync fail.
    #[cfg(test)]
    pub fail_sync: std::sync::atomic::AtomicBool,
}

impl Segment {
    /// Opens an existing segment and checks its header.
    pub fn open(path: &Path) -> Result<Self, StorageError> {
        let open = OpenOptions::new().read(true).write(true).open(path);
        let file = open.map_err(StorageError::io("open", path))?;
        let len = file.metadata().map_err(StorageError::io("read", path))?.len();
        let mut block = vec![0; HEAD_BYTES as usize];
        file.read_exact_at(&mut block, 0).map_err(|error| damaged_or_io(path, 0, error))?;
        let head = decode_head(path, &block)?;
        Ok(Self::of(path, head, len, file))
    }

    fn of(path: &Path, head: SegmentHeader, len: u64, file: File) -> Self {
        Self {
            path: path.to_owned(),
            head,
            len,
            file: LazyFile::open(path, file),
            #[cfg(test)]
            fail_sync: false.into(),
        }
    }

    /// Makes a zero-filled file of `len` bytes, durable in content and name.
    pub fn fill(path: &Path, len: u64) -> Result<(), StorageError> {
        let temporary = path.with_extension("tmp");
        let fill = || {
            let mut open = OpenOptions::new();
            open.read(true).write(true).create(true).truncate(true).mode(FILE_MODE);
            let file = open.open(&temporary)?;
            write_zeros(&file, 0, len)?;
            file.sync_all()?;
            fs::rename(&temporary, path)
        };
        if let Err(error) = fill() {
            // It has no useful content; on a full disk the space matters.
            let _ = fs::remove_file(&temporary);
            return Err(StorageError::io("make", path)(error));
        }
        path.parent().map_or(Ok(()), sync_dir)
    }

    /// Turns a filled file into the segment at `path`: header first, then the name.
    pub fn begin(filled: &Path, path: &Path, head: SegmentHeader, room: u64) -> Result<Self, StorageError> {
        let open = OpenOptions::new().read(true).write(true).open(filled);
        let file = open.map_err(StorageError::io("open", filled))?;
        let begin = || {
            let mut len = file.metadata()?.len();
            if len < HEAD_BYTES + room {
                write_zeros(&file, len, HEAD_BYTES + room)?;
                len = HEAD_BYTES + room;
            }
            file.write_all_at(&encode_head(&head), 0)?;
            file.sync_all()?;
            fs::rename(filled, path)?;
            Ok(len)
        };
        let len = begin().map_err(StorageError::io("begin", path))?;
        path.parent().map_or(Ok(()), sync_dir)?;
        Ok(Self::of(path, head, len, file))
    }

    /// Writes one or more whole frames.
    pub fn write(&self, bytes: &[u8], at: u64) -> Result<(), StorageError> {
        let write = self.file.get().and_then(|file| file.write_all_at(bytes, at));
        write.map_err(StorageError::io("write", &self.path))
    }

    /// Syncs the written data.
    pub fn sync(&self) -> Result<(), StorageError> {
        #[cfg(test)]
        if self.fail_sync.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(StorageError::io("sync", &self.path)(std::io::Error::other("a test's error")));
        }
        let sync = self.file.get().and_then(|file| file.sync_data());
        sync.map_err(StorageError::io("sync", &self.path))
    }

    /// Closes the file between reads from now on.
    pub fn evict(&self) {
        self.file.evict();
    }

    /// Reads up to `out.len()` bytes; less only at the end of the file.
    pub fn read(&self, out: &mut [u8], at: u64) -> Result<usize, StorageError> {
        let file = self.file.get().map_err(StorageError::io("open", &self.path))?;
        let mut read = 0;
        while let Some(rest) = out.get_mut(read..).filter(|rest| !rest.is_empty()) {
            match file.read_at(rest, at + read as u64) {
                Ok(0) => break,
                Ok(n) => read += n,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(damaged_or_io(&self.path, at, error)),
            }
        }
        Ok(read)
    }

    /// Writes a range again as it reads, zeros after it up to `zeros_to`, and syncs. Data that a process read may never
    /// have been on the disk, and after a failed sync the kernel may treat such bytes as clean: syncing alone proves
    /// nothing, writing them again does.
    pub fn rewrite(&self, from: u64, end: u64, zeros_to: u64) -> Result<(), StorageError> {
        let rewrite = || {
            // A file that was let go is open for reading only.
            let file = OpenOptions::new().read(true).write(true).open(&self.path)?;
            let mut part = vec![0; REWRITTEN_BYTES];
            let mut at = from;
            while at < end {
                let left = usize::try_from(end - at).unwrap_or(REWRITTEN_BYTES);
                let bytes = part.get_mut(..left.min(REWRITTEN_BYTES)).unwrap_or_default();
                file.read_exact_at(bytes, at)?;
                file.write_all_at(bytes, at)?;
                at += bytes.len() as u64;
            }
            write_zeros(&file, end, zeros_to)?;
            file.sync_all()
        };
        rewrite().map_err(StorageError::io("write again", &self.path))
    }

    /// The lsn of the frame that begins at `at`; its checksum is not looked at.
    pub fn lsn_at(&self, at: u64) -> Result<u64, StorageError> {
        let mut bytes = [0; HEADER_BYTES];
        self.read(&mut bytes, at)?;
        let header = Header::read(&bytes).ok_or_else(|| StorageError::damaged(&self.path, at, "no frame"))?;
        Ok(header.lsn)
    }

    /// The frame that begins at `at`; anything else there is damage.
    pub fn frame(&self, at: u64) -> Result<(Header, Body), StorageError> {
        let damaged = |what: String| StorageError::damaged(&self.path, at, what);
        let mut bytes = vec![0; 4096];
        let read = self.read(&mut bytes, at)?;
        bytes.truncate(read);
        let header = Header::read(&bytes).ok_or_else(|| damaged("no frame".into()))?;
        let wanted = header.span().min(HEADER_BYTES + BODY_BYTES_MAX + 8);
        if wanted > read {
            bytes.resize(wanted, 0);
            let more = bytes.get_mut(read..).unwrap_or_default();
            self.read(more, at + read as u64)?;
        }
        if !header.intact(&bytes) {
            return Err(damaged(format!("the checksum of lsn {} is wrong", header.lsn)));
        }
        let body = bytes.get(HEADER_BYTES..HEADER_BYTES + header.len).unwrap_or_default();
        Ok((header, self.body(body, at)?))
    }

    /// The body of the frame that begins at `at`, whose checksum was right.
    pub fn body(&self, bytes: &[u8], at: u64) -> Result<Body, StorageError> {
        if let Some(version) = bytes.first() {
            format::check(&self.path, *version, format::BODY)?;
        }
        Body::decode(bytes).map_err(|what| StorageError::damaged(&self.path, at, what))
    }
}

fn damaged_or_io(path: &Path, at: u64, error: std::io::Error) -> StorageError {
    if error.kind() == std::io::ErrorKind::UnexpectedEof {
        return StorageError::damaged(path, at, "the file is too short");
    }
    let what = format!("it could not be read: {error}");
    StorageError::damaged(path, at, what)
}

fn write_zeros(file: &File, from: u64, to: u64) -> std::io::Result<()> {
    let zeros = vec![0; 256 * 1024];
    let mut at = from;
    while at < to {
        let part = zeros.get(..(to - at).min(zeros.len() as u64) as usize).unwrap_or(&zeros);
        file.write_all_at(part, at)?;
        at += part.len() as u64;
    }
    Ok(())
}

fn encode_head(head: &SegmentHeader) -> Vec<u8> {
    let mut block = MAGIC.to_vec();
    block.extend_from_slice(&format::SEGMENT.to_le_bytes());
    // These types always encode.
    let fields = bincode::encode_to_vec(head, bincode::config::standard()).unwrap_or_default();
    block.extend_from_slice(&(fields.len() as u32).to_le_bytes());
    block.extend_from_slice(&fields);
    block.resize(HEAD_BYTES as usize - 4, 0);
    let crc = crc32c::crc32c(&block);
    block.extend_from_slice(&crc.to_le_bytes());
    block
}

fn decode_head(path: &Path, block: &[u8]) -> Result<SegmentHeader, StorageError> {
    let damaged = |what: &str| StorageError::damaged(path, 0, what);
    if array(block, 0) != Some(MAGIC) {
        return Err(damaged("not a journal segment"));
    }
    let end = HEAD_BYTES as usize - 4;
    if block.get(..end).map(crc32c::crc32c) != u32_at(block, end) {
        return Err(damaged("the checksum of the segment's header is wrong"));
    }
    format::check(path, u32_at(block, 8).unwrap_or_default(), format::SEGMENT)?;
    let fields = block.get(16..end).unwrap_or_default();
    let config = bincode::config::standard().with_limit::<4096>();
    let (head, _): (SegmentHeader, usize) =
        bincode::decode_from_slice(fields, config).map_err(|error| damaged(&error.to_string()))?;
    Ok(head)
}
