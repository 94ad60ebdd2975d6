//! Random histories. Each has its own subset of events with its own weights, so that rare events coincide.

use super::till::Act;
use super::world::World;

/// A kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Act,
    Hello,
    Push,
    Deliver,
    Talk,
    Lose,
    GiveUp,
    Crash,
    BackUp,
    Restore,
    RestoreBeside,
    PutBack,
    Clone,
    Burn,
    Enrol,
    Rejoin,
    BackUpHub,
    RestoreHub,
    UpgradeHub,
    Feed,
    Pull,
    Points,
    Prove,
    Days,
    Quiet,
    Clock,
}

use Event::*;

/// Weight of each event, and whether every history has it.
const EVENTS: [(Event, u64, bool); 26] = [
    (Act, 20, true),
    (Hello, 10, true),
    (Push, 16, true),
    (Deliver, 28, true),
    (Talk, 6, false),
    (Lose, 4, false),
    (GiveUp, 6, false),
    (Crash, 3, false),
    (BackUp, 6, false),
    (Restore, 4, false),
    (RestoreBeside, 2, false),
    (PutBack, 2, false),
    (Clone, 2, false),
    (Burn, 1, false),
    (Enrol, 1, false),
    (Rejoin, 3, false),
    (BackUpHub, 6, false),
    (RestoreHub, 3, false),
    (UpgradeHub, 1, false),
    (Feed, 8, false),
    (Pull, 5, false),
    (Points, 3, false),
    (Prove, 2, false),
    (Days, 3, false),
    (Quiet, 3, false),
    (Clock, 1, false),
];
/// Range of the number of events in a history.
const STEPS: std::ops::Range<u64> = 10..120;

impl World {
    /// Runs a random history until its end or the first problem.
    pub fn swarm(&mut self) {
        let mut weights = Vec::new();
        for (event, weight, always) in EVENTS {
            let factor = [1, 2, 2, 6][self.dice.below(4) as usize];
            if self.dice.below(100) < 55 || always {
                weights.push((event, weight * factor));
            }
        }
        let all = weights.iter().map(|(_, weight)| weight).sum();
        let steps = STEPS.start + self.dice.below(STEPS.end - STEPS.start);
        for _ in 0..steps {
            let mut at = self.dice.below(all);
            let chosen = weights.iter().find(|(_, weight)| {
                let found = at < *weight;
                at = at.saturating_sub(*weight);
                found
            });
            self.happens(chosen.unwrap().0);
            if self.wrong.is_some() {
                return;
            }
        }
    }

    fn happens(&mut self, event: Event) {
        let live = self.live();
        let copy = live[self.dice.below(live.len() as u64) as usize];
        let backups = self.shop_backups.len() as u64;
        let which = if backups == 0 { 0 } else { self.dice.below(backups) as usize };
        match event {
            Act => self.some_act(copy),
            Hello if self.copies[copy].waits.is_none() => self.hello(copy),
            Hello => {}
            Push => {
                let most = 1 + self.dice.below(4) as usize;
                self.push(copy, most);
            }
            Deliver => self.deliver(),
            // Whether it finishes is checked when everything is quiet.
            Talk => drop(self.settle(copy)),
            Lose if self.net.is_empty() => {}
            Lose => {
                let at = self.dice.below(self.net.len() as u64) as usize;
                self.net.remove(at);
            }
            GiveUp => self.copies[copy].waits = None,
            Crash => self.copies[copy].crash(),
            BackUp => self.back_up(copy),
            Restore => self.restore(copy, which),
            RestoreBeside => self.restore_beside(which),
            PutBack => self.put_back(copy, which),
            Clone => self.clone_copy(copy),
            Burn => self.burn(copy),
            Enrol if self.copies[copy].rejected => self.enrol(copy),
            Enrol => {}
            Rejoin => self.rejoin(copy),
            BackUpHub => self.back_up_hub(),
            RestoreHub => self.some_hub(),
            UpgradeHub => self.upgrade_hub(),
            Feed => self.feed(),
            Pull => self.pull(copy),
            Points => self.pull_points(copy),
            Prove => self.prove(copy),
            Days => {
                let days = [1, 1, 12, 37][self.dice.below(4) as usize];
                self.days_pass(days);
            }
            // A bit more than a month without faults.
            Quiet => {
                self.days_pass(37);
                self.copies[copy].crash();
                drop(self.settle(copy));
            }
            Clock => {
                let days = [0, 3650, -3650, 40][self.dice.below(4) as usize];
                self.clock_is(copy, days);
            }
        }
    }

    fn some_act(&mut self, copy: usize) {
        let act = match self.dice.below(12) {
            0..=5 => Act::Sell,
            6 => Act::SellNewer,
            7 => Act::Void,
            8 => Act::Correct,
            9 => Act::CorrectNewer,
            10 => Act::CloseShift,
            _ => Act::Sell,
        };
        self.act(copy, act);
    }

    /// Restores one of the permitted backups.
    fn some_hub(&mut self) {
        let may: Vec<usize> =
            (0..self.hub_backups.len()).filter(|which| self.may_come_back(*which)).collect();
        if !may.is_empty() {
            let which = may[self.dice.below(may.len() as u64) as usize];
            self.restore_hub(which);
        }
    }
}
