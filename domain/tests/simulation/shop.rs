//! A copy of a store in memory: its journal by epoch, and what it does with the hub's answers.

use super::hub::Broken;
use domain::chain::{GENESIS, next};
use domain::event::AckMark;
use domain::sync::session::{self, Chain, Greeted, Pushed, Refused};
use domain::sync::{EpochState, Head, HelloAnswer, PushAnswer, PushEvent};
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

/// The id in a record's text.
pub fn id_of(record: &str) -> String {
    serde_json::from_str::<serde_json::Value>(record).unwrap()["event_id"].as_str().unwrap().to_owned()
}

#[derive(Clone)]
pub struct Shop {
    pub number: usize,
    pub alive: bool,
    pub current: String,
    pub epochs: BTreeMap<(u64, String), Vec<PushEvent>>,
    pub marks: BTreeMap<String, AckMark>,
    /// Every event whose effects are in this copy's books.
    pub books: BTreeSet<String>,
    pub fenced: bool,
    pub apart: bool,
    /// The last hello's generation; none: no session.
    pub session: Option<String>,
    /// The request whose answer is waited for.
    pub waits: Option<u64>,
    /// The feed as it was pulled, and how far.
    pub pulled: BTreeMap<u64, u64>,
    pub cursor: u64,
    /// The generation that the cursor is of.
    pub feed_of: u64,
    pub broken: Broken,
}

impl Chain for Shop {
    type Error = Infallible;

    fn hash_at(&self, epoch: &str, seq: u64) -> Result<Option<String>, Infallible> {
        if seq == 0 {
            return Ok(Some(GENESIS.to_owned()));
        }
        let events = self.events(epoch);
        Ok(events.and_then(|events| events.get(seq as usize - 1)).map(|event| event.hash.clone()))
    }
}

fn key(epoch: &str) -> (u64, String) {
    (session::number(epoch), epoch.to_owned())
}

impl Shop {
    pub fn new(number: usize, epoch: &str) -> Self {
        Self {
            number,
            alive: true,
            current: epoch.to_owned(),
            epochs: BTreeMap::from([(key(epoch), Vec::new())]),
            marks: BTreeMap::new(),
            books: BTreeSet::new(),
            fenced: false,
            apart: false,
            session: None,
            waits: None,
            pulled: BTreeMap::new(),
            cursor: 0,
            feed_of: 0,
            broken: Broken::Nothing,
        }
    }

    pub fn events(&self, epoch: &str) -> Option<&Vec<PushEvent>> {
        self.epochs.get(&key(epoch))
    }

    pub fn lineage(&self) -> Vec<EpochState> {
        let state = |((_, epoch), events): (&(u64, String), &Vec<PushEvent>)| {
            let mark = self.marks.get(epoch).cloned().unwrap_or_else(|| session::unknown(epoch));
            EpochState {
                epoch: epoch.clone(),
                head_seq: events.len() as u64,
                head_hash: events.last().map_or(GENESIS.to_owned(), |event| event.hash.clone()),
                acked_seq: mark.seq,
                acked_hash: mark.hash,
                min_kept_seq: 1,
            }
        };
        self.epochs.iter().map(state).collect()
    }

    /// Writes a record at the end of the current epoch.
    pub fn write(&mut self, record: String) {
        self.books.insert(id_of(&record));
        let events = self.epochs.entry(key(&self.current)).or_default();
        let previous = events.last().map_or(GENESIS, |event| &event.hash);
        let (seq, hash) = (events.len() as u64 + 1, next(previous, &record));
        events.push(PushEvent { seq, hash, record });
    }

    pub fn open(&mut self, epoch: String) {
        self.epochs.insert(key(&epoch), Vec::new());
        self.current = epoch;
        (self.fenced, self.apart, self.session) = (false, false, None);
    }

    /// The process dies and starts again: only what is on the disk is left.
    pub fn crash(&mut self) {
        (self.session, self.waits) = (None, None);
    }

