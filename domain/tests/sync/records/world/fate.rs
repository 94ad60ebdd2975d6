//! Random events.

use super::super::hub::Hub;
use super::super::staff::person;
use super::{Dice, MEMBERS, STORES, World};
use domain::model::hub::hlc::Clock;

const MINUTE_MS: i64 = 60_000;
/// Ten years.
pub const DECADE_MS: i64 = 10 * 365 * 24 * 60 * MINUTE_MS;
/// Offsets of clocks.
const OFF_MS: [i64; 7] =
    [0, 3 * MINUTE_MS, -3 * MINUTE_MS, 60 * MINUTE_MS, -60 * MINUTE_MS, DECADE_MS, -DECADE_MS];
/// Times between two events.
const PASSES_MS: [i64; 5] = [0, 1, 1_000, MINUTE_MS, 10 * MINUTE_MS];
/// Highest number of messages in transit.
const NET_MAX: usize = 16;

/// Faults, of which each history has some.
const CLOCKS: usize = 1;
const LOSSES: usize = 2;
const CRASHES: usize = 4;
const DOUBLES: usize = 8;
const RESTORES: usize = 16;

impl World {
    /// Creates a world with a subset of the faults.
    pub fn random(seed: u64, broken: super::Broken) -> Self {
        let mut world = Self::new(broken);
        world.dice = Dice::new(seed);
        world.faults = world.dice.below(32);
        world
    }

    fn has(&self, fault: usize) -> bool {
        self.faults & fault != 0
    }

    /// Runs one random event.
    pub fn step(&mut self) {
        let passes = self.dice.below(PASSES_MS.len());
        self.now_ms += PASSES_MS[passes];
        let store = self.dice.below(STORES);
        let (id, field) = (MEMBERS[self.dice.below(4) / 3], ["name", "tier"][self.dice.below(4) / 3]);
        let setting = ["reorder_level", "shelf_place"][self.dice.below(2)];
        match self.dice.below(100) {
            0..=9 => self.store_writes(store, id, field),
            10..=11 => {
                let (to, qty) = ((store + 1 + self.dice.below(2)) % STORES, 2 + self.dice.below(4) as i64);
                self.sends(store, to, qty);
            }
            12..=15 => {
                let (receives, short) = (self.dice.below(3) > 0, self.dice.below(2) as i64);
                self.goes_on(store, receives, short);
            }
            16 => {
                let disabled = [None, Some(true), Some(false)][self.dice.below(3)];
                self.store_settles_person(store, disabled);
            }
            17 => self.office_settles_person(store, setting == "shelf_place"),
            18 => self.store_settles(store, setting),
            19..=23 => self.office_writes(id, field),
            24..=25 => self.office_settles(store, setting),
            26..=30 => {
                let (supplier, deleted) = (self.dice.below(3), self.dice.one_in(4));
                self.office_begins(supplier, deleted);
            }
            31..=35 => {
                let which = self.dice.below(3);
                self.office_commits(which);
            }
            36..=55 => {
                let what = self.dice.below(6).saturating_sub(1);
                self.calls(store, what);
            }
            56..=79 => self.deliver(),
            80..=82 => self.sets_clock(store),
            83 if self.has(RESTORES) => self.hub_is_backed_up(),
            84 if self.has(RESTORES) => self.hub_is_restored(setting == "shelf_place"),
            85..=86 if self.has(LOSSES) => drop(self.net.pop()),
            87..=88 if self.has(LOSSES) => self.stores[store].gives_up(),
            89..=90 if self.has(CRASHES) => self.crashes(store),
            91 if self.has(CRASHES) => self.hub_restarts(),
            _ => {
                let (letters, dies) = (1 + self.dice.below(40), self.dies(3));
                self.talk_until(store, letters, dies);
            }
        }
    }

    /// Returns, once in `times`, after how many commits the receiving process dies.
    fn dies(&mut self, times: usize) -> Option<usize> {
        (self.has(CRASHES) && self.dice.one_in(times)).then(|| self.dice.below(3))
    }

    fn sets_clock(&mut self, store: usize) {
        if self.has(CLOCKS) {
            let off_ms = OFF_MS[self.dice.below(OFF_MS.len())];
            self.clock_is_set(store, off_ms);
        }
    }

    pub fn clock_is_set(&mut self, store: usize, off_ms: i64) {
        self.off_ms[store] = off_ms;
        self.stores[store].honest = false;
        self.say(format!("store {store}: the clock is off by {off_ms} ms"));
    }

    /// Delivers any message. Some stay in transit and arrive again.
    fn deliver(&mut self) {
        if self.net.is_empty() {
            return;
        }
        let at = self.dice.below(self.net.len());
        let doubled = self.has(DOUBLES) && self.dice.one_in(3);
        let letter = self.net.remove(at);
        if doubled {
            self.net.push(letter.clone());
        }
        if self.net.len() > NET_MAX {
            self.net.remove(0);
        }
        let dies = self.dies(8);
        self.arrive(letter, dies);
    }

    pub fn crashes(&mut self, store: usize) {
        self.say(format!("store {store} crashes"));
        self.stores[store].crash();
    }

    /// Restarts the hub's process, which loses what is not committed.
    pub fn hub_restarts(&mut self) {
        self.say("the hub restarts".to_owned());
        self.open.clear();
        self.hub.clock = Clock::after("hub", None);
    }

    pub fn hub_is_backed_up(&mut self) {
        self.say("the hub is backed up".to_owned());
        self.backup = Some(self.hub.clone());
    }

    /// Restores the hub by command, or by putting its files back by hand, which the mark outside of the database shows.
    pub fn hub_is_restored(&mut self, by_hand: bool) {
        let Some(backup) = self.backup.clone() else { return };
        self.generations += 1;
        let marks = self.hub.feed.marks();
        self.hub = Hub { generation: self.generations, ..backup.clone() };
        if by_hand && self.broken == super::Broken::BareCursor {
            self.hub.generation = backup.generation;
        }
        self.hub.feed.reborn(marks);
        self.say(format!("the hub is restored, by hand: {by_hand}, generation {}", self.hub.generation));
        self.hub_restarts();
        self.mourn();
        for store in 0..STORES {
            // A denial that neither the hub nor the store knows any more is lost.
            let known = self.stores[store].disk.users.values().any(|user| user.disabled);
            self.denied[store] &= known || self.hub.staff[&person(store)].disabled;
        }
    }

    /// Excludes values that exist nowhere any more.
    pub fn mourn(&mut self) {
        let known = self.everything();
        for (value, written) in &mut self.written {
            written.gone |= !known.contains(value);
        }
    }
}
