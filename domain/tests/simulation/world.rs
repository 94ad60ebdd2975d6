//! Several stores with their copies, one hub, links that lose, delay, double and reorder, and crashes.

#[path = "quiet.rs"]
mod quiet;
#[path = "script.rs"]
mod script;

pub use script::Does;

use super::hub::{Broken, Hub};
use super::shop::{Shop, id_of};
use domain::sync::session::{next_push, rejoin_n};
use domain::sync::{EpochState, HelloAnswer, PushAnswer, PushEvent};
use std::collections::{BTreeMap, BTreeSet};

/// A small generator: the same seed, the same history.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }
}

#[derive(Clone)]
enum Call {
    Hello { epoch: String, lineage: Vec<EpochState>, apart: bool },
    Push { sender: String, epoch: String, after: u64, prev: String, events: Vec<PushEvent> },
}

#[derive(Clone)]
enum Letter {
    Asks(Call),
    Greeted(Box<HelloAnswer>),
    Pushed { epoch: String, after: u64, answer: Box<Result<PushAnswer, &'static str>> },
}

struct InFlight {
    copy: usize,
    request: u64,
    letter: Letter,
}

/// One store and the hub's view of it.
pub struct World {
    dice: Dice,
    broken: Broken,
    copies: Vec<Shop>,
    hub: Hub,
    net: Vec<InFlight>,
    shop_backups: Vec<Shop>,
    hub_backups: Vec<Hub>,
    sold: BTreeSet<String>,
    lost: BTreeSet<String>,
    numbers: u64,
    uncommitted: Vec<(u64, u64)>,
    pub history: Vec<String>,
}

impl World {
    pub fn new(seed: u64, broken: Broken) -> Self {
        let mut world = Self {
            dice: Dice::new(seed),
            broken,
            copies: Vec::new(),
            hub: Hub::new(broken),
            net: Vec::new(),
            shop_backups: Vec::new(),
            hub_backups: Vec::new(),
            sold: BTreeSet::new(),
            lost: BTreeSet::new(),
            numbers: 0,
            uncommitted: Vec::new(),
            history: Vec::new(),
        };
        let epoch = world.epoch(1);
        world.add(Shop::new(0, &epoch));
        world
    }

