//! Disks that fail, are copied, restored and put back by hand; lost machines; new keys.

use super::broken::Broken;
use super::fact;
use super::keeping::Backup;
use super::post::{Call, Letter};
use super::shop::{DAY_MS, Shop};
use super::world::World;
use domain::rules::hub::sync::session::rejoin_n;
use std::collections::BTreeSet;

/// Number of the hub's backups that are kept.
const KEPT: usize = 2;
/// Highest age in days of a backup of the hub that may be restored, kept or not.
const YOUNG_DAYS: i64 = 35;
/// Highest number of machines that run at once.
const BOXES_MAX: usize = 3;

impl World {
    pub fn back_up(&mut self, copy: usize) {
        if !self.copies[copy].fenced {
            self.say(format!("copy {copy} is backed up as #{}", self.shop_backups.len()));
            let backup = self.copies[copy].copied(self.now);
            self.shop_backups.push(backup);
        }
    }

    /// Restores the failed disk of a copy by the command, which opens an epoch offline.
    pub fn restore(&mut self, copy: usize, which: usize) {
        if let Some(backup) = self.shop_backups.get(which).cloned() {
            self.copies[copy].alive = false;
            self.say(format!("copy {copy} dies"));
            self.restored(backup, which);
            self.mourn();
        }
    }

    /// Restores a backup on a second machine while the first one runs.
    pub fn restore_beside(&mut self, which: usize) {
        if let Some(backup) = self.shop_backups.get(which).cloned().filter(|_| self.live().len() < BOXES_MAX)
        {
            self.cloned = true;
            self.restored(backup, which);
            self.mourn();
        }
    }

    fn restored(&mut self, backup: Shop, which: usize) {
        let n = rejoin_n(&backup.lineage(), 0);
        let epoch = self.epoch(n);
        let restored = self.add(Shop { off_days: 0, fenced: false, ..backup });
        self.say(format!("copy {restored} is restored from #{which} as {epoch}"));
        self.copies[restored].open(epoch, self.now);
    }

    /// Puts a copy back by hand in place of a failed disk.
    pub fn put_back(&mut self, copy: usize, which: usize) {
        if let Some(backup) = self.shop_backups.get(which).cloned() {
            self.copies[copy].alive = false;
            self.cloned = true;
            let back = self.add(Shop { off_days: 0, ..backup });
            self.say(format!("copy {copy} dies; #{which} is put in its place by hand as copy {back}"));
            self.mourn();
        }
    }

    pub fn clone_copy(&mut self, copy: usize) {
        if self.live().len() < BOXES_MAX {
            self.cloned = true;
            let copied = self.copies[copy].copied(self.now);
            let clone = self.add(copied);
            self.say(format!("copy {copy} is cloned as {clone}"));
        }
    }

    /// Loses a machine completely. A new one is enrolled with a new key, and rejoins.
    pub fn burn(&mut self, copy: usize) {
        self.copies[copy].alive = false;
        let first = self.epoch(1);
        let fresh = self.add(Shop::new(&first, 0, self.broken));
        self.enrol(fresh);
        if self.broken != Broken::Enrol {
            let n = rejoin_n(&self.copies[fresh].lineage(), self.copies[fresh].hub_n);
            let epoch = self.epoch(n);
            self.copies[fresh].open(epoch, self.now);
        }
        let epoch = self.copies[fresh].current.clone();
        self.say(format!("copy {copy} burns; copy {fresh} begins as {epoch}"));
        self.mourn();
    }

    /// Enrols a copy with a new key. It learns which epoch is current.
    pub fn enrol(&mut self, copy: usize) {
        self.keys += 1;
        self.hub.key = self.keys;
        let shop = &mut self.copies[copy];
        (shop.key, shop.rejected, shop.hub_n) = (self.keys, false, self.hub.n());
        self.say(format!("copy {copy} is enrolled with a new key"));
    }

    pub fn rejoin(&mut self, copy: usize) {
        if self.copies[copy].fenced {
            let n = rejoin_n(&self.copies[copy].lineage(), self.copies[copy].hub_n);
            let epoch = self.epoch(n);
            self.say(format!("copy {copy} rejoins as {epoch}"));
            self.copies[copy].open(epoch, self.now);
        }
    }

    pub fn back_up_hub(&mut self) {
        let (hub, made_at, generation) = (self.hub.clone(), self.now, self.hub.generation);
        self.hub_backups.push(Backup { hub, made_at, generation, kept: true });
        self.hub_backups.iter_mut().rev().skip(KEPT).for_each(|old| old.kept = false);
        let counts = |backup: &&Backup| backup.kept && backup.generation == generation;
        let kept: Vec<&Backup> = self.hub_backups.iter().filter(counts).collect();
        self.hub.backed_up(&kept);
        self.say(format!("the hub is backed up as #{}", self.hub_backups.len() - 1));
    }

    /// Returns whether a backup is kept, or young enough to be restored.
    pub fn may_come_back(&self, which: usize) -> bool {
        let young = |backup: &Backup| self.now.0 - backup.made_at.0 <= YOUNG_DAYS * DAY_MS;
        self.hub_backups.get(which).is_some_and(|backup| backup.kept || young(backup))
    }

    pub fn restore_hub(&mut self, which: usize) {
        if which >= self.hub_backups.len() {
            return;
        }
        self.hopeless |= !self.may_come_back(which);
        let (generation, schema, last_number) = (self.hub.generation, self.hub.schema, self.hub.last_number);
        self.hub = self.hub_backups[which].hub.clone();
        // An older database starts a new generation, and its feed continues above the old numbers.
        (self.hub.generation, self.hub.schema, self.hub.last_number) = (generation + 1, schema, last_number);
        self.hub.epochs.values_mut().for_each(|stored| stored.stable = 0);
        self.hub_backups.truncate(which + 1);
        self.uncommitted.clear();
        self.say(format!("the hub is restored from #{which}, generation {}", self.hub.generation));
        // The program may be newer than its tables.
        if schema == fact::NEWER {
            self.hub.upgrade();
        }
        self.mourn();
    }

    /// Excludes sales that exist nowhere any more.
    fn mourn(&mut self) {
        let dead: BTreeSet<usize> =
            self.copies.iter().filter(|copy| !copy.alive).map(|copy| copy.number).collect();
        // A hello of a lost machine is too old before its successor runs.
        self.net.retain(|letter| {
            !dead.contains(&letter.copy) || !matches!(letter.letter, Letter::Asks(_, Call::Hello { .. }))
        });
        let id = |text: &str| fact::read(text).id.clone();
        let mut left: BTreeSet<String> = BTreeSet::new();
        for copy in self.copies.iter().filter(|copy| copy.alive) {
            for state in copy.lineage() {
                let offered = copy.journal(&state.epoch).after(state.min_kept_seq - 1, usize::MAX);
                left.extend(offered.iter().map(|event| id(&event.record)));
            }
        }
        let stored = self.hub.epochs.values().flat_map(|stored| stored.events.values());
        left.extend(stored.map(|event| id(&event.record)));
        // A backup may bring back lost sales.
        self.lost = self.sold.difference(&left).cloned().collect();
    }
}
