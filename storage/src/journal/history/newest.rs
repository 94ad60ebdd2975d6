//! Events under a hash, newest first.

use super::History;
use crate::error::StorageError;
use crate::journal::index::document;
use crate::journal::segment::Segment;
use domain::model::base::event::Event;
use std::ops::ControlFlow;

type Read<T> = Result<T, StorageError>;

impl History {
    /// What `pick` takes of the events under a hash, newest first, with their lsn: those before `before`. A
    /// commit is given whole, so there may be a few more than `limit`.
    pub fn newest<T>(
        &self,
        hash: u64,
        before: Option<u64>,
        limit: usize,
        pick: impl Fn(Event, &mut Vec<T>),
    ) -> Read<Vec<(u64, T)>> {
        let before = before.unwrap_or(u64::MAX);
        let mut found = Vec::new();
        self.search(hash, before, |(segment, offsets)| {
            for offset in before_lsn(&segment, &offsets, before)?.iter().rev().copied().map(u64::from) {
                if found.len() >= limit {
                    return Ok(ControlFlow::Break(()));
                }
                let (header, body) = segment.frame(offset)?;
                let events =
                    body.events().map_err(|what| StorageError::damaged(&segment.path, offset, what))?;
                let mut of_frame = Vec::new();
                events.into_iter().for_each(|event| pick(event, &mut of_frame));
                found.extend(of_frame.into_iter().rev().map(|item| (header.lsn, item)));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// Of the steps of documents, newest first, the last one of each: a document stands where it was
    /// changed last.
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

/// The offsets of frames before an lsn: lsns rise with offsets, so a few headers are enough.
fn before_lsn<'a>(segment: &Segment, offsets: &'a [u32], before: u64) -> Read<&'a [u32]> {
    let (mut low, mut high) = (0, offsets.len());
    if before == u64::MAX {
        return Ok(offsets);
    }
    while low < high {
        let middle = low + (high - low) / 2;
        let offset = offsets.get(middle).copied().unwrap_or_default();
        if segment.lsn_at(u64::from(offset))? < before { low = middle + 1 } else { high = middle }
    }
    Ok(offsets.get(..low).unwrap_or_default())
}
