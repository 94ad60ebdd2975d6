//! A scripted history, in place of random events.

use super::broken::Broken;
use super::world::{MEMBERS, World};

/// One event at a store, given by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// Writes a member's name at the store.
    Writes(usize),
    /// Writes the shelf place and the reorder level of the product.
    SettlesPlace(usize),
    SettlesLevel(usize),
    /// Writes the name at head office.
    OfficeWrites,
    OfficeSettlesPlace(usize),
    OfficeSettlesLevel(usize),
    /// Head office denies or grants the store's user.
    OfficeDenies(usize),
    OfficeGrants(usize),
    /// The store's manager denies the user, or changes the name.
    StoreKeepsOut(usize),
    StoreLetsIn(usize),
    StoreRenames(usize),
    /// … and asserts that the user can log in.
    IsLetIn(usize),
    /// Goods are sent to another store, received, or cancelled.
    Sends(usize, usize),
    Receives(usize),
    CallsOff(usize),
    /// Pushes the store's records, without a pull.
    TellsOnly(usize),
    /// Pulls the feed, without a push.
    HearsOnly(usize),
    /// Head office begins a change of a supplier.
    OfficeBegins(usize),
    /// Head office commits the change that it began last.
    OfficeCommitsTheLast,
    /// Store and hub exchange messages until neither has any left.
    Talks(usize),
    /// A hello, a push, or a pull of a lane given by its index is sent.
    SaysHello(usize),
    Pushes(usize),
    Pulls(usize, usize),
    /// The last message arrives.
    Arrives,
    /// The last message arrives, and will arrive once more.
    ArrivesAndStays,
    /// The process that receives the last message dies after this number of commits.
    ArrivesAndKills(usize),
    /// The last message is lost.
    GetsLost,
    /// The oldest message arrives last.
    OldestArrives,
    /// The connection is lost, so a hello is next.
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
    /// The hub's files are put back by hand.
    HubIsPutBack,
}

impl World {
    /// Applies an event.
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

/// Runs a history until everything is quiet.
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

/// Asserts that the history succeeds with this rule, and fails without it.
#[track_caller]
pub fn holds_by(history: &[Does], broken: Broken) {
    holds(history);
    assert!(ends(history, broken).is_err(), "{broken:?} was not found");
}
