//! kill -9 of the real binary, again and again, while tills sell.

use std::time::{Duration, Instant};
use testkit::dice::Random;
use testkit::store::Store;
use testkit::till::{Load, Till};
use testkit::{audit, wait};

/// How often the daemon is killed.
const KILLS: usize = 20;
/// Tills that sell meanwhile.
const TILLS: usize = 4;
/// Sales that must be acknowledged between two kills, so that each kill meets a working store.
const SALES_BETWEEN: usize = 20;
/// The last moment after those sales, chosen at random, at which the kill comes.
const KILL_WITHIN_MS: u64 = 60;
/// Pieces of every product at the start.
const RECEIVED: i64 = 100_000;

#[test]
fn no_sale_is_lost_or_doubled_by_twenty_kills() {
    let mut random = Random::announced("kill9");
    // So small that every few sales the engine is being given rows.
    let mut store = Store::open_with("storage.memtable_bytes = 8192\n", TILLS);
    store.receive_all(RECEIVED);
    let tills = (1..=TILLS).map(|n| Till::open(&store, n, &mut random)).collect();
    let load = Load::start(tills);
    let mut slowest = Duration::ZERO;
    for _ in 0..KILLS {
        load.wait_for(SALES_BETWEEN);
        let moment = Instant::now() + Duration::from_millis(random.below(KILL_WITHIN_MS));
        wait::until("the moment of the kill", || (Instant::now() >= moment).then_some(()));
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
    assert!(lost > 0, "no request was interrupted: the kills met nothing");
    store.stop();
    store.verify();
}
