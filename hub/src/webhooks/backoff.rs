//! When an event that was not accepted is sent again.

/// Longest pause after the first failed attempt, in milliseconds; twice that after each further one.
const FIRST_MS: u64 = 2_000;
/// Longest pause, in milliseconds.
const PAUSE_MS_MAX: u64 = 3_600_000;
/// Longest pause that a receiver may ask for, in milliseconds.
const ASKED_MS_MAX: u64 = 24 * 3_600_000;

/// Pause after this number of failed attempts, in milliseconds. Half of it is random, so that many events do not come
/// at once; `below` gives a random number below its argument. `asked_ms` is the receiver's `Retry-After`.
pub fn pause_ms(attempts: u32, asked_ms: Option<u64>, below: impl FnOnce(u64) -> u64) -> u64 {
    let doubled = FIRST_MS.saturating_mul(1_u64.checked_shl(attempts.saturating_sub(1)).unwrap_or(u64::MAX));
    let half = doubled.min(PAUSE_MS_MAX) / 2;
    let own = half.saturating_add(below(half.saturating_add(1)));
    own.max(asked_ms.unwrap_or(0).min(ASKED_MS_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_an_hour_and_half_of_each_is_random() {
        let bounds =
            |attempts| (pause_ms(attempts, None, |_| 0), pause_ms(attempts, None, |bound| bound - 1));
        for (attempts, expected) in [
            (1, (1_000, 2_000)),
            (2, (2_000, 4_000)),
            (5, (16_000, 32_000)),
            (12, (1_800_000, 3_600_000)),
            (64, (1_800_000, 3_600_000)),
            (65, (1_800_000, 3_600_000)),
            (u32::MAX, (1_800_000, 3_600_000)),
        ] {
            assert_eq!(bounds(attempts), expected, "{attempts}");
        }
    }

    #[test]
    fn a_receiver_may_ask_for_a_longer_pause_up_to_a_day() {
        for (attempts, asked, expected) in
            [(1, 500, 1_000), (1, 90_000, 90_000), (12, 90_000, 1_800_000), (1, u64::MAX, 86_400_000)]
        {
            assert_eq!(pause_ms(attempts, Some(asked), |_| 0), expected, "{attempts} {asked}");
        }
    }

    #[test]
    fn three_days_have_more_than_seventy_attempts() {
        let (mut attempts, mut passed) = (0, 0);
        while passed < 3 * 24 * 3_600_000_u64 {
            attempts += 1;
            passed += pause_ms(attempts, None, |bound| bound - 1);
        }
        assert!(attempts > 70, "{attempts}");
    }
}
