//! The operating system's data about running daemons.

use crate::daemon::Daemon;
use anyhow::Context;
use std::ops::Range;

/// Length of a tick of `/proc/<pid>/stat`: 100 a second on every Linux.
const TICK_US: u64 = 10_000;
/// User and system time in that line, counted behind the name of the command.
const OWN: Range<usize> = 11..13;
/// Fields of the process's ended and reaped children.
pub const OF_CHILDREN: Range<usize> = 13..15;
const OWN_AND_OF_CHILDREN: Range<usize> = 11..15;

/// Runs a command to its end.
///
/// # Errors
/// If it can't be started or fails.
pub async fn succeeds(command: &mut tokio::process::Command) -> anyhow::Result<()> {
    let name = command.as_std().get_program().to_string_lossy().into_owned();
    let status = command.kill_on_drop(true).stdin(std::process::Stdio::null()).status().await;
    let status = status.with_context(|| name.clone())?;
    anyhow::ensure!(status.success(), "{name} failed: {status}");
    Ok(())
}

/// A figure of `/proc/<pid>/status`, in KiB.
pub fn status_kib(daemon: &Daemon, name: &str) -> anyhow::Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", daemon.pid()))?;
    line_kib(&status, name).with_context(|| format!("no {name} in the process status"))
}

/// Processor time that it used so far, in microseconds.
pub fn cpu_us(daemon: &Daemon) -> anyhow::Result<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", daemon.pid()))?;
    ticks_us(&stat, OWN).context("no processor time in the process state")
}

/// Processor time in microseconds of these processes and of all below them, those that have ended included.
pub fn family_cpu_us(roots: &[u32]) -> u64 {
    family(roots).into_iter().filter_map(|(_, stat)| ticks_us(&stat, OWN_AND_OF_CHILDREN)).sum()
}

/// Ends every process below this one: processes started by a test would outlive its test program otherwise.
pub async fn end_below(root: u32) {
    let pids = family(&[root]).into_iter().filter(|(pid, _)| *pid != root).map(|(pid, _)| pid.to_string());
    // A process that has ended meanwhile is not left over.
    let _ = tokio::process::Command::new("kill").arg("-KILL").args(pids).status().await;
}

/// Memory of these processes and of all below them, in KiB; what several share counts once.
pub fn family_pss_kib(roots: &[u32]) -> u64 {
    let pss = |(pid, _): (u32, String)| {
        let rollup = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
        line_kib(&rollup, "Pss")
    };
    family(roots).into_iter().filter_map(pss).sum()
}

fn line_kib(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}

/// These processes and all below them, each with its line of `/proc/<pid>/stat`.
fn family(roots: &[u32]) -> Vec<(u32, String)> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let named = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut others: Vec<(u32, String)> = named
        .filter_map(|pid| Some((pid, std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)))
        .collect();
    let mut found: Vec<(u32, String)> = Vec::new();
    loop {
        let known = |pid: &u32| roots.contains(pid) || found.iter().any(|(of, _)| of == pid);
        let (more, rest): (Vec<_>, Vec<_>) = others
            .into_iter()
            .partition(|(pid, stat)| known(pid) || parent(stat).is_some_and(|of| known(&of)));
        if more.is_empty() {
            return found;
        }
        found.extend(more);
        others = rest;
    }
}

/// The process that started it: field 4.
fn parent(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// Processor time in microseconds, the sum of these fields of a line of `/proc/<pid>/stat`.
pub fn ticks_us(stat: &str, fields: Range<usize>) -> Option<u64> {
    let (_, behind) = stat.rsplit_once(')')?;
    let times = behind.split_whitespace().skip(fields.start).take(fields.len());
    times.map(|time| time.parse::<u64>().ok()).sum::<Option<u64>>().map(|ticks| ticks * TICK_US)
}

#[cfg(test)]
mod tests {
    use super::{OF_CHILDREN, OWN, OWN_AND_OF_CHILDREN, end_below, family, parent, ticks_us};

    #[test]
    fn processor_time_is_found_behind_any_name() {
        let stat = "42 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 700 30 4 5 20 0 9 0 1 2 3";
        let times = [OWN, OF_CHILDREN, OWN_AND_OF_CHILDREN].map(|fields| ticks_us(stat, fields));
        assert_eq!((times, parent(stat)), ([Some(7_300_000), Some(90_000), Some(7_390_000)], Some(1)));
        assert_eq!(ticks_us("42 (short) S 1", OWN), Some(0));
        assert_eq!(ticks_us("nothing", OWN), None);
    }

    #[tokio::test]
    async fn children_of_a_process_are_ended_and_it_continues() -> anyhow::Result<()> {
        let mut shell = tokio::process::Command::new("sh").args(["-c", "sleep 600; exit 7"]).spawn()?;
        let root = shell.id().unwrap_or_default();
        while !family(&[root]).iter().any(|(_, stat)| stat.contains("(sleep)")) {
            tokio::task::yield_now().await;
        }
        end_below(root).await;
        anyhow::ensure!(shell.wait().await?.code() == Some(7), "it is waited for");
        Ok(())
    }
}
