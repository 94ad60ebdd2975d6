//! A history that is written down: what the dice decide elsewhere is said here.

use super::broken::Broken;
use super::world::{MEMBERS, World};

/// One thing that happens, to a store by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// Somebody writes a member's name there.
    Writes(usize),
    /// Somebody writes where the product lies, and when to order it.
    SettlesPlace(usize),
    SettlesLevel(usize),
    /// Somebody writes the name at head office.
    OfficeWrites,
    OfficeSettlesPlace(usize),
    OfficeSettlesLevel(usize),
    /// Head office keeps the store's person out, or lets in again.
    OfficeDenies(usize),
    OfficeGrants(usize),
    /// The store's manager does, or writes another name.
    StoreKeepsOut(usize),
    StoreLetsIn(usize),
    StoreRenames(usize),
    /// … and that is so.
    IsLetIn(usize),
    /// Goods leave a store for another, are taken in, or called off.
    Sends(usize, usize),
    Receives(usize),
    CallsOff(usize),
    /// What waits at a store goes up; nothing comes down.
    TellsOnly(usize),
    /// The feed comes down; nothing goes up.
    HearsOnly(usize),
    /// Head office begins a change of a supplier.
    OfficeBegins(usize),
    /// Head office commits the change that it began last.
    OfficeCommitsTheLast,
    /// Store and hub exchange messages until neither has any left.
    Talks(usize),
    /// A hello leaves, a push, a pull of a lane by its place.
    SaysHello(usize),
    Pushes(usize),
    Pulls(usize, usize),
    /// The last letter arrives.
    Arrives,
    /// The last letter arrives, and will once more.
    ArrivesAndStays,
    /// The process that receives the last message dies after this number of commits.
    ArrivesAndKills(usize),
    /// The last letter is lost.
    GetsLost,
    /// The oldest letter arrives last.
    OldestArrives,
    /// The link is down: hello comes next.
    GivesUp(usize),
    /// The process dies and starts again.
    Crashes(usize),
    /// The wall clock is off by this much from now on.
    ClockIsOff(usize, i64),
    /// This much time passes.
    Passes(i64),
    HubRestarts,
    HubIsBackedUp,
    HubIsRestored,
    /// Its files are put back by hand.
    HubIsPutBack,
}

impl World {
    /// It happens.
    pub fn does(&mut self, what: Does) {
        let now = self.now_ms;
        match what {
            Does::Writes(store) => self.store_writes(store, MEMBERS[0], "name"),
            Does::SettlesPlace(store) => self.store_settles(store, "shelf_place"),
            Does::SettlesLevel(store) => self.store_settles(store, "reorder_level"),
            Does::OfficeWrites => self.office_writes(MEMBERS[0], "name"),
            Does::OfficeSettlesPlace(store) => self.office_settles(store, "shelf_place"),
            Does::OfficeSettlesLevel(store) => self.office_settles(store, "reorder_level"),
            Does::OfficeDenies(store) => self.office_settles_person(store, true),
            Does::OfficeGrants(store) => self.office_settles_person(store, false),
            Does::StoreKeepsOut(store) => self.store_settles_person(store, Some(true)),
            Does::StoreLetsIn(store) => self.store_settles_person(store, Some(false)),
            Does::StoreRenames(store) => self.store_settles_person(store, None),
            Does::IsLetIn(store) => {
                if self.stores[store].disk.users.values().any(|user| user.disabled) {
                    self.wrong = Some(format!("store {store} keeps its person out"));
                }
            }
            Does::Sends(store, to) => self.sends(store, to, 5),
            Does::Receives(store) => self.goes_on(store, true, 0),
            Does::CallsOff(store) => self.goes_on(store, false, 0),
            Does::TellsOnly(store) => self.talk_of(store, &[0]),
            Does::HearsOnly(store) => self.talk_of(store, &[1, 2, 3, 4]),
            Does::OfficeBegins(supplier) => self.office_begins(supplier, false),
            Does::OfficeCommitsTheLast => self.office_commits_the_last(),
            Does::Talks(store) => self.talk(store),
            Does::SaysHello(store) => {
                self.stores[store].gives_up();
                self.calls(store, 0);
            }
            Does::Pushes(store) => self.calls(store, 0),
            Does::Pulls(store, lane) => self.calls(store, lane + 4),
            Does::Arrives => self.last_arrives(None),
            Does::ArrivesAndStays => self.last_arrives_and_stays(),
            Does::ArrivesAndKills(commits) => self.last_arrives(Some(commits)),
            Does::GetsLost => self.last_gets_lost(),
            Does::OldestArrives => self.oldest_arrives(),
            Does::GivesUp(store) => self.stores[store].gives_up(),
            Does::Crashes(store) => self.crashes(store),
            Does::ClockIsOff(store, off_ms) => self.clock_is_set(store, off_ms),
            Does::Passes(ms) => self.now_ms = now + ms,
            Does::HubRestarts => self.hub_restarts(),
            Does::HubIsBackedUp => self.hub_is_backed_up(),
            Does::HubIsRestored => self.hub_is_restored(false),
            Does::HubIsPutBack => self.hub_is_restored(true),
        }
    }
}

/// Runs a history to its quiet end.
pub fn ends(history: &[Does], broken: Broken) -> Result<(), String> {
    let mut world = World::new(broken);
    world.strict = true;
    let reported = |world: &World, what| format!("{what}\n{}", world.history.join("\n"));
    for what in history {
        world.does(*what);
        world.well().map_err(|what| reported(&world, what))?;
    }
    world.finish().map_err(|what| reported(&world, what))
}

#[track_caller]
pub fn holds(history: &[Does]) {
    if let Err(what) = ends(history, Broken::Nothing) {
        panic!("{what}");
    }
}

/// It holds by this rule, and only by it.
#[track_caller]
pub fn holds_by(history: &[Does], broken: Broken) {
    holds(history);
    assert!(ends(history, broken).is_err(), "{broken:?} went unseen");
}
