//! How much time of processors the processes took that ended below this one.

use crate::process::{OF_CHILDREN, ticks_us};
use std::time::Duration;

/// User and system time of every process that was waited for, and of those that they waited for.
pub fn of_children() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    Duration::from_micros(ticks_us(&stat, OF_CHILDREN).unwrap_or_default())
}
