//! The store's side of the sync protocol: decides the next step after each answer of the hub. Pure functions, so
//! that the daemon and the simulation run the same rules.

use crate::model::hub::chain::GENESIS;
use crate::model::hub::stamp::AckMark;
use crate::wire::feed::Covered;
use crate::wire::sync::{ChainHead, Directive, EpochState, HelloAnswer, PushAnswer};

/// A store's own records: its journal, or a simulated one.
pub trait Chain {
    /// Error when it can't be read.
    type Error;

    /// The hash of the record at `seq`, or the genesis hash at 0. `None` if there is no such record.
    ///
    /// # Errors
    /// It can't be read.
    fn hash_at(&self, epoch: &str, seq: u64) -> Result<Option<String>, Self::Error>;
}

/// Next step after a hello.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AfterHello {
    /// Open epoch `n`, then send hello again.
    OpenEpoch(u64),
    /// Another copy of this store is the active one: sell nothing, keep the queue.
    Fence,
    /// The current epoch differs from the hub's: send hello again and report the divergence.
    ReportDivergence,
    /// This program is too old for the hub: keep all records, push none.
    Upgrade,
    /// Carry out the plan in the order of its fields, then push.
    Complete(Plan),
}

/// Steps that make the epochs of store and hub equal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// Earlier epochs that diverged: the hub's records replace the store's, from the first one.
    pub replace: Vec<ChainHead>,
    /// Earlier epochs of which the hub has more records than the store.
    pub refill: Vec<Refill>,
    /// Acknowledgements for epochs of which the store has all records.
    pub marks: Vec<AckMark>,
}

/// An earlier epoch whose last records are read from the hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refill {
    pub head: ChainHead,
    /// The last record that the store has.
    pub after_seq: u64,
}

/// Decides the next step after the answer to a hello. `lineage` has every epoch of this copy, `current` is the one
/// that it writes.
///
/// # Errors
/// The store's own records can't be read.
pub fn decide_after_hello<C: Chain>(
    chain: &C,
    current: &str,
    lineage: &[EpochState],
    answer: &HelloAnswer,
) -> Result<AfterHello, C::Error> {
    match answer.directive {
        Directive::Fenced => return Ok(AfterHello::Fence),
        Directive::NewEpoch => return Ok(AfterHello::OpenEpoch(answer.n)),
        Directive::UpgradeRequired => return Ok(AfterHello::Upgrade),
        Directive::Ok | Directive::Resync => {}
    }
    let mut plan = Plan::default();
    for head in &answer.heads {
        let own = lineage.iter().find(|state| state.epoch == head.epoch);
        let own_seq = own.map_or(0, |state| state.head_seq);
        let here = own_seq.min(head.seq);
        let apart = here == head.seq && chain.hash_at(&head.epoch, here)?.as_ref() != Some(&head.hash);
        match (head.epoch == current, apart, head.seq > own_seq) {
            // Records of the current epoch that the store lacks were written by another copy. They are never read
            // into it.
            (true, true, _) | (true, _, true) => return Ok(AfterHello::ReportDivergence),
            (false, true, _) => plan.replace.push(head.clone()),
            (false, false, true) => plan.refill.push(Refill { head: head.clone(), after_seq: own_seq }),
            (_, false, false) => plan.marks.push(mark(head)),
        }
    }
    Ok(AfterHello::Complete(plan))
}

/// Whether the hub fenced this copy only because a push of an earlier session arrived before the hello: the hub has
/// more of the current epoch than the hello stated, and all of it are records of this copy. No other copy writes the
/// epoch then, so the store sends hello again.
///
/// # Errors
/// The store's own records can't be read.
pub fn push_overtook_hello<C: Chain>(
    chain: &C,
    current: &str,
    answer: &HelloAnswer,
) -> Result<bool, C::Error> {
    let mut newest = answer.heads.iter().filter(|head| number(&head.epoch) == answer.n);
    match (newest.next(), newest.next()) {
        (Some(head), None) if head.epoch == current && head.seq > 0 => {
            Ok(chain.hash_at(current, head.seq)?.as_ref() == Some(&head.hash))
        }
        _ => Ok(false),
    }
}

/// The acknowledgement that a chain head of the hub stands for.
pub fn mark(head: &ChainHead) -> AckMark {
    AckMark { epoch: head.epoch.clone(), seq: head.seq, hash: head.hash.clone(), stable_seq: head.stable_seq }
}

/// Where a push begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PushStart<'a> {
    pub epoch: &'a str,
    /// The last record that the hub has.
    pub after_seq: u64,
}

