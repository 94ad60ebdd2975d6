//! History in the journal: found by the segments' indexes, read from the frames.

pub mod documents;
pub mod part;
pub mod points;
pub mod read;

use crate::body::Body;
use crate::error::StorageError;
use crate::index::Entries;
use crate::journal::Place;
use crate::segment::Segment;
use part::Part;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// A day, in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// How long every idempotency key counts at least, in journal time: settings can only make it longer.
pub const ANSWERS_KEPT_MS: i64 = 7 * DAY_MS;

/// Sealed segments whose keys count whatever the clock says: one that jumps must not forget a key.
pub const ANSWERS_SEGMENTS_MIN: usize = 8;

/// Sealed segments whose two files stay open; older ones are opened when they are read.
pub const SEGMENTS_OPEN_MAX: usize = 128;

/// All segments, oldest first; the last one is being written.
#[derive(Debug)]
pub struct History {
    parts: RwLock<Parts>,
    now: AtomicI64,
    /// How long an idempotency key counts, in journal time.
    kept_ms: i64,
}

#[derive(Debug)]
struct Parts {
    sealed: Vec<Arc<Part>>,
    segment: Arc<Segment>,
    entries: RwLock<Entries>,
}

/// What a search looks through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// All segments.
    All,
    /// Those of the last days, by their filters.
    Answers,
}

/// A segment and the offsets of the frames that may hold what is looked for, ascending.
pub type Hits = (Arc<Segment>, Vec<u32>);

impl History {
    /// From what a start found; `now` is the time of the last commit; answers count for so many days.
    pub fn new(
        sealed: Vec<Arc<Part>>,
        segment: Arc<Segment>,
        entries: Entries,
        now: i64,
        answers_days: u32,
    ) -> Result<Self, StorageError> {
        let parts = RwLock::new(Parts { sealed, segment, entries: RwLock::new(entries) });
        let kept_ms = DAY_MS.saturating_mul(i64::from(answers_days)).max(ANSWERS_KEPT_MS);
        let history = Self { parts, now: AtomicI64::new(now), kept_ms };
        history.refresh()?;
        Ok(history)
    }

    /// Adds durable frames of the open segment; `now` is the time of the last of them.
    pub fn add(&self, now: i64, add: impl FnOnce(&mut Entries)) {
        add(&mut self.parts().entries.write().unwrap_or_else(PoisonError::into_inner));
        self.now.store(now, Relaxed);
    }

    /// Goes on in a longer segment instead of one that holds no frame yet.
    pub fn replace(&self, segment: Arc<Segment>) {
        self.parts.write().unwrap_or_else(PoisonError::into_inner).segment = segment;
    }

    /// Goes on in a new segment; gives the one that ended at `end`.
    pub fn rotate(&self, segment: Arc<Segment>, end: Place) -> Arc<Part> {
        let mut parts = self.parts.write().unwrap_or_else(PoisonError::into_inner);
        let sealed = std::mem::replace(&mut parts.segment, segment);
        let entries = std::mem::take(&mut parts.entries).into_inner().unwrap_or_else(PoisonError::into_inner);
        let part = Arc::new(Part::sealed(sealed, end, entries));
        parts.sealed.push(Arc::clone(&part));
        part
    }

    /// Loads the filters of segments whose keys count, lets the others and the files of old segments go.
    pub fn refresh(&self) -> Result<(), StorageError> {
        let sealed = self.sealed();
        let old = sealed.len().saturating_sub(SEGMENTS_OPEN_MAX);
        sealed.iter().take(old).for_each(|part| part.let_go());
        let mut ages = sealed.iter().rev().enumerate();
        ages.try_for_each(|(age, part)| part.remember(self.counts(age, part)))
    }

    /// Segments, oldest first.
    pub fn segments(&self) -> Vec<Arc<Segment>> {
        let parts = self.parts();
        let sealed = parts.sealed.iter().map(|part| Arc::clone(&part.segment));
        sealed.chain([Arc::clone(&parts.segment)]).collect()
    }

    /// Sealed segments, oldest first.
    pub fn sealed(&self) -> Vec<Arc<Part>> {
        self.parts().sealed.clone()
    }

    /// Visits the segments that may hold a hash, newest first, until the visitor has enough.
    pub fn search<T>(
        &self,
        hash: u64,
        visit: impl FnMut(Hits) -> Result<ControlFlow<T>, StorageError>,
    ) -> Result<Option<T>, StorageError> {
        self.search_in(Reach::All, hash, visit)
    }

    /// The first thing under a hash that `pick` finds in a frame, newest first.
    pub fn find<T>(
        &self,
        hash: u64,
        pick: impl Fn(Body) -> Result<Option<T>, String>,
    ) -> Result<Option<T>, StorageError> {
        self.search_in(Reach::All, hash, |hits| pick_newest(hits, &pick))
    }

    /// The same among the answers that still count.
    pub fn find_answer<T>(
        &self,
        hash: u64,
        pick: impl Fn(Body) -> Result<Option<T>, String>,
    ) -> Result<Option<T>, StorageError> {
        self.search_in(Reach::Answers, hash, |hits| pick_newest(hits, &pick))
    }

    fn search_in<T>(
        &self,
        reach: Reach,
        hash: u64,
        mut visit: impl FnMut(Hits) -> Result<ControlFlow<T>, StorageError>,
    ) -> Result<Option<T>, StorageError> {
        let (sealed, open) = {
            let parts = self.parts();
            let entries = parts.entries.read().unwrap_or_else(PoisonError::into_inner);
            (parts.sealed.clone(), (Arc::clone(&parts.segment), entries.offsets(hash)))
        };
        if let Some(found) = visit_hits(open, &mut visit)? {
            return Ok(Some(found));
        }
        for (age, part) in sealed.iter().rev().enumerate() {
            let offsets = match reach {
                Reach::All => part.offsets(hash)?,
                Reach::Answers if self.counts(age, part) => part.answer_offsets(hash)?,
                Reach::Answers => continue,
            };
            if let Some(found) = visit_hits((Arc::clone(&part.segment), offsets), &mut visit)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Whether the keys of a part count, `age` segments before the newest sealed one.
    fn counts(&self, age: usize, part: &Part) -> bool {
        age < ANSWERS_SEGMENTS_MIN || part.end.at >= self.now.load(Relaxed).saturating_sub(self.kept_ms)
    }

    fn parts(&self) -> RwLockReadGuard<'_, Parts> {
        self.parts.read().unwrap_or_else(PoisonError::into_inner)
    }
}

fn visit_hits<T>(
    hits: Hits,
    visit: &mut impl FnMut(Hits) -> Result<ControlFlow<T>, StorageError>,
) -> Result<Option<T>, StorageError> {
    if hits.1.is_empty() {
        return Ok(None);
    }
    Ok(visit(hits)?.break_value())
}

fn pick_newest<T>(
    (segment, offsets): Hits,
    pick: &impl Fn(Body) -> Result<Option<T>, String>,
) -> Result<ControlFlow<T>, StorageError> {
    for offset in offsets.into_iter().rev().map(u64::from) {
        let (_, body) = segment.frame(offset)?;
        let picked = pick(body).map_err(|what| StorageError::damaged(&segment.path, offset, what))?;
        if let Some(found) = picked {
            return Ok(ControlFlow::Break(found));
        }
    }
    Ok(ControlFlow::Continue(()))
}
