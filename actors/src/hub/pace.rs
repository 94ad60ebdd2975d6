//! Pauses between attempts and sizes of batches. Pure except for the jitter.

use backoff::ExponentialBackoff;
use backoff::backoff::Backoff;
use std::time::Duration;

/// Failures of one batch before it is halved.
const FAILURES_BEFORE_HALVING: u32 = 3;

/// Exponential pauses with full jitter that never give up.
pub struct Pace {
    backoff: ExponentialBackoff,
    longest: Duration,
}

impl Pace {
    /// Pauses between 0 and `min`, then up to twice as long each time, at most `max`.
    pub fn new(min: Duration, max: Duration) -> Self {
        // A factor of 1 draws from 0 to twice the interval: full jitter over the double of it.
        let mut backoff = ExponentialBackoff {
            initial_interval: min / 2,
            max_interval: max / 2,
            multiplier: 2.0,
            randomization_factor: 1.0,
            max_elapsed_time: None,
            ..ExponentialBackoff::default()
        };
        backoff.reset();
        Self { backoff, longest: max }
    }

    /// The pause after one more failure; at least the other side's `retry_after`, but never more than the longest
    /// pause: a proxy's odd header must not silence a store for years.
    pub fn pause(&mut self, retry_after: Option<Duration>) -> Duration {
        let jitter = self.backoff.next_backoff().unwrap_or(self.longest);
        retry_after.map_or(jitter, |asked| asked.min(self.longest).saturating_add(jitter))
    }

    /// The longest pause, for failures that resending can't resolve.
    pub fn longest(&self) -> Duration {
        self.longest
    }

    /// After a success, or when a person asks.
    pub fn reset(&mut self) {
        self.backoff.reset();
    }
}

/// The size of the next batch: halved after three failures, whole again after a success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchSize {
    whole: usize,
    current: usize,
    failures: u32,
}

impl BatchSize {
    /// Starts with `whole` events.
    pub fn new(whole: usize) -> Self {
        let whole = whole.max(1);
        Self { whole, current: whole, failures: 0 }
    }

    /// Events in the next batch, at least one.
    pub fn events(&self) -> usize {
        self.current
    }

    /// The batch went through.
    pub fn succeeded(&mut self) {
        (self.current, self.failures) = (self.whole, 0);
    }

    /// The batch did not go through.
    pub fn failed(&mut self) {
        self.failures = self.failures.saturating_add(1);
        if self.failures >= FAILURES_BEFORE_HALVING {
            (self.current, self.failures) = ((self.current / 2).max(1), 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_never_pass_the_longest_and_never_give_up() {
        let (min, max) = (Duration::from_secs(1), Duration::from_secs(300));
        let mut pace = Pace::new(min, max);
        assert!(pace.pause(None) <= min);
        for _ in 0..10_000 {
            assert!(pace.pause(None) <= max);
        }
        let asked = Duration::from_secs(7);
        assert!(pace.pause(Some(asked)) >= asked);
        assert!(pace.pause(Some(Duration::MAX)) <= max * 2, "a limit on what may be asked for");
        pace.reset();
        assert!(pace.pause(None) <= min);
    }

    #[test]
    fn three_failures_halve_a_batch_down_to_one_event() {
        let mut size = BatchSize::new(4);
        for expected in [4, 4, 2, 2, 2, 1, 1, 1, 1] {
            size.failed();
            assert_eq!(size.events(), expected);
        }
        size.succeeded();
        assert_eq!(size.events(), 4);
    }
}
