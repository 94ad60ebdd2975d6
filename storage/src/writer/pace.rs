//! Time that a group waits for commits that are about to come, on a slow disk.
//!
//! A till that gets its answer sends its next request at once, while the next fdatasync already runs: of 64 tills 32
//! then always wait for the other 32, and each fdatasync carries half of what it could.

use crate::writer::group::GROUP_COMMITS_MAX;
use std::time::Duration;

/// A disk that is faster is not waited for: its next fdatasync is there sooner than a till's next request.
const SLOW: Duration = Duration::from_millis(2);
/// A group waits for this part of the last fdatasync …
const PART: u32 = 4;
/// … and never longer.
const LONGEST: Duration = Duration::from_millis(25);

/// The last group.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pace {
    /// Number of commits in the group.
    pub commits: usize,
    /// Duration of its fdatasync.
    pub took: Duration,
}

impl Pace {
    /// Number of commits that the next group may expect, and the time that it waits for them: those that waited
    /// already, and as many again as were answered last. A single till finds an idle writer and does not wait.
    pub fn expected(self, waited: usize) -> Option<(usize, Duration)> {
        let commits = self.commits.saturating_add(waited).min(GROUP_COMMITS_MAX);
        (self.took >= SLOW && commits > 1).then(|| (commits, (self.took / PART).min(LONGEST)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_disk_waits_for_those_who_were_answered_and_a_fast_one_for_nobody() {
        let of = |commits, took, waited| Pace { commits, took: Duration::from_millis(took) }.expected(waited);
        let after = |commits, ms| Some((commits, Duration::from_millis(ms)));
        for (commits, took, waited, expected) in [
            (0, 0, 0, None),
            (32, 1, 32, None),
            (1, 20, 0, None),
            (32, 20, 32, after(64, 5)),
            (64, 20, 0, after(64, 5)),
            (3, 8, 2, after(5, 2)),
            (64, 100, 64, after(64, 25)),
            (64, 1_000, 1, after(64, 25)),
        ] {
            assert_eq!(of(commits, took, waited), expected, "{commits} in {took} ms, {waited} waited");
        }
    }
}
