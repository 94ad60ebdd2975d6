//! The hybrid logical clock: `<13-digit ms>-<5-digit counter>-<node>`, compared as text.

use crate::time::UtcMs;

/// The largest counter within one millisecond; one more adds a millisecond.
const COUNTER_MAX: u32 = 99_999;

/// A node's clock. It never goes back, whatever the wall clock does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock {
    node: String,
    ms: i64,
    counter: u32,
}

impl Clock {
    /// A clock that continues after `last`, the highest stamp this node has given or merged.
    pub fn after(node: &str, last: Option<&str>) -> Self {
        let (ms, counter) = last.and_then(parts).unwrap_or((0, 0));
        Self { node: node.to_owned(), ms, counter }
    }

    /// The next stamp at wall-clock time `now`.
    pub fn tick(&mut self, now: UtcMs) -> String {
        if now.0 > self.ms {
            (self.ms, self.counter) = (now.0, 0);
        } else if self.counter < COUNTER_MAX {
            self.counter = self.counter.saturating_add(1);
        } else {
            (self.ms, self.counter) = (self.ms.saturating_add(1), 0);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_goes_back() {
        let mut clock = Clock::after("S001", None);
        let first = clock.tick(UtcMs(1_795_140_394_739));
        assert_eq!(first, "1795140394739-00000-S001");
        let second = clock.tick(UtcMs(5));
        assert!(second > first, "{second} after a clock set back");
        let mut again = Clock::after("S001", Some(&second));
        assert!(again.tick(UtcMs(5)) > second);
    }

    #[test]
    fn a_full_counter_adds_a_millisecond() {
        let mut clock = Clock::after("S", Some("0000000000007-99999-S"));
        assert_eq!(clock.tick(UtcMs(0)), "0000000000008-00000-S");
    }
}
