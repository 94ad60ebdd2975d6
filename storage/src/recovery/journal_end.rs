//! Finding the journal's end and the frames that the rows lack.

use crate::error::StorageError;
use crate::folder::layout::{Layout, numbered, sync_dir};
use crate::folder::manifest::Manifest;
use crate::journal::frame::{CHAIN_START, Chain};
use crate::journal::history::SEGMENTS_OPEN_MAX;
use crate::journal::history::part::Part;
use crate::journal::index::Entries;
use crate::journal::record_head::RecordHead;
use crate::journal::segment::{Segment, SegmentHeader};
use crate::journal::tail::{Tail, judge};
use crate::journal::walk::{Position, Step, Walk};
use crate::options::Options;
use crate::rows::mark::Mark;
use crate::writer::group::GROUP_BYTES_MAX;
use std::sync::Arc;

/// Contents of the journal.
#[derive(Debug)]
pub struct Found {
    /// Sealed segments, oldest first.
    pub sealed: Vec<Arc<Part>>,
    /// The segment that is written to.
    pub open: Arc<Segment>,
    /// Index entries of the open segment.
    pub entries: Entries,
    /// Position behind the journal's last frame.
    pub end: Position,
    /// The chain at the rows' mark, where the journal has that lsn.
    pub chain_at_mark: Option<Chain>,
}

impl Found {
    /// All segments, oldest first.
    pub fn segments(&self) -> Vec<Arc<Segment>> {
        let sealed = self.sealed.iter().map(|part| Arc::clone(&part.segment));
        sealed.chain([Arc::clone(&self.open)]).collect()
    }
}

/// Facts known at a start before the journal is read.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// Lsn of the high-water mark.
    pub high_water: u64,
    /// Lsn of the rows' mark.
    pub mark_lsn: u64,
    /// Segments that end behind this are read to their end.
    pub checked_from: u64,
    /// The last commit that was surely on the disk.
    pub durable: u64,
}

/// Zeros that a start writes behind the last frame: wherever a frame of a group can begin. A tail that was
/// cut off without reaching the disk would otherwise come back behind a frame that fits before it.
const CLEARED_BYTES: u64 = 2 * GROUP_BYTES_MAX as u64;

/// Opens all segments, reads the last ones, cuts off a torn tail. All findings are on the disk then: data that a
/// process read before may have been only in the page cache.
pub fn load(
    layout: &Layout,
    manifest: &Manifest,
    known: Known,
    options: &Options,
) -> Result<Found, StorageError> {
    let mut segments = open_segments(layout, manifest)?;
    if segments.is_empty() {
        refuse_loss(layout, 0, known)?;
        segments.push(Arc::new(first_segment(layout, manifest, options)?));
    }
    let Some(open) = segments.pop() else {
        return Err(StorageError::Missing { path: layout.0.clone() });
    };
    sync_dir(&layout.journal())?;
    let mut reader = Reader { mark_lsn: known.mark_lsn, chain_at_mark: None };
    let mut sealed: Vec<Arc<Part>> = Vec::new();
    let next: Vec<_> = segments.iter().skip(1).chain([&open]).map(|next| Position::start(next)).collect();
    for (segment, next) in segments.into_iter().zip(next) {
        refuse_gap(&segment, sealed.last())?;
        let part = Part::load(segment, &next)?;
        if part.end.lsn > known.checked_from {
            reader.check_sealed(&part)?;
        }
        if part.end.lsn > known.durable {
            part.segment.rewrite(0, part.end.offset, part.end.offset)?;
        }
        sealed.push(Arc::new(part));
        if let Some(old) = sealed.len().checked_sub(SEGMENTS_OPEN_MAX + 1).and_then(|at| sealed.get(at)) {
            old.evict();
        }
    }
    refuse_gap(&open, sealed.last())?;
    let mut entries = Entries::default();
    let mut unproven = (open.head.first_lsn > known.durable).then_some(0);
    let end = reader.read(&open, |step| {
        if step.header.lsn > known.durable {
            unproven.get_or_insert(step.offset);
        }
        entries.add_body(&step.body, step.offset as u32);
    })?;
    let tail = judge(&open, end.offset, end.lsn)?;
    refuse_loss(layout, end.lsn, known)?;
    let mut zeros_to = end.offset.saturating_add(CLEARED_BYTES).min(open.len);
    if let Tail::Torn { end: torn } = tail {
        tracing::warn!(path = %open.path.display(), from = end.offset, to = torn, "cut off a torn tail");
        zeros_to = zeros_to.max(torn);
    }
    open.rewrite(unproven.unwrap_or(end.offset), end.offset, zeros_to)?;
    Ok(Found { sealed, open, entries, end, chain_at_mark: reader.chain_at_mark })
}

/// The journal's segments, oldest first.
pub fn open_segments(layout: &Layout, manifest: &Manifest) -> Result<Vec<Arc<Segment>>, StorageError> {
    let open = |first_lsn| {
        let segment = Segment::open(&layout.segment(first_lsn))?;
        if segment.head.first_lsn != first_lsn || segment.head.store_id != manifest.store_id.0 {
            let what = format!("it is segment {} of {}", segment.head.first_lsn, segment.head.store_id);
            return Err(StorageError::damaged(&segment.path, 0, what));
        }
        Ok(Arc::new(segment))
    };
    let numbers = numbered(&layout.journal(), "seg")?;
    let old = numbers.len().saturating_sub(SEGMENTS_OPEN_MAX);
    let mut segments = Vec::with_capacity(numbers.len());
    for (index, first_lsn) in numbers.into_iter().enumerate() {
        let segment = open(first_lsn)?;
        if index < old {
            segment.evict();
        }
        segments.push(segment);
    }
    Ok(segments)
}

