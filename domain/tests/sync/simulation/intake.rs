//! How the hub applies records: it applies new ones, skips known ones, parks others and retries parked ones.

use super::broken::Broken;
use super::fact::{self, CORRECTED, Fact, PAID, VOIDED};
use super::hub::{FirstSeen, Hub};
use domain::rules::hub::sync::parking;
use domain::rules::hub::sync::parking::{Before, Case, Verdict, Why};
use domain::rules::hub::sync::session::number;
use domain::wire::sync::{Parked, PushEvent};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A parked record.
#[derive(Debug, Clone)]
pub struct Held {
    pub epoch: String,
    pub event: PushEvent,
    pub fact: Rc<Fact>,
    pub why: Why,
}

impl Held {
    fn place(&self) -> (u64, u64) {
        (number(&self.epoch), self.event.seq)
    }
}

impl Hub {
    /// Takes the new records of a batch. Returns those that were parked.
    pub fn take(&mut self, epoch: &str, events: &[PushEvent]) -> Vec<Parked> {
        let (mut parked, mut moved) = (Vec::new(), BTreeSet::new());
        for event in events {
            let fact = fact::read(&event.record);
            let same_epoch = |held: &&Held| self.broken != Broken::ParkKeys || held.epoch == epoch;
            let mut earlier = self.parked.iter().filter(|held| held.fact.aggregate == fact.aggregate);
            let behind =
                fact.aggregate.is_some() && earlier.any(|held| self.holds_up(held.why) && same_epoch(&held));
            let held = Held { epoch: epoch.to_owned(), event: event.clone(), fact, why: Why::Waits };
            match self.judge(&held, behind) {
                Verdict::Apply => {
                    self.learn(&held);
                    self.apply(&held);
                    moved.extend(held.fact.aggregate.clone());
                }
                Verdict::Duplicate => {}
                Verdict::Park(why) => {
                    if why != Why::Reused {
                        self.learn(&held);
                    }
                    let (event_id, code) = (held.fact.id.clone(), format!("{why:?}"));
                    parked.push(Parked { seq: event.seq, event_id, code, message: String::new() });
                    self.parked.push(Held { why, ..held });
                }
            }
        }
        self.waiting(moved);
        parked
    }

    fn holds_up(&self, why: Why) -> bool {
        why.holds_up() || (self.broken == Broken::WaitingBlocks && why.waits())
    }

    fn learn(&mut self, held: &Held) {
        let first =
            || FirstSeen { epoch: held.epoch.clone(), seq: held.event.seq, text: held.event.record.clone() };
        self.known.entry(held.fact.id.clone()).or_insert_with(first);
    }

    fn before(&self, held: &Held) -> Before {
        let applied = self.books.has(&held.fact.id);
        match (self.broken, self.known.get(&held.fact.id)) {
            (Broken::Dedup, _) | (_, None) => Before::Nothing,
            (Broken::DupScope, _) if !applied => Before::Nothing,
            (_, Some(first)) if (&first.epoch, first.seq) == (&held.epoch, held.event.seq) => Before::Nothing,
            (_, Some(first)) if first.text == held.event.record => Before::SameText,
            (_, Some(_)) => Before::OtherText,
        }
    }

    fn judge(&self, held: &Held, behind: bool) -> Verdict {
        let fact = &held.fact;
        let again = fact.receipt.as_ref().filter(|_| fact.kind == PAID).is_some_and(|no| self.gave(no));
        parking::judge(Case {
            before: self.before(held),
            behind,
            understood: fact.schema <= self.schema && !(again && self.broken == Broken::ParkBusiness),
            complete: !needs_sale(fact) || self.books.has_sale(&fact.sale),
        })
    }

    fn gave(&self, receipt_no: &str) -> bool {
        self.books.facts().any(|fact| fact.kind == PAID && fact.receipt.as_deref() == Some(receipt_no))
    }

    fn apply(&mut self, held: &Held) {
        let fact = &held.fact;
        let overtaken = self.parked.iter().find(|earlier| {
            earlier.fact.aggregate == fact.aggregate
                && fact.aggregate.is_some()
                && earlier.why.holds_up()
                && (earlier.epoch == held.epoch || number(&earlier.epoch) != number(&held.epoch))
                && earlier.place() < held.place()
        });
        if let Some(earlier) = overtaken {
            self.wrong = Some(format!("{} overtook {} of its aggregate", fact.id, earlier.fact.id));
        }
        if needs_sale(fact) && !self.books.has_sale(&fact.sale) {
            self.wrong = Some(format!("{} was applied before its sale", fact.id));
        }
        if let Some(no) = fact.receipt.as_ref().filter(|no| fact.kind == PAID && self.gave(no)) {
            self.flags.push(no.clone());
        }
        self.books.count(fact);
    }

    /// Retries the parked records of these aggregates, and of those that they unblock.
    pub fn waiting(&mut self, moved: BTreeSet<String>) {
        let mut moved = moved;
        while self.broken != Broken::RetryParked && !moved.is_empty() {
            let waits = self.parked.iter().filter(|held| held.why.waits());
            let of: BTreeSet<String> = waits
                .filter_map(|held| held.fact.aggregate.clone())
                .filter(|of| moved.contains(of))
                .collect();
            moved = if of.is_empty() { of } else { self.replay(Some(&of)) };
        }
    }

    /// Installs a newer version of the program, which retries all parked records.
    pub fn upgrade(&mut self) {
        self.schema = fact::NEWER;
        let moved = self.replay(None);
        self.waiting(moved);
    }

    /// Retries parked records in the order of their history. Returns the aggregates that changed.
    fn replay(&mut self, of: Option<&BTreeSet<String>>) -> BTreeSet<String> {
        let wanted = |held: &Held| {
            of.is_none_or(|of| held.fact.aggregate.as_ref().is_some_and(|aggregate| of.contains(aggregate)))
        };
        let mut tried: Vec<Held> = self.parked.iter().filter(|held| wanted(held)).cloned().collect();
        tried.sort_by_key(Held::place);
        let (mut blocked, mut moved) = (BTreeSet::new(), BTreeSet::new());
        for held in tried {
            let behind = held.fact.aggregate.as_ref().is_some_and(|of| blocked.contains(of));
            let verdict = self.judge(&held, behind);
            let place = |other: &Held| (&other.epoch, other.event.seq) == (&held.epoch, held.event.seq);
            let at = self.parked.iter().position(place).unwrap();
            match verdict {
                Verdict::Park(why) => {
                    if self.holds_up(why) {
                        blocked.extend(held.fact.aggregate.clone());
                    }
                    self.parked[at].why = why;
                }
                Verdict::Duplicate if self.broken != Broken::DupScope => drop(self.parked.remove(at)),
                Verdict::Duplicate | Verdict::Apply => {
                    self.parked.remove(at);
                    self.apply(&held);
                    moved.extend(held.fact.aggregate.clone());
                }
            }
        }
        moved
    }
}

fn needs_sale(fact: &Fact) -> bool {
    fact.kind == VOIDED || fact.kind == CORRECTED
}
