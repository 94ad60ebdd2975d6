//! Waiting for a condition, always bounded.

use std::thread;
use std::time::{Duration, Instant};

/// The longest that anything in these tests may take before the test gives up.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The pause between two looks at a condition: at first, and at most. Each look costs a request or a round to the
/// browser, so that looks become rarer the longer the condition takes.
const GLANCE: Duration = Duration::from_millis(2);
const GLANCE_MAX: Duration = Duration::from_millis(50);
/// A pause is this part of the time that was waited.
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

/// Waits until `condition` returns a value; panics, naming `what`, when the time is over.
#[track_caller]
pub fn until<T>(what: &str, condition: impl FnMut() -> Option<T>) -> T {
    within(PATIENCE, what, condition)
}

/// The same with another patience.
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

/// The pause between two looks of a loop of a test's own.
pub fn glance() {
    thread::sleep(GLANCE);
}
