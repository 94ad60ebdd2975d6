//! Nothing is answered before it is durable: the sync calls of the real binary are counted from outside by strace, or
//! by the store's own counters if there is no strace.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use testkit::dice::Random;
use testkit::store::Store;
use testkit::till::{Load, Sold, Till};
use testkit::wait;

/// Sales of the only till. Each makes two commits.
const LONE_SALES: usize = 40;
/// Tills that sell at the same time.
const TILLS: usize = 6;
/// Sales of those tills.
const CROWD_SALES: usize = 150;

/// Minimum duration of each sync in microseconds. An answer that does not wait for the sync is sent much earlier.
const SLOWED_US: u32 = 10_000;

/// Source of the number of syncs.
enum Counter {
    /// The output of strace.
    Strace(PathBuf),
    /// The store's own counters.
    Metrics,
}

impl Counter {
    /// Journal syncs so far.
    fn syncs(&self, store: &Store) -> u64 {
        match self {
            Self::Strace(file) => {
                let trace = fs::read_to_string(file).unwrap_or_default();
                let calls =
                    trace.lines().filter(|line| line.contains("fdatasync(") && line.contains(".seg>"));
                calls.count() as u64
            }
            Self::Metrics => metric(store, "fdatasyncs"),
        }
    }

    /// Returns the current length of the trace.
    fn reached(&self) -> usize {
        match self {
            Self::Strace(file) => fs::read(file).map_or(0, |trace| trace.len()),
            Self::Metrics => 0,
        }
    }

    /// Returns whether each answer since then was sent after its sync had ended, or false if this was not observed.
    fn answered_after_syncs(&self, since: usize, answers: usize) -> bool {
        let Self::Strace(file) = self else { return false };
        let trace = fs::read(file).unwrap();
        let (mut ended, mut seen, mut under_way) = (0, 0, HashSet::new());
        for line in String::from_utf8_lossy(&trace[since..]).lines() {
            let thread = line.split_whitespace().next().unwrap_or_default().to_owned();
            if line.contains("fdatasync(") && line.contains(".seg>") {
                if line.contains("unfinished") {
                    under_way.insert(thread);
                } else {
                    ended += 1;
                }
            } else if line.contains("fdatasync resumed>") {
                ended += usize::from(under_way.remove(&thread));
            } else if line.contains("HTTP/1.1 2") {
                seen += 1;
                assert!(ended >= seen, "answer {seen} left after {ended} syncs: {line}");
            }
        }
        assert!(seen >= answers, "{seen} answers in the trace");
        true
    }
}

/// Returns a counter of `/metrics` whose name contains `part`.
#[track_caller]
fn metric(store: &Store, part: &str) -> u64 {
    let text = store.client().get("/metrics").text();
    let line = text.lines().find(|line| !line.starts_with('#') && line.contains(part));
    let line = line.unwrap_or_else(|| panic!("no metric {part}:\n{text}"));
    line.rsplit(' ').next().unwrap().parse::<f64>().unwrap() as u64
}

fn strace_works() -> bool {
    let tried = Command::new("strace").args(["-D", "-f", "-o", "/dev/null", "true"]).output();
    tried.is_ok_and(|output| output.status.success())
}

#[test]
fn each_group_of_commits_is_synced_once_before_it_is_answered() {
    let mut random = Random::announced("durability");
    let mut store = Store::prepare("", TILLS);
    let counter = if strace_works() {
        let trace = store.folder().join("trace");
        let file = trace.to_str().unwrap().to_owned();
        let slowed = format!("inject=fdatasync:delay_exit={SLOWED_US}");
        let calls = "trace=fdatasync,fsync,write,writev,sendto,sendmsg";
        store.wrap(&["strace", "-D", "-f", "-y", "-e", calls, "-e", &slowed, "-o", &file]);
        Counter::Strace(trace)
    } else {
        println!("durability: no strace here, the store's own counters are read");
        Counter::Metrics
    };
    store.start();
    store.receive_all(100_000);
    let mut tills: Vec<Till> = (1..=TILLS).map(|n| Till::open(&store, n, &mut random)).collect();

    let (syncs, groups, commits) =
        (counter.syncs(&store), metric(&store, "groups"), metric(&store, "commits"));
    let since = counter.reached();
    let mut requests = 0;
    for _ in 0..LONE_SALES {
        let before = counter.syncs(&store);
        tills[0].sell();
        let made = tills[0].sold.last().unwrap().requests();
        requests += made;
        let after = counter.syncs(&store);
        assert_eq!(
            after - before,
            made as u64,
            "a sale makes one commit, or one each for basket and payment"
        );
    }
    if !counter.answered_after_syncs(since, requests) {
        println!("durability: no strace here, only that syncs are as many as groups is asserted");
    }
    let lone = counter.syncs(&store) - syncs;
    assert_eq!(lone, metric(&store, "groups") - groups, "one sync per group");
    assert_eq!(lone, metric(&store, "commits") - commits, "with one till each group has one commit");

    let (syncs, groups, commits) =
        (counter.syncs(&store), metric(&store, "groups"), metric(&store, "commits"));
    let load = Load::start(tills);
    load.wait_for(CROWD_SALES);
    let sold: usize = load.finish().iter().flat_map(|till| &till.sold).map(Sold::requests).sum();
    let made = wait::until("the last group is counted", || {
        let made = (counter.syncs(&store) - syncs, metric(&store, "groups") - groups);
        (made.0 == made.1).then_some(made.0)
    });
    let commits = metric(&store, "commits") - commits;
    println!("durability: {commits} commits of {TILLS} tills in {made} groups, one fdatasync each");
    assert!(commits >= (sold - requests) as u64, "{commits}");
    assert!(made <= commits, "{made} syncs for {commits} commits");
    store.stop();
    store.verify();
}
