//! History in the journal: found by the segments' indexes, read from the frames.

mod answers;
pub mod merged;
mod newest;
pub use newest::pass_over;
pub mod part;

use crate::error::StorageError;
use crate::journal::body::Body;
use crate::journal::index::Entries;
use crate::journal::segment::Segment;
use crate::journal::walk::Position;
use answers::Answers;
use merged::Merged;
use part::Part;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// A day, in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// Shortest time that an idempotency key counts, in journal time: settings can only make it longer.
pub const ANSWERS_KEPT_MS: i64 = 7 * DAY_MS;

/// Number of the newest sealed segments whose keys are always kept, so that a clock that jumps does not make the store
/// forget keys.
pub const ANSWERS_SEGMENTS_MIN: usize = 8;

/// Sealed segments whose two files stay open; older ones are opened when they are read.
pub const SEGMENTS_OPEN_MAX: usize = 128;

/// All segments, oldest first; the last one is being written.
#[derive(Debug)]
pub struct History {
    parts: RwLock<Parts>,
    /// Merged indexes of ranges of sealed segments, oldest first.
    merged: RwLock<Vec<Arc<Merged>>>,
    /// Whether one is missing.
    unmerged: AtomicBool,
    /// Indexes that were asked so far.
    lookups: AtomicU64,
    now: AtomicI64,
    /// Time that an idempotency key counts, in journal time.
    kept_ms: i64,
}

#[derive(Debug)]
struct Parts {
    sealed: Vec<Arc<Part>>,
    segment: Arc<Segment>,
    entries: RwLock<Entries>,
    /// Answers of the sealed ones.
    answers: Answers,
}

/// A segment and the offsets of the frames that may match, ascending.
pub type Hits = (Arc<Segment>, Vec<u32>);

impl History {
    /// Made from the findings of a start; `now` is the time of the last commit; answers are kept for this many days.
    pub fn new(
        sealed: Vec<Arc<Part>>,
        segment: Arc<Segment>,
        entries: Entries,
        now: i64,
        answers_days: u32,
    ) -> Result<Self, StorageError> {
        let (merged, missing) = merged::open(&sealed);
        let kept_ms = DAY_MS.saturating_mul(i64::from(answers_days)).max(ANSWERS_KEPT_MS);
        let since = now.saturating_sub(kept_ms);
        let answers = gathered(&sealed, since)?;
        let parts = RwLock::new(Parts { sealed, segment, entries: RwLock::new(entries), answers });
        let history = Self {
            parts,
            merged: RwLock::new(merged),
            unmerged: AtomicBool::new(missing),
            lookups: AtomicU64::new(0),
            now: AtomicI64::new(now),
            kept_ms,
        };
        history.refresh()?;
        Ok(history)
    }

    /// Adds durable frames of the open segment; `now` is the time of the last of them.
    pub fn add(&self, now: i64, add: impl FnOnce(&mut Entries)) {
        add(&mut self.parts().entries.write().unwrap_or_else(PoisonError::into_inner));
        self.now.store(now, Relaxed);
    }

    /// Continues in a longer segment instead of one that has no frame yet.
    pub fn replace(&self, segment: Arc<Segment>) {
        self.parts.write().unwrap_or_else(PoisonError::into_inner).segment = segment;
    }

    /// Continues in a new segment. Returns the one that ended at `end`.
    pub fn rotate(&self, segment: Arc<Segment>, end: Position) -> Arc<Part> {
        let mut parts = self.parts.write().unwrap_or_else(PoisonError::into_inner);
        let sealed = std::mem::replace(&mut parts.segment, segment);
        let entries = std::mem::take(&mut parts.entries).into_inner().unwrap_or_else(PoisonError::into_inner);
        parts.answers.add(sealed.head.first_lsn, &entries.tags());
        let part = Arc::new(Part::sealed(sealed, end, entries));
        parts.sealed.push(Arc::clone(&part));
        part
    }

