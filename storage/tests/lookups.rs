//! Look-ups use few indexes, however many segments there are. The test counts them and measures no time.

use crate::files::{files, flip};
use crate::shop::{Shop, folder};
use domain::model::base::ids::TransactionId;
use std::fs;
use std::time::{Duration, Instant};
use storage::{Options, Storage};

/// Segments of a few sales.
const SEGMENT_BYTES: u64 = 16 * 1024;
/// The first check is with this many sealed segments, the second with more than twice as many.
const SEALED: [u64; 2] = [70, 150];
/// Seven single segments, and seven merged indexes of each level except the highest.
const ASKED_MAX: u64 = 7 * 3;

fn small() -> Options {
    Options { segment_bytes: SEGMENT_BYTES, cache_bytes: 8 << 20, min_free_bytes: 0, ..Options::default() }
}

/// Sells until this many segments are sealed and merged in the background.
async fn sell_until(storage: &Storage, till: &mut Shop, sealed: u64) {
    while storage.stats().segments <= sealed {
        storage.commit(till.sale()).await.unwrap();
    }
    let unknown =
        |storage: &Storage| storage.sales().transaction(&TransactionId::from("txn_unknown")).unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while asked(storage, unknown).0 > ASKED_MAX {
        assert!(Instant::now() < deadline, "{} of {sealed} segments", asked(storage, unknown).0);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Returns the number of indexes that a look-up used.
fn asked<T>(storage: &Storage, look: impl FnOnce(&Storage) -> T) -> (u64, T) {
    let before = storage.stats().index_lookups;
    let found = look(storage);
    (storage.stats().index_lookups - before, found)
}

/// Asserts that a look-up of an unknown ID uses few indexes, and that everything stored is found.
fn check(storage: &Storage, till: &Shop, sold: &[u64]) {
    let (unknown, found) =
        asked(storage, |storage| storage.sales().transaction(&TransactionId::from("txn_unknown")).unwrap());
    assert!(found.is_none() && unknown <= ASKED_MAX, "an unknown id: {unknown} indexes");
    let (printed, found) =
        asked(storage, |storage| storage.sales().receipt_printed("S001-till-1-1-000001").unwrap());
    assert!(!found && printed <= ASKED_MAX, "a first print: {printed} indexes");
    for number in sold {
        let id = till.transaction_id(*number);
        let (known, found) = asked(storage, |storage| storage.sales().transaction(&id).unwrap());
        assert_eq!(found.unwrap().transaction_id, id);
        assert!(known <= ASKED_MAX + 1, "sale {number}: {known} indexes");
    }
    let movements = storage.stock().movements(&till.stock.sku, None, usize::MAX).unwrap();
    assert!(movements.windows(2).all(|pair| pair[0].0 > pair[1].0), "newest first");
    assert_eq!(movements.len(), sold.len(), "every sale moved the sku once");
}

#[tokio::test]
async fn a_look_up_asks_no_more_indexes_when_there_are_more_segments() {
    let folder = folder();
    let storage = Storage::open(folder.path(), &small()).unwrap();
    let mut till = Shop::new("till-1");
    storage.commit(till.open_shift()).await.unwrap();
    let first = till.made + 1;
    for sealed in SEALED {
        sell_until(&storage, &mut till, sealed).await;
        check(&storage, &till, &(first..=till.made).collect::<Vec<_>>());
    }
    storage.close().unwrap();

    let storage = Storage::open(folder.path(), &small()).unwrap();
    let sold: Vec<_> = (first..=till.made).collect();
    check(&storage, &till, &sold);
    storage.close().unwrap();

    // A damaged index gives no wrong answer: the segments are read instead, and the index is rebuilt.
    let journal = folder.path().join("journal");
    let merged = files(&journal, "idx2");
    flip(&merged[0], 4096 + 100);
    flip(&merged[1], 4096 + 100);
    let storage = Storage::open(folder.path(), &small()).unwrap();
    for number in &sold {
        let id = till.transaction_id(*number);
        assert_eq!(storage.sales().transaction(&id).unwrap().unwrap().transaction_id, id);
    }
    assert_eq!(storage.stock().movements(&till.stock.sku, None, usize::MAX).unwrap().len(), sold.len());
    let sealed = storage.stats().segments;
    sell_until(&storage, &mut till, sealed).await;
    check(&storage, &till, &(first..=till.made).collect::<Vec<_>>());
    storage.close().unwrap();

    // A start rebuilds missing indexes.
    files(&journal, "idx2").iter().for_each(|path| fs::remove_file(path).unwrap());
    let storage = Storage::open(folder.path(), &small()).unwrap();
    let sealed = storage.stats().segments - 1;
    sell_until(&storage, &mut till, sealed).await;
    check(&storage, &till, &(first..=till.made).collect::<Vec<_>>());
    storage.close().unwrap();
}
