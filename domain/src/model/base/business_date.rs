//! The business date: the shop's calendar day, which may start after midnight (docs/arithmetic.md#business-dates).

use crate::model::base::time::UtcMs;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;

/// `HH:MM`, when a business day starts; `None` if the text is not such a time.
pub fn day_start(text: &str) -> Option<Time> {
    (text.len() == 5).then(|| Time::strptime("%H:%M", text).ok()).flatten()
}

/// The local calendar date at `at`, one day back while the wall clock is before `day_start`.
///
/// Compared on the wall clock, so an hour that comes twice belongs to one day both times.
pub fn business_date(at: UtcMs, timezone: &TimeZone, day_start: Time) -> Date {
    let local = timezone.to_datetime(at.timestamp());
    let date = local.date();
    // The calendar's very first day has no day before it.
    if local.time() < day_start { date.yesterday().unwrap_or(date) } else { date }
}

/// When a business day is over: the next one starts. Never, for the calendar's last day.
pub fn day_end(day: Date, timezone: &TimeZone, day_start: Time) -> UtcMs {
    let next = day.tomorrow().ok().and_then(|next| timezone.to_zoned(next.to_datetime(day_start)).ok());
    UtcMs(next.map_or(i64::MAX, |at| at.timestamp().as_millisecond()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use jiff::civil::{date, time};

    #[test]
    fn a_day_ends_where_the_next_one_starts() {
        for (zone, starts) in [("Asia/Jakarta", time(4, 0, 0, 0)), ("America/New_York", time(2, 30, 0, 0))] {
            let zone = TimeZone::get(zone).unwrap();
            // A day of the year that has no 02:30 in New York is among them.
            for day in [date(2026, 3, 7), date(2026, 3, 8), date(2026, 10, 31), date(2026, 12, 31)] {
                let end = day_end(day, &zone, starts);
                assert!(business_date(end, &zone, starts) > day, "{day}");
                assert_eq!(business_date(UtcMs(end.0 - 3_600_001), &zone, starts), day, "{day}");
            }
        }
        assert_eq!(day_end(Date::MAX, &TimeZone::UTC, Time::midnight()).0, i64::MAX);
    }
}
