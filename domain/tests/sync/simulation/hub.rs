//! A hub in memory that decides on hello and push by the rules of the real one. `Broken` adds a defect, which the
//! simulation must find.

use super::broken::Broken;
use super::fact::Books;
use super::intake::Held;
use domain::model::base::time::UtcMs;
use domain::model::hub::chain::GENESIS;
use domain::rules::hub::sync::rules;
use domain::rules::hub::sync::rules::{EpochVerdict, Unfit};
use domain::rules::hub::sync::session::number;
use domain::wire::sync::{
    ChainHead, Directive, EpochState, HelloAnswer, Hole, Limits, PushAnswer, PushEvent,
};
use std::collections::BTreeMap;

/// Records of an epoch at the hub.
#[derive(Debug, Clone, Default)]
pub struct Stored {
    pub events: BTreeMap<u64, PushEvent>,
    pub holes: Vec<Hole>,
    /// The first record that the store still has, if it no longer has all that the hub lacks; otherwise 0.
    pub resume: u64,
    /// Every kept backup has the records up to this seq.
    pub stable: u64,
}

impl Stored {
    pub fn seq(&self) -> u64 {
        let hole = self.holes.iter().map(|hole| hole.to_seq).max().unwrap_or_default();
        self.events.keys().next_back().copied().unwrap_or_default().max(hole)
    }

    pub fn hash_at(&self, seq: u64) -> Option<String> {
        if seq == 0 {
            return Some(GENESIS.to_owned());
        }
        let hole = || self.holes.iter().find(|hole| hole.to_seq == seq).map(|hole| hole.hash.clone());
        self.events.get(&seq).map(|event| event.hash.clone()).or_else(hole)
    }
}

/// Where an event was received first.
#[derive(Debug, Clone)]
pub struct FirstSeen {
    pub epoch: String,
    pub seq: u64,
    pub text: String,
}

#[derive(Clone)]
pub struct Hub {
    pub generation: u64,
    /// The key with which the store signs its calls.
    pub key: u64,
    pub current: Option<String>,
    /// Every epoch that sent a hello or was named in a lineage.
    pub epochs: BTreeMap<String, Stored>,
    pub books: Books,
    /// Where each event was received first, by event ID.
    pub known: BTreeMap<String, FirstSeen>,
    pub parked: Vec<Held>,
    /// Receipt numbers that were seen twice.
    pub flags: Vec<String>,
    /// The highest version of records that this program reads.
    pub schema: u64,
    /// A violated invariant that the answers don't show.
    pub wrong: Option<String>,
    /// Committed changes of the feed.
    pub feed: BTreeMap<u64, u64>,
    pub last_number: u64,
    pub broken: Broken,
}

impl Hub {
    pub fn new(broken: Broken) -> Self {
        Self {
            broken,
            generation: 1,
            key: 1,
            current: None,
            epochs: BTreeMap::new(),
            books: Books::default(),
            known: BTreeMap::new(),
            parked: Vec::new(),
            flags: Vec::new(),
            schema: 1,
            wrong: None,
            feed: BTreeMap::new(),
            last_number: 0,
        }
    }

    pub fn generation(&self) -> String {
        format!("g{}", self.generation)
    }

    pub fn n(&self) -> u64 {
        self.current.as_deref().map_or(0, number)
    }

    pub fn head(&self, epoch: &str) -> ChainHead {
        let stored = self.epochs.get(epoch);
        let seq = stored.map_or(0, Stored::seq);
        ChainHead {
            epoch: epoch.to_owned(),
            seq,
            hash: stored.and_then(|stored| stored.hash_at(seq)).unwrap_or_else(|| GENESIS.to_owned()),
            stable_seq: stored.map_or(0, |stored| stored.stable),
        }
    }

    pub fn heads(&self) -> Vec<ChainHead> {
        let mut heads: Vec<ChainHead> = self.epochs.keys().map(|epoch| self.head(epoch)).collect();
        heads.sort_by_key(|head| number(&head.epoch));
        heads
    }

    pub fn hash_at(&self, epoch: &str, seq: u64) -> Option<String> {
        self.epochs.get(epoch)?.hash_at(seq)
    }

    pub fn hello(&mut self, epoch: &str, lineage: &[EpochState], apart: bool, now: UtcMs) -> HelloAnswer {
        let heard = self.epochs.contains_key(epoch);
        let directive = match self.standing(epoch, heard) {
            EpochVerdict::Fenced => Directive::Fenced,
            EpochVerdict::NewEpoch => Directive::NewEpoch,
            standing => {
                if standing == EpochVerdict::TakesOver && self.broken != Broken::FenceAtPush {
                    self.current = Some(epoch.to_owned());
                }
                self.greeted(epoch, lineage, apart)
            }
        };
        let n = self.n();
        HelloAnswer {
            directive,
            n: if directive == Directive::NewEpoch { n + 1 } else { n },
            heads: self.heads(),
            hub_generation: self.generation(),
            hub_time: now,
            limits: Limits::default(),
            parked: None,
            conflicts: Vec::new(),
        }
    }

