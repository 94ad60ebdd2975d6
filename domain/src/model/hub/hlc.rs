//! The hybrid logical clock: `<13-digit ms>-<5-digit counter>-<node>`, compared as text.

use crate::model::base::time::UtcMs;

/// The largest counter within one millisecond; one more adds a millisecond.
const COUNTER_MAX: u32 = 99_999;

/// A store's clock this far ahead of the hub's is not believed (5 minutes).
pub const AHEAD_MS_MAX: i64 = 5 * 60 * 1000;

/// A node's clock. It never goes back, whatever the wall clock does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock {
    node: String,
    ms: i64,
    counter: u32,
    /// Correction of a wall clock that is too far ahead; 0 if the clock is believed.
    correction_ms: i64,
}

impl Clock {
    /// A clock that continues after `last`, the highest stamp this node has given or merged.
    pub fn after(node: &str, last: Option<&str>) -> Self {
        let (ms, counter) = last.and_then(parts).unwrap_or((0, 0));
        Self { node: node.to_owned(), ms, counter, correction_ms: 0 }
    }

    /// The next stamp at wall-clock time `now`.
    pub fn now(&mut self, now: UtcMs) -> String {
        let now_ms = now.0.saturating_add(self.correction_ms);
        if now_ms > self.ms {
            (self.ms, self.counter) = (now_ms, 0);
        } else if self.counter < COUNTER_MAX {
            self.counter = self.counter.saturating_add(1);
        } else {
            (self.ms, self.counter) = (self.ms.saturating_add(1), 0);
        }
        self.stamp()
    }

    /// Merges the hub's time. A store that is more than [`AHEAD_MS_MAX`] ahead continues from the hub's time. The
    /// stamp that it continues from must be stored, because higher stamps were stored before.
    pub fn merge(&mut self, now: UtcMs, hub_time: UtcMs) -> Option<String> {
        let limit_ms = hub_time.0.saturating_add(AHEAD_MS_MAX);
        self.correction_ms = if now.0 > limit_ms { hub_time.0.saturating_sub(now.0) } else { 0 };
        if self.ms > limit_ms {
            (self.ms, self.counter) = (hub_time.0, 0);
            return Some(self.stamp());
        }
        if hub_time.0 > self.ms {
            (self.ms, self.counter) = (hub_time.0, 0);
        }
        None
    }

    /// Merges a stamp of another clock, so that every later stamp of this one is higher.
    pub fn observe(&mut self, stamp: &str) {
        if let Some(seen) = parts(stamp).filter(|seen| *seen > (self.ms, self.counter)) {
            (self.ms, self.counter) = seen;
        }
    }

    fn stamp(&self) -> String {
        format!("{:013}-{:05}-{}", self.ms, self.counter, self.node)
    }
}

/// Milliseconds and counter of a stamp.
pub fn parts(stamp: &str) -> Option<(i64, u32)> {
    let mut parts = stamp.splitn(3, '-');
    let ms = parts.next()?.parse().ok()?;
    let counter = parts.next()?.parse().ok()?;
    Some((ms, counter))
}

/// The node of a stamp.
pub fn node(stamp: &str) -> Option<&str> {
    stamp.splitn(3, '-').nth(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_goes_back() {
        let mut clock = Clock::after("S001", None);
        let first = clock.now(UtcMs(1_795_140_394_739));
        assert_eq!(first, "1795140394739-00000-S001");
        let second = clock.now(UtcMs(5));
        assert!(second > first, "{second} after a clock set back");
        let mut again = Clock::after("S001", Some(&second));
        assert!(again.now(UtcMs(5)) > second);
    }

    #[test]
    fn a_clock_ten_years_ahead_continues_from_the_hubs_time() {
        let hub = UtcMs(1_795_140_000_000);
        let ahead = UtcMs(hub.0 + 315_000_000_000);
        let mut clock = Clock::after("S001", None);
        let wrong = clock.now(ahead);
        let reset = clock.merge(ahead, hub).unwrap_or_default();
        assert!(reset < wrong && reset.starts_with("1795140000000"), "{reset}");
        let next = clock.now(UtcMs(ahead.0 + 7));
        assert_eq!(next, "1795140000007-00000-S001", "the wall clock still runs ahead");
        assert_eq!(clock.merge(UtcMs(hub.0 + 9), UtcMs(hub.0 + 9)), None);
        assert_eq!(clock.now(UtcMs(hub.0 + 10)), "1795140000010-00000-S001");
    }

    #[test]
    fn a_clock_ten_years_behind_follows_received_times() {
        let hub = UtcMs(1_795_140_000_000);
        let mut clock = Clock::after("S001", None);
        assert_eq!(clock.merge(UtcMs(5), hub), None);
        assert_eq!(clock.now(UtcMs(6)), "1795140000000-00001-S001");
    }

    #[test]
    fn a_write_that_replaces_a_value_has_a_later_stamp() {
        let mut clock = Clock::after("S001", None);
        let theirs = "1795140000000-00007-S002";
        clock.observe(theirs);
        let own = clock.now(UtcMs(1_795_139_999_000));
        assert_eq!(own, "1795140000000-00008-S001");
        clock.observe("1795139999999-00099-hub");
        assert!(clock.now(UtcMs(0)) > own, "an older one says nothing");
    }

    #[test]
    fn a_full_counter_adds_a_millisecond() {
        let mut clock = Clock::after("S", Some("0000000000007-99999-S"));
        assert_eq!(clock.now(UtcMs(0)), "0000000000008-00000-S");
    }
}
