//! A member's points that a figure of head office does not contain.

use super::{Members, Outbox, Read};
use crate::error::StorageError;
use crate::journal::body::Body;
use crate::journal::index::{Kind, hash};
use domain::model::base::ids::MemberId;
use domain::model::people::points::PointsEntry;
use domain::wire::feed::Coverage;
use domain::wire::record::event_id;
use std::borrow::Cow;
use std::ops::ControlFlow;

/// Entries that are read at once.
const POINTS_AT_ONCE: usize = 500;

impl Members<'_> {
    /// A member's points entries that head office has not acknowledged, newest first.
    pub fn pending_points(&self, member: &MemberId) -> Read<Vec<PointsEntry>> {
        let mut pending = Vec::new();
        let Some(first) = Outbox(self.0).first_pending_lsn()? else { return Ok(pending) };
        let mut before = None;
        loop {
            let found = self.points_entries(member, before, POINTS_AT_ONCE)?;
            before = found.last().map(|(lsn, _)| *lsn);
            let count = found.len();
            pending.extend(found.into_iter().take_while(|(lsn, _)| *lsn >= first).map(|(_, entry)| entry));
            if count < POINTS_AT_ONCE || before.is_none_or(|lsn| lsn < first) {
                return Ok(pending);
            }
        }
    }

    /// The store's own entries of a member that are missing in head office's balance: their records are not covered by
    /// its page, or it lacks them. Of commits after one lsn and up to another: a caller that holds others up reads only
    /// the commits since an earlier read, and no entry is counted by both.
    pub fn uncovered_points(
        &self,
        member: &MemberId,
        coverage: &Coverage,
        (after, until): (u64, u64),
    ) -> Read<Vec<PointsEntry>> {
        let current = self.0.head().epoch;
        let mut uncovered = Vec::new();
        let hash = hash(Kind::Points, &[member.as_str().as_bytes()]);
        self.0.history.search(hash, u64::MAX, |(segment, offsets)| {
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
                let of_member = events.iter().flat_map(|event| &event.rows.points);
                let before = uncovered.len();
                for entry in of_member.filter(|entry| entry.member_id == *member) {
                    if !self.covered(&body, entry, coverage, &current)? {
                        uncovered.push(entry.clone());
                    }
                }
                // Before a covered record there are only covered ones, except for missing and recovered ones.
                let all = uncovered.len() == before && body.stamps.epoch == current;
                if all && coverage.missing.is_empty() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(uncovered)
    }

    /// Whether the entry's record is in the balance, by its present place. A record of an earlier epoch may have been
    /// moved, when the hub's copy replaced it.
    fn covered(&self, body: &Body, entry: &PointsEntry, coverage: &Coverage, current: &str) -> Read<bool> {
        let texts = &body.content.texts;
        let named = format!("\"entry_id\":\"{}\"", entry.entry_id);
        let place = texts.iter().position(|text| text.contains(&named));
        // A record that does not name its entry is reported with the last record of its commit.
        let place = place.unwrap_or(texts.len().saturating_sub(1));
        let id = || texts.get(place).and_then(|text| event_id(text)).map(Cow::into_owned);
        let mut places = Vec::new();
        if let Some(id) = id().filter(|_| body.stamps.epoch != current) {
            places = Outbox(self.0).record_places(&id)?;
        }
        if places.is_empty() {
            let seq = body.stamps.first_seq.saturating_add(place as u64);
            return Ok(coverage.covers(&body.stamps.epoch, seq, id));
        }
        Ok(places.iter().any(|(epoch, seq)| coverage.covers(epoch, *seq, id)))
    }
}
