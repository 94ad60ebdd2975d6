//! How a copy handles the hub's answers.

use super::broken::Broken;
use super::fact;
use super::hub::Stored;
use super::shop::{Shop, place};
use domain::model::base::time::UtcMs;
use domain::model::hub::stamp::AckMark;
use domain::rules::hub::sync::session;
use domain::rules::hub::sync::session::{AfterHello, AfterPush, AfterRefusal, Plan, PushStart, Refill};
use domain::wire::sync::{ChainHead, HelloAnswer, PushAnswer, PushEvent};
use std::collections::BTreeSet;

/// Days for which an acknowledged record is offered (`sync.retain_days`).
const RETAIN_DAYS: u32 = 35;

/// The next step after an answer, which the copy can't take alone.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    Nothing,
    Open(u64),
    /// The hub fenced this copy.
    WasFenced,
}

impl Shop {
    /// Acts on the answer to a hello. `own` returns the hub's records of an epoch.
    pub fn greeted(
        &mut self,
        answer: &HelloAnswer,
        own: impl Fn(&str) -> Stored,
        (now, dies_within): (UtcMs, bool),
    ) -> Next {
        let lineage = self.lineage();
        match session::decide_after_hello(self, &self.current, &lineage, answer) {
            Ok(AfterHello::OpenEpoch(n)) => return Next::Open(n),
            Ok(AfterHello::Fence) => {
                (self.fenced, self.session) = (true, None);
                return Next::WasFenced;
            }
            Ok(AfterHello::ReportDivergence) => (self.apart, self.session) = (true, None),
            Ok(AfterHello::Upgrade) => self.session = None,
            Ok(AfterHello::Complete(plan)) => self.complete(plan, answer, own, (now, dies_within)),
        }
        Next::Nothing
    }

    fn complete(
        &mut self,
        plan: Plan,
        answer: &HelloAnswer,
        own: impl Fn(&str) -> Stored,
        (now, dies_within): (UtcMs, bool),
    ) {
        (self.fenced, self.apart, self.hub_n) = (false, false, answer.n);
        // Refills come first, so that `replace` sees which records only the store's own copy has.
        let mut apart = plan.replace;
        let before = self.broken == Broken::MovesKnown;
        if before && !self.replace(&with(std::mem::take(&mut apart), &own), dies_within) {
            return;
        }
        for Refill { head, after_seq: after } in plan.refill {
            if self.broken == Broken::OwnKnown && !self.epochs.contains_key(&place(&head.epoch)) {
                continue;
            }
            let stored = own(&head.epoch);
            if stored.hash_at(after).is_none_or(|hash| Some(hash) == self.hash(&head.epoch, after)) {
                self.refill(&head, &stored, after);
            } else {
                apart.push(head);
            }
        }
        if !self.replace(&with(apart, &own), dies_within) {
            return;
        }
        for mark in plan.marks {
            self.acknowledged(mark, &answer.hub_generation, answer.hub_time, now);
        }
        self.session = Some(answer.hub_generation.clone());
    }

    /// Copies the hub's records after a seq into the journal, at their epoch and seq.
    fn refill(&mut self, head: &ChainHead, stored: &Stored, after: u64) {
        let records: Vec<_> = stored.events.range(after + 1..).map(|(_, event)| event.clone()).collect();
        if self.broken == Broken::OwnAsNew {
            return records.into_iter().for_each(|event| self.write(event.record));
        }
        for event in &records {
            self.took(&event.record, &head.epoch, event.seq);
        }
        let journal = self.epochs.entry(place(&head.epoch)).or_default();
        drop(journal.events.split_off(&(after + 1)));
        journal.events.extend(records.into_iter().map(|event| (event.seq, event)));
        let holes = stored.holes.iter().filter(|hole| hole.to_seq > after);
        journal.ends.extend(holes.map(|hole| (hole.to_seq, hole.hash.clone())));
        self.marks.insert(head.epoch.clone(), session::mark(head));
    }

