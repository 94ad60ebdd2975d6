//! Processor time of the processes that ended below this one.

use crate::process::{OF_CHILDREN, ticks_us};
use std::time::Duration;

/// User and system time of every reaped process, and of those that they reaped.
pub fn of_children() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    Duration::from_micros(ticks_us(&stat, OF_CHILDREN).unwrap_or_default())
}
