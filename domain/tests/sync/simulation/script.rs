//! A scripted history, in place of random events.

use super::broken::Broken;
use super::till::Act;
use super::world::World;

/// One event at a copy, given by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// Something is sold.
    Sells(usize),
    /// Something is sold, in a form that only a newer hub reads.
    SellsNewer(usize),
    /// The latest sale is voided.
    Voids(usize),
    /// The payment of the latest sale is corrected.
    Corrects(usize),
    /// As [`Does::Corrects`], in a form that only a newer hub reads.
    CorrectsNewer(usize),
    /// The shift is closed.
    ClosesShift(usize),
    /// The copy and the hub exchange messages until neither has any.
    Talks(usize),
    /// A hello is sent.
    SaysHello(usize),
    /// A push is sent and has not arrived.
    Pushes(usize),
    /// A push of one record is sent.
    PushesOne(usize),
    /// The last message arrives.
    Arrives,
    /// The last message arrives, and will arrive once more.
    ArrivesAndStays,
    /// The hub dies from the last message.
    ArrivesAndKillsTheHub,
    /// The last message is lost.
    GetsLost,
    /// The process dies and starts again.
    Crashes(usize),
    /// Its disk is copied.
    IsBackedUp(usize),
    /// Its disk fails, and the command restores its last copy.
    IsRestored(usize),
    /// The last copy is restored on another machine while others run.
    IsRestoredBeside,
    /// Its disk fails, and its last copy is put back by hand.
    IsPutBackByHand(usize),
    /// A second machine starts from its disk.
    IsCloned(usize),
    /// The machine is lost; a new one rejoins.
    Burns(usize),
    /// It gets a new key.
    IsEnrolled(usize),
    /// A person makes this fenced copy the active one.
    Rejoins(usize),
    /// Its clock is off by this number of days.
    ClockIs(usize, i64),
    /// This number of days passes.
    DaysPass(i64),
    /// The hub's database is copied.
    HubIsBackedUp,
    /// The last copy of the hub's database is restored.
    HubIsRestored,
    /// This copy of the hub's database is restored.
    HubIsRestoredFrom(usize),
    /// The hub reads newer records.
    HubIsUpgraded,
    /// Head office begins a change.
    OfficeBegins,
    /// Head office commits the change that it began last.
    OfficeCommitsTheLast,
    /// The copy reads the feed.
    Pulls(usize),
    /// The copy receives the member's points.
    PullsPoints(usize),
    /// The hub reads a page with the member's points, to be delivered later.
    ReadsPoints,
    /// The copy receives the page that was read before.
    PullsReadPoints(usize),
    /// The copy has its days compared.
    Proves(usize),
}

use Does::*;

impl World {
    /// Applies an event.
    pub fn does(&mut self, what: Does) {
        let last = self.shop_backups.len().saturating_sub(1);
        match what {
            Sells(copy) => self.act(copy, Act::Sell),
            SellsNewer(copy) => self.act(copy, Act::SellNewer),
            Voids(copy) => self.act(copy, Act::Void),
            Corrects(copy) => self.act(copy, Act::Correct),
            CorrectsNewer(copy) => self.act(copy, Act::CorrectNewer),
            ClosesShift(copy) => self.act(copy, Act::CloseShift),
            // Whether it finishes is checked when everything is quiet.
            Talks(copy) => drop(self.settle(copy)),
            SaysHello(copy) => self.hello(copy),
            Pushes(copy) => self.push(copy, 500),
            PushesOne(copy) => self.push(copy, 1),
            Arrives => self.last_arrives(false),
            ArrivesAndStays => {
                let again = self.net.last().cloned();
                self.last_arrives(false);
                let answer = self.net.pop();
                self.net.extend(again);
                self.net.extend(answer);
            }
            ArrivesAndKillsTheHub => self.last_arrives(true),
            GetsLost => drop(self.net.pop()),
            Crashes(copy) => self.copies[copy].crash(),
            IsBackedUp(copy) => self.back_up(copy),
            IsRestored(copy) => self.restore(copy, last),
            IsRestoredBeside => self.restore_beside(last),
            IsPutBackByHand(copy) => self.put_back(copy, last),
            IsCloned(copy) => self.clone_copy(copy),
            Burns(copy) => self.burn(copy),
            IsEnrolled(copy) => self.enrol(copy),
            Rejoins(copy) => self.rejoin(copy),
            ClockIs(copy, days) => self.clock_is(copy, days),
            DaysPass(days) => self.days_pass(days),
            HubIsBackedUp => self.back_up_hub(),
            HubIsRestored => self.restore_hub(self.hub_backups.len().saturating_sub(1)),
            HubIsRestoredFrom(which) => self.restore_hub(which),
            HubIsUpgraded => self.upgrade_hub(),
            OfficeBegins => self.office_begins(),
            OfficeCommitsTheLast => self.office_commits(self.uncommitted.len() - 1),
            Pulls(copy) => self.pull(copy),
            PullsPoints(copy) => self.pull_points(copy),
            ReadsPoints => self.read_points = Some(self.hub.points()),
            PullsReadPoints(copy) => self.pull_read_points(copy),
            Proves(copy) => self.prove(copy),
        }
    }

    fn last_arrives(&mut self, dies: bool) {
        if let Some(letter) = self.net.pop() {
            self.arrive(letter, dies);
        }
    }
}

/// Runs a history until everything is quiet.
pub fn ends(history: &[Does], broken: Broken) -> Result<(), String> {
    let mut world = World::new(7, broken);
    history.iter().for_each(|what| world.does(*what));
    world.finish().map_err(|what| format!("{what}\n{}", world.history.join("\n")))
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
