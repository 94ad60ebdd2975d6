//! A history that is written down: what the dice decide elsewhere is said here.

use super::World;

/// One thing that happens, to a copy by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// Something is sold.
    Sells(usize),
    /// The copy and the hub talk until neither has anything to say.
    Talks(usize),
    /// A push leaves; nothing of it has arrived.
    Pushes(usize),
    /// The last letter arrives.
    Arrives,
    /// The last letter arrives, and will once more.
    ArrivesAndStays,
    /// The hub dies over the last letter.
    ArrivesAndKillsTheHub,
    /// The last letter is lost.
    GetsLost,
    /// The process dies and starts again.
    Crashes(usize),
    /// Its disk is copied.
    IsBackedUp(usize),
    /// Its disk dies, and the command restores its last copy.
    IsRestored(usize),
    /// Its disk dies, and somebody puts its last copy in its place.
    IsPutBackByHand(usize),
    /// A second box begins from its disk.
    IsCloned(usize),
    /// Nothing is left of it; a new box rejoins.
    Burns(usize),
    /// A person says that this fenced copy is the shop.
    Rejoins(usize),
    /// The hub's database is copied.
    HubIsBackedUp,
    /// The hub's database is put back.
    HubIsRestored,
    /// Head office begins a change.
    OfficeBegins,
    /// Head office commits the change that it began last.
    OfficeCommitsTheLast,
    /// The copy reads the feed.
    Pulls(usize),
}

impl World {
    /// It happens.
    pub fn does(&mut self, what: Does) {
        match what {
            Does::Sells(copy) => self.sell(copy),
            Does::Talks(copy) => {
                // Whether it comes to an end is judged when everything is quiet.
                drop(self.settle(copy));
            }
            Does::Pushes(copy) => self.push(copy),
            Does::Arrives => self.last_arrives(false),
            Does::ArrivesAndStays => {
                if let Some(super::InFlight { copy, request, letter }) = self.net.pop() {
                    self.net.push(super::InFlight { copy, request, letter: letter.clone() });
                    self.arrive(copy, request, letter, false);
                }
            }
            Does::ArrivesAndKillsTheHub => self.last_arrives(true),
            Does::GetsLost => drop(self.net.pop()),
            Does::Crashes(copy) => self.copies[copy].crash(),
            Does::IsBackedUp(copy) => self.shop_backups.push(self.copies[copy].clone()),
            Does::IsRestored(copy) => {
                self.shop_backups = self.shop_backups.pop().into_iter().collect();
                self.restore(copy);
            }
            Does::IsPutBackByHand(copy) => {
                let backup = self.shop_backups.last().unwrap().clone();
                self.copies[copy].alive = false;
                self.add(backup);
                self.mourn();
            }
            Does::IsCloned(copy) => self.clone_copy(copy),
            Does::Burns(copy) => self.burn(copy),
            Does::Rejoins(copy) => self.rejoin(copy),
            Does::HubIsBackedUp => self.hub_backups.push(self.hub.clone()),
            Does::HubIsRestored => self.restore_hub(),
            Does::OfficeBegins => {
                let (number, value) = (self.hub.number(), self.next());
                self.uncommitted.push((number, value));
            }
            Does::OfficeCommitsTheLast => self.commits_the_last(),
            Does::Pulls(copy) => self.pull(copy),
        }
    }

    fn last_arrives(&mut self, dies: bool) {
        if let Some(letter) = self.net.pop() {
            self.arrive(letter.copy, letter.request, letter.letter, dies);
        }
    }

    fn commits_the_last(&mut self) {
        let Some((begun, value)) = self.uncommitted.pop() else { return };
        let number = if self.broken == super::Broken::BareFeed { begun } else { self.hub.number() };
        self.hub.commit(number, value);
    }
}
