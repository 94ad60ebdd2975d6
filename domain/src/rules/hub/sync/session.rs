//! The store's end of the protocol as decisions: what an answer of the hub means for this copy of the
//! store. Pure, so that the daemon and the simulation run the same rules.

use crate::model::hub::chain::GENESIS;
use crate::model::hub::stamp::AckMark;
use crate::wire::feed::Covered;
use crate::wire::sync::{ChainHead, Directive, EpochState, HelloAnswer, PushAnswer};

/// A store's own records: its journal, or a simulated one.
pub trait Chain {
    /// Error when it can't be read.
    type Error;

    /// The hash of a record; that before the first one for 0; `None` if there is no such record.
    ///
    /// # Errors
    /// It can't be read.
    fn hash_at(&self, epoch: &str, seq: u64) -> Result<Option<String>, Self::Error>;
}

/// Next step after a hello.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Greeted {
    /// Open epoch `n`, then send hello again.
    OpenEpoch(u64),
    /// Another copy of this store is the shop: sell nothing, keep the queue.
    Fence,
    /// The own epoch runs apart from the hub's: hello again, and say so.
    SayApart,
    /// This program is too old for the hub: keep everything, push nothing.
    Upgrade,
    /// Complete every epoch both ways, in this order, then push.
    Complete(Plan),
}

/// Plan by which the epochs of store and hub become the same.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// Earlier epochs that ran apart: the hub's copy replaces the own one, from the first record.
    pub replace: Vec<ChainHead>,
    /// Earlier epochs of which the hub has more: the rest comes by `own`, after the seq.
    pub refill: Vec<(ChainHead, u64)>,
    /// Marks of the hub where nothing has to come down.
    pub marks: Vec<AckMark>,
}

/// Decides on the answer to a hello. `lineage` is every epoch of this copy, `current` the one it writes.
///
/// # Errors
/// The own records can't be read.
pub fn greeted<C: Chain>(
    chain: &C,
    current: &str,
    lineage: &[EpochState],
    answer: &HelloAnswer,
) -> Result<Greeted, C::Error> {
    match answer.directive {
        Directive::Fenced => return Ok(Greeted::Fence),
        Directive::NewEpoch => return Ok(Greeted::OpenEpoch(answer.n)),
        Directive::UpgradeRequired => return Ok(Greeted::Upgrade),
        Directive::Ok | Directive::Resync => {}
    }
    let mut plan = Plan::default();
    for head in &answer.heads {
        let own = lineage.iter().find(|state| state.epoch == head.epoch);
        let own_seq = own.map_or(0, |state| state.head_seq);
        let here = own_seq.min(head.seq);
        let apart = here == head.seq && chain.hash_at(&head.epoch, here)?.as_ref() != Some(&head.hash);
        match (head.epoch == current, apart, head.seq > own_seq) {
            // The current epoch is never filled from outside: two copies wrote it.
            (true, true, _) | (true, _, true) => return Ok(Greeted::SayApart),
            (false, true, _) => plan.replace.push(head.clone()),
            (false, false, true) => plan.refill.push((head.clone(), own_seq)),
            (_, false, false) => plan.marks.push(mark(head)),
        }
    }
    Ok(Greeted::Complete(plan))
}

/// Whether a hub that fences this copy only has more of its current epoch than the hello named, all of it this copy's
/// own: a push of an earlier session overtook the hello. Nobody else writes that epoch, and hello is said again.
///
/// # Errors
/// The own records can't be read.
pub fn overtaken<C: Chain>(chain: &C, current: &str, answer: &HelloAnswer) -> Result<bool, C::Error> {
    let mut newest = answer.heads.iter().filter(|head| number(&head.epoch) == answer.n);
    match (newest.next(), newest.next()) {
        (Some(head), None) if head.epoch == current && head.seq > 0 => {
            Ok(chain.hash_at(current, head.seq)?.as_ref() == Some(&head.hash))
        }
        _ => Ok(false),
    }
}

/// The mark that says: the hub is here.
pub fn mark(head: &ChainHead) -> AckMark {
    AckMark { epoch: head.epoch.clone(), seq: head.seq, hash: head.hash.clone(), stable_seq: head.stable_seq }
}

/// The next records to push: the oldest epoch that the hub does not have to its end, and after which seq.
pub fn next_push(lineage: &[EpochState]) -> Option<(&str, u64)> {
    let open = lineage.iter().find(|state| state.acked_seq < state.head_seq)?;
    Some((&open.epoch, open.acked_seq.max(open.min_kept_seq.saturating_sub(1))))
}

/// Meaning of the answer to a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pushed {
    /// The hub has this.
    Acknowledged(AckMark),
    /// The hub is not the one that was greeted, or took nothing: hello again.
    SayHello,
    /// The acknowledged history is not the own one: no push before a hello that says so.
    SayApart,
}

/// Decides on the answer to a push of records of `epoch` after `from_seq`. The mark moves only if the own
/// chain has `acked_hash` at `acked_seq`.
///
/// # Errors
/// The own records can't be read.
pub fn pushed<C: Chain>(
    chain: &C,
    current: &str,
    generation: &str,
    (epoch, from_seq): (&str, u64),
    answer: &PushAnswer,
) -> Result<Pushed, C::Error> {
    // What another generation acknowledged counts for nothing.
    if answer.hub_generation != generation || answer.epoch != epoch {
        return Ok(Pushed::SayHello);
    }
    if chain.hash_at(epoch, answer.acked_seq)?.as_ref() != Some(&answer.acked_hash) {
        return Ok(if epoch == current { Pushed::SayApart } else { Pushed::SayHello });
    }
    if answer.acked_seq <= from_seq {
        return Ok(Pushed::SayHello);
    }
    Ok(Pushed::Acknowledged(AckMark {
        epoch: epoch.to_owned(),
        seq: answer.acked_seq,
        hash: answer.acked_hash.clone(),
        stable_seq: answer.stable_seq,
    }))
}