    /// Carries the answer to a hello out. `own`: the hub's records of an epoch. None: an epoch is to be opened.
    pub fn greeted(
        &mut self,
        answer: &HelloAnswer,
        own: impl Fn(&str) -> Vec<PushEvent>,
        dies_within: bool,
    ) -> Option<u64> {
        let lineage = self.lineage();
        match session::greeted(self, &self.current, &lineage, answer).unwrap() {
            Greeted::OpenEpoch(n) => return Some(n),
            Greeted::Fence => (self.fenced, self.session) = (true, None),
            Greeted::SayApart => (self.apart, self.session) = (true, None),
            Greeted::Upgrade => self.session = None,
            Greeted::Complete(plan) => {
                self.fenced = false;
                for head in &plan.replace {
                    if !self.replace(head, own(&head.epoch), dies_within) {
                        return None;
                    }
                }
                let comes = |head: &Head| {
                    self.broken != Broken::OwnKnown || self.epochs.contains_key(&key(&head.epoch))
                };
                let refill: Vec<_> = plan.refill.iter().filter(|(head, _)| comes(head)).collect();
                for (head, after) in refill {
                    let records = own(&head.epoch);
                    let same = *after == 0
                        || records.get(*after as usize - 1).map(|event| &event.hash)
                            == self.hash_at(&head.epoch, *after).unwrap().as_ref();
                    if !same && !self.replace(head, records.clone(), dies_within) {
                        return None;
                    }
                    if same {
                        self.take(head, &records[*after as usize..], *after);
                    }
                }
                for mark in plan.marks {
                    self.marks.insert(mark.epoch.clone(), mark);
                }
                self.session = Some(answer.hub_generation.clone());
            }
        }
        None
    }

    fn take(&mut self, head: &Head, records: &[PushEvent], after: u64) {
        if self.broken == Broken::OwnAsNew {
            return records.iter().for_each(|event| self.write(event.record.clone()));
        }
        let events = self.epochs.entry(key(&head.epoch)).or_default();
        events.truncate(after as usize);
        events.extend(records.iter().cloned());
        self.books.extend(records.iter().map(|event| id_of(&event.record)));
        self.marks.insert(head.epoch.clone(), session::mark(head));
    }

    /// False: it died between moving what only it has and taking the hub's copy.
    fn replace(&mut self, head: &Head, records: Vec<PushEvent>, dies_within: bool) -> bool {
        let mut known: BTreeSet<String> = records.iter().map(|event| id_of(&event.record)).collect();
        let others = self.epochs.iter().filter(|((_, epoch), _)| *epoch != head.epoch);
        known.extend(others.flat_map(|(_, events)| events.iter().map(|event| id_of(&event.record))));
        let own = self.events(&head.epoch).cloned().unwrap_or_default();
        let moved = own.into_iter().filter(|event| !known.contains(&id_of(&event.record)));
        for event in moved.filter(|_| self.broken != Broken::Rejoin).collect::<Vec<_>>() {
            self.write(event.record);
        }
        if dies_within {
            self.crash();
            return false;
        }
        self.take(head, &records, 0);
        true
    }

    /// Takes the answer to a push in.
    pub fn pushed(&mut self, sent: (&str, u64), answer: Result<&PushAnswer, &str>) {
        let Some(generation) = self.session.clone() else { return };
        match answer {
            Ok(answer) => match session::pushed(self, &self.current, &generation, sent, answer).unwrap() {
                Pushed::Acknowledged(mark) => {
                    self.marks.insert(mark.epoch.clone(), mark);
                }
                Pushed::SayHello => self.session = None,
                Pushed::SayApart => (self.apart, self.session) = (true, None),
            },
            Err(code) => {
                self.session = None;
                match session::refused(code) {
                    Refused::Fence => self.fenced = true,
                    Refused::SayApart => self.apart = true,
                    Refused::SayHello | Refused::Rejected => {}
                }
            }
        }
    }
}