    fn next(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    fn epoch(&mut self, n: u64) -> String {
        let random = self.next().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        format!("{n}-{random:016x}")
    }

    fn say(&mut self, what: String) {
        self.history.push(what);
    }

    fn pick(&mut self) -> usize {
        let live: Vec<usize> = self.copies.iter().filter(|copy| copy.alive).map(|copy| copy.number).collect();
        live[self.dice.below(live.len() as u64) as usize]
    }

    /// One random thing happens.
    pub fn step(&mut self) {
        let copy = self.pick();
        match self.dice.below(100) {
            0..=24 => self.sell(copy),
            25..=34 => self.hello(copy),
            35..=49 => self.push(copy),
            50..=74 => self.deliver(),
            75..=77 => drop(self.net.pop()),
            78..=80 => self.copies[copy].crash(),
            81..=83 => self.shop_backups.push(self.copies[copy].clone()),
            84..=85 => self.restore(copy),
            86 => self.clone_copy(copy),
            87 => self.rejoin(copy),
            88 => self.burn(copy),
            89..=90 => self.hub_backups.push(self.hub.clone()),
            91 => self.restore_hub(),
            92..=96 => self.feed(),
            _ => self.pull(copy),
        }
    }

    pub fn sell(&mut self, copy: usize) {
        if self.copies[copy].fenced {
            return;
        }
        let id = format!("e{}", self.next());
        self.say(format!("copy {copy} sells {id}"));
        self.copies[copy].write(format!("{{\"event_id\":\"{id}\"}}"));
        self.sold.insert(id);
    }

    fn send(&mut self, copy: usize, call: Call) {
        let request = self.next();
        self.copies[copy].waits = Some(request);
        self.net.push(InFlight { copy, request, letter: Letter::Asks(call) });
    }

    pub fn hello(&mut self, copy: usize) {
        let shop = &self.copies[copy];
        let (epoch, lineage, apart) = (shop.current.clone(), shop.lineage(), shop.apart);
        self.say(format!("copy {copy} says hello as {epoch}, apart {apart}"));
        self.send(copy, Call::Hello { epoch, lineage, apart });
    }

    pub fn push(&mut self, copy: usize) {
        let shop = &self.copies[copy];
        if shop.session.is_none() || shop.fenced || shop.waits.is_some() {
            return;
        }
        let lineage = shop.lineage();
        let Some((epoch, after)) = next_push(&lineage) else { return };
        let most = 1 + self.dice.below(4) as usize;
        let shop = &self.copies[copy];
        let all = shop.events(epoch).unwrap();
        let events: Vec<PushEvent> = all[after as usize..].iter().take(most).cloned().collect();
        let prev = domain::sync::session::Chain::hash_at(shop, epoch, after).unwrap().unwrap();
        let (sender, epoch) = (shop.current.clone(), epoch.to_owned());
        self.say(format!("copy {copy} pushes {epoch}/{after}+{}", events.len()));
        self.send(copy, Call::Push { sender, epoch, after, prev, events });
    }

    /// Any letter arrives; some stay in the net and arrive again. A hello is not repeated: its token is
    /// good once.
    pub fn deliver(&mut self) {
        if self.net.is_empty() {
            return;
        }
        let at = self.dice.below(self.net.len() as u64) as usize;
        let doubled = self.dice.below(3) == 0;
        let InFlight { copy, request, letter } = self.net.remove(at);
        if doubled && !matches!(letter, Letter::Asks(Call::Hello { .. })) {
            self.net.push(InFlight { copy, request, letter: letter.clone() });
        }
        if self.net.len() > 12 {
            self.net.remove(0);
        }
        let dies = self.dice.below(12) == 0;
        self.arrive(copy, request, letter, dies);
    }

    fn arrive(&mut self, copy: usize, request: u64, letter: Letter, dies: bool) {
        let letter = match letter {
            Letter::Asks(Call::Hello { epoch, lineage, apart }) => {
                let answer = self.hub.hello(&epoch, &lineage, apart);
                self.say(format!("hub answers copy {copy}: {:?}", answer.directive));
                Letter::Greeted(Box::new(answer))
            }
            Letter::Asks(Call::Push { sender, epoch, after, prev, events }) => {
                let how = (dies, self.broken);
                let Some(answer) = self.hub.push(&sender, &epoch, &prev, &events, how) else {
                    self.say("hub dies within a push".to_owned());
                    return;
                };
                let told = answer.as_ref().map(|answer| answer.acked_seq);
                self.say(format!("hub answers copy {copy}: {told:?} of {epoch}"));
                Letter::Pushed { epoch, after, answer: Box::new(answer) }
            }
            answer => return self.answered(copy, request, answer, dies),
        };
        self.net.push(InFlight { copy, request, letter });
    }

    fn answered(&mut self, copy: usize, request: u64, letter: Letter, dies: bool) {
        let hub = self.hub.clone();
        let shop = &mut self.copies[copy];
        if !shop.alive || shop.waits != Some(request) {
            return;
        }
        shop.waits = None;
        match letter {
            Letter::Greeted(answer) => {
                // What `own` brings is of the hub as it is now: of another generation it is not used.
                if answer.hub_generation != hub.generation() {
                    return;
                }
                let own = |epoch: &str| hub.raw.get(epoch).cloned().unwrap_or_default();
                if let Some(n) = shop.greeted(&answer, own, dies) {
                    let epoch = self.epoch(n);
                    self.copies[copy].open(epoch);
                }
            }
            Letter::Pushed { epoch, after, answer } => {
                shop.pushed((&epoch, after), answer.as_ref().as_ref().map_err(|code| *code));
            }
            Letter::Asks(_) => {}
        }
    }

    fn add(&mut self, mut copy: Shop) -> usize {
        let number = self.copies.len();
        (copy.number, copy.alive, copy.broken) = (number, true, self.broken);
        copy.crash();
        self.copies.push(copy);
        number
    }

    /// The disk of a copy dies; it is restored by the command, which opens an epoch offline.
    pub fn restore(&mut self, copy: usize) {
        if self.shop_backups.is_empty() {
            return;
        }
        let which = self.dice.below(self.shop_backups.len() as u64) as usize;
        self.copies[copy].alive = false;
        let backup = self.shop_backups[which].clone();
        let n = rejoin_n(&backup.lineage(), 0);
        let epoch = self.epoch(n);
        let restored = self.add(backup);
        self.say(format!("copy {copy} dies; copy {restored} is restored as {epoch}"));
        self.copies[restored].open(epoch);
        self.mourn();
    }

    pub fn clone_copy(&mut self, copy: usize) {
        if self.copies.iter().filter(|copy| copy.alive).count() < 3 {
            let clone = self.add(self.copies[copy].clone());
            self.say(format!("copy {copy} is cloned as {clone}"));
        }
    }

    /// A burnt box: nothing is left, a new one is enrolled and rejoins.
    pub fn burn(&mut self, copy: usize) {
        self.copies[copy].alive = false;
        let n = self.hub.current.as_deref().map_or(0, domain::sync::session::number) + 1;
        let epoch = self.epoch(n);
        let fresh = self.add(Shop::new(0, &epoch));
        self.say(format!("copy {copy} burns; copy {fresh} begins as {epoch}"));
        self.mourn();
    }

    pub fn rejoin(&mut self, copy: usize) {
        if self.copies[copy].fenced {
            let hub_n = self.hub.current.as_deref().map_or(0, domain::sync::session::number);
            let n = rejoin_n(&self.copies[copy].lineage(), hub_n);
            let epoch = self.epoch(n);
            self.say(format!("copy {copy} rejoins as {epoch}"));
            self.copies[copy].open(epoch);
        }
    }

    pub fn restore_hub(&mut self) {
        if let Some(mut hub) = self.hub_backups.pop() {
            hub.generation = self.hub.generation + 1;
            // A database that is behind is a new generation, and its feed goes on above the old numbers.
            hub.last_number = self.hub.last_number;
            self.hub_backups.clear();
            self.uncommitted.clear();
            self.say(format!("the hub is restored, generation {}", hub.generation));
            self.hub = hub;
            self.mourn();
        }
    }

    /// What exists nowhere any more can't be asked for.
    fn mourn(&mut self) {
        let dead: BTreeSet<usize> =
            self.copies.iter().filter(|copy| !copy.alive).map(|copy| copy.number).collect();
        // A hello of a dead box is too old before its successor runs.
        self.net.retain(|letter| {
            !dead.contains(&letter.copy) || !matches!(letter.letter, Letter::Asks(Call::Hello { .. }))
        });
        let live = self.copies.iter().filter(|copy| copy.alive);
        let mut left: BTreeSet<String> =
            live.flat_map(|copy| copy.epochs.values().flatten().map(|event| id_of(&event.record))).collect();
        left.extend(self.hub.raw.values().flatten().map(|event| id_of(&event.record)));
        self.lost.extend(self.sold.difference(&left).cloned());
    }

    /// A transaction of head office begins, or one commits; several are open at once.
    fn feed(&mut self) {
        let value = self.next();
        if self.uncommitted.len() < 3 && self.dice.below(2) == 0 {
            let number = self.hub.number();
            return self.uncommitted.push((number, value));
        }
        if self.uncommitted.is_empty() {
            return;
        }
        let at = self.dice.below(self.uncommitted.len() as u64) as usize;
        let (begun, value) = self.uncommitted.remove(at);
        // The counter's row is locked by the last statement: commit order is the order of the numbers.
        let number = if self.broken == Broken::BareFeed { begun } else { self.hub.number() };
        self.hub.commit(number, value);
    }

    /// A page and its cursor in one commit; a cursor of another generation reads everything anew.
    pub fn pull(&mut self, copy: usize) {
        let (hub, shop) = (&self.hub, &mut self.copies[copy]);
        if shop.session.as_deref() != Some(&hub.generation()) {
            shop.session = None;
            return;
        }
        if shop.feed_of != hub.generation {
            (shop.pulled, shop.cursor, shop.feed_of) = (BTreeMap::new(), 0, hub.generation);
        }
        for (number, value) in hub.feed.range(shop.cursor + 1..).take(2) {
            shop.pulled.insert(*number, *value);
            shop.cursor = *number;
        }
    }
}
