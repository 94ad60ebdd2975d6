//! Several stores with wrong clocks, one hub, connections that lose, delay, duplicate and reorder messages, and
//! crashes.

mod fate;
mod post;

use super::broken::Broken;
use super::depot::store_id;
use super::dice::Dice;
use super::feed::Entry;
use super::hub::Hub;
use super::net::{Ask, Body, Letter};
use super::staff::person;
use super::store::{Gathered, Store};
use domain::model::base::time::UtcMs;
use domain::model::hub::hlc;
use domain::wire::feed::Kind;
use domain::wire::feed::lane::LANES;
use serde_json::json;
use std::collections::BTreeMap;

/// Stores of one company.
const STORES: usize = 3;
/// Time after which an answer counts as lost.
pub const TIMEOUT_MS: i64 = 60_000;
/// Members that all stores know.
pub const MEMBERS: [&str; 2] = ["mbr_1", "mbr_2"];

/// A value that was written to a field.
#[derive(Debug, Clone)]
pub struct Written {
    /// The store, or `None` for head office.
    pub by: Option<usize>,
    /// The value that the writer saw.
    pub saw: String,
    /// Whether no copy is left: it was lost with a part of the hub or a disk.
    pub gone: bool,
}

pub struct World {
    pub broken: Broken,
    pub dice: Dice,
    pub faults: usize,
    pub now_ms: i64,
    /// Offset of each store's wall clock.
    pub off_ms: Vec<i64>,
    pub stores: Vec<Store>,
    pub hub: Hub,
    /// Number of generations of the hub, one for each restore.
    pub generations: u64,
    backup: Option<Hub>,
    open: Vec<(u64, Entry)>,
    net: Vec<Letter>,
    numbers: u64,
    pub written: BTreeMap<String, Written>,
    /// Whether each store's user was denied and not granted access again by head office.
    pub denied: Vec<bool>,
    /// Whether a value of head office that a store knows must survive a restore of the hub, because nobody else writes.
    pub strict: bool,
    /// The first problem found on the way.
    pub wrong: Option<String>,
    pub history: Vec<String>,
}

impl World {
    /// Creates a world without faults, for a script.
    pub fn new(broken: Broken) -> Self {
        let mut world = Self {
            broken,
            dice: Dice::new(7),
            faults: 0,
            now_ms: 1_795_140_000_000,
            off_ms: vec![0; STORES],
            stores: (0..STORES).map(|number| Store::new(number + 1, broken)).collect(),
            hub: Hub::new(STORES, broken),
            generations: 1,
            backup: None,
            open: Vec::new(),
            net: Vec::new(),
            numbers: 0,
            written: BTreeMap::new(),
            denied: vec![false; STORES],
            strict: false,
            wrong: None,
            history: Vec::new(),
        };
        for id in MEMBERS {
            let phone = format!("+62811{}", &id[4..]);
            let fields = [
                ("name", json!("v0")),
                ("tier", json!("v0")),
                ("phone", json!(phone)),
                ("state", json!("active")),
            ];
            world.hub.office_writes(None, id, &fields, "chg_0", UtcMs(world.now_ms));
        }
        (0..STORES).for_each(|store| world.hub.gives(store, UtcMs(world.now_ms)));
        (0..STORES).for_each(|store| world.talk(store));
        world.history.clear();
        world
    }

    pub fn now(&self) -> UtcMs {
        UtcMs(self.now_ms)
    }

    pub fn wall(&self, store: usize) -> UtcMs {
        UtcMs(self.now_ms + self.off_ms[store])
    }

