//! The end of a history: all faults are over, and then all places are the same.

use super::world::World;
use domain::wire::sync::DigestResult;
use std::collections::BTreeMap;

/// Rounds after which a copy that still has messages counts as stuck.
const ROUNDS_MAX: usize = 200;
/// Records in a batch without faults.
const WHOLE: usize = 500;

impl World {
    /// Ends the faults of the network for a while: a copy talks to the hub until it has no more messages.
    pub fn settle(&mut self, copy: usize) -> Result<(), String> {
        for _ in 0..ROUNDS_MAX {
            if self.copies[copy].fenced || self.copies[copy].rejected {
                return Ok(());
            }
            // Other messages stay in transit.
            let away = std::mem::take(&mut self.net);
            self.copies[copy].waits = None;
            if self.copies[copy].session.as_deref() != Some(&self.hub.generation()) {
                self.copies[copy].session = None;
                self.hello(copy);
            } else {
                self.push(copy, WHOLE);
            }
            let quiet = self.net.is_empty();
            while let Some(letter) = self.net.pop() {
                self.arrive(letter, false);
            }
            self.net = away;
            if quiet {
                return Ok(());
            }
        }
        Err(format!("copy {copy} and the hub never come to an end"))
    }

    /// Ends all faults. Fenced copies rejoin one after the other, and then all places must be the same.
    pub fn finish(&mut self) -> Result<(), String> {
        self.say("--- quiet".to_owned());
        self.net.clear();
        let live = self.live();
        let main = *live.last().unwrap();
        for copy in live.iter().copied().chain([main]) {
            if self.copies[copy].key != self.hub.key {
                self.enrol(copy);
            }
            (self.copies[copy].session, self.copies[copy].rejected) = (None, false);
            self.settle(copy)?;
            if self.copies[copy].fenced {
                self.rejoin(copy);
                self.settle(copy)?;
            }
        }
        // The last copy learns by its next hello what the others brought in the meantime.
        self.copies[main].session = None;
        self.settle(main)?;
        if let Some(held) = self.hub.parked.iter().find(|held| self.needless(held)) {
            return Err(format!("{} waits for what has come", held.fact.id));
        }
        self.upgrade_hub();
        for _ in 0..self.hub.feed.len() + 1 {
            self.pull(main);
        }
        // The others were copies of the same store. From now on this one is the store.
        live.into_iter().filter(|copy| *copy != main).for_each(|copy| self.copies[copy].alive = false);
        self.pull_points(main);
        self.prove(main);
        // A message of a lost machine may have saved a sale that counted as lost.
        self.lost.retain(|id| !self.hub.books.has(id));
        self.wrong.clone().or(self.hub.wrong.clone()).map_or(Ok(()), Err)?;
        self.alike(main)?;
        self.booked(main)
    }

    fn needless(&self, held: &super::intake::Held) -> bool {
        held.why.waits() && held.fact.schema <= self.hub.schema && self.hub.books.has_sale(&held.fact.sale)
    }

    /// Asserts that both have the same records in the same epochs.
    fn alike(&self, main: usize) -> Result<(), String> {
        let (hub, shop) = (&self.hub, &self.copies[main]);
        for state in shop.lineage() {
            if hub.heads().iter().all(|head| head.epoch != state.epoch || head.hash != state.head_hash) {
                return Err(format!("the heads of {} differ", state.epoch));
            }
        }
        for head in hub.heads() {
            if shop.hash(&head.epoch, head.seq).as_ref() != Some(&head.hash) {
                return Err(format!("the store lacks records of {}", head.epoch));
            }
        }
        if shop.pulled != hub.feed {
            return Err("a change of the feed was skipped".to_owned());
        }
        let different = |ask: &domain::wire::sync::Digest| hub.digest(ask) != DigestResult::Match;
        match shop.digests().into_iter().find(|ask| different(ask) && !self.hopeless) {
            Some(day) => Err(format!("the digest of {} does not match", day.business_date)),
            None => Ok(()),
        }
    }

    /// Asserts that both have the same sums, with every sale exactly once.
    fn booked(&self, main: usize) -> Result<(), String> {
        let (hub, shop) = (&self.hub, &self.copies[main]);
        if let Some((id, _)) = hub.books.events.iter().find(|(_, (_, times))| *times > 1) {
            return Err(format!("{id} was applied more than once"));
        }
        if let Some(held) = hub.parked.first() {
            return Err(format!("{} stays parked: {:?}", held.fact.id, held.why));
        }
        let missing = |id: &&String| !hub.books.has(id) && !self.lost.contains(*id);
        if let Some(id) = self.sold.iter().find(missing) {
            return Err(format!("{id} was sold and is not in the hub's sums"));
        }
        let (theirs, ours) = (hub.books.sums(&self.lost), shop.books.sums(&self.lost));
        if theirs != ours {
            return Err(format!("the sums of the hub and the store differ: {theirs:?}, {ours:?}"));
        }
        self.reported_receipts()?;
        if self.cloned || self.hopeless { Ok(()) } else { self.shifts_add_up() }
    }

    /// Asserts that every receipt number with two sales is reported to a person.
    fn reported_receipts(&self) -> Result<(), String> {
        let mut given: BTreeMap<&str, usize> = BTreeMap::new();
        let sales = self.hub.books.facts().filter(|fact| fact.kind == super::fact::PAID);
        sales.filter_map(|sale| sale.receipt.as_deref()).for_each(|no| *given.entry(no).or_default() += 1);
        for (no, sales) in given {
            let flags = self.hub.flags.iter().filter(|flag| flag.as_str() == no).count();
            if sales - 1 != flags {
                return Err(format!("receipt {no} has {sales} sales and {flags} flags"));
            }
        }
        Ok(())
    }

    /// Asserts that a shift is closed once, with the sums of all its records.
    fn shifts_add_up(&self) -> Result<(), String> {
        let sums = self.hub.books.sums(&self.lost);
        let mut closed: BTreeMap<&str, i64> = BTreeMap::new();
        for fact in self.hub.books.facts().filter(|fact| fact.kind == super::fact::CLOSED) {
            if closed.insert(&fact.shift, fact.amount).is_some() {
                return Err(format!("shift {} was closed twice", fact.shift));
            }
        }
        for (shift, expected) in closed {
            let cash = sums.get(&format!("cash of {shift}")).copied().unwrap_or_default();
            if cash != expected {
                return Err(format!("shift {shift} was closed with {expected}; its records come to {cash}"));
            }
        }
        Ok(())
    }
}
