//! Trusted time: used for decisions by date that can't be undone (sealing a day, expiring holds and points, deleting
//! records).
//!
//! A wall clock may jump. It is trusted while it moves in step with the monotonic clock from a confirmed moment. A
//! moment is confirmed by another clock that agrees, by a person, or when the wall clock has continued evenly from it
//! for [`CONFIRMED_AFTER_MS`]. Until then, trusted time continues from the last confirmed moment at the pace of the
//! monotonic clock, so that nothing happens too early and nothing is delayed without end.

use crate::model::base::time::UtcMs;

/// A wall clock that continues evenly for this long is trusted, if no other clock contradicts it (1 hour).
pub const CONFIRMED_AFTER_MS: i64 = 3_600_000;

/// Two clocks that are at most this far apart move in step (1 minute): more than any clock is slewed in an hour.
pub const IN_STEP_MS: i64 = 60_000;

/// Two clocks of different machines that are at most this far apart agree (5 minutes).
pub const AGREES_MS: i64 = 5 * 60_000;

/// The confirmed time is stored at least this often (2 minutes). A commit that is later by more was stamped by an
/// unconfirmed clock.
pub const KEPT_WITHIN_MS: i64 = 120_000;

/// State of trust in a wall clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedTime {
    confirmed: Moment,
    /// The wall clock has jumped; since then it continues evenly at another time.
    elsewhere: Option<Elsewhere>,
}

/// One moment on both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Moment {
    wall: UtcMs,
    monotonic_ms: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Elsewhere {
    since: Moment,
    /// Another clock contradicts the wall clock: moving evenly does not confirm it.
    contradicted: bool,
}

/// Trusted time when the program starts. `last` is the time of the last durable commit; `kept` is the confirmed time,
/// which is stored at least every [`KEPT_WITHIN_MS`].
pub fn trusted_at_start(wall: UtcMs, last: Option<UtcMs>, kept: Option<UtcMs>) -> UtcMs {
    let certain = match (last, kept) {
        // A new store has no earlier time that the clock could contradict.
        (None, None) => wall,
        (Some(last), None) => last,
        (last, Some(kept)) => last.unwrap_or(kept).min(later(kept, KEPT_WITHIN_MS)).max(kept),
    };
    certain.min(wall)
}

impl TrustedTime {
    /// Trusts `confirmed` as the time at that moment of the monotonic clock.
    pub fn starting_at(confirmed: UtcMs, monotonic_ms: i64) -> Self {
        Self { confirmed: Moment { wall: confirmed, monotonic_ms }, elsewhere: None }
    }

    /// The latest time that is trusted, never later than the wall clock.
    pub fn now(&mut self, wall: UtcMs, monotonic_ms: i64) -> UtcMs {
        let now = Moment { wall, monotonic_ms };
        if now.in_step_with(self.confirmed) {
            self.elsewhere = None;
            if now.since(self.confirmed) >= CONFIRMED_AFTER_MS {
                // Clocks drift and are slewed. A deviation of less than a minute in an hour is accepted.
                self.confirmed = now;
            }
            return wall;
        }
        match self.elsewhere.filter(|elsewhere| now.in_step_with(elsewhere.since)) {
            Some(Elsewhere { since, contradicted: false }) if now.since(since) >= CONFIRMED_AFTER_MS => {
                self.confirm(wall, monotonic_ms);
                wall
            }
            Some(_) => wall.min(self.confirmed.at(monotonic_ms)),
            None => {
                self.elsewhere = Some(Elsewhere { since: now, contradicted: false });
                wall.min(self.confirmed.at(monotonic_ms))
            }
        }
    }

    /// A person, or another trusted source, confirms that the wall clock is right.
    pub fn confirm(&mut self, wall: UtcMs, monotonic_ms: i64) {
        *self = Self::starting_at(wall, monotonic_ms);
    }

    /// Compares with another machine's clock. If they agree, the wall clock is confirmed. Otherwise the other clock is
    /// trusted, until the wall clock is corrected or a person confirms it.
    pub fn merge(&mut self, wall: UtcMs, other: UtcMs, monotonic_ms: i64) {
        if clocks_agree(wall, other) {
            return self.confirm(wall, monotonic_ms);
        }
        let since = Moment { wall, monotonic_ms };
        self.confirmed = Moment { wall: other, monotonic_ms };
        self.elsewhere = Some(Elsewhere { since, contradicted: true });
    }
}

/// Whether the clocks of two machines agree.
pub fn clocks_agree(one: UtcMs, other: UtcMs) -> bool {
    one.0.saturating_sub(other.0).saturating_abs() <= AGREES_MS
}

impl Moment {
    /// Monotonic milliseconds since an earlier moment.
    fn since(self, earlier: Self) -> i64 {
        self.monotonic_ms.saturating_sub(earlier.monotonic_ms)
    }

    /// Time shown at that moment by a clock that continued evenly from this one.
    fn at(self, monotonic_ms: i64) -> UtcMs {
        later(self.wall, monotonic_ms.saturating_sub(self.monotonic_ms))
    }

    fn in_step_with(self, earlier: Self) -> bool {
        let expected = earlier.at(self.monotonic_ms);
        self.wall.0.saturating_sub(expected.0).saturating_abs() <= IN_STEP_MS
    }
}

