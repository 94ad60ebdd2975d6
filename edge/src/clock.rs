//! The only place that reads the wall clock; everywhere else time is an argument.

use domain::time::UtcMs;
use std::time::{SystemTime, UNIX_EPOCH};

/// Now, in whole milliseconds. A clock before 1970 reads as 1970.
#[allow(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
pub fn now() -> UtcMs {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UtcMs(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
