//! A hub in memory, deciding by the same rules as the real one; and what a broken one would do.

use domain::chain::GENESIS;
use domain::sync::rules::{self, Standing, Unfit};
use domain::sync::session::number;
use domain::sync::{Directive, EpochState, Head, HelloAnswer, Limits, PushAnswer, PushEvent};
use domain::time::UtcMs;
use std::collections::{BTreeMap, BTreeSet};

use super::shop::id_of;

/// What is broken on purpose: the simulation has to see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    Nothing,
    /// Records that are there already are applied again.
    Dedup,
    /// The cursor is durable before the effects.
    CursorFirst,
    /// A change of the feed has its number before it is committed.
    BareFeed,
    /// Epochs compare as text.
    EpochText,
    /// What only a fenced copy has is dropped when it rejoins.
    Rejoin,
    /// Only epochs that the copy knows of come back.
    OwnKnown,
    /// What comes back is written as new.
    OwnAsNew,
}

#[derive(Clone)]
pub struct Hub {
    pub generation: u64,
    pub current: Option<String>,
    pub heard: BTreeSet<String>,
    pub raw: BTreeMap<String, Vec<PushEvent>>,
    /// How often each event was applied.
    pub applied: BTreeMap<String, u32>,
    /// Committed changes of the feed.
    pub feed: BTreeMap<u64, u64>,
    pub last_number: u64,
    broken: Broken,
}

impl Hub {
    pub fn new(broken: Broken) -> Self {
        Self {
            broken,
            generation: 1,
            current: None,
            heard: BTreeSet::new(),
            raw: BTreeMap::new(),
            applied: BTreeMap::new(),
            feed: BTreeMap::new(),
            last_number: 0,
        }
    }

    pub fn generation(&self) -> String {
        format!("g{}", self.generation)
    }

    fn head(&self, epoch: &str) -> Head {
        let events = self.raw.get(epoch).map(Vec::as_slice).unwrap_or_default();
        Head {
            epoch: epoch.to_owned(),
            seq: events.len() as u64,
            hash: events.last().map_or(GENESIS.to_owned(), |event| event.hash.clone()),
            stable_seq: 0,
        }
    }

    pub fn heads(&self) -> Vec<Head> {
        let mut heads: Vec<Head> = self.heard.iter().map(|epoch| self.head(epoch)).collect();
        heads.sort_by_key(|head| number(&head.epoch));
        heads
    }

    pub fn hash_at(&self, epoch: &str, seq: u64) -> Option<String> {
        self.raw
            .get(epoch)?
            .get(usize::try_from(seq).unwrap().checked_sub(1)?)
            .map(|event| event.hash.clone())
    }

    pub fn hello(&mut self, epoch: &str, lineage: &[EpochState], apart: bool) -> HelloAnswer {
        let heard = self.heard.contains(epoch);
        let mut standing = rules::standing(self.current.as_deref(), epoch, heard);
        if self.broken == Broken::EpochText && self.current.as_deref().is_some_and(|now| epoch < now) {
            standing = if heard { Standing::Fenced } else { Standing::NewEpoch };
        }
        let directive = match standing {
            Standing::Fenced => Directive::Fenced,
            Standing::NewEpoch => Directive::NewEpoch,
            Standing::TakesOver | Standing::Current => {
                self.current = Some(epoch.to_owned());
                self.heard.extend(lineage.iter().map(|state| state.epoch.clone()));
                let own = lineage.iter().find(|state| state.epoch == epoch).unwrap();
                let stored = self.hash_at(epoch, own.acked_seq);
                let apart = apart || rules::runs_apart(own, &self.head(epoch), stored.as_deref());
                rules::directive(apart, false)
            }
        };
        let n = self.current.as_deref().map_or(0, number);
        HelloAnswer {
            directive,
            n: if directive == Directive::NewEpoch { n + 1 } else { n },
            heads: self.heads(),
            hub_generation: self.generation(),
            hub_time: UtcMs(0),
            limits: Limits::default(),
            parked: None,
        }
    }

    /// None: the hub died within.
    pub fn push(
        &mut self,
        sender: &str,
        epoch: &str,
        prev_hash: &str,
        events: &[PushEvent],
        (dies, broken): (bool, Broken),
    ) -> Option<Result<PushAnswer, &'static str>> {
        if self.current.as_deref() != Some(sender) {
            return Some(Err(if self.heard.contains(sender) { "stale_epoch" } else { "hello_first" }));
        }
        let cursor = self.head(epoch).seq;
        let seen = match rules::seen_before(cursor, prev_hash, events, |seq| self.hash_at(epoch, seq)) {
            Ok(seen) => seen,
            Err(Unfit::SequenceGap) => return Some(Err("sequence_gap")),
            Err(Unfit::HistoryDiverged) => return Some(Err("history_diverged")),
            Err(Unfit::ChainBroken) => return Some(Err("chain_broken")),
        };
        if dies && broken != Broken::CursorFirst {
            return None;
        }
        self.raw.entry(epoch.to_owned()).or_default().extend(events[seen..].iter().cloned());
        if dies {
            return None;
        }
        let fresh = if broken == Broken::Dedup { events } else { &events[seen..] };
        for event in fresh {
            let times = self.applied.entry(id_of(&event.record)).or_default();
            if *times == 0 || broken == Broken::Dedup {
                *times += 1;
            }
        }
        let head = self.head(epoch);
        Some(Ok(PushAnswer {
            epoch: epoch.to_owned(),
            acked_seq: head.seq,
            acked_hash: head.hash,
            stable_seq: 0,
            hub_generation: self.generation(),
            duplicates: seen as u64,
            parked: Vec::new(),
            conflicts: Vec::new(),
            versions: Vec::new(),
            hub_time: UtcMs(0),
        }))
    }

    /// A change takes its number …
    pub fn number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// … and is committed.
    pub fn commit(&mut self, number: u64, value: u64) {
        self.feed.insert(number, value);
    }
}
