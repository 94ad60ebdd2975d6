//! Messages between copies and the hub: lost, delayed, duplicated, out of order, with a crash at each.

use super::link::Next;
use super::world::World;
use domain::rules::hub::sync::session::{PushStart, next_push};
use domain::wire::sync::{EpochState, HelloAnswer, PushAnswer, PushEvent};

/// Highest number of messages in transit.
const NET_MAX: usize = 12;

#[derive(Clone)]
pub enum Call {
    Hello { epoch: String, lineage: Vec<EpochState>, apart: bool },
    Push { sender: String, epoch: String, after: u64, prev: String, events: Vec<PushEvent> },
}

#[derive(Clone)]
pub enum Letter {
    /// A request, signed with the copy's key.
    Asks(u64, Call),
    Greeted(Box<HelloAnswer>),
    Pushed {
        epoch: String,
        after: u64,
        answer: Box<Result<PushAnswer, &'static str>>,
    },
    /// The hub knows another key.
    Refused,
}

#[derive(Clone)]
pub struct InFlight {
    pub copy: usize,
    pub request: u64,
    pub letter: Letter,
}

impl World {
    fn send(&mut self, copy: usize, call: Call) {
        let request = self.next();
        self.copies[copy].waits = Some(request);
        let letter = Letter::Asks(self.copies[copy].key, call);
        self.net.push(InFlight { copy, request, letter });
    }

    pub fn hello(&mut self, copy: usize) {
        let shop = &self.copies[copy];
        let (epoch, lineage, apart) = (shop.current.clone(), shop.lineage(), shop.apart);
        self.say(format!("copy {copy} says hello as {epoch}, apart {apart}"));
        self.send(copy, Call::Hello { epoch, lineage, apart });
    }

    pub fn push(&mut self, copy: usize, most: usize) {
        let shop = &self.copies[copy];
        if shop.session.is_none() || shop.fenced || shop.waits.is_some() {
            return;
        }
        let lineage = shop.lineage();
        let Some(PushStart { epoch, after_seq: after }) = next_push(&lineage) else { return };
        let events = shop.journal(epoch).after(after, most);
        let prev = shop.hash(epoch, after).unwrap_or_default();
        let (sender, epoch) = (shop.current.clone(), epoch.to_owned());
        self.say(format!("copy {copy} pushes {} of {epoch} after {after}", events.len()));
        self.send(copy, Call::Push { sender, epoch, after, prev, events });
    }

    /// Delivers a message. A request may stay in transit to arrive again, and the hub may die from it. A hello is valid
    /// once.
    pub fn deliver(&mut self) {
        if self.net.is_empty() {
            return;
        }
        let at = self.dice.below(self.net.len() as u64) as usize;
        let doubled = self.dice.below(3) == 0;
        let letter = self.net.remove(at);
        if doubled && !matches!(letter.letter, Letter::Asks(_, Call::Hello { .. })) {
            self.net.push(letter.clone());
        }
        if self.net.len() > NET_MAX {
            self.net.remove(0);
        }
        let dies = self.dice.below(12) == 0;
        self.arrive(letter, dies);
    }

    pub fn arrive(&mut self, InFlight { copy, request, letter }: InFlight, dies: bool) {
        let now = self.now;
        let letter = match letter {
            Letter::Asks(key, _) if key != self.hub.key => {
                self.say(format!("hub refuses the key of copy {copy}"));
                Letter::Refused
            }
            Letter::Asks(_, Call::Hello { epoch, lineage, apart }) => {
                let answer = self.hub.hello(&epoch, &lineage, apart, now);
                self.say(format!("hub answers copy {copy}: {:?}", answer.directive));
                Letter::Greeted(Box::new(answer))
            }
            Letter::Asks(_, Call::Push { sender, epoch, after, prev, events }) => {
                let Some(answer) = self.hub.push(&sender, &epoch, &prev, &events, now, dies) else {
                    self.say("hub dies within a push".to_owned());
                    return;
                };
                if let Some(wrong) = self.hub.wrong.clone() {
                    self.wrong(wrong);
                }
                let reported = answer.as_ref().map(|answer| answer.acked_seq);
                self.say(format!("hub answers copy {copy}: {reported:?} of {epoch}"));
                Letter::Pushed { epoch, after, answer: Box::new(answer) }
            }
            answer => return self.answered(copy, request, answer, dies),
        };
        self.net.push(InFlight { copy, request, letter });
    }

