//! A sealed segment with its index, which is remade from the segment whenever it is in doubt.

use crate::error::StorageError;
use crate::journal::index::Entries;
use crate::journal::index::filter::Tag;
use crate::journal::index::index_file::{self, IndexFile};
use crate::journal::segment::Segment;
use crate::journal::tail::{Tail, judge};
use crate::journal::walk::{Position, Walk};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

/// A sealed segment with its index.
#[derive(Debug)]
pub struct Part {
    /// The sealed segment.
    pub segment: Arc<Segment>,
    /// Position behind its last frame.
    pub end: Position,
    index_path: PathBuf,
    index: RwLock<Index>,
}

#[derive(Debug, Clone)]
enum Index {
    /// Just sealed: not yet on the disk.
    Memory(Arc<Entries>),
    File(Arc<IndexFile>),
}

impl Part {
    /// A segment that was just sealed.
    pub fn sealed(segment: Arc<Segment>, end: Position, entries: Entries) -> Self {
        let index_path = segment.path.with_extension("idx");
        Self { segment, end, index_path, index: RwLock::new(Index::Memory(Arc::new(entries))) }
    }

    /// A segment that was sealed before this start. Its index is remade when it is missing, damaged, or of
    /// a time when the segment ended elsewhere than where the next one continues.
    pub fn load(segment: Arc<Segment>, next: &Position) -> Result<Self, StorageError> {
        let index_path = segment.path.with_extension("idx");
        let file = IndexFile::open(&index_path, &segment).and_then(|file| {
            if (file.seal.last_lsn, file.seal.end_chain) == (next.lsn, next.chain) {
                return Ok(file);
            }
            Err(StorageError::damaged(&index_path, 0, format!("it ends at lsn {}", file.seal.last_lsn)))
        });
        let file = match file {
            Ok(file) => file,
            Err(error @ StorageError::Format { .. }) => return Err(error),
            Err(error) => {
                tracing::warn!(why = error.brief(), segment = %segment.path.display(), "rebuilding a segment's \
                    index");
                remake(&segment, &index_path, Some(next))?
            }
        };
        let end = file.seal.end();
        let index = RwLock::new(Index::File(Arc::new(file)));
        Ok(Self { segment, end, index_path, index })
    }

    /// Writes the index of a just sealed segment and lets its memory go.
    pub fn store(&self) -> Result<(), StorageError> {
        let Index::Memory(entries) = self.current() else {
            return Ok(());
        };
        index_file::write(&self.index_path, &self.segment, &self.end, &entries)?;
        self.swap(IndexFile::open(&self.index_path, &self.segment)?);
        Ok(())
    }

    /// Offsets of the frames under a hash, ascending.
    pub fn offsets(&self, hash: u64) -> Result<Vec<u32>, StorageError> {
        self.read_index(|file| file.offsets(hash), |entries| entries.offsets(hash))
    }

    /// Tags of its idempotency keys.
    pub fn tags(&self) -> Result<Vec<Tag>, StorageError> {
        self.read_index(IndexFile::tags, Entries::tags)
    }

    /// Closes the files of an old segment between reads from now on.
    pub fn evict(&self) {
        self.segment.evict();
        if let Index::File(file) = self.current() {
            file.evict();
        }
    }

    fn read_index<T>(
        &self,
        from_file: impl Fn(&IndexFile) -> Result<T, StorageError>,
        from_memory: impl Fn(&Entries) -> T,
    ) -> Result<T, StorageError> {
        let file = match self.current() {
            Index::Memory(entries) => return Ok(from_memory(&entries)),
            Index::File(file) => file,
        };
        match from_file(&file) {
            Err(error) => {
                tracing::warn!(why = error.brief(), segment = %self.segment.path.display(), "rebuilding a \
                    segment's index");
                self.remade(&file).and_then(|file| from_file(&file))
            }
            read => read,
        }
    }

    /// Rebuilds the index; a second caller gets the index that the first one built.
    fn remade(&self, damaged: &Arc<IndexFile>) -> Result<Arc<IndexFile>, StorageError> {
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        if let Index::File(file) = &*index
            && !Arc::ptr_eq(file, damaged)
        {
            return Ok(Arc::clone(file));
        }
        let (entries, end) = scan(&self.segment)?;
        if end != self.end {
            let what = format!("lsn {} should begin here and does not", end.lsn + 1);
            return Err(StorageError::damaged(&self.segment.path, end.offset, what));
        }
        index_file::write(&self.index_path, &self.segment, &end, &entries)?;
        let file = Arc::new(IndexFile::open(&self.index_path, &self.segment)?);
        *index = Index::File(Arc::clone(&file));
        Ok(file)
    }

    /// The index on the disk; `None` if it was just sealed.
    pub fn file(&self) -> Option<Arc<IndexFile>> {
        match self.current() {
            Index::File(file) => Some(file),
            Index::Memory(_) => None,
        }
    }

    fn current(&self) -> Index {
        self.index.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn swap(&self, file: IndexFile) {
        *self.index.write().unwrap_or_else(PoisonError::into_inner) = Index::File(Arc::new(file));
    }
}

/// Entries and end of a segment, from its frames.
pub fn scan(segment: &Segment) -> Result<(Entries, Position), StorageError> {
    let mut walk = Walk::new(segment, Position::start(segment));
    let mut entries = Entries::default();
    while let Some(step) = walk.step()? {
        entries.add_body(&step.body, step.offset as u32);
    }
    Ok((entries, walk.place().clone()))
}

/// Makes a segment's index again. One that ends before `next` with more behind its last good frame is damaged
/// itself: no segment is missing after it.
pub fn remake(
    segment: &Segment,
    index_path: &std::path::Path,
    next: Option<&Position>,
) -> Result<IndexFile, StorageError> {
    let (entries, end) = scan(segment)?;
    if next.is_some_and(|next| (next.lsn, next.chain) != (end.lsn, end.chain))
        && !matches!(judge(segment, end.offset, end.lsn), Ok(Tail::Clean))
    {
        let what = format!("lsn {} should begin here and does not", end.lsn + 1);
        return Err(StorageError::damaged(&segment.path, end.offset, what));
    }
    index_file::write(index_path, segment, &end, &entries)?;
    IndexFile::open(index_path, segment)
}
