//! A group: commits that share one write and one fdatasync.

use super::Pending;
use crate::bytes::from_hex;
use crate::error::StorageError;
use crate::folder::layout::Layout;
use crate::journal::body::Stamps;
use crate::journal::frame;
use crate::journal::history::History;
use crate::journal::index::record_keys;
use crate::journal::record_head::RecordHead;
use crate::rows::Rows;
use crate::rows::apply::{epoch_ops, epoch_row};
use crate::rows::mark::Mark;
use crate::writer::commit::Durable;
use domain::model::hub::chain;
use domain::model::hub::sync::local::RecoveryPosition;

/// Most commits in a group.
pub const GROUP_COMMITS_MAX: usize = 64;
/// Most bytes in a group (1 MiB), but for a single longer commit.
pub const GROUP_BYTES_MAX: usize = 1024 * 1024;

/// Approximate number of bytes that stamping adds to a body, besides its records' hashes.
const STAMPS_BYTES: usize = 64;

/// Stamped commits, ready to be written.
#[derive(Debug)]
pub struct Group {
    /// Encoded frames of the group.
    pub bytes: Vec<u8>,
    /// The mark after the last commit; its offset is relative until [`Group::place`].
    pub mark: Mark,
    durables: Vec<Durable>,
    starts: Vec<u64>,
    stamps: Vec<Stamps>,
}

impl Group {
    /// Gives every commit its lsn, its records their seq and hash, and makes the frames.
    pub fn stamp(pending: &mut [Pending], after: &Mark, layout: &Layout) -> Result<Self, StorageError> {
        let mut group = Self::with_room(pending, after);
        let first_lsn = after.lsn + 1;
        for pending in pending {
            let (commit, mark) = (&mut pending.prepared, &mut group.mark);
            let failed = |what| StorageError::damaged(&layout.journal(), 0, what);
            if let Some(epoch) = commit.opens_epoch.take() {
                epoch_ops(&mark.records, &epoch, &mut commit.ops).map_err(failed)?;
                mark.records = RecordHead { epoch, ..RecordHead::default() };
            }
            let stamps = match commit.refill.take() {
                None => stamp_records(&commit.texts, &mut mark.records),
                Some(refill) => {
                    let mut head = refilled_head(&refill);
                    let stamps = stamp_records(&commit.texts, &mut head);
                    epoch_row(&head, &mut commit.ops).map_err(failed)?;
                    stamps
                }
            };
            stamps.encode_onto(&mut commit.content).map_err(failed)?;
            group.starts.push(group.bytes.len() as u64);
            let lsn = mark.lsn + 1;
            let chain = frame::write(&mut group.bytes, lsn, first_lsn, &mark.chain, &commit.content);
            mark.advance(lsn, chain, (0, group.bytes.len() as u64), commit.at, commit.hlc.as_deref());
            mark.reset_clock(commit.resets_clock.take());
            group.durables.push(Durable { lsn, seq: mark.records.seq });
            group.stamps.push(stamps);
        }
        Ok(group)
    }

    fn with_room(pending: &[Pending], after: &Mark) -> Self {
        let (count, room) = (pending.len(), |pending: &Pending| {
            frame::span(pending.prepared.content.len() + pending.prepared.texts.len() * 32 + STAMPS_BYTES)
        });
        Self {
            bytes: Vec::with_capacity(pending.iter().map(room).sum()),
            mark: after.clone(),
            durables: Vec::with_capacity(count),
            starts: Vec::with_capacity(count),
            stamps: Vec::with_capacity(count),
        }
    }

    /// Sets the group's future place.
    pub fn place(&mut self, segment: u64, offset: u64) {
        self.mark.segment = segment;
        self.mark.offset += offset;
        self.starts.iter_mut().for_each(|start| *start += offset);
    }

    /// Adds the frames to the open segment's index.
    pub fn index(&self, history: &History, pending: &[Pending]) {
        history.add(self.mark.at, |entries| {
            for ((pending, stamps), start) in pending.iter().zip(&self.stamps).zip(&self.starts) {
                let records = record_keys(&stamps.epoch, stamps.first_seq, stamps.hashes.len());
                let keys = pending.prepared.keys.iter().copied().chain(records);
                entries.add(keys, pending.prepared.answer_hash, *start as u32);
            }
        });
    }

    /// Applies all commits to the rows.
    pub fn apply(&mut self, rows: &Rows, pending: &mut [Pending]) -> Result<(), StorageError> {
        let mut ops =
            pending.iter_mut().flat_map(|pending| std::mem::take(&mut pending.prepared.ops)).collect();
        rows.apply(&mut ops, std::mem::take(&mut self.mark))
    }

    /// Replies to the waiting commands.
    pub fn durables(self) -> Vec<Durable> {
        self.durables
    }
}

/// The place before refilled records.
pub fn refilled_head(refill: &RecoveryPosition) -> RecordHead {
    RecordHead {
        epoch: refill.epoch.clone(),
        seq: refill.first_seq.saturating_sub(1),
        hash: from_hex(&refill.prev_hash).unwrap_or_default(),
    }
}

fn stamp_records(texts: &[String], head: &mut RecordHead) -> Stamps {
    if texts.is_empty() {
        return Stamps::default();
    }
    let mut stamps = Stamps {
        epoch: head.epoch.clone(),
        first_seq: head.seq + 1,
        hashes: Vec::with_capacity(texts.len()),
    };
    for text in texts {
        head.hash = from_hex(&chain::next(&chain::hex(&head.hash), text)).unwrap_or_default();
        head.seq += 1;
        stamps.hashes.push(head.hash);
    }
    stamps
}
