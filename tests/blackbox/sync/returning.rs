//! Many stores reconnect at the same moment. The stores are simulated, each with its own key, chain and records.
//!
//! `SOAK_STORES` sets their number; `cargo xtask soak` uses ten thousand.

use super::QUICK;
use super::trade::sell;
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use testkit::books::Books;
use testkit::dice::Random;
use testkit::hub::Hub;
use testkit::journal;
use testkit::simulated::{Pushed, Simulated};
use testkit::store::Store;
use testkit::till::Till;
use testkit::wait;

/// Default number of stores.
const STORES: usize = 150;
/// Number of batches that the hub accepts at once.
const AT_ONCE: &str = "[sync]\nbatches_at_once = 2\n";
/// Concurrent connections; one address may have 512.
const CALLERS: usize = 300;
/// Timeout for any number of stores.
const PATIENCE: Duration = Duration::from_secs(3_600);
/// Number of stores that are compared figure by figure.
const COMPARED: usize = 10;

/// Returns records as a store writes them: a shift with sales.
#[track_caller]
fn template() -> Vec<String> {
    let mut store = Store::prepare(QUICK, 1);
    store.start();
    let mut till = Till::open(&store, 1, &mut Random::announced("template"));
    sell(&mut till, 4);
    journal::record_texts(store.data())
}

/// A store that is reconnecting, and when it may ask again.
struct Away {
    store: Simulated,
    due: Instant,
}

#[test]
fn ten_thousand_stores_returning_at_once() {
    let count = std::env::var("SOAK_STORES").map_or(STORES, |count| count.parse().unwrap());
    let records = template();
    // With few stores a low limit makes them wait; with many the default limit is used.
    let hub = Hub::open_with(if count > STORES { "" } else { AT_ONCE });
    let mut admin = hub.login().keeping_alive();
    let now = Instant::now();
    let stores = (0..count).map(|n| {
        let store = Simulated::enrol(&hub, &mut admin, &format!("R{n:05}"), &records);
        Mutex::new(Some(Away { store, due: now }))
    });
    let away: Vec<Mutex<Option<Away>>> = stores.collect();
    let reported = Mutex::new(Vec::new());
    let begun = Instant::now();
    std::thread::scope(|callers| {
        for caller in 0..CALLERS.min(count) {
            let mine = away.iter().skip(caller).step_by(CALLERS);
            let reported = &reported;
            callers.spawn(move || come_back(mine.collect(), reported));
        }
    });
    let took = begun.elapsed();
    let reported = reported.into_inner().unwrap();
    let spread: BTreeSet<u64> = reported.iter().copied().collect();
    println!(
        "{count} stores back in {took:?}; {} were asked to come again, after {spread:?} s",
        reported.len()
    );
    assert!(count > STORES || spread.len() > 2, "all stores would retry at the same time: {spread:?}");
    admin.hang_up();
    for n in 0..count {
        let id = format!("R{n:05}");
        let status = admin.get(&format!("/api/stores/{id}/status")).data(200);
        assert_eq!(status["sums"]["sales_count"], json!(4), "{status}");
        assert_eq!((&status["heads"][0]["seq"], &status["parked_count"]), (&json!(records.len()), &json!(0)));
        if n % count.div_ceil(COMPARED) == 0 {
            let own: Vec<String> = records.iter().map(|record| Simulated::of(&id, record)).collect();
            assert_eq!(Books::of_hub(&hub, &id), Books::of_records(own.iter().map(String::as_str)));
        }
    }
}

/// Each store sends its hello and pushes, again on each request, and not earlier.
fn come_back(mut mine: Vec<&Mutex<Option<Away>>>, reported: &Mutex<Vec<u64>>) {
    let deadline = Instant::now() + PATIENCE;
    while !mine.is_empty() {
        assert!(Instant::now() < deadline, "{} stores are not back", mine.len());
        wait::glance();
        mine.retain(|away| {
            let mut away = away.lock().unwrap();
            let Some(now) = away.as_mut().filter(|away| away.due <= Instant::now()) else {
                return away.is_some();
            };
            match now.store.returns() {
                Pushed::All => *away = None,
                Pushed::Later(after) => {
                    reported.lock().unwrap().push(after);
                    now.due = Instant::now() + Duration::from_secs(after);
                }
            }
            away.is_some()
        });
    }
}
