//! Waiting for a condition, always with a timeout.

use std::thread;
use std::time::{Duration, Instant};

/// Default timeout of the tests.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The pause between two checks of a condition: the shortest one. Each check costs a request or a round trip to the
/// browser, so checks become rarer the longer the condition takes.
const GLANCE: Duration = Duration::from_millis(2);
const GLANCE_MAX: Duration = Duration::from_millis(50);
/// A pause is this fraction of the time waited so far.
const PART: u32 = 8;

/// Waits until a condition with a side effect at each call holds; the pauses do not grow.
#[track_caller]
pub fn stepping<T>(patience: Duration, what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(value) = condition() {
            return value;
        }
        assert!(begun.elapsed() < patience, "gave up after {patience:?} waiting until {what}");
        glance();
    }
}

/// Waits until `condition` returns a value. Panics with `what` after the timeout.
#[track_caller]
pub fn until<T>(what: &str, condition: impl FnMut() -> Option<T>) -> T {
    within(PATIENCE, what, condition)
}

/// Does the same with another timeout.
#[track_caller]
pub fn within<T>(patience: Duration, what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(value) = condition() {
            return value;
        }
        let waited = begun.elapsed();
        assert!(waited < patience, "gave up after {patience:?} waiting until {what}");
        thread::sleep((waited / PART).clamp(GLANCE, GLANCE_MAX));
    }
}

/// Pauses between two checks in a test's own loop.
pub fn glance() {
    thread::sleep(GLANCE);
}
