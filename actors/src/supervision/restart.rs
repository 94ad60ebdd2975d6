//! Restarts: how often a child may die within a sliding period, and the pause before one that did not start is tried
//! again. One budget for both supervisors.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::time::Duration;
use tokio::time::Instant;

/// The longest pause before a child that does not start is tried again.
const RESPAWN_PAUSE_MAX: Duration = Duration::from_secs(5);

/// Remembers a child's deaths within the period.
#[derive(Debug, Clone)]
struct Budget {
    max_restarts: u32,
    period: Duration,
    deaths: VecDeque<Duration>,
}

impl Budget {
    /// At most `max_restarts` within `period`.
    fn new(max_restarts: u32, period: Duration) -> Self {
        Self { max_restarts, period, deaths: VecDeque::new() }
    }

    /// Spends one restart at `now` (time since any fixed instant). False: the budget is spent.
    fn spend(&mut self, now: Duration) -> bool {
        while self.deaths.front().is_some_and(|death| now.saturating_sub(*death) >= self.period) {
            self.deaths.pop_front();
        }
        if self.deaths.len() >= self.max_restarts as usize {
            return false;
        }
        self.deaths.push_back(now);
        true
    }
}

/// 0, 50, 100, 200 … 5,000 ms.
pub(crate) fn respawn_pause(attempt: u32) -> Duration {
    match attempt.checked_sub(1) {
        None => Duration::ZERO,
        Some(doublings) => {
            Duration::from_millis(50).saturating_mul(1 << doublings.min(10)).min(RESPAWN_PAUSE_MAX)
        }
    }
}

/// The budget of each child of one supervisor.
pub(crate) struct Budgets<Child> {
    max_restarts: u32,
    period: Duration,
    started: Instant,
    children: HashMap<Child, Budget>,
}

impl<Child: Eq + Hash> Budgets<Child> {
    /// At most `max_restarts` of each child within `period`.
    pub(crate) fn new(max_restarts: u32, period: Duration) -> Self {
        Self { max_restarts, period, started: Instant::now(), children: HashMap::new() }
    }

    /// Spends one restart of a child. False: it has died too often, and the process ends.
    pub(crate) fn spend(&mut self, child: Child) -> bool {
        let budget =
            self.children.entry(child).or_insert_with(|| Budget::new(self.max_restarts, self.period));
        budget.spend(self.started.elapsed())
    }

    /// Forgets a child that is over.
    pub(crate) fn forget(&mut self, child: &Child) {
        self.children.remove(child);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_spent_within_the_period_and_regained_after_it() {
        let mut budget = Budget::new(2, Duration::from_secs(60));
        assert!(budget.spend(Duration::from_secs(0)));
        assert!(budget.spend(Duration::from_secs(30)));
        assert!(!budget.spend(Duration::from_secs(59)), "a third death within a minute");
        assert!(budget.spend(Duration::from_secs(60)), "the first has left the period");
        assert!(!budget.spend(Duration::from_secs(61)));
    }

    #[test]
    fn of_nothing_allows_nothing() {
        assert!(!Budget::new(0, Duration::from_secs(1)).spend(Duration::ZERO));
    }
}
