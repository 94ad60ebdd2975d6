//! Latencies of one kind of request, and what is told about them.

use serde_json::{Value, json};
use std::time::Duration;

/// Kept per client; beyond it latencies are no longer recorded (4 bytes each).
const KEPT_MAX: usize = 4_000_000;

/// Microseconds, in the order they were measured.
#[derive(Default)]
pub struct Latencies(Vec<u32>);

impl Latencies {
    /// One more.
    pub fn add(&mut self, took: Duration) {
        if self.0.len() < KEPT_MAX {
            self.0.push(u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
        }
    }

    /// Another client's.
    pub fn merge(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// `{p50_us, p99_us, max_us}`; nearest rank.
    pub fn told(mut self) -> Value {
        self.0.sort_unstable();
        json!({"p50_us": self.rank(50), "p99_us": self.rank(99), "max_us": self.rank(100)})
    }

    fn rank(&self, percent: usize) -> u32 {
        let place = (self.0.len() * percent).div_ceil(100).saturating_sub(1);
        self.0.get(place).copied().unwrap_or(0)
    }
}

/// Per second, with one decimal.
pub fn per_second(count: u64, took: Duration) -> f64 {
    (count as f64 / took.as_secs_f64().max(1e-9) * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let mut latencies = Latencies::default();
        for us in (1..=200).rev() {
            latencies.add(Duration::from_micros(us));
        }
        assert_eq!(latencies.told(), json!({"p50_us": 100, "p99_us": 198, "max_us": 200}));
        assert_eq!(Latencies::default().told(), json!({"p50_us": 0, "p99_us": 0, "max_us": 0}));
    }
}