    /// Drops the keys that no longer count and closes the files of old segments.
    pub fn refresh(&self) -> Result<(), StorageError> {
        let sealed = self.sealed();
        let old = sealed.len().saturating_sub(SEGMENTS_OPEN_MAX);
        sealed.iter().take(old).for_each(|part| part.evict());
        let since = self.since();
        if !self.parts().answers.reach(since) {
            return self.gather_again(since);
        }
        if let Some(oldest) = oldest_counting(&sealed, since) {
            self.parts.write().unwrap_or_else(PoisonError::into_inner).answers.expire(oldest, since);
        }
        Ok(())
    }

    /// Reads the keys of all segments that count: some of them did not a while ago.
    fn gather_again(&self, since: i64) -> Result<(), StorageError> {
        let known = self.sealed();
        let mut answers = gathered(&known, since)?;
        let mut parts = self.parts.write().unwrap_or_else(PoisonError::into_inner);
        for part in parts.sealed.iter().skip(known.len()) {
            answers.add(part.segment.head.first_lsn, &part.tags()?);
        }
        parts.answers = answers;
        Ok(())
    }

    /// Since when keys count.
    fn since(&self) -> i64 {
        self.now.load(Relaxed).saturating_sub(self.kept_ms)
    }

    /// Merges the indexes of sealed segments where that was not done.
    pub fn merge(&self, journal: &Path, stopping: &AtomicBool) -> Result<(), StorageError> {
        let complete = merged::build_missing(&self.sealed(), &self.merged(), stopping)?;
        *self.merged.write().unwrap_or_else(PoisonError::into_inner) = complete.clone();
        self.unmerged.store(false, Relaxed);
        merged::keep_only(journal, &complete)
    }

    /// Whether a merged index is missing.
    pub fn unmerged(&self) -> bool {
        self.unmerged.load(Relaxed)
    }

    /// Indexes of sealed segments, their own and merged ones, that were asked so far.
    pub fn lookups(&self) -> u64 {
        self.lookups.load(Relaxed)
    }

    /// All segments, oldest first.
    pub fn segments(&self) -> Vec<Arc<Segment>> {
        let parts = self.parts();
        let sealed = parts.sealed.iter().map(|part| Arc::clone(&part.segment));
        sealed.chain([Arc::clone(&parts.segment)]).collect()
    }

    /// Sealed segments, oldest first.
    pub fn sealed(&self) -> Vec<Arc<Part>> {
        self.parts().sealed.clone()
    }

    /// Visits the segments that begin before an lsn and may hold a hash, newest first, until the visitor has
    /// enough.
    pub fn search<T>(
        &self,
        hash: u64,
        before: u64,
        visit: impl FnMut(Hits) -> Result<ControlFlow<T>, StorageError>,
    ) -> Result<Option<T>, StorageError> {
        self.search_within(hash, 0..before, visit)
    }

    /// As `search`, in the segments that begin within a range of LSNs. Older segments are not read.
    fn search_within<T>(
        &self,
        hash: u64,
        begins: Range<u64>,
        mut visit: impl FnMut(Hits) -> Result<ControlFlow<T>, StorageError>,
    ) -> Result<Option<T>, StorageError> {
        let (sealed, open) = self.under(hash);
        if begins.contains(&open.0.head.first_lsn)
            && let Some(found) = visit_hits(open, &mut visit)?
        {
            return Ok(Some(found));
        }
        let mut ask = |part: &Part| {
            if !begins.contains(&part.segment.head.first_lsn) {
                return Ok(None);
            }
            self.lookups.fetch_add(1, Relaxed);
            visit_hits((Arc::clone(&part.segment), part.offsets(hash)?), &mut visit)
        };
        let mut rest = sealed.as_slice();
        for merged in self.merged().iter().rev() {
            let (older, newer) = rest.split_at(merged.end().min(rest.len()));
            if let Some(found) = first_of(newer.iter().rev(), &mut ask)? {
                return Ok(Some(found));
            }
            let (older, range) = older.split_at(merged.first.min(older.len()));
            rest = older;
            if range.first().is_none_or(|part| part.segment.head.first_lsn >= begins.end) {
                continue;
            }
            if range.last().is_none_or(|part| part.segment.head.first_lsn < begins.start) {
                return Ok(None);
            }
            let holders = self.holders(merged, hash, &sealed).unwrap_or_else(|| range.iter().collect());
            if let Some(found) = first_of(holders.into_iter().rev(), &mut ask)? {
                return Ok(Some(found));
            }
        }
        first_of(rest.iter().rev(), &mut ask)
    }

