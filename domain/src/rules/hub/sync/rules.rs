//! The hub's end of the protocol as decisions about its facts of one store. Pure, so that the simulation runs them.

use crate::model::hub::chain::{GENESIS, next};
use crate::rules::hub::sync::session::number;
use crate::wire::sync::{ChainHead, Directive, EpochState, PushEvent};

/// Verdict on an epoch that sends a hello, before its chain is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EpochVerdict {
    /// The current epoch.
    Current,
    /// A new epoch with a higher number than the current one: it becomes the current one.
    TakesOver,
    /// A new epoch whose number is not higher: the store has to open another one.
    NewEpoch,
    /// A known epoch that is not the current one: the sender is a copy.
    Fenced,
}

/// Verdict on the epoch of a hello. `heard`: whether it sent a hello or was named in a lineage before.
pub fn epoch_verdict(current: Option<&str>, epoch: &str, heard: bool) -> EpochVerdict {
    match (current == Some(epoch), heard) {
        (true, _) => EpochVerdict::Current,
        (false, true) => EpochVerdict::Fenced,
        (false, false) if number(epoch) > current.map_or(0, number) => EpochVerdict::TakesOver,
        (false, false) => EpochVerdict::NewEpoch,
    }
}

/// Greatest distance of a new epoch's number above the current one. A restore or a rejoin adds one; a greater number
/// would only use numbers up.
pub const EPOCHS_AHEAD_MAX: u64 = 1_000;

/// Whether restores and rejoins of a store can't lead from `current` to this number.
pub fn too_far_ahead(n: u64, current: u64) -> bool {
    n > current.saturating_add(EPOCHS_AHEAD_MAX)
}

/// Whether the sender's copy of its own epoch is behind the hub's, or of another history. `stored` is the
/// hub's hash at the sender's acknowledged seq.
pub fn is_diverged(own: &EpochState, head: &ChainHead, stored: Option<&str>) -> bool {
    own.head_seq < head.seq
        || (own.head_seq == head.seq && head.seq > 0 && own.head_hash != head.hash)
        || (own.acked_seq > 0
            && own.acked_seq <= head.seq
            && stored.is_some_and(|hash| hash != own.acked_hash))
}

/// The directive for the current epoch's hello.
pub fn directive(apart: bool, forgotten: bool) -> Directive {
    match (apart, forgotten) {
        (true, _) => Directive::Fenced,
        (false, true) => Directive::Resync,
        (false, false) => Directive::Ok,
    }
}

/// Reason why a batch is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// Its first record is neither the next one nor an existing one.
    SequenceGap,
    /// A different record is stored under one of its numbers, or before it.
    HistoryDiverged,
    /// Its records do not follow one another.
    ChainBroken,
}

/// Whether a batch's records follow one another, and the hash that it names before them.
pub fn chained(prev_hash: &str, events: &[PushEvent]) -> bool {
    let mut before: Option<(u64, &str)> = None;
    for event in events {
        let expected = before.map_or(Some(event.seq), |(seq, _)| seq.checked_add(1));
        let previous = before.map_or(prev_hash, |(_, hash)| hash);
        if event.seq == 0 || expected != Some(event.seq) || next(previous, &event.record) != event.hash {
            return false;
        }
        before = Some((event.seq, &event.hash));
    }
    let first_of_epoch = events.first().is_some_and(|first| first.seq == 1);
    !first_of_epoch || prev_hash == GENESIS
}

/// The stored part of a chained batch, and its proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen<'a> {
    /// So many of its first records.
    pub skipped: usize,
    /// If the hub has this hash …
    pub hash: &'a str,
    /// … at this seq: it speaks for everything before it, since the batch holds together in itself.
    pub seq: u64,
}

/// Part of a chained batch that the hub already has. `None` if the batch has no record.
///
/// # Errors
/// [`Unfit::SequenceGap`].
pub fn seen<'a>(
    cursor: u64,
    prev_hash: &'a str,
    events: impl Iterator<Item = (u64, &'a str)> + Clone,
) -> Result<Option<Seen<'a>>, Unfit> {
    let Some((first, _)) = events.clone().next() else { return Ok(None) };
    if first > cursor.saturating_add(1) {
        return Err(Unfit::SequenceGap);
    }
    let known = events.take_while(|(seq, _)| *seq <= cursor);
    let skipped = known.clone().count();
    let (seq, hash) = known.last().unwrap_or((first.saturating_sub(1), prev_hash));
    Ok(Some(Seen { skipped, hash, seq }))
}

