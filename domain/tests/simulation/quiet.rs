//! The end of a history: everything works again, and then all is the same everywhere.

use super::{InFlight, World};
use domain::sync::session::Chain;
use std::collections::BTreeSet;

impl World {
    /// The network is whole for a while: a copy talks to the hub until it has nothing to say.
    pub(super) fn settle(&mut self, copy: usize) -> Result<(), String> {
        for _ in 0..200 {
            if self.copies[copy].fenced {
                return Ok(());
            }
            self.net.clear();
            self.copies[copy].waits = None;
            if self.copies[copy].session.as_deref() != Some(&self.hub.generation()) {
                self.copies[copy].session = None;
                self.hello(copy);
            } else {
                self.push(copy);
            }
            if self.net.is_empty() {
                return Ok(());
            }
            while let Some(InFlight { copy, request, letter }) = self.net.pop() {
                self.arrive(copy, request, letter, false);
            }
        }
        Err(format!("copy {copy} and the hub never come to an end"))
    }

    /// Everything works again; fenced copies rejoin one after the other. Then all is the same everywhere.
    pub fn finish(&mut self) -> Result<(), String> {
        self.say("--- quiet".to_owned());
        let live: Vec<usize> = self.copies.iter().filter(|copy| copy.alive).map(|copy| copy.number).collect();
        let main = *live.last().unwrap();
        for copy in live.iter().copied().chain([main]) {
            self.copies[copy].session = None;
            self.settle(copy)?;
            if self.copies[copy].fenced {
                self.rejoin(copy);
                self.settle(copy)?;
            }
        }
        // What the others brought meanwhile comes to the last one by its next hello.
        self.copies[main].session = None;
        self.settle(main)?;
        for _ in 0..self.hub.feed.len() + 1 {
            self.pull(main);
        }
        self.judge(main)
    }

    fn judge(&self, main: usize) -> Result<(), String> {
        let (hub, shop) = (&self.hub, &self.copies[main]);
        if let Some((id, times)) = hub.applied.iter().find(|(_, times)| **times > 1) {
            return Err(format!("{id} was applied {times} times"));
        }
        let there = |id: &&String| !hub.applied.contains_key(*id) && !self.lost.contains(*id);
        if let Some(id) = self.sold.iter().find(there) {
            return Err(format!("{id} was sold and is not in the hub's sums"));
        }
        let mine: BTreeSet<&String> = shop.books.iter().collect();
        if mine != hub.applied.keys().collect() {
            return Err("the sums of store and hub differ".to_owned());
        }
        for state in shop.lineage() {
            if hub.heads().iter().all(|head| head.epoch != state.epoch || head.hash != state.head_hash) {
                return Err(format!("the heads of {} differ", state.epoch));
            }
        }
        for head in hub.heads() {
            if Chain::hash_at(shop, &head.epoch, head.seq).unwrap().as_ref() != Some(&head.hash) {
                return Err(format!("the store lacks records of {}", head.epoch));
            }
        }
        if shop.pulled != hub.feed {
            return Err("a change of the feed was skipped".to_owned());
        }
        Ok(())
    }
}
