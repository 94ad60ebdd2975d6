//! Events under a hash, newest first.

use super::History;
use crate::error::StorageError;
use crate::journal::index::document;
use crate::journal::segment::Segment;
use domain::model::base::event::Event;
use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};

type Read<T> = Result<T, StorageError>;

impl History {
    /// The results of `pick` for the events under a hash, newest first, with their lsn: those before `before`. A commit
    /// is returned whole, so there may be a few more than `limit`.
    pub fn newest<T>(
        &self,
        hash: u64,
        before: Option<u64>,
        limit: usize,
        pick: impl Fn(Event, &mut Vec<T>),
    ) -> Read<Vec<(u64, T)>> {
        self.newest_but(hash, (before, limit), Err, pick)
    }

    /// As `before`, without damaged frames: `damaged` receives the problem of each, which may be more than once.
    pub fn newest_readable<T>(
        &self,
        hash: u64,
        page: (Option<u64>, usize),
        damaged: &mut BTreeSet<String>,
        pick: impl Fn(Event, &mut Vec<T>),
    ) -> Read<Vec<(u64, T)>> {
        self.newest_but(hash, page, |error| pass_over(error, damaged), pick)
    }

    fn newest_but<T>(
        &self,
        hash: u64,
        (before, limit): (Option<u64>, usize),
        mut unreadable: impl FnMut(StorageError) -> Read<()>,
        pick: impl Fn(Event, &mut Vec<T>),
    ) -> Read<Vec<(u64, T)>> {
        let before = before.unwrap_or(u64::MAX);
        let mut found = Vec::new();
        self.search(hash, before, |(segment, offsets)| {
            for offset in before_lsn(&segment, &offsets, before)?.iter().rev().copied().map(u64::from) {
                if found.len() >= limit {
                    return Ok(ControlFlow::Break(()));
                }
                let (lsn, events) = match events_at(&segment, offset) {
                    Ok(frame) => frame,
                    Err(error) => {
                        unreadable(error)?;
                        continue;
                    }
                };
                let mut of_frame = Vec::new();
                events.into_iter().for_each(|event| pick(event, &mut of_frame));
                found.extend(of_frame.into_iter().rev().map(|item| (lsn, item)));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// Of the steps of documents, newest first, only the last one of each: a document has the place of its last change.
    pub fn as_they_are<T>(
        &self,
        mut before: Option<u64>,
        limit: usize,
        steps: impl Fn(Option<u64>, usize) -> Read<Vec<(u64, T)>>,
        id: impl Fn(&T) -> &str,
    ) -> Read<Vec<(u64, T)>> {
        let mut found = Vec::new();
        while found.len() < limit {
            let page = steps(before, limit)?;
            let Some((last, _)) = page.last() else { break };
            before = Some(*last);
            for (lsn, step) in page {
                if found.len() < limit && self.last_step(id(&step))? == Some(lsn) {
                    found.push((lsn, step));
                }
            }
        }
        Ok(found)
    }

    /// The lsn at which a document was changed last.
    pub fn last_step(&self, id: &str) -> Read<Option<u64>> {
        let step = self.newest(document(id), None, 1, |event, found| {
            if event.fact.document().is_some_and(|(_, step)| step == id) {
                found.push(());
            }
        })?;
        Ok(step.first().map(|(lsn, ())| *lsn))
    }
}

/// The events of a frame, with its lsn.
fn events_at(segment: &Segment, offset: u64) -> Read<(u64, Vec<Event>)> {
    let (header, body) = segment.frame(offset)?;
    let events = body.events().map_err(|what| StorageError::damaged(&segment.path, offset, what))?;
    Ok((header.lsn, events))
}

/// Notes damage, and continues; returns any other error.
pub fn pass_over(error: StorageError, damaged: &mut BTreeSet<String>) -> Read<()> {
    match error {
        StorageError::Damaged { .. } => {
            damaged.insert(error.to_string());
            Ok(())
        }
        other => Err(other),
    }
}

/// The offsets of frames before an lsn. Lsns rise with offsets, so reading a few headers is enough. A frame that can't
/// be read is treated as if it were where the next readable one is.
fn before_lsn<'a>(segment: &Segment, offsets: &'a [u32], before: u64) -> Read<&'a [u32]> {
    let (mut low, mut high) = (0, offsets.len());
    if before == u64::MAX {
        return Ok(offsets);
    }
    while low < high {
        let middle = low + (high - low) / 2;
        match readable_lsn(segment, offsets, middle..high)? {
            Some((place, lsn)) if lsn < before => low = place + 1,
            _ => high = middle,
        }
    }
    Ok(offsets.get(..low).unwrap_or_default())
}

/// The first place whose header can be read, and its lsn.
fn readable_lsn(segment: &Segment, offsets: &[u32], places: Range<usize>) -> Read<Option<(usize, u64)>> {
    for place in places {
        let offset = offsets.get(place).copied().unwrap_or_default();
        match segment.lsn_at(u64::from(offset)) {
            Ok(lsn) => return Ok(Some((place, lsn))),
            Err(StorageError::Damaged { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}
