//! What the operating system says about a running daemon.

use crate::daemon::Daemon;
use anyhow::Context;

/// Length of a tick of `/proc/<pid>/stat`: 100 a second on every Linux.
const TICK_US: u64 = 10_000;

/// A figure of `/proc/<pid>/status`, in KiB.
pub fn status_kib(daemon: &Daemon, name: &str) -> anyhow::Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", daemon.pid()))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let figure = line.and_then(|rest| rest.split_whitespace().next());
    figure.and_then(|text| text.parse().ok()).with_context(|| format!("no {name} in the process status"))
}

/// Processor time that it used so far, in microseconds.
pub fn cpu_us(daemon: &Daemon) -> anyhow::Result<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", daemon.pid()))?;
    ticks(&stat).map(|ticks| ticks * TICK_US).context("no processor time in the process state")
}

/// User and system time of a line of `/proc/<pid>/stat`: fields 14 and 15, counted behind the name.
fn ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let times = fields.split_whitespace().skip(11).take(2);
    times.map(|time| time.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::ticks;

    #[test]
    fn processor_time_is_found_behind_any_name() {
        let stat = "42 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 700 30 0 0 20 0 9 0 1 2 3";
        assert_eq!(ticks(stat), Some(730));
        assert_eq!(ticks("42 (short) S 1"), Some(0));
        assert_eq!(ticks("nothing"), None);
    }
}
