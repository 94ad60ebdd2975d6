//! The business date: the shop's calendar day, which may start after midnight (arithmetic.md 10).

use crate::time::UtcMs;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;

/// The local calendar date at `at`, one day back while the wall clock is before `day_start`.
///
/// Compared on the wall clock, so an hour that comes twice belongs to one day both times.
pub fn business_date(at: UtcMs, timezone: &TimeZone, day_start: Time) -> Date {
    let local = timezone.to_datetime(at.timestamp());
    let date = local.date();
    // The calendar's very first day has no day before it.
    if local.time() < day_start { date.yesterday().unwrap_or(date) } else { date }
}
