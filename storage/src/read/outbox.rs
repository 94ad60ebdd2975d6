//! The outbox: numbered records in the journal, by epoch and seq.

use super::{Outbox, Read};
use crate::error::StorageError;
use crate::journal::index::record_hash;
use crate::journal::segment::Segment;
use crate::journal::walk::{Position, Step, Walk};
use crate::rows::apply::sync_rows::KEPT;
use crate::rows::table::Table;
use domain::model::base::time::UtcMs;
use domain::model::hub::chain::{GENESIS, hex};
use domain::model::hub::stamp::AckMark;
use domain::model::hub::sync::retention::Retention;
use domain::wire::sync::{Backlog, EpochState, PushEvent};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Points entries that are read at once when those are gathered that head office does not know.
mod by_event;

/// One record with its place.
struct Found {
    segment: Arc<Segment>,
    offset: u64,
    hash: [u8; 32],
    at: i64,
}

impl Outbox<'_> {
    /// Acknowledged position of the current epoch.
    pub fn ack_mark(&self) -> Read<AckMark> {
        self.ack_mark_of(&self.0.head().epoch)
    }

    /// Acknowledged position of an epoch; zeros before the first time.
    pub fn ack_mark_of(&self, epoch: &str) -> Read<AckMark> {
        let row = self.0.rows.row(Table::Ack, epoch)?;
        Ok(row.unwrap_or_else(|| AckMark {
            epoch: epoch.to_owned(),
            hash: domain::model::hub::chain::GENESIS.to_owned(),
            ..AckMark::default()
        }))
    }

    /// Records of an epoch that are still offered.
    pub fn retention(&self, epoch: &str) -> Read<Retention> {
        let text: Option<String> = self.0.rows.row(Table::Sync, &format!("{KEPT}{epoch}"))?;
        text.map_or_else(|| Ok(Retention::default()), |text| self.0.rows.parse_json(&text))
    }

    /// All epochs, oldest first, with their heads and acknowledgements.
    pub fn lineage(&self) -> Read<Vec<EpochState>> {
        let head = self.0.head();
        let state = |epoch: &str, head_seq, head_hash: &[u8; 32]| {
            let ack = self.ack_mark_of(epoch)?;
            Ok(EpochState {
                epoch: epoch.to_owned(),
                head_seq,
                head_hash: hex(head_hash),
                acked_seq: ack.seq,
                acked_hash: ack.hash,
                min_kept_seq: self.retention(epoch)?.first(),
            })
        };
        let mut states: Vec<EpochState> = self
            .0
            .rows
            .epochs()?
            .iter()
            .map(|row| state(&row.epoch, row.head_seq, &row.head_hash))
            .collect::<Read<_>>()?;
        for current in states.iter_mut().filter(|state| state.epoch == head.epoch) {
            (current.head_seq, current.head_hash) = (head.seq, head.hash.clone());
        }
        Ok(states)
    }

    /// Records of an epoch after a seq, in order, and the hash before the first of them. At most
    /// `events_max`, and no more than `bytes_max` of text, but always one.
    pub fn records(
        &self,
        epoch: &str,
        after_seq: u64,
        events_max: usize,
        bytes_max: usize,
    ) -> Read<(String, Vec<PushEvent>)> {
        let Some(previous) = self.hash_at(epoch, after_seq)? else {
            return Ok((GENESIS.to_owned(), Vec::new()));
        };
        let head_seq = self.epoch_head(epoch)?;
        let events_max =
            events_max.min(usize::try_from(head_seq.saturating_sub(after_seq)).unwrap_or(events_max));
        let first = if events_max == 0 { None } else { self.find_record(epoch, after_seq + 1)? };
        let Some(first) = first else {
            return Ok((previous, Vec::new()));
        };
        let mut page = RecordPage { epoch, after_seq, events_max, bytes_max, bytes: 0, events: Vec::new() };
        let end = self.0.head().lsn;
        let segments = self.0.history.segments();
        let behind = |segment: &&Arc<Segment>| segment.head.first_lsn >= first.segment.head.first_lsn;
        for segment in segments.iter().filter(behind) {
            let mut place = Position::start(segment);
            if segment.head.first_lsn == first.segment.head.first_lsn {
                place = place_at(segment, first.offset)?;
            }
            if page.fill(segment, place, end)?.is_break() {
                break;
            }
        }
        Ok((previous, page.events))
    }

    /// The hash of a record; that before the first one for 0; `None` if its epoch has no such record.
    pub fn hash_at(&self, epoch: &str, seq: u64) -> Read<Option<String>> {
        if seq == 0 {
            return Ok(Some(GENESIS.to_owned()));
        }
        // Behind an epoch's end there may be records that the hub's copy replaced.
        if seq > self.epoch_head(epoch)? {
            return Ok(None);
        }
        Ok(self.find_record(epoch, seq)?.map(|found| hex(&found.hash)))
    }

    /// The last seq of an epoch; 0: it has no record, or is not known.
    fn epoch_head(&self, epoch: &str) -> Read<u64> {
        let head = self.0.head();
        if head.epoch == epoch {
            return Ok(head.seq);
        }
        let row = self.0.rows.epochs()?.into_iter().find(|row| row.epoch == epoch);
        Ok(row.map_or(0, |row| row.head_seq))
    }

    /// Records of all epochs that head office has not acknowledged.
    pub fn backlog(&self) -> Read<Backlog> {
        let mut backlog = Backlog::default();
        for state in self.lineage()?.iter().filter(|state| state.head_seq > state.acked_seq) {
            backlog.pending += state.head_seq - state.acked_seq;
            if backlog.oldest_pending_at.is_none() {
                let oldest = self.find_record(&state.epoch, state.acked_seq + 1)?;
                backlog.oldest_pending_at = oldest.map(|found| UtcMs(found.at));
            }
        }
        Ok(backlog)
    }

    /// The commit of the oldest record that head office has not acknowledged; `None` if it has them all.
    pub fn first_pending_lsn(&self) -> Read<Option<u64>> {
        for state in self.lineage()?.iter().filter(|state| state.head_seq > state.acked_seq) {
            if let Some(found) = self.find_record(&state.epoch, state.acked_seq + 1)? {
                return found.segment.lsn_at(found.offset).map(Some);
            }
        }
        Ok(None)
    }

    fn find_record(&self, epoch: &str, seq: u64) -> Read<Option<Found>> {
        self.0.history.search(record_hash(epoch, seq), u64::MAX, |(segment, offsets)| {
            // Newest first: records that came back from the hub replace earlier ones.
            for offset in offsets.into_iter().rev().map(u64::from) {
                let (_, body) = segment.frame(offset)?;
                let index = seq.checked_sub(body.stamps.first_seq).map(|index| index as usize);
                let hash = index.and_then(|index| body.stamps.hashes.get(index));
                if let Some(hash) = hash.filter(|_| body.stamps.epoch == epoch) {
                    let at = body.content.at;
                    return Ok(ControlFlow::Break(Found { segment, offset, hash: *hash, at }));
                }
            }
            Ok(ControlFlow::Continue(()))
        })
    }
}