    /// The first thing under a hash that `pick` finds in a frame, newest first.
    pub fn find<T>(
        &self,
        hash: u64,
        pick: impl Fn(Body) -> Result<Option<T>, String>,
    ) -> Result<Option<T>, StorageError> {
        self.search(hash, u64::MAX, |hits| pick_newest(hits, &pick))
    }

    /// As `find`, among the answers that are still kept. For a new key hardly any segment is read.
    pub fn find_answer<T>(
        &self,
        hash: u64,
        pick: impl Fn(Body) -> Result<Option<T>, String>,
    ) -> Result<Option<T>, StorageError> {
        let since = self.since();
        let (open, sealed) = {
            let parts = self.parts();
            let entries = parts.entries.read().unwrap_or_else(PoisonError::into_inner);
            let may_hold = parts.answers.may_hold(hash) || !parts.answers.reach(since);
            let open = (Arc::clone(&parts.segment), entries.offsets(hash));
            (open, may_hold.then(|| parts.sealed.clone()))
        };
        if let Some(found) = visit_hits(open, &mut |hits| pick_newest(hits, &pick))? {
            return Ok(Some(found));
        }
        let Some(oldest) = sealed.and_then(|sealed| oldest_counting(&sealed, since)) else { return Ok(None) };
        self.search_within(hash, oldest..u64::MAX, |hits| pick_newest(hits, &pick))
    }

    /// Sealed segments, and the matches of a hash in the open one, at one moment.
    fn under(&self, hash: u64) -> (Vec<Arc<Part>>, Hits) {
        let parts = self.parts();
        let entries = parts.entries.read().unwrap_or_else(PoisonError::into_inner);
        (parts.sealed.clone(), (Arc::clone(&parts.segment), entries.offsets(hash)))
    }

    /// The segments of a range that hold a hash; `None` if the merged index is damaged, and all have to be asked.
    fn holders<'a>(
        &self,
        merged: &Arc<Merged>,
        hash: u64,
        sealed: &'a [Arc<Part>],
    ) -> Option<Vec<&'a Arc<Part>>> {
        self.lookups.fetch_add(1, Relaxed);
        match merged.segments(hash) {
            Ok(places) => Some(places.into_iter().filter_map(|place| sealed.get(place)).collect()),
            Err(error) => {
                tracing::warn!(why = error.brief(), "a merged index is rebuilt after the next segment");
                merged.discard();
                let mut all = self.merged.write().unwrap_or_else(PoisonError::into_inner);
                all.retain(|other| !Arc::ptr_eq(other, merged));
                None
            }
        }
    }

    fn merged(&self) -> Vec<Arc<Merged>> {
        self.merged.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn parts(&self) -> RwLockReadGuard<'_, Parts> {
        self.parts.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first lsn of the oldest segment whose keys count; `None` if nothing is sealed.
fn oldest_counting(sealed: &[Arc<Part>], since: i64) -> Option<u64> {
    let newest = sealed.len().saturating_sub(ANSWERS_SEGMENTS_MIN);
    let counts = |(number, part): &(usize, &Arc<Part>)| *number >= newest || part.end.at >= since;
    sealed.iter().enumerate().find(counts).map(|(_, part)| part.segment.head.first_lsn)
}

/// The keys of segments that count since then.
fn gathered(sealed: &[Arc<Part>], since: i64) -> Result<Answers, StorageError> {
    let (mut answers, oldest) = (Answers::since(since), oldest_counting(sealed, since));
    for part in sealed.iter().filter(|part| Some(part.segment.head.first_lsn) >= oldest) {
        answers.add(part.segment.head.first_lsn, &part.tags()?);
    }
    Ok(answers)
}

/// The first thing that is found in one of some segments.
fn first_of<'a, T>(
    mut parts: impl Iterator<Item = &'a Arc<Part>>,
    ask: &mut impl FnMut(&Part) -> Result<Option<T>, StorageError>,
) -> Result<Option<T>, StorageError> {
    parts.find_map(|part| ask(part).transpose()).transpose()
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
