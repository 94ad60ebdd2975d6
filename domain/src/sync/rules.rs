//! The hub's end of the protocol as decisions over what it knows of one store. Pure, so that the
//! simulation runs them.

use super::session::number;
use super::{Directive, EpochState, Head, PushEvent};
use crate::chain::{GENESIS, next};

/// What an epoch that says hello is to the hub, before its chain is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is the current one.
    Current,
    /// Never heard and its number above the current: it takes over.
    TakesOver,
    /// Never heard and its number not above: it has to open another.
    NewEpoch,
    /// Heard before, or named in a lineage, and not current: a copy.
    Fenced,
}

/// How the epoch of a hello stands. `heard`: it said hello or was named in a lineage before.
pub fn standing(current: Option<&str>, epoch: &str, heard: bool) -> Standing {
    match (current == Some(epoch), heard) {
        (true, _) => Standing::Current,
        (false, true) => Standing::Fenced,
        (false, false) if number(epoch) > current.map_or(0, number) => Standing::TakesOver,
        (false, false) => Standing::NewEpoch,
    }
}

/// Whether the sender's copy of its own epoch is behind the hub's, or of another history. `stored` is the
/// hub's hash at the sender's acknowledged seq.
pub fn runs_apart(own: &EpochState, head: &Head, stored: Option<&str>) -> bool {
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

/// Why a batch is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// Its first record is not the next one, nor one that is there.
    SequenceGap,
    /// Another record is there under one of its numbers, or before it.
    HistoryDiverged,
    /// Its records do not follow one another.
    ChainBroken,
}

/// How many of a batch's first records are there already. `stored` is the hub's hash at a seq.
///
/// # Errors
/// [`Unfit`]: nothing of it may be applied.
pub fn seen_before(
    cursor: u64,
    prev_hash: &str,
    events: &[PushEvent],
    stored: impl Fn(u64) -> Option<String>,
) -> Result<usize, Unfit> {
    let mut hash = prev_hash.to_owned();
    for event in events {
        hash = next(&hash, &event.record);
        if hash != event.hash {
            return Err(Unfit::ChainBroken);
        }
    }
    let Some(first) = events.first() else { return Ok(0) };
    if first.seq > cursor.saturating_add(1) {
        return Err(Unfit::SequenceGap);
    }
    let at = |seq: u64| if seq == 0 { Some(GENESIS.to_owned()) } else { stored(seq) };
    let known = events.iter().filter(|event| event.seq <= cursor);
    let differs = at(first.seq.saturating_sub(1)).as_deref() != Some(prev_hash)
        || known.clone().any(|event| at(event.seq).as_ref() != Some(&event.hash));
    if differs { Err(Unfit::HistoryDiverged) } else { Ok(known.count()) }
}