fn first_segment(layout: &Layout, manifest: &Manifest, options: &Options) -> Result<Segment, StorageError> {
    let next = layout.next_segment();
    Segment::fill(&next, options.segment_bytes)?;
    let head = SegmentHeader {
        store_id: manifest.store_id.0.clone(),
        first_lsn: 1,
        chain: CHAIN_START,
        records: RecordHead::default(),
    };
    Segment::begin(&next, &layout.segment(1), head, 0)
}

fn refuse_loss(layout: &Layout, head: u64, known: Known) -> Result<(), StorageError> {
    let (known, witness) = if known.high_water >= known.mark_lsn {
        (known.high_water, "the high-water mark")
    } else {
        (known.mark_lsn, "the mark of the rows")
    };
    if head >= known {
        return Ok(());
    }
    Err(StorageError::Lost { path: layout.journal(), head, known, witness: witness.to_owned() })
}

fn refuse_gap(segment: &Segment, before: Option<&Arc<Part>>) -> Result<(), StorageError> {
    let start = Position::start(segment);
    let (lsn, chain) = before.map_or((0, CHAIN_START), |part| (part.end.lsn, part.end.chain));
    if (start.lsn, start.chain) == (lsn, chain) {
        return Ok(());
    }
    let what = format!(
        "it continues lsn {}, but the journal before it ends at lsn {lsn}: a segment is missing, old or \
         of another journal",
        start.lsn
    );
    Err(StorageError::damaged(&segment.path, 0, what))
}

/// Checks that the next segment continues where frames end: a segment that was not read at this start may contain
/// damage.
fn refuse_hole(segment: &Segment, end: &Position, next: &Position) -> Result<(), StorageError> {
    if (end.lsn, end.chain) == (next.lsn, next.chain) {
        return Ok(());
    }
    let what = format!("lsn {} should begin here and does not", end.lsn + 1);
    Err(StorageError::damaged(&segment.path, end.offset, what))
}

struct Reader {
    mark_lsn: u64,
    chain_at_mark: Option<Chain>,
}

impl Reader {
    fn note(&mut self, place: &Position) {
        if place.lsn == self.mark_lsn {
            self.chain_at_mark = Some(place.chain);
        }
    }

    fn read(&mut self, segment: &Segment, mut show: impl FnMut(&Step)) -> Result<Position, StorageError> {
        let mut walk = Walk::new(segment, Position::start(segment));
        self.note(walk.place());
        while let Some(step) = walk.step()? {
            show(&step);
            self.note(walk.place());
        }
        Ok(walk.place().clone())
    }

    /// Checks that a sealed segment ends where its index says, with nothing after it.
    fn check_sealed(&mut self, part: &Part) -> Result<(), StorageError> {
        let end = self.read(&part.segment, |_| ())?;
        refuse_hole(&part.segment, &end, &part.end)
    }
}

/// Frames of all segments after a mark.
#[derive(Debug)]
pub struct Frames<'a> {
    rest: std::slice::Iter<'a, Arc<Segment>>,
    walk: Option<(&'a Segment, Walk<'a>)>,
}

impl<'a> Frames<'a> {
    /// The frames that a mark does not contain.
    pub fn after(segments: &'a [Arc<Segment>], mark: &Mark) -> Self {
        let from = segments.iter().position(|segment| segment.head.first_lsn == mark.segment);
        let mut rest = segments.get(from.unwrap_or(0)..).unwrap_or_default().iter();
        let walk = from.and_then(|_| rest.next()).map(|segment| {
            let place = Position {
                lsn: mark.lsn,
                chain: mark.chain,
                offset: mark.offset,
                records: mark.records.clone(),
                at: mark.at,
            };
            (segment.as_ref(), Walk::new(segment, place))
        });
        Self { rest, walk }
    }

    /// Whether the journal, which ends at `end`, continues from a mark.
    pub fn continue_from(segments: &'a [Arc<Segment>], mark: &Mark, end: &Position) -> bool {
        segments.iter().any(|segment| segment.head.first_lsn == mark.segment)
            && match Self::after(segments, mark).next() {
                Ok(None) => (mark.lsn, mark.chain) == (end.lsn, end.chain),
                next => next.is_ok(),
            }
    }

    /// The next frame with its segment.
    pub fn next(&mut self) -> Result<Option<(&'a Segment, Step)>, StorageError> {
        loop {
            if let Some((segment, walk)) = &mut self.walk
                && let Some(step) = walk.step()?
            {
                return Ok(Some((segment, step)));
            }
            let Some(segment) = self.rest.next() else {
                return Ok(None);
            };
            if let Some((before, walk)) = &self.walk {
                refuse_hole(before, walk.place(), &Position::start(segment))?;
            }
            self.walk = Some((segment, Walk::new(segment, Position::start(segment))));
        }
    }
}
