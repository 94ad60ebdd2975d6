//! Merged indexes: which of many segments hold a hash, so that a look-up does not ask each of them.
//!
//! The indexes of eight neighbouring segments are merged into one of level 1, those of eight times as many into one of
//! level 2, and so on; the larger replaces the smaller ones. An entry leads from a hash to a segment of the range,
//! whose own index has the offsets. Like those they are made from existing data: a missing or damaged one costs
//! look-ups, no answers.

use super::part::Part;
use crate::error::StorageError;
use crate::folder::layout::{numbered, remove};
use crate::journal::index::index_file::{self, IndexFile};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Segments of level 1; each further level has as many times more.
pub const FAN: usize = 8;
/// The highest level: 512 segments, 32 GiB of journal.
pub const LEVEL_MAX: u32 = 3;

/// An index merged from several segments.
#[derive(Debug)]
pub struct Merged {
    /// Its first segment, counted from the journal's first.
    pub first: usize,
    level: u32,
    path: PathBuf,
    file: IndexFile,
}

/// The ranges that the first `count` segments fall into, oldest first: first segment and level.
fn ranges(count: usize) -> Vec<(usize, u32)> {
    let (mut ranges, mut first) = (Vec::new(), 0);
    for level in (1..=LEVEL_MAX).rev() {
        while first + span(level) <= count {
            ranges.push((first, level));
            first += span(level);
        }
    }
    ranges
}

fn span(level: u32) -> usize {
    FAN.pow(level)
}

fn extension(level: u32) -> String {
    format!("idx{level}")
}

/// Every merged index of a journal's folder.
fn files(journal: &Path) -> Result<Vec<PathBuf>, StorageError> {
    let mut found = Vec::new();
    for level in 1..=LEVEL_MAX {
        let name = |lsn: u64| journal.join(format!("{lsn:016}.{}", extension(level)));
        found.extend(numbered(journal, &extension(level))?.into_iter().map(name));
    }
    Ok(found)
}

/// Removes all of them: they are made again.
pub fn forget(journal: &Path) -> Result<(), StorageError> {
    files(journal)?.iter().try_for_each(|path| remove(path))
}

/// The existing merged indexes of sealed segments, and whether any is missing.
pub fn open(sealed: &[Arc<Part>]) -> (Vec<Arc<Merged>>, bool) {
    let wanted = ranges(sealed.len());
    let found: Vec<_> =
        wanted.iter().filter_map(|range| Merged::open(sealed, *range).ok()).map(Arc::new).collect();
    let missing = found.len() < wanted.len();
    (found, missing)
}

/// The merged indexes of sealed segments, with missing ones made. Those of smaller ranges are removed.
pub fn build_missing(
    sealed: &[Arc<Part>],
    known: &[Arc<Merged>],
    stopping: &AtomicBool,
) -> Result<Vec<Arc<Merged>>, StorageError> {
    let stored = sealed.iter().take_while(|part| part.file().is_some()).count();
    let mut complete = Vec::new();
    for range in ranges(stored) {
        let same = known.iter().find(|merged| (merged.first, merged.level) == range);
        complete.push(match same {
            Some(merged) => Arc::clone(merged),
            None => Arc::new(Merged::open(sealed, range).or_else(|_| Merged::make(sealed, range, stopping))?),
        });
    }
    Ok(complete)
}

/// Removes all files except these.
pub fn keep_only(journal: &Path, merged: &[Arc<Merged>]) -> Result<(), StorageError> {
    let unused = |path: &PathBuf| merged.iter().all(|merged| merged.path != *path);
    files(journal)?.iter().filter(|path| unused(path)).try_for_each(|path| remove(path))
}

impl Merged {
    /// The first segment behind its range.
    pub fn end(&self) -> usize {
        self.first + span(self.level)
    }

    /// The segments of its range that hold a hash, ascending.
    pub fn segments(&self, hash: u64) -> Result<Vec<usize>, StorageError> {
        Ok(self.file.offsets(hash)?.into_iter().map(|place| self.first + place as usize).collect())
    }