    /// Replaces own epochs by the hub's copies; records that only the own ones have move to the current epoch.
    /// Returns false if the process died in between.
    fn replace(&mut self, apart: &[(ChainHead, Stored)], dies_within: bool) -> bool {
        let id = |event: &PushEvent| fact::read(&event.record).id.clone();
        let is_apart = |epoch: &str| apart.iter().any(|(head, _)| head.epoch == epoch);
        let others = self.epochs.iter().filter(|((_, epoch), _)| !is_apart(epoch));
        let mut known: BTreeSet<String> =
            others.flat_map(|(_, other)| other.events.values().map(id)).collect();
        known.extend(apart.iter().flat_map(|(_, stored)| stored.events.values().map(id)));
        let own = apart.iter().flat_map(|(head, _)| self.journal(&head.epoch).events.into_values());
        let moved: Vec<_> = own.filter(|event| known.insert(id(event))).collect();
        if self.broken != Broken::Rejoin {
            self.moved.extend(moved.iter().map(id));
            moved.into_iter().for_each(|event| self.write(event.record));
        }
        if dies_within && !apart.is_empty() {
            self.crash();
            return false;
        }
        apart.iter().for_each(|(head, stored)| self.refill(head, stored, 0));
        true
    }

    /// Acts on the answer to a push.
    pub fn pushed(&mut self, sent: PushStart<'_>, answer: Result<&PushAnswer, &str>, now: UtcMs) -> Next {
        let Some(generation) = self.session.clone() else { return Next::Nothing };
        match answer {
            Ok(answer) => match self.believed(&generation, sent, answer) {
                AfterPush::Acknowledged(mark) => {
                    self.acknowledged(mark, &answer.hub_generation, answer.hub_time, now);
                }
                AfterPush::SayHello => self.session = None,
                AfterPush::ReportDivergence => (self.apart, self.session) = (true, None),
            },
            Err(code) => {
                self.session = None;
                match session::decide_after_refusal(code) {
                    AfterRefusal::Fence | AfterRefusal::Replaced => {
                        self.fenced = true;
                        return Next::WasFenced;
                    }
                    AfterRefusal::ReportDivergence => self.apart = true,
                    AfterRefusal::SayHello => {}
                    AfterRefusal::Rejected => self.rejected = true,
                }
            }
        }
        Next::Nothing
    }

    fn believed(&self, generation: &str, sent: PushStart<'_>, answer: &PushAnswer) -> AfterPush {
        let Ok(believed) = session::decide_after_push(self, &self.current, generation, sent, answer);
        let (epoch, seq) = (answer.epoch.clone(), answer.acked_seq.min(self.journal(sent.epoch).seq()));
        let hash = self.hash(&epoch, seq).unwrap_or_default();
        let mark = AckMark { epoch, seq, hash, stable_seq: answer.stable_seq };
        let same = answer.hub_generation == generation;
        match (self.broken, same) {
            (Broken::AckHash, true) => AfterPush::Acknowledged(mark),
            _ => believed,
        }
    }

    /// Moves the acknowledgement mark, and stops offering records that are old enough.
    fn acknowledged(&mut self, mark: AckMark, generation: &str, hub_time: UtcMs, now: UtcMs) {
        let time = if self.broken == Broken::Age { self.wall(now) } else { hub_time };
        let before = self.kept.get(&mark.epoch).cloned().unwrap_or_default();
        self.kept.insert(mark.epoch.clone(), before.after(&mark, generation, (time, time), RETAIN_DAYS));
        self.marks.insert(mark.epoch.clone(), mark);
    }
}

/// Pairs epochs with the hub's records of them.
fn with(heads: Vec<ChainHead>, own: impl Fn(&str) -> Stored) -> Vec<(ChainHead, Stored)> {
    heads.into_iter().map(|head| (head.clone(), own(&head.epoch))).collect()
}