/// Number of a batch's first records that the hub already has. `stored` is the hub's hash at a seq.
///
/// # Errors
/// [`Unfit`]: nothing of it may be applied.
pub fn seen_before(
    cursor: u64,
    prev_hash: &str,
    events: &[PushEvent],
    stored: impl Fn(u64) -> Option<String>,
) -> Result<usize, Unfit> {
    if !chained(prev_hash, events) {
        return Err(Unfit::ChainBroken);
    }
    let reported = events.iter().map(|event| (event.seq, event.hash.as_str()));
    let Some(Seen { skipped, hash, seq }) = seen(cursor, prev_hash, reported)? else { return Ok(0) };
    let at = if seq == 0 { Some(GENESIS.to_owned()) } else { stored(seq) };
    if at.as_deref() == Some(hash) { Ok(skipped) } else { Err(Unfit::HistoryDiverged) }
}

/// Checks that a push is accepted, by the current epoch of its sender. `heard`: whether that epoch sent a hello or was
/// named in a lineage before.
///
/// # Errors
/// The code of the refusal: `stale_epoch` or `hello_first`.
pub fn admitted(current: Option<&str>, sender: &str, heard: bool) -> Result<(), &'static str> {
    match (current == Some(sender), heard) {
        (true, _) => Ok(()),
        (false, true) => Err("stale_epoch"),
        (false, false) => Err("hello_first"),
    }
}

/// The hole (first and last seq) before a batch that continues after records which the store no longer has.
/// `resume_seq` is where the hub allowed it to continue, or 0.
pub fn hole(cursor: u64, resume_seq: u64, first: Option<u64>) -> Option<(u64, u64)> {
    let resumes = resume_seq > cursor.saturating_add(1) && first == Some(resume_seq);
    resumes.then(|| (cursor.saturating_add(1), resume_seq.saturating_sub(1)))
}

/// Whether the store has forgotten records of an epoch that the hub lacks.
pub fn forgotten(state: &EpochState, cursor: u64) -> bool {
    cursor.saturating_add(1) < state.min_kept_seq
}

/// Number of records that the hub has stored and the store still counts as waiting, because the push was under way or
/// its answer was lost when the store described the epoch. `cursor` is the last seq that the hub has stored.
pub fn stored_unheard(state: &EpochState, cursor: u64) -> u64 {
    cursor.min(state.head_seq).saturating_sub(state.acked_seq)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_is_judged_by_received_records_and_by_its_number() {
        let table = [
            (None, "1-b", false, EpochVerdict::TakesOver),
            (Some("1-a"), "2-b", false, EpochVerdict::TakesOver),
            (Some("9-a"), "10-b", false, EpochVerdict::TakesOver),
            (Some("1-a"), "1-b", false, EpochVerdict::NewEpoch),
            (Some("2-a"), "1-b", false, EpochVerdict::NewEpoch),
            (Some("2-a"), "1-b", true, EpochVerdict::Fenced),
            (Some("2-a"), "2-b", true, EpochVerdict::Fenced),
            (Some("2-a"), "3-b", true, EpochVerdict::Fenced),
            (Some("1-b"), "1-b", true, EpochVerdict::Current),
        ];
        for (current, epoch, heard, expected) in table {
            assert_eq!(epoch_verdict(current, epoch, heard), expected, "{current:?} {epoch} {heard}");
        }
    }

    #[test]
    fn records_that_arrive_during_a_hello_no_longer_wait() {
        let hash = String::new();
        let state = |head_seq, acked_seq| EpochState {
            epoch: "1-a".to_owned(),
            head_seq,
            head_hash: hash.clone(),
            acked_seq,
            acked_hash: hash.clone(),
            min_kept_seq: 1,
        };
        for ((head, acked, cursor), expected) in
            [((11, 10, 10), 0), ((11, 10, 11), 1), ((11, 8, 13), 3), ((11, 10, 4), 0)]
        {
            assert_eq!(stored_unheard(&state(head, acked), cursor), expected, "{head} {acked} {cursor}");
        }
    }

    #[test]
    fn only_the_current_epoch_pushes_and_only_a_reported_gap_is_a_hole() {
        let current = Some("2-a");
        assert_eq!(admitted(current, "2-a", true), Ok(()));
        assert_eq!(admitted(current, "1-a", true), Err("stale_epoch"));
        assert_eq!(admitted(current, "3-a", false), Err("hello_first"));
        let table = [
            ((4, 8, Some(8)), Some((5, 7))),
            ((4, 8, Some(5)), None),
            ((4, 0, Some(8)), None),
            ((7, 8, Some(8)), None),
            ((4, 8, None), None),
        ];
        for ((cursor, resume_seq, first), expected) in table {
            assert_eq!(hole(cursor, resume_seq, first), expected, "{cursor} {resume_seq} {first:?}");
        }
    }
}
