//! Latencies of one kind of request, and their summary.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// Kept per client; beyond it latencies are no longer recorded (4 bytes each).
const KEPT_MAX: usize = 4_000_000;

/// Microseconds, in the order they were measured.
#[derive(Default)]
pub struct Latencies(Vec<u32>);

impl Latencies {
    pub fn add(&mut self, took: Duration) {
        if self.0.len() < KEPT_MAX {
            self.0.push(u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
        }
    }

    pub fn merge(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Percentiles in microseconds by nearest rank, and `histogram`: pairs of a bucket's largest value and the number
    /// of values in it.
    pub fn summary(mut self) -> Value {
        self.0.sort_unstable();
        let mut histogram: BTreeMap<u32, u64> = BTreeMap::new();
        for us in &self.0 {
            *histogram.entry(bucket_end(*us)).or_default() += 1;
        }
        json!({"p50_us": self.rank(500), "p90_us": self.rank(900), "p99_us": self.rank(990),
            "p999_us": self.rank(999), "max_us": self.rank(1_000),
            "histogram": histogram.into_iter().collect::<Vec<_>>()})
    }

    fn rank(&self, per_mille: usize) -> u32 {
        let place = (self.0.len() * per_mille).div_ceil(1_000).saturating_sub(1);
        self.0.get(place).copied().unwrap_or(0)
    }
}

/// The largest value of a bucket: 16 of them for each power of two, as a high dynamic range histogram has them.
fn bucket_end(us: u32) -> u32 {
    let width = us.checked_ilog2().unwrap_or(0).saturating_sub(4);
    us | ((1 << width) - 1)
}

/// Per second, with one decimal.
pub fn per_second(count: u64, took: Duration) -> f64 {
    (count as f64 / took.as_secs_f64().max(1e-9) * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let mut latencies = Latencies::default();
        for us in (1..=200).rev() {
            latencies.add(Duration::from_micros(us));
        }
        let reported = latencies.summary();
        let [p50, p99, p999] = ["p50_us", "p99_us", "p999_us"].map(|name| reported[name].as_u64().unwrap());
        assert_eq!((p50, p99, p999), (100, 198, 200));
        let counted = |pair: &Value| pair[1].as_u64().unwrap();
        assert_eq!(reported["histogram"].as_array().unwrap().iter().map(counted).sum::<u64>(), 200);
        assert_eq!(Latencies::default().summary()["max_us"], 0);
    }

    #[test]
    fn a_bucket_is_a_sixteenth_of_a_power_of_two() {
        assert_eq!([0, 15, 31, 32, 33, 1_000].map(bucket_end), [0, 15, 31, 33, 33, 1_023]);
        assert_eq!(bucket_end(u32::MAX), u32::MAX);
    }
}