/// The next records to push: those of the oldest epoch that the hub does not have completely.
pub fn next_push(lineage: &[EpochState]) -> Option<PushStart<'_>> {
    let open = lineage.iter().find(|state| state.acked_seq < state.head_seq)?;
    let after_seq = open.acked_seq.max(open.min_kept_seq.saturating_sub(1));
    Some(PushStart { epoch: &open.epoch, after_seq })
}

/// Next step after a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AfterPush {
    /// Store the acknowledgement.
    Acknowledged(AckMark),
    /// The hub has another generation than in the hello, or accepted no record: send hello again.
    SayHello,
    /// The hub acknowledged another history: report the divergence with a hello before the next push.
    ReportDivergence,
}

/// Decides the next step after a push. The acknowledgement counts only if the store's own chain has `acked_hash` at
/// `acked_seq`.
///
/// # Errors
/// The store's own records can't be read.
pub fn decide_after_push<C: Chain>(
    chain: &C,
    current: &str,
    generation: &str,
    sent: PushStart<'_>,
    answer: &PushAnswer,
) -> Result<AfterPush, C::Error> {
    let PushStart { epoch, after_seq } = sent;
    // An acknowledgement of another generation of the hub does not count.
    if answer.hub_generation != generation || answer.epoch != epoch {
        return Ok(AfterPush::SayHello);
    }
    if chain.hash_at(epoch, answer.acked_seq)?.as_ref() != Some(&answer.acked_hash) {
        return Ok(if epoch == current { AfterPush::ReportDivergence } else { AfterPush::SayHello });
    }
    if answer.acked_seq <= after_seq {
        return Ok(AfterPush::SayHello);
    }
    Ok(AfterPush::Acknowledged(AckMark {
        epoch: epoch.to_owned(),
        seq: answer.acked_seq,
        hash: answer.acked_hash.clone(),
        stable_seq: answer.stable_seq,
    }))
}

/// The first position that a points balance includes and that the store's own chain does not have. Such a balance
/// is used only after the next hello, since it was computed from other records.
///
/// # Errors
/// The store's own records can't be read.
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

/// Next step after a call that the hub refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterRefusal {
    /// Another copy took over: sell nothing.
    Fence,
    /// Another box was enrolled for this store: sell nothing, and don't take the store back without an enrolment.
    Replaced,
    /// The hub has another record at this seq: report the divergence with a hello.
    ReportDivergence,
    /// The hub has other positions than the store assumed: hello returns them.
    SayHello,
    /// Sending the records again would be refused again.
    Rejected,
}

/// Decides the next step after a refused call by its error code.
pub fn decide_after_refusal(code: &str) -> AfterRefusal {
    match code {
        "stale_epoch" => AfterRefusal::Fence,
        "store_replaced" => AfterRefusal::Replaced,
        "history_diverged" => AfterRefusal::ReportDivergence,
        "hello_first" | "sequence_gap" => AfterRefusal::SayHello,
        _ => AfterRefusal::Rejected,
    }
}

/// The number `n` of an epoch `<n>-<16 hex>`, or 0 if the name has none.
pub fn number(epoch: &str) -> u64 {
    epoch.split_once('-').and_then(|(n, _)| n.parse().ok()).unwrap_or_default()
}

/// The highest epoch number that this copy has or that the hub returned to it.
pub fn highest_number(lineage: &[EpochState], hub_n: u64) -> u64 {
    lineage.iter().map(|state| number(&state.epoch)).max().unwrap_or_default().max(hub_n)
}

/// The number of the epoch that `rejoin` opens: above all numbers that this copy and the hub know.
pub fn rejoin_n(lineage: &[EpochState], hub_n: u64) -> u64 {
    highest_number(lineage, hub_n).saturating_add(1)
}

/// The lineage to send in a hello for `epoch`: without an epoch that was opened while the hello was composed. If a
/// hello named an epoch before the hello that opens it, the hub would take it for a copy and fence it for good.
pub fn lineage_of_hello(mut lineage: Vec<EpochState>, epoch: &str) -> Vec<EpochState> {
    lineage.retain(|state| number(&state.epoch) <= number(epoch));
    lineage
}

/// The acknowledgement of an epoch of which the hub has no record.
pub fn unacknowledged(epoch: &str) -> AckMark {
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
            assert_eq!(
                Some(lineage_of_hello(lineage.clone(), epoch).as_slice()),
                lineage.get(..names),
                "{epoch}"
            );
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
            assert_eq!(push_overtook_hello(&Own(8), "2-aa", &answer(n, heads)), Ok(expected), "{case}");
        }
    }
}
