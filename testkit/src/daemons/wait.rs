//! Waiting for a condition, always bounded.

use std::thread;
use std::time::{Duration, Instant};

/// The longest that anything in these tests may take before the test gives up.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// How often a condition is looked at.
const GLANCE: Duration = Duration::from_millis(2);

/// Waits until `condition` gives a value; panics, naming `what`, when patience runs out.
#[track_caller]
pub fn until<T>(what: &str, condition: impl FnMut() -> Option<T>) -> T {
    within(PATIENCE, what, condition)
}

/// The same with another patience.
#[track_caller]
pub fn within<T>(patience: Duration, what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(value) = condition() {
            return value;
        }
        assert!(Instant::now() < deadline, "gave up after {patience:?} waiting until {what}");
        glance();
    }
}

/// The pause between two looks at a condition.
pub fn glance() {
    thread::sleep(GLANCE);
}
