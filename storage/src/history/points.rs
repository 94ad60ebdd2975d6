//! A member's points that a figure of head office does not contain.

use crate::body::Body;
use crate::error::StorageError;
use crate::handle::Storage;
use crate::index::{Kind, hash};
use domain::ids::MemberId;
use domain::points::PointsEntry;
use domain::record::event_id;
use domain::sync::Coverage;
use std::borrow::Cow;
use std::ops::ControlFlow;

type Read<T> = Result<T, StorageError>;

impl Storage {
    /// The store's own entries of a member that are not in head office's balance: their records are not
    /// covered by its page, or it lacks them. Of commits after one lsn and up to another: whoever holds others
    /// up looks only at what came since somebody else had looked, and neither counts what the other counts.
    ///
    /// # Errors
    /// The journal can't be read.
    pub fn uncovered_points(
        &self,
        member: &MemberId,
        coverage: &Coverage,
        (after, until): (u64, u64),
    ) -> Read<Vec<PointsEntry>> {
        let current = self.head().epoch;
        let mut uncovered = Vec::new();
        let hash = hash(Kind::Points, &[member.as_str().as_bytes()]);
        self.history().search(hash, u64::MAX, |(segment, offsets)| {
            for offset in offsets.iter().rev().copied().map(u64::from) {
                let (header, body) = segment.frame(offset)?;
                if header.lsn <= after {
                    return Ok(ControlFlow::Break(()));
                }
                if header.lsn > until {
                    continue;
                }
                let events = body.events();
                let events = events.map_err(|what| StorageError::damaged(&segment.path, offset, what))?;
                let of_member = events.iter().flat_map(|event| event.points());
                let before = uncovered.len();
                for entry in of_member.filter(|entry| entry.member_id == *member) {
                    if !self.covered(&body, entry, coverage, &current)? {
                        uncovered.push(entry.clone());
                    }
                }
                // Before a record that is covered lie only such, but for what is missing and what came back.
                let all = uncovered.len() == before && body.stamps.epoch == current;
                if all && coverage.missing.is_empty() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(uncovered)
    }

    /// Whether the entry's record is in the balance: where it stands now. That of an earlier epoch may have
    /// been moved, when the hub's copy took its place.
    fn covered(&self, body: &Body, entry: &PointsEntry, coverage: &Coverage, current: &str) -> Read<bool> {
        let texts = &body.content.texts;
        let named = format!("\"entry_id\":\"{}\"", entry.entry_id);
        let place = texts.iter().position(|text| text.contains(&named));
        // A record that does not name its entry is told of with the last of its commit.
        let place = place.unwrap_or(texts.len().saturating_sub(1));
        let id = || texts.get(place).and_then(|text| event_id(text)).map(Cow::into_owned);
        let mut places = Vec::new();
        if let Some(id) = id().filter(|_| body.stamps.epoch != current) {
            places = self.record_places(&id)?;
        }
        if places.is_empty() {
            let seq = body.stamps.first_seq.saturating_add(place as u64);
            return Ok(coverage.covers(&body.stamps.epoch, seq, id));
        }
        Ok(places.iter().any(|(epoch, seq)| coverage.covers(epoch, *seq, id)))
    }
}
