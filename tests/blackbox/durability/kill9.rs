//! The real binary is killed with `kill -9` again and again while tills sell.

use std::time::{Duration, Instant};
use testkit::dice::Random;
use testkit::store::Store;
use testkit::till::{Load, Till};
use testkit::{audit, wait};

/// How often the daemon is killed.
const KILLS: usize = 20;
/// Tills that sell in the meantime.
const TILLS: usize = 4;
/// Sales that must be acknowledged between two kills, so that each kill happens in a working store.
const SALES_BETWEEN: usize = 20;
/// Upper bound of the random delay between those sales and the kill.
const KILL_WITHIN_MS: u64 = 60;
/// Pieces of every product at the start.
const RECEIVED: i64 = 100_000;

#[test]
fn no_sale_is_lost_or_doubled_by_twenty_kills() {
    let mut random = Random::announced("kill9");
    // The memtable is so small that rows are flushed to the engine every few sales.
    let mut store = Store::open_with("storage.memtable_bytes = 8192\n", TILLS);
    store.receive_all(RECEIVED);
    let tills = (1..=TILLS).map(|n| Till::open(&store, n, &mut random)).collect();
    let load = Load::start(tills);
    let mut slowest = Duration::ZERO;
    for _ in 0..KILLS {
        load.wait_for(SALES_BETWEEN);
        let moment = Instant::now() + Duration::from_millis(random.below(KILL_WITHIN_MS));
        wait::until("the random time of the kill", || (Instant::now() >= moment).then_some(()));
        store.kill9();
        slowest = slowest.max(store.start());
    }
    load.wait_for(SALES_BETWEEN);
    let mut tills = load.finish();
    audit::audit(&store, &mut tills, RECEIVED);
    let sold: usize = tills.iter().map(|till| till.sold.len()).sum();
    let lost: u64 = tills.iter().map(|till| till.counts.lost).sum();
    let replayed: u64 = tills.iter().map(|till| till.counts.replayed).sum();
    println!(
        "kill9: {KILLS} kills, {sold} sales, {lost} requests without an answer, {replayed} answered from memory, slowest start {slowest:?}"
    );
    assert!(lost > 0, "no request was interrupted, so the kills tested nothing");
    store.stop();
    store.verify();
}
