//! The only place that reads the wall clock; everywhere else time is an argument.

use domain::model::base::time::UtcMs;
use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Now, in whole milliseconds. A clock before 1970 reads as 1970.
#[allow(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
pub fn now() -> UtcMs {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UtcMs(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// A clock for expiry. It follows the wall clock forwards and continues by itself if that is set back, so that no
/// expired token becomes valid again. It starts from a stored time, so a restart does not set it back.
#[derive(Debug)]
pub struct MonotonicWallClock {
    since: Mutex<(UtcMs, Instant)>,
    wall: fn() -> UtcMs,
}

impl MonotonicWallClock {
    /// Continues from the latest time that is known; with `None`, from the wall clock.
    pub fn after(known: Option<UtcMs>) -> Self {
        Self::over(now, known)
    }

    fn over(wall: fn() -> UtcMs, known: Option<UtcMs>) -> Self {
        Self { since: Mutex::new((known.unwrap_or(UtcMs(0)), Instant::now())), wall }
    }

    /// Now, and never less than before.
    pub fn now(&self) -> UtcMs {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        let instant = Instant::now();
        let elapsed = instant.saturating_duration_since(since.1).as_millis();
        let steady = since.0.0.saturating_add(i64::try_from(elapsed).unwrap_or(i64::MAX));
        let wall = (self.wall)();
        // Only the wall clock moves the base: sums of rounded spans would fall behind.
        if wall.0 >= steady {
            *since = (wall, instant);
        }
        UtcMs(wall.0.max(steady))
    }
}

#[cfg(test)]
mod tests {
    use super::MonotonicWallClock;
    use domain::model::base::time::UtcMs;
    use std::sync::atomic::{AtomicI64, Ordering};

    static WALL: AtomicI64 = AtomicI64::new(1_000_000);

    fn wall() -> UtcMs {
        UtcMs(WALL.load(Ordering::Relaxed))
    }

    #[test]
    fn a_clock_set_back_continues_where_it_was() {
        let clock = MonotonicWallClock::over(wall, None);
        assert_eq!(clock.now(), UtcMs(1_000_000));
        WALL.store(2_000_000, Ordering::Relaxed);
        assert_eq!(clock.now(), UtcMs(2_000_000));
        WALL.store(5, Ordering::Relaxed);
        let back = clock.now();
        assert!(back.0 >= 2_000_000 && clock.now() >= back, "{back:?}");
        // A restart continues from the stored value.
        assert!(MonotonicWallClock::over(wall, Some(back)).now() >= back);
    }
}