/// The first end of a points balance that is not the own chain's: a balance counts only over own records, so
/// the two have to talk first.
///
/// # Errors
/// The own records can't be read.
pub fn foreign_end<'a, C: Chain>(
    chain: &C,
    includes: impl IntoIterator<Item = &'a Covered>,
) -> Result<Option<&'a Covered>, C::Error> {
    for end in includes {
        if chain.hash_at(&end.epoch, end.seq)?.as_ref() != Some(&end.hash) {
            return Ok(Some(end));
        }
    }
    Ok(None)
}

/// Meaning of a refused push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// Another copy took over: sell nothing.
    Fence,
    /// The hub has something else under this seq: hello, and say so.
    SayApart,
    /// The hub is elsewhere than thought: hello tells where.
    SayHello,
    /// Resending can't cure it.
    Rejected,
}

/// Decides on the code of a refused push.
pub fn refused(code: &str) -> Refused {
    match code {
        "stale_epoch" => Refused::Fence,
        "history_diverged" => Refused::SayApart,
        "hello_first" | "sequence_gap" => Refused::SayHello,
        _ => Refused::Rejected,
    }
}

/// The number of an epoch `<n>-<16 hex>`; 0: it has none.
pub fn number(epoch: &str) -> u64 {
    epoch.split_once('-').and_then(|(n, _)| n.parse().ok()).unwrap_or_default()
}

/// The highest number of an epoch that this copy knows, or that the hub told it.
pub fn highest(lineage: &[EpochState], hub_n: u64) -> u64 {
    lineage.iter().map(|state| number(&state.epoch)).max().unwrap_or_default().max(hub_n)
}

/// The number of the epoch that a person opens with `rejoin`: above every one that this copy or the hub knows.
pub fn rejoin_n(lineage: &[EpochState], hub_n: u64) -> u64 {
    highest(lineage, hub_n).saturating_add(1)
}

/// The lineage that a hello for `epoch` names. One that was opened while the hello was put together is left out: named
/// before it was ever spoken for, it would be a copy to the hub, and fenced for ever.
pub fn named(mut lineage: Vec<EpochState>, epoch: &str) -> Vec<EpochState> {
    lineage.retain(|state| number(&state.epoch) <= number(epoch));
    lineage
}

/// The mark of an epoch that the hub knows nothing of.
pub fn unknown(epoch: &str) -> AckMark {
    AckMark { epoch: epoch.to_owned(), hash: GENESIS.to_owned(), ..AckMark::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hello_names_no_epoch_that_was_opened_after_the_one_it_speaks_for() {
        let state = |epoch: &str| EpochState {
            epoch: epoch.to_owned(),
            head_seq: 0,
            head_hash: GENESIS.to_owned(),
            acked_seq: 0,
            acked_hash: GENESIS.to_owned(),
            min_kept_seq: 1,
        };
        let lineage = ["9-aa", "10-bb", "10-cc", "11-dd"].map(state).to_vec();
        for (epoch, names) in [("11-dd", 4), ("10-cc", 3), ("9-aa", 1)] {
            assert_eq!(Some(named(lineage.clone(), epoch).as_slice()), lineage.get(..names), "{epoch}");
        }
    }

    /// A chain of one epoch, whose hash at a seq is that seq.
    struct Own(u64);

    impl Chain for Own {
        type Error = ();

        fn hash_at(&self, epoch: &str, seq: u64) -> Result<Option<String>, ()> {
            Ok((epoch == "2-aa" && seq <= self.0).then(|| seq.to_string()))
        }
    }

    #[test]
    fn a_push_that_overtook_its_hello_is_no_other_copy() {
        let head = |epoch: &str, seq: u64, hash: &str| ChainHead {
            epoch: epoch.to_owned(),
            seq,
            hash: hash.to_owned(),
            stable_seq: 0,
        };
        let answer = |n, heads| HelloAnswer {
            directive: Directive::Fenced,
            n,
            heads,
            hub_generation: "g".to_owned(),
            hub_time: crate::model::base::time::UtcMs(0),
            limits: crate::wire::sync::Limits::default(),
            parked: None,
            conflicts: Vec::new(),
        };
        for (case, n, heads, expected) in [
            ("all of it is our own", 2, vec![head("1-xx", 9, "9"), head("2-aa", 7, "7")], true),
            ("it has what we lack", 2, vec![head("2-aa", 9, "9")], false),
            ("it has another history", 2, vec![head("2-aa", 7, "x")], false),
            ("a later epoch is the shop's", 3, vec![head("2-aa", 7, "7"), head("3-bb", 1, "1")], false),
            ("two epochs have the number", 2, vec![head("2-aa", 7, "7"), head("2-bb", 1, "1")], false),
        ] {
            assert_eq!(overtaken(&Own(8), "2-aa", &answer(n, heads)), Ok(expected), "{case}");
        }
    }
}
