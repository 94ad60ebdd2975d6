//! The restart budget: how often a child may die within a sliding period. Pure.

use std::{collections::VecDeque, time::Duration};

/// Remembers a child's deaths within the period.
#[derive(Debug, Clone)]
pub struct Budget {
    max_restarts: u32,
    period: Duration,
    deaths: VecDeque<Duration>,
}

impl Budget {
    /// At most `max_restarts` within `period`.
    pub fn new(max_restarts: u32, period: Duration) -> Self {
        Self { max_restarts, period, deaths: VecDeque::new() }
    }

    /// Spends one restart at `now` (time since any fixed instant). False: the budget is spent.
    pub fn spend(&mut self, now: Duration) -> bool {
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