/// A walk that starts in the middle: number and chain are taken from the frame before it is checked.
fn place_at(segment: &Segment, offset: u64) -> Read<Position> {
    let mut place = Position::start(segment);
    (place.lsn, place.offset) = (segment.lsn_at(offset)? - 1, offset);
    Ok(place)
}

struct RecordPage<'a> {
    epoch: &'a str,
    after_seq: u64,
    events_max: usize,
    bytes_max: usize,
    bytes: usize,
    events: Vec<PushEvent>,
}

impl RecordPage<'_> {
    /// Takes records of a segment; breaks when there is enough or the epoch ended.
    fn fill(&mut self, segment: &Segment, place: Position, end: u64) -> Read<ControlFlow<()>> {
        let mut walk = Walk::from_the_middle(segment, place);
        while walk.place().lsn < end {
            let Some(step) = walk.step()? else { break };
            if self.take(step).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn take(&mut self, step: Step) -> ControlFlow<()> {
        let stamps = step.body.stamps;
        let next = self.after_seq + self.events.len() as u64 + 1;
        let end = stamps.first_seq + stamps.hashes.len() as u64;
        let goes_on = stamps.epoch == self.epoch && (stamps.first_seq..end).contains(&next);
        if !stamps.hashes.is_empty() && !goes_on {
            return ControlFlow::Break(());
        }
        let texts = step.body.content.texts.into_iter();
        for ((record, hash), seq) in texts.zip(stamps.hashes).zip(stamps.first_seq..) {
            if seq <= self.after_seq {
                continue;
            }
            self.bytes += record.len();
            let enough = self.events.len() >= self.events_max || self.bytes > self.bytes_max;
            if enough && !(self.events.is_empty() && self.events_max > 0) {
                return ControlFlow::Break(());
            }
            self.events.push(PushEvent { seq, hash: hex(&hash), record });
        }
        ControlFlow::Continue(())
    }
}

impl domain::rules::hub::sync::session::Chain for Outbox<'_> {
    type Error = StorageError;

    fn hash_at(&self, epoch: &str, seq: u64) -> Read<Option<String>> {
        Self::hash_at(self, epoch, seq)
    }
}