    fn answered(&mut self, copy: usize, request: u64, letter: Letter, dies: bool) {
        let (hub, shop, now) = (&self.hub, &mut self.copies[copy], self.now);
        if !shop.alive || shop.waits != Some(request) {
            return;
        }
        shop.waits = None;
        shop.rejected = false;
        match letter {
            Letter::Greeted(answer) => {
                // Records downloaded by `own` come from the current hub. With another generation they are not used.
                if answer.hub_generation != hub.generation() {
                    return;
                }
                let own = |epoch: &str| hub.epochs.get(epoch).cloned().unwrap_or_default();
                let heard = hub.epochs.contains_key(&shop.current);
                let directive = answer.directive;
                shop.moved.clear();
                let next = shop.greeted(&answer, own, (now, dies));
                // Records that the hub received after its answer are unknown to the store.
                let in_answer = |id: &&String| {
                    hub.known.get(*id).is_some_and(|first| {
                        answer.heads.iter().any(|head| head.epoch == first.epoch && head.seq >= first.seq)
                    })
                };
                let again = shop.moved.iter().find(in_answer).cloned();
                if let Some(id) = again {
                    self.wrong(format!("copy {copy} moved {id}, which the hub has"));
                }
                match next {
                    Next::Open(n) => {
                        let epoch = self.epoch(n);
                        self.say(format!("copy {copy} opens {epoch}"));
                        self.copies[copy].open(epoch, now);
                        self.copies[copy].auto = heard;
                    }
                    Next::WasFenced => self.was_fenced(copy),
                    Next::Nothing if directive == domain::wire::sync::Directive::Resync => self.forgot(copy),
                    Next::Nothing => {}
                }
            }
            Letter::Pushed { epoch, after, answer } => {
                let answer = answer.as_ref().as_ref().map_err(|code| *code);
                if shop.pushed(PushStart { epoch: &epoch, after_seq: after }, answer, now) == Next::WasFenced
                {
                    self.was_fenced(copy);
                }
                self.believes(copy, &epoch);
            }
            Letter::Refused => (shop.rejected, shop.session) = (true, None),
            Letter::Asks(..) => {}
        }
    }

    /// Asserts that the only copy is never fenced, and that the active store is not fenced because of an idle copy.
    fn was_fenced(&mut self, copy: usize) {
        self.say(format!("copy {copy} is fenced"));
        if self.live().len() == 1 && !self.cloned {
            self.wrong(format!("copy {copy} is the only one there is, and is fenced"));
        }
        let idle = self.copies.iter().find(|other| {
            let holds =
                other.alive && other.number != copy && self.hub.current.as_ref() == Some(&other.current);
            holds && other.auto && !other.sold
        });
        if let Some(idle) = idle.filter(|_| self.copies[copy].sold) {
            self.wrong(format!(
                "copy {copy}, the shop, is fenced; copy {} is idle and holds the epoch",
                idle.number
            ));
        }
    }

    /// Asserts that a store deletes no record that a hub lacks after a permitted restore.
    fn forgot(&mut self, copy: usize) {
        if !self.hopeless {
            self.wrong(format!("the hub lacks what copy {copy} has forgotten"));
        }
    }

    /// Asserts that the hub has everything that a copy considers acknowledged.
    fn believes(&mut self, copy: usize, epoch: &str) {
        let shop = &self.copies[copy];
        let (Some(mark), Some(generation)) = (shop.marks.get(epoch), &shop.session) else { return };
        let same = self.hub.hash_at(epoch, mark.seq) == shop.hash(epoch, mark.seq);
        if *generation == self.hub.generation() && !same {
            self.wrong(format!(
                "copy {copy} takes {epoch} for acknowledged up to {}, and it is not",
                mark.seq
            ));
        }
    }
}