    /// Removes the file: it is made again after the next segment.
    pub fn discard(&self) {
        // One that can't be removed is found damaged again.
        let _ = remove(&self.path);
    }

    fn range(sealed: &[Arc<Part>], (first, level): (usize, u32)) -> Option<(&[Arc<Part>], &Part, &Part)> {
        let parts = sealed.get(first..first + span(level))?;
        Some((parts, parts.first()?, parts.last()?))
    }

    fn open(sealed: &[Arc<Part>], (first, level): (usize, u32)) -> Result<Self, StorageError> {
        let Some((_, oldest, newest)) = Self::range(sealed, (first, level)) else {
            return Err(no_range());
        };
        let path = oldest.segment.path.with_extension(extension(level));
        let file = IndexFile::open(&path, &oldest.segment)?;
        if (file.seal.last_lsn, file.seal.end_chain) != (newest.end.lsn, newest.end.chain) {
            return Err(StorageError::damaged(&path, 0, "it is of other segments"));
        }
        Ok(Self { first, level, path, file })
    }

    fn make(sealed: &[Arc<Part>], range: (usize, u32), stopping: &AtomicBool) -> Result<Self, StorageError> {
        let Some((parts, oldest, newest)) = Self::range(sealed, range) else {
            return Err(no_range());
        };
        let path = oldest.segment.path.with_extension(extension(range.1));
        let sources: Vec<_> = parts.iter().filter_map(|part| part.file()).collect();
        let entries = Union::of(&sources)?.map(|entry| match stopping.load(Relaxed) {
            true => {
                Err(StorageError::Refused { path: path.clone(), what: "the store is stopping".to_owned() })
            }
            false => entry,
        });
        index_file::write_all(&path, &oldest.segment, &newest.end, entries)?;
        Self::open(sealed, range)
    }
}

fn no_range() -> StorageError {
    StorageError::Refused { path: PathBuf::new(), what: "there are no such segments".to_owned() }
}

type Entry = Result<(u64, u32), StorageError>;

/// Hashes of several indexes with the places of those in the list, in order, each once.
struct Union<'a> {
    sources: Vec<Box<dyn Iterator<Item = Entry> + 'a>>,
    heads: BinaryHeap<Reverse<(u64, u32)>>,
    last: Option<(u64, u32)>,
}

impl<'a> Union<'a> {
    fn of(indexes: &'a [Arc<IndexFile>]) -> Result<Self, StorageError> {
        let sources: Vec<Box<dyn Iterator<Item = Entry> + 'a>> =
            indexes.iter().map(|index| Box::new(index.walk()) as Box<_>).collect();
        let mut union = Self { sources, heads: BinaryHeap::new(), last: None };
        for place in 0..union.sources.len() {
            union.advance(place)?;
        }
        Ok(union)
    }

    fn advance(&mut self, place: usize) -> Result<(), StorageError> {
        if let Some(next) = self.sources.get_mut(place).and_then(Iterator::next) {
            self.heads.push(Reverse((next?.0, place as u32)));
        }
        Ok(())
    }
}

impl Iterator for Union<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        loop {
            let Reverse(head) = self.heads.pop()?;
            if let Err(error) = self.advance(head.1 as usize) {
                self.heads.clear();
                return Some(Err(error));
            }
            if self.last != Some(head) {
                self.last = Some(head);
                return Some(Ok(head));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_ranges_hold_all_segments_but_the_newest() {
        for count in 0..4 * span(LEVEL_MAX) {
            let ranges = ranges(count);
            let mut end = 0;
            for (first, level) in &ranges {
                assert_eq!(*first, end, "{count}");
                end += span(*level);
            }
            assert!(count - end < FAN, "{count}");
            assert!(
                ranges.len() <= count / span(LEVEL_MAX) + (FAN - 1) * (LEVEL_MAX as usize - 1),
                "{count}"
            );
        }
    }
}
