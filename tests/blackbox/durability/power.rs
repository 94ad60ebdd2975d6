//! Power cuts while tills sell: acknowledged commands must be there afterwards; the others are repeated.

use std::time::{Duration, Instant};
use testkit::dice::Random;
use testkit::disk::Disk;
use testkit::store::Store;
use testkit::till::{Load, Till};
use testkit::{audit, wait};

/// How often the power is cut.
const CUTS: usize = 10;
/// Tills that sell in the meantime.
const TILLS: usize = 4;
/// Sales acknowledged between two cuts.
const SALES_BETWEEN: usize = 25;
/// Upper bound of the random delay between those sales and the power cut.
const CUT_WITHIN_MS: u64 = 80;
/// Pieces of every product at the start.
const RECEIVED: i64 = 100_000;
#[test]
fn ten_power_cuts_lose_nothing_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let mut disk = match Disk::make(folder.path()) {
        Ok(disk) => disk,
        Err(reason) => {
            println!("power: NOT RUN, this machine can't mount a loop image: {reason}");
            return;
        }
    };
    let mut random = Random::announced("power");
    let settings = tempfile::tempdir().unwrap();
    let mut store = Store::prepare_at(settings, disk.mount.join("data"), "", TILLS);
    store.start();
    store.receive_all(RECEIVED);
    let load = Load::start((1..=TILLS).map(|n| Till::open(&store, n, &mut random)).collect());
    for n in 1..=CUTS {
        load.wait_for(SALES_BETWEEN);
        let moment = Instant::now() + Duration::from_millis(random.below(CUT_WITHIN_MS));
        wait::until("the random time of the power cut", || (Instant::now() >= moment).then_some(()));
        store.daemon().freeze();
        let copy = disk.copy(folder.path(), n);
        store.kill9();
        disk = disk.replaced_by(copy, folder.path(), n);
        store.move_data(disk.mount.join("data"));
        store.start();
    }
    load.wait_for(SALES_BETWEEN);
    let mut tills = load.finish();
    audit::audit(&store, &mut tills, RECEIVED);
    let sold: usize = tills.iter().map(|till| till.sold.len()).sum();
    println!("power: {CUTS} cuts, {sold} sales, nothing lost");
    store.stop();
    store.verify();
    drop(store);
    drop(disk);
}
