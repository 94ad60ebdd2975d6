//! How much time of processors the processes took that ended below this one.

use std::fs;
use std::time::Duration;

/// What the kernel counts in; the interface to user space says a hundred a second on every machine.
const TICKS_PER_SECOND: u64 = 100;
/// `cutime` in `/proc/self/stat`, counted from behind the command's name; `cstime` follows it.
const OF_CHILDREN: usize = 13;

/// User and system time of every process that was waited for, and of those that they waited for.
pub fn of_children() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = ticks(&stat).unwrap_or_default();
    Duration::from_millis(ticks * 1_000 / TICKS_PER_SECOND)
}

fn ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let times = fields.split_whitespace().skip(OF_CHILDREN).take(2);
    times.map(|time| time.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::ticks;

    #[test]
    fn the_times_of_children_are_behind_any_name() {
        let stat = "7 (a) b) S 1 2 3 4 5 6 7 8 9 10 11 12 40 2 20 0";
        assert_eq!(ticks(stat), Some(42));
    }
}
