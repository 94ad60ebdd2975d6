//! Finding the journal's end, and the frames that the rows lack.

use crate::error::StorageError;
use crate::handle::Options;
use crate::history::Part;
use crate::index::Entries;
use crate::journal::tail::{Tail, judge};
use crate::journal::{Place, Step, Walk};
use crate::layout::{Layout, numbered};
use crate::manifest::Manifest;
use crate::rows::Rows;
use crate::rows::mark::{Mark, RecordHead};
use crate::segment::{Head, Segment};
use std::sync::Arc;

/// What lies in the journal.
#[derive(Debug)]
pub struct Found {
    /// Sealed segments, oldest first.
    pub sealed: Vec<Arc<Part>>,
    /// The open one.
    pub open: Arc<Segment>,
    /// Its index.
    pub entries: Entries,
    /// The journal's end.
    pub end: Place,
}

/// Reads the journal's segments and cuts off a torn tail.
pub fn load(
    layout: &Layout,
    manifest: &Manifest,
    high_water: u64,
    options: &Options,
) -> Result<Found, StorageError> {
    let numbers = numbered(&layout.journal(), "seg")?;
    let mut segments = Vec::new();
    for first_lsn in &numbers {
        let segment = Segment::open(&layout.segment(*first_lsn))?;
        if segment.head.first_lsn != *first_lsn || segment.head.store_id != manifest.store_id.0 {
            let what = format!("it is segment {} of {}", segment.head.first_lsn, segment.head.store_id);
            return Err(StorageError::damaged(&segment.path, 0, what));
        }
        segments.push(Arc::new(segment));
    }
    if segments.is_empty() {
        refuse_loss(layout, 0, high_water, "the high-water mark")?;
        segments.push(Arc::new(first_segment(layout, manifest, options)?));
    }
    let mut sealed: Vec<Arc<Part>> = Vec::new();
    let mut expected: Option<Place> = None;
    let mut last = None;
    for segment in segments {
        refuse_gap(&segment, expected.as_ref())?;
        if let Some((segment, entries)) = last.take() {
            sealed.push(Arc::new(Part { segment, entries: Arc::new(entries) }));
        }
        let (entries, end) = scan(&segment)?;
        expected = Some(end);
        last = Some((segment, entries));
    }
    let (Some(end), Some((open, entries))) = (expected, last) else {
        return Err(StorageError::Missing { path: layout.0.clone() });
    };
    if let Tail::Torn { end: torn } = judge(&open, end.offset, end.lsn)? {
        refuse_loss(layout, end.lsn, high_water, "the high-water mark")?;
        tracing::warn!(path = %open.path.display(), from = end.offset, to = torn, "cut off a torn tail");
        open.zero(end.offset, torn)?;
    }
    refuse_loss(layout, end.lsn, high_water, "the high-water mark")?;
    Ok(Found { sealed, open, entries, end })
}

fn first_segment(layout: &Layout, manifest: &Manifest, options: &Options) -> Result<Segment, StorageError> {
    let next = layout.next_segment();
    Segment::fill(&next, options.segment_bytes)?;
    let head = Head {
        store_id: manifest.store_id.0.clone(),
        first_lsn: 1,
        chain: crate::frame::CHAIN_START,
        records: RecordHead::default(),
    };
    Segment::begin(&next, &layout.segment(1), head, 0)
}

fn refuse_loss(layout: &Layout, head: u64, known: u64, witness: &str) -> Result<(), StorageError> {
    if head >= known {
        return Ok(());
    }
    Err(StorageError::Lost { path: layout.journal(), head, known, witness: witness.to_owned() })
}

fn refuse_gap(segment: &Segment, before: Option<&Place>) -> Result<(), StorageError> {
    let start = Place::start(segment);
    let (lsn, chain) = before.map_or((0, crate::frame::CHAIN_START), |place| (place.lsn, place.chain));
    if (start.lsn, start.chain) == (lsn, chain) {
        return Ok(());
    }
    let what = format!("it continues lsn {}, but the segment before it ends at lsn {lsn}", start.lsn);
    Err(StorageError::damaged(&segment.path, 0, what))
}

fn scan(segment: &Segment) -> Result<(Entries, Place), StorageError> {
    let mut walk = Walk::new(segment, Place::start(segment));
    let mut entries = Entries::default();
    while let Some(step) = walk.step()? {
        entries.add_body(&step.body, step.offset as u32);
    }
    Ok((entries, walk.place().clone()))
}

/// Applies the frames that the rows lack.
pub fn catch_up(rows: &Rows, found: &Found) -> Result<(), StorageError> {
    let mark = rows.mark();
    if mark.lsn > found.end.lsn {
        return Err(StorageError::Lost {
            path: found.open.path.clone(),
            head: found.end.lsn,
            known: mark.lsn,
            witness: "the rows' mark".into(),
        });
    }
    let segments = found.sealed.iter().map(|part| Arc::clone(&part.segment)).chain([Arc::clone(&found.open)]);
    let segments: Vec<_> = segments.collect();
    let mut frames = Frames::after(&segments, &mark);
    let replayed = super::replay_into(rows, &mut frames)?;
    if replayed > 0 {
        tracing::info!(from = mark.lsn, to = found.end.lsn, "applied the journal's tail to the rows");
    }
    Ok(())
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
            let place = Place {
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
            self.walk = Some((segment, Walk::new(segment, Place::start(segment))));
        }
    }
}