    fn standing(&self, epoch: &str, heard: bool) -> EpochVerdict {
        let standing = rules::epoch_verdict(self.current.as_deref(), epoch, heard);
        let before = self.current.as_deref().is_some_and(|now| epoch < now);
        match (self.broken, standing) {
            (Broken::EpochText, _) if before && heard => EpochVerdict::Fenced,
            (Broken::EpochText, _) if before => EpochVerdict::NewEpoch,
            (Broken::EpochEq, EpochVerdict::NewEpoch) => EpochVerdict::Fenced,
            // This defective hub accepts every newer epoch at hello. The first one that pushes takes over.
            (Broken::FenceAtPush, EpochVerdict::Fenced) if number(epoch) > self.n() => EpochVerdict::Current,
            _ => standing,
        }
    }

    fn greeted(&mut self, epoch: &str, lineage: &[EpochState], apart: bool) -> Directive {
        for state in lineage {
            self.epochs.entry(state.epoch.clone()).or_default();
        }
        let own = lineage.iter().find(|state| state.epoch == epoch).unwrap();
        let stored = self.hash_at(epoch, own.acked_seq);
        if apart || rules::is_diverged(own, &self.head(epoch), stored.as_deref()) {
            let fenced = rules::directive(true, false);
            return if self.broken == Broken::Takeover { Directive::NewEpoch } else { fenced };
        }
        let mut has_hole = false;
        for state in lineage {
            let stored = self.epochs.get_mut(&state.epoch).unwrap();
            let forgotten = rules::forgotten(state, stored.seq()) && self.broken != Broken::Gap;
            stored.resume = if forgotten { state.min_kept_seq } else { 0 };
            has_hole |= forgotten;
        }
        rules::directive(false, has_hole)
    }

    /// Returns `None` if the hub dies before it answers.
    pub fn push(
        &mut self,
        sender: &str,
        epoch: &str,
        prev_hash: &str,
        events: &[PushEvent],
        now: UtcMs,
        dies: bool,
    ) -> Option<Result<PushAnswer, &'static str>> {
        let heard = self.epochs.contains_key(sender);
        if self.broken == Broken::FenceAtPush && heard && number(sender) > self.n() {
            self.current = Some(sender.to_owned());
        }
        if let Err(code) = rules::admitted(self.current.as_deref(), sender, heard) {
            return Some(Err(code));
        }
        let Some(stored) = self.epochs.get(epoch) else { return Some(Err("hello_first")) };
        let (cursor, first) = (stored.seq(), events.first().map(|event| event.seq));
        let hole = rules::hole(cursor, stored.resume, first.filter(|_| rules::chained(prev_hash, events)));
        let after = hole.map_or(cursor, |(_, to)| to);
        let hash_at = |seq| match hole {
            Some((_, to)) if to == seq => Some(prev_hash.to_owned()),
            _ => stored.hash_at(seq),
        };
        let seen = match rules::seen_before(after, prev_hash, events, hash_at) {
            Ok(seen) => seen,
            Err(Unfit::SequenceGap) => return Some(Err("sequence_gap")),
            Err(Unfit::HistoryDiverged) => return Some(Err("history_diverged")),
            Err(Unfit::ChainBroken) => return Some(Err("chain_broken")),
        };
        if dies && self.broken != Broken::CursorFirst {
            return None;
        }
        let stored = self.epochs.get_mut(epoch).unwrap();
        if let Some((from_seq, to_seq)) = hole {
            stored.holes.push(Hole { from_seq, to_seq, hash: prev_hash.to_owned() });
            stored.resume = 0;
        }
        stored.events.extend(events[seen..].iter().map(|event| (event.seq, event.clone())));
        if dies {
            return None;
        }
        let again = if self.broken == Broken::Dedup { events } else { &events[seen..] };
        let parked = self.take(epoch, again);
        Some(Ok(PushAnswer { parked, ..self.acknowledgement(epoch, seen as u64, now) }))
    }

    /// The answer to a push that parked nothing.
    fn acknowledgement(&self, epoch: &str, duplicates: u64, now: UtcMs) -> PushAnswer {
        let head = self.head(epoch);
        PushAnswer {
            epoch: epoch.to_owned(),
            acked_seq: head.seq,
            acked_hash: head.hash,
            stable_seq: head.stable_seq,
            hub_generation: self.generation(),
            duplicates,
            parked: Vec::new(),
            conflicts: Vec::new(),
            versions: Vec::new(),
            hub_time: now,
        }
    }

    /// Takes the number of a change of the feed. It is committed later by `commit`, perhaps in another order.
    pub fn number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// Commits a change of the feed.
    pub fn commit(&mut self, number: u64, value: u64) {
        self.feed.insert(number, value);
    }
}
