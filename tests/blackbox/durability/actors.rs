//! Actors are killed while tills sell: every caller gets an answer or a 503 that it can repeat.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use testkit::dice::Random;
use testkit::store::Store;
use testkit::till::{Load, Till};
use testkit::{Client, audit};

/// How often each actor is killed.
const DEATHS: usize = 50;
/// Tills that sell in the meantime.
const TILLS: usize = 3;
/// Pieces of every product at the start.
const RECEIVED: i64 = 100_000;
/// Longest time from the kill until the successor is ready. The goal is 1 s; the bound allows for a busy machine.
const READY_WITHIN: Duration = Duration::from_secs(5);

#[test]
fn killed_actors_come_back_and_nobody_notices() {
    let mut random = Random::announced("actors");
    let mut store = Store::open_with("supervision.max_restarts = 1000000\n", TILLS);
    store.receive_all(RECEIVED);
    let load = Load::start((1..=TILLS).map(|n| Till::open(&store, n, &mut random)).collect());
    let page = Page::open(&store, "till-1");
    let mut admin = store.login("admin");
    let mut slowest: BTreeMap<String, Duration> = BTreeMap::new();
    for name in names(&mut admin) {
        for _ in 0..DEATHS {
            let took = die(&mut admin, &name);
            let worst = slowest.entry(name.clone()).or_default();
            *worst = (*worst).max(took);
        }
        load.wait_for(3);
    }
    let reads = page.close();
    let mut tills = load.finish();
    audit::audit(&store, &mut tills, RECEIVED);
    let unavailable: u64 = tills.iter().map(|till| till.counts.unavailable).sum();
    let lost: u64 = tills.iter().map(|till| till.counts.lost).sum();
    let sold: usize = tills.iter().map(|till| till.sold.len()).sum();
    println!(
        "{DEATHS} deaths each, {sold} sales, {unavailable} times 503, {reads} reads; slowest return {slowest:?}"
    );
    assert_eq!(lost, 0, "a caller's connection was dropped");
    for (name, took) in slowest {
        assert!(took < READY_WITHIN, "{name} took {took:?} to return");
    }
    store.client().get("/health/ready").data(200);
    store.stop();
    store.verify();
}

/// Kills an actor once. Returns the time until the successor ran and the store was ready.
#[track_caller]
fn die(admin: &mut Client, name: &str) -> Duration {
    let begun = Instant::now();
    let before = restarts(admin, name);
    let path = format!("/api/admin/actors/{name}/restart");
    testkit::wait::until("the actor can be killed", || {
        let reply = admin.send("POST", &path, &[], b"{}");
        // The actor's supervisor has just died, so the request is repeated, as any caller may do.
        (reply.status != 503).then(|| reply.data(200))
    });
    testkit::wait::until("its successor runs", || {
        let node = find(&admin.get("/api/admin/actors").data(200)["root"], name)?;
        (node["state"] == json!("running") && node["restarts"].as_u64() > before).then_some(())
    });
    testkit::wait::until("the store is ready", || {
        (admin.send("GET", "/health/ready", &[], b"").status == 200).then_some(())
    });
    begun.elapsed()
}

#[track_caller]
fn restarts(admin: &mut Client, name: &str) -> Option<u64> {
    find(&admin.get("/api/admin/actors").data(200)["root"], name)?["restarts"].as_u64()
}

/// Returns every actor except the root.
#[track_caller]
fn names(admin: &mut Client) -> Vec<String> {
    fn collect(node: &Value, names: &mut Vec<String>) {
        names.push(node["name"].as_str().expect("a name").to_owned());
        node["children"].as_array().into_iter().flatten().for_each(|child| collect(child, names));
    }
    let mut names = Vec::new();
    collect(&admin.get("/api/admin/actors").data(200)["root"], &mut names);
    names.remove(0);
    for expected in ["ledger", "members", "sessions", "catalogue", "outbox", "hub_connection", "shifts"] {
        assert!(names.iter().any(|name| name == expected), "no {expected} in {names:?}");
    }
    assert_eq!(names.iter().filter(|name| name.starts_with("shift:")).count(), TILLS, "{names:?}");
    names
}

fn find(node: &Value, name: &str) -> Option<Value> {
    if node["name"] == json!(name) {
        return Some(node.clone());
    }
    node["children"].as_array()?.iter().find_map(|child| find(child, name))
}

/// A reader that polls all the time and gets 200, or 503 for a moment.
struct Page {
    stop: Arc<AtomicBool>,
    reader: std::thread::JoinHandle<u64>,
}

impl Page {
    fn open(store: &Store, till: &str) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let mut cashier = store.login(till).at_register(till).keeping_alive();
        let mut manager = store.login("manager").keeping_alive();
        let stopped = Arc::clone(&stop);
        let reader = std::thread::spawn(move || {
            let mut reads = 0;
            while !stopped.load(Ordering::Relaxed) {
                for reply in [
                    cashier.get("/api/shifts/current"),
                    cashier.get("/api/auth/me"),
                    manager.get("/api/stock/8990001"),
                    manager.get("/api/sync/status"),
                    manager.get("/health"),
                ] {
                    if reply.status == 503 {
                        reply.refused(503, "unavailable");
                    } else {
                        reply.data(200);
                    }
                    reads += 1;
                }
            }
            reads
        });
        Self { stop, reader }
    }

    #[track_caller]
    fn close(self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        self.reader.join().expect("a reader got neither an answer nor a 503: see above")
    }
}