    pub fn next(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    pub fn say(&mut self, what: String) {
        self.history.push(what);
    }

    /// Returns a store's value of a field.
    pub fn shows(&self, store: usize, id: &str, field: &str) -> String {
        let member =
            &self.stores[store].disk.members.members[&domain::model::base::ids::MemberId(id.to_owned())];
        if field == "name" { member.name.clone() } else { member.tier.clone().unwrap_or_default() }
    }

    pub fn store_writes(&mut self, store: usize, id: &str, field: &str) {
        let (value, event) = (format!("v{}", self.next()), format!("evt_{}", self.next()));
        let saw = self.shows(store, id, field);
        let wall = self.wall(store);
        self.stores[store].writes_member(wall, id, field, &value, &event);
        let at = self.stores[store].disk.hlc.clone().unwrap_or_default();
        self.say(format!("store {store} writes {value} over {saw} to {field} of {id} at {at}"));
        let limit_ms = self.now_ms + hlc::AHEAD_MS_MAX + TIMEOUT_MS;
        if self.stores[store].honest && hlc::parts(&at).is_some_and(|(ms, _)| ms > limit_ms) {
            self.wrong = Some(format!("store {store} heard the time, and stamps {at}"));
        }
        self.written.insert(value, Written { by: Some(store), saw, gone: false });
    }

    pub fn store_settles(&mut self, store: usize, field: &str) {
        let (number, event) = (self.next(), format!("evt_{}", self.next()));
        let wall = self.wall(store);
        self.stores[store].writes_settings(wall, field, number as i64, &event);
        self.say(format!("store {store} settles {field} {number}"));
    }

    pub fn office_writes(&mut self, id: &str, field: &str) {
        let (value, by, now) = (format!("v{}", self.next()), format!("chg_{}", self.next()), self.now());
        let saw = self.hub.shared[&(super::hub::MEMBER, id.to_owned())].fields[field].value.clone();
        let saw = saw.as_str().unwrap().to_owned();
        self.hub.office_writes(None, id, &[(field, json!(value))], &by, now);
        self.say(format!("head office writes {value} over {saw} to {field} of {id}"));
        self.written.insert(value, Written { by: None, saw, gone: false });
    }

    pub fn office_settles(&mut self, store: usize, field: &str) {
        let (number, by, now) = (self.next(), format!("chg_{}", self.next()), self.now());
        let value = if field == "reorder_level" { json!(number) } else { json!(format!("p{number}")) };
        self.hub.office_writes(Some(store), super::store::SKU, &[(field, value)], &by, now);
        self.say(format!("head office settles {field} {number} of store {store}"));
    }

    /// Denies or grants the store's user at head office.
    pub fn office_settles_person(&mut self, store: usize, disabled: bool) {
        if self.hub.staff[&person(store)].disabled != disabled {
            self.say(format!("head office keeps the person of store {store} out: {disabled}"));
            self.denied[store] = disabled;
            self.hub.office_settles_person(store, disabled, self.now());
        }
    }

    /// Denies or grants the user as the store's manager, or changes the name.
    pub fn store_settles_person(&mut self, store: usize, disabled: Option<bool>) {
        let (event, wall) = (format!("evt_{}", self.next()), self.wall(store));
        let done = self.stores[store].settles_person(wall, disabled, &event);
        self.say(format!("store {store}: its person is kept out: {disabled:?}, done: {done:?}"));
        self.denied[store] |= disabled == Some(true);
    }

    /// Sends goods from a store to another.
    pub fn sends(&mut self, store: usize, to: usize, qty: i64) {
        let (id, event, wall) =
            (format!("trf_{}", self.next()), format!("evt_{}", self.next()), self.wall(store));
        self.stores[store].sends(wall, &store_id(to), &id, qty, &event);
        self.say(format!("store {store} sends {qty} to store {to}: {id}"));
    }

    /// Receives the first transfer to a store, or cancels one that it sent.
    pub fn goes_on(&mut self, store: usize, receives: bool, short: i64) {
        let (event, wall) = (format!("evt_{}", self.next()), self.wall(store));
        let done = self.stores[store].goes_on(wall, receives, short, &event);
        self.say(format!("store {store} receives {receives} (or calls off), done {done}"));
    }

    /// Begins a transaction of head office that changes or deletes a supplier.
    pub fn office_begins(&mut self, supplier: usize, deleted: bool) {
        let (id, version) = (format!("sup_{supplier}"), None);
        if self.open.iter().any(|(_, entry)| entry.id == id) {
            return;
        }
        let payload = json!({"name": format!("v{}", self.next())});
        let entry = Entry { kind: Kind::Supplier, id, store: None, version, deleted, payload };
        let number =
            if self.broken == Broken::BareFeed { self.hub.feed.number(Kind::Supplier.lane()) } else { 0 };
        self.say(format!("head office begins {} {}", entry.id, entry.payload));
        self.open.push((number, entry));
    }

    /// … and commits it. Its last statement locks the counter's row.
    pub fn office_commits(&mut self, which: usize) {
        if self.open.is_empty() {
            return;
        }
        let (number, entry) = self.open.remove(which % self.open.len());
        self.say(format!("head office commits {}", entry.id));
        let now = self.now();
        match self.broken {
            Broken::BareFeed => self.hub.feed.put(number, entry, now),
            _ => self.hub.feed.publish(entry, now),
        }
    }

    pub fn office_commits_the_last(&mut self) {
        self.office_commits(self.open.len().saturating_sub(1));
    }

    /// Returns whether no transaction of head office is open.
    pub fn idle(&self) -> bool {
        self.open.is_empty()
    }

    /// Sends a store's next call.
    pub fn calls(&mut self, store: usize, what: usize) {
        if self.stores[store].session.is_none() {
            return self.ask(store, "hello", Ask::Hello);
        }
        let disk = &self.stores[store].disk;
        if what == 0 {
            let after = disk.acked;
            let texts: Vec<String> =
                disk.log.get(after..).unwrap_or_default().iter().take(3).cloned().collect();
            if !texts.is_empty() {
                self.ask(store, "push", Ask::Push { after, texts });
            }
            return;
        }
        let lane = LANES[what % LANES.len()];
        let ask = match self.stores[store].gathered.get(lane) {
            Some(gathered) => Ask::Snapshot { lane, at: gathered.next.clone() },
            None => Ask::Pull { lane, cursor: disk.cursors.get(lane).cloned().unwrap_or_default() },
        };
        self.ask(store, lane, ask);
    }

    fn ask(&mut self, store: usize, slot: &'static str, ask: Ask) {
        if self.stores[store].waits.contains_key(slot) {
            return;
        }
        let request = self.next();
        self.stores[store].waits.insert(slot, request);
        if !matches!(ask, Ask::Pull { .. }) {
            self.say(format!("store {store} asks {ask}"));
        }
        self.net.push(Letter { store, request, body: Body::Asks(ask) });
    }

    /// Makes a store read a lane again.
    pub fn gathers(&mut self, store: usize, lane: &'static str) {
        let of = self.stores[store].disk.cursors.get(lane).cloned().unwrap_or_default();
        let generation = self.stores[store].session.clone().unwrap_or_default();
        let another_life = !of.is_empty() && of.split('.').next() != Some(generation.as_str());
        let gathered = Gathered { changes: Vec::new(), next: None, another_life };
        self.stores[store].gathered.insert(lane, gathered);
    }
}
