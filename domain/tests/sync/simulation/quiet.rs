//! The end of a history: everything works again, and then all is the same everywhere.

use super::world::World;
use domain::wire::sync::DigestResult;
use std::collections::BTreeMap;

/// Rounds after which a copy that still has something to say is stuck.
const ROUNDS_MAX: usize = 200;
/// Records in a batch when the network is whole.
const WHOLE: usize = 500;

impl World {
    /// The network is whole for a while: a copy talks to the hub until it has nothing to say.
    pub fn settle(&mut self, copy: usize) -> Result<(), String> {
        for _ in 0..ROUNDS_MAX {
            if self.copies[copy].fenced || self.copies[copy].rejected {
                return Ok(());
            }
            // What else is under way stays there.
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

    /// Everything works again; fenced copies rejoin one after the other. Then all is the same everywhere.
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
        // What the others brought meanwhile comes to the last one by its next hello.
        self.copies[main].session = None;
        self.settle(main)?;
        if let Some(held) = self.hub.parked.iter().find(|held| self.needless(held)) {
            return Err(format!("{} waits for what has come", held.fact.id));
        }
        self.upgrade_hub();
        for _ in 0..self.hub.feed.len() + 1 {
            self.pull(main);
        }
        // The others were boxes of the same shop: from now on this one is.
        live.into_iter().filter(|copy| *copy != main).for_each(|copy| self.copies[copy].alive = false);
        self.pull_points(main);
        self.prove(main);
        // A letter of a dead box may have saved what was given up.
        self.lost.retain(|id| !self.hub.books.has(id));
        self.wrong.clone().or(self.hub.wrong.clone()).map_or(Ok(()), Err)?;
        self.alike(main)?;
        self.booked(main)
    }

    fn needless(&self, held: &super::intake::Held) -> bool {
        held.why.waits() && held.fact.schema <= self.hub.schema && self.hub.books.has_sale(&held.fact.sale)
    }

    /// The same records, in the same epochs.
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

    /// The same sums, and nothing in them twice or never.
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

    /// Every receipt number that two sales have is told to a person.
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

    /// A shift is closed once, with what all its records come to.
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
