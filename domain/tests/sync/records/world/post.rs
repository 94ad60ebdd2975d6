//! Delivery of the messages between stores and hub.

use super::super::net::{Answer, Ask, Body, Letter};
use super::{TIMEOUT_MS, World};

impl World {
    /// Delivers the last message. `dies`: number of commits after which the receiving process dies.
    pub fn last_arrives(&mut self, dies: Option<usize>) {
        if let Some(letter) = self.net.pop() {
            self.arrive(letter, dies);
        }
    }

    /// Delivers a message to its receiver.
    pub fn arrive(&mut self, letter: Letter, dies: Option<usize>) {
        let Letter { store, request, body } = letter;
        match body {
            Body::Asks(ask) => {
                if let Some(answer) = self.answer(store, ask, dies.is_some()) {
                    self.net.push(Letter { store, request, body: Body::Answers(answer) });
                }
            }
            Body::Answers(answer) => self.answer_arrives(store, request, &answer, dies),
        }
    }

    /// Delivers the last message, and keeps it in transit, so that it arrives once more.
    pub fn last_arrives_and_stays(&mut self) {
        if let Some(letter) = self.net.pop() {
            self.net.push(letter.clone());
            self.arrive(letter, None);
        }
    }

    pub fn last_gets_lost(&mut self) {
        drop(self.net.pop());
    }

    pub fn oldest_arrives(&mut self) {
        if !self.net.is_empty() {
            let letter = self.net.remove(0);
            self.arrive(letter, None);
        }
    }

    /// Returns the hub's answer, or `None` if the hub died before it.
    fn answer(&mut self, store: usize, ask: Ask, dies: bool) -> Option<Answer> {
        let (generation, hub_time, broken) = (self.hub.generation(), self.now(), self.broken);
        let feed = &self.hub.feed;
        Some(match ask {
            Ask::Hello => Answer::Hello { generation, acked: self.hub.cursor(store), hub_time },
            Ask::Push { .. } if dies => {
                self.say("the hub dies within a push".to_owned());
                self.hub_restarts();
                return None;
            }
            Ask::Push { after, texts } => match self.hub.push(store, after, &texts, hub_time) {
                Some(pushed) => Answer::Pushed(pushed),
                None => Answer::Gap,
            },
            Ask::Pull { lane, cursor } => match feed.page(&generation, store, lane, &cursor, broken) {
                Some(page) => Answer::Page { lane, page, generation, hub_time },
                None => Answer::Resync { lane },
            },
            Ask::Snapshot { lane, at } => {
                match feed.snapshot(&generation, store, lane, at.as_ref(), broken) {
                    Some(page) => Answer::Snapshot { lane, page, generation, hub_time },
                    None => Answer::Resync { lane },
                }
            }
        })
    }

    /// Delivers an answer. A store ignores an answer to a request that it no longer waits for.
    fn answer_arrives(&mut self, store: usize, request: u64, answer: &Answer, dies: Option<usize>) {
        let slot = match answer {
            Answer::Hello { .. } => "hello",
            Answer::Pushed(_) | Answer::Gap => "push",
            Answer::Page { lane, .. } | Answer::Resync { lane } | Answer::Snapshot { lane, .. } => lane,
        };
        if self.stores[store].waits.get(slot) != Some(&request) {
            return;
        }
        if answer.hub_time().is_some_and(|at| at.0 + TIMEOUT_MS < self.now_ms) {
            return self.stores[store].gives_up();
        }
        let empty = matches!(answer, Answer::Page { page, .. } if page.changes.is_empty());
        if !empty {
            self.say(format!("store {store} hears {answer}"));
        }
        self.stores[store].waits.remove(slot);
        self.stores[store].left = dies;
        let done = self.process(store, answer);
        self.stores[store].left = None;
        if done.is_err() {
            self.say(format!("store {store} dies meanwhile"));
            self.stores[store].crash();
        }
    }

    /// Has a store process an answer.
    fn process(&mut self, store: usize, answer: &Answer) -> Result<(), super::super::store::Died> {
        let wall = self.wall(store);
        let session = self.stores[store].session.clone();
        let shop = &mut self.stores[store];
        match answer {
            Answer::Hello { generation, acked, hub_time } => {
                shop.greeted(wall, generation, *acked, *hub_time)
            }
            Answer::Pushed(pushed) => shop.pushed(pushed),
            Answer::Page { generation, .. } | Answer::Snapshot { generation, .. }
                if session.as_ref() != Some(generation) =>
            {
                shop.gives_up();
                Ok(())
            }
            Answer::Page { lane, page, hub_time, .. } => {
                shop.page(wall, lane, page)?;
                shop.heard(wall, *hub_time)
            }
            Answer::Snapshot { lane, page, hub_time, .. } => {
                if !shop.gather(lane, page) {
                    return Ok(());
                }
                shop.anew(wall, lane, &page.cursor)?;
                shop.heard(wall, *hub_time)
            }
            Answer::Gap => {
                shop.gives_up();
                Ok(())
            }
            // A snapshot that was being read begins again with the next hello.
            Answer::Resync { lane } if shop.gathered.contains_key(lane) => {
                shop.gives_up();
                Ok(())
            }
            Answer::Resync { lane } => {
                self.gathers(store, lane);
                Ok(())
            }
        }
    }

    /// A store and the hub exchange messages without faults until neither has anything to send.
    pub fn talk(&mut self, store: usize) {
        self.talk_until(store, usize::MAX, None);
    }

    /// As [`World::talk`], but only pushes, and lanes given by their numbers.
    pub fn talk_of(&mut self, store: usize, what: &[usize]) {
        self.stores[store].gives_up();
        for what in [0].iter().chain(what).chain(what).chain(what) {
            self.net.retain(|letter| letter.store != store);
            self.stores[store].waits.clear();
            self.calls(store, *what);
            while self.net.last().is_some_and(|letter| letter.store == store) {
                self.last_arrives(None);
            }
        }
    }

    /// As [`World::talk`], but at most this number of messages. `dies`: number of commits after which the receiver of
    /// the last one dies.
    pub fn talk_until(&mut self, store: usize, mut letters: usize, dies: Option<usize>) {
        self.say(format!("store {store} and the hub talk"));
        self.stores[store].gives_up();
        for round in 0..400 {
            let before = (self.stores[store].disk.acked, self.stores[store].disk.cursors.clone());
            for what in 0..5 {
                self.net.retain(|letter| letter.store != store);
                self.stores[store].waits.clear();
                self.calls(store, what);
                while self.net.last().is_some_and(|letter| letter.store == store) {
                    letters -= 1;
                    self.last_arrives(dies.filter(|_| letters == 0));
                    if letters == 0 {
                        return;
                    }
                }
            }
            let shop = &self.stores[store];
            let idle = shop.session.is_some() && shop.gathered.is_empty();
            if round > 0 && idle && before == (shop.disk.acked, shop.disk.cursors.clone()) {
                return;
            }
        }
        self.say(format!("store {store} and the hub never come to an end"));
    }
}