fn later(at: UtcMs, by_ms: i64) -> UtcMs {
    UtcMs(at.0.saturating_add(by_ms))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::arithmetic_side_effects, reason = "a test may fail loudly")]
    use super::*;

    /// Description, the readings, and the certain time after each.
    type Case<'a> = (&'a str, &'a [(i64, i64)], &'a [i64]);

    const T: i64 = 1_795_140_000_000;
    const DAY: i64 = 86_400_000;
    const HOUR: i64 = CONFIRMED_AFTER_MS;

    /// Reads the clock at (wall − T, monotonic), both in milliseconds; returns the certain times, less T.
    fn read(time: &mut TrustedTime, steps: &[(i64, i64)]) -> Vec<i64> {
        steps.iter().map(|(wall, mono)| time.now(UtcMs(T + wall), *mono).0 - T).collect()
    }

    #[test]
    fn a_jump_changes_nothing_until_it_has_lasted() {
        let sure = || TrustedTime::starting_at(UtcMs(T), 0);
        let cases: [Case<'_>; 7] = [
            ("even", &[(1_000, 1_000), (HOUR, HOUR), (9 * HOUR, 9 * HOUR)], &[1_000, HOUR, 9 * HOUR]),
            (
                "a jump of seconds",
                &[(DAY, 1_000), (DAY + 2_000, 3_000), (5_000, 5_000)],
                &[1_000, 3_000, 5_000],
            ),
            (
                "one that stays",
                &[(DAY, 1_000), (DAY + HOUR - 2_000, HOUR - 1_000), (DAY + HOUR, HOUR + 1_000)],
                &[1_000, HOUR - 1_000, DAY + HOUR],
            ),
            (
                "each new jump begins anew",
                &[(DAY, 1_000), (2 * DAY, 2_000), (2 * DAY + HOUR - 2_000, HOUR)],
                &[1_000, 2_000, HOUR],
            ),
            ("back: the wall clock is never passed", &[(-DAY, 1_000), (3_000, 3_000)], &[-DAY, 3_000]),
            ("slewed by little", &[(1_500, 1_000), (HOUR + 1_800, HOUR)], &[1_500, HOUR + 1_800]),
            ("the machine slept", &[(8 * HOUR, 1_000), (9 * HOUR, HOUR + 1_000)], &[1_000, 9 * HOUR]),
        ];
        for (case, steps, expected) in cases {
            assert_eq!(read(&mut sure(), steps), expected, "{case}");
        }
    }

    #[test]
    fn drift_is_followed_and_stays_in_step_for_months() {
        let mut time = TrustedTime::starting_at(UtcMs(T), 0);
        for hour in 1..3_000 {
            // 500 parts in a million, as fast as clocks are slewed.
            let wall = hour * (HOUR + HOUR / 2_000);
            assert_eq!(read(&mut time, &[(wall, hour * HOUR)]), [wall], "{hour}");
        }
    }

    #[test]
    fn another_clock_confirms_or_contradicts() {
        let mut time = TrustedTime::starting_at(UtcMs(T), 0);
        time.merge(UtcMs(T + DAY), UtcMs(T + DAY + AGREES_MS), 1_000);
        assert_eq!(read(&mut time, &[(DAY + 1_000, 2_000)]), [DAY + 1_000], "a night without power");
        // Far ahead of the other clock: time follows the other clock, however long it takes.
        time.merge(UtcMs(T + 9 * DAY), UtcMs(T + DAY), 3_000);
        let late = 3_000 + 5 * HOUR;
        assert_eq!(read(&mut time, &[(9 * DAY + 5 * HOUR, late)]), [DAY + 5 * HOUR]);
        // A corrected clock is trusted at once, and so is one that a person confirms.
        assert_eq!(read(&mut time, &[(DAY + 5 * HOUR, late)]), [DAY + 5 * HOUR]);
        time.merge(UtcMs(T + 9 * DAY), UtcMs(T + DAY), late);
        time.confirm(UtcMs(T + 9 * DAY), late);
        assert_eq!(read(&mut time, &[(9 * DAY + 10, late + 10)]), [9 * DAY + 10]);
        // Another clock that is ahead alone moves nothing past the own one.
        time.merge(UtcMs(T + 9 * DAY), UtcMs(T + 99 * DAY), late + 20);
        assert_eq!(read(&mut time, &[(9 * DAY + 20, late + 20)]), [9 * DAY + 20]);
    }

    #[test]
    fn a_start_is_certain_of_what_was_durable_and_confirmed() {
        let start = |wall, last: Option<i64>, kept: Option<i64>| {
            let at = |ms: i64| UtcMs(T + ms);
            trusted_at_start(at(wall), last.map(at), kept.map(at)).0 - T
        };
        for (case, wall, last, kept, expected) in [
            ("overnight", DAY, Some(-HOUR), Some(-HOUR - 50_000), -HOUR),
            ("the first start", 9_000, Some(1_000), None, 1_000),
            ("stamped in a jump", 5_000, Some(DAY), Some(0), 5_000),
            ("stamped in a jump that lasts", 9 * DAY, Some(9 * DAY), Some(0), KEPT_WITHIN_MS),
            ("idle since", DAY, Some(-DAY), Some(0), 0),
            ("set back", -DAY, Some(0), Some(0), -DAY),
        ] {
            assert_eq!(start(wall, last, kept), expected, "{case}");
        }
        assert_eq!(
            trusted_at_start(UtcMs(T), None, None),
            UtcMs(T),
            "nothing written, nothing to contradict"
        );
    }

    #[test]
    fn no_figure_is_too_large() {
        let mut time = TrustedTime::starting_at(UtcMs(i64::MAX), i64::MIN);
        time.now(UtcMs(i64::MIN), i64::MAX);
        time.merge(UtcMs(i64::MAX), UtcMs(i64::MIN), 0);
        time.now(UtcMs(i64::MAX), i64::MAX);
        assert_eq!(
            trusted_at_start(UtcMs(i64::MAX), Some(UtcMs(i64::MAX)), Some(UtcMs(i64::MAX))),
            UtcMs(i64::MAX)
        );
    }
}
