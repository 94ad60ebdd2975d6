//! Commits: durable, visible, grouped, and present after a restart.

use crate::shop::{EPOCH, STORE, Shop, folder, open, options};
use domain::model::base::ids::StoreId;
use storage::{Storage, StorageError};

#[tokio::test(flavor = "multi_thread")]
async fn an_answered_commit_is_there_after_a_start() {
    let folder = folder();
    let storage = open(folder.path());
    let mut till = Shop::new("till-1");
    storage.commit(till.open_shift()).await.unwrap();
    let mut last = storage.commit(till.sale()).await.unwrap();
    for _ in 0..300 {
        last = storage.commit(till.sale()).await.unwrap();
    }
    storage.commit(till.basket()).await.unwrap();
    assert_eq!(last.seq, 301);
    let before = everything(&storage, &till);
    let head = storage.head();
    assert_eq!((head.seq, head.epoch.as_str(), head.lsn), (301, EPOCH, 304));
    assert!(storage.stats().segments > 2, "{:?}", storage.stats());
    storage.close().unwrap();
    let storage = open(folder.path());
    assert_eq!(everything(&storage, &till), before);
    assert_eq!(storage.head(), head);
    assert_eq!(storage.sync().last_hlc(), Some(format!("{:013}-00000-{STORE}", till.now - 1_000)));
}

fn everything(storage: &Storage, till: &Shop) -> Vec<String> {
    let (previous, events) = storage.outbox().records(EPOCH, 250, 1_000, 1 << 20).unwrap();
    let shift = &till.shift.shift_id;
    let page = storage.sales().transactions_of_shift(shift, None, 5).unwrap();
    let next = storage.sales().transactions_of_shift(shift, Some(page[4].0), 1_000).unwrap();
    assert_eq!((page.len(), next.len(), events.len(), events[0].seq), (5, 296, 51, 251));
    assert_eq!(storage.outbox().records(EPOCH, 249, 1, 10).unwrap().1[0].hash, previous);
    let answer = storage.log().answer(&till.key(7)).unwrap().unwrap();
    let receipt = storage.sales().transaction_by_receipt("S001-till-1-00000009").unwrap().unwrap();
    assert_eq!(receipt.transaction_id, till.transaction_id(9));
    assert_eq!(storage.sales().transaction(&till.transaction_id(3)).unwrap().unwrap().amount_paid, 1_110);
    assert_eq!(storage.sales().transaction(&till.transaction_id(302)).unwrap().unwrap().amount_paid, 0);
    assert_eq!(storage.log().answer(&till.key(9_999)).unwrap(), None);
    vec![
        format!("{:?}", storage.stock().stocks(None, usize::MAX)),
        format!("{:?}", storage.shifts().open_shifts()),
        format!("{:?}", storage.sales().open_transactions(shift)),
        format!("{:?}", storage.shifts().counters(&till.shift.register_id)),
        format!("{:?}", storage.stock().movements(&till.stock.sku, None, 1_000)),
        format!("{:?}", storage.outbox().lineage()),
        format!("{:?}", storage.outbox().backlog()),
        format!("{page:?}{next:?}{events:?}{answer:?}"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn commits_that_wait_together_share_one_fdatasync() {
    let folder = folder();
    let storage = open(folder.path());
    let before = storage.stats();
    let (sender, receiver) = std::sync::mpsc::channel();
    let mut till = Shop::new("till-1");
    let hold = std::sync::Arc::new(std::sync::Mutex::new(()));
    let held = hold.lock().unwrap();
    let gate = std::sync::Arc::clone(&hold);
    // The first commit's `then` keeps the writer busy until the others wait.
    storage.submit(till.sale(), move |_| drop(gate.lock())).unwrap();
    for _ in 0..128 {
        let sender = sender.clone();
        storage.submit(till.sale(), move |durable| sender.send(durable.seq).unwrap()).unwrap();
    }
    drop(held);
    storage.barrier().await.unwrap();
    let seqs: Vec<u64> = receiver.try_iter().collect();
    assert_eq!(seqs, (2..=129).collect::<Vec<_>>(), "answered in order");
    let after = storage.stats();
    assert_eq!(after.commits - before.commits, 129);
    // With segments of 96 KiB a group has up to a quarter of that.
    let groups = after.groups - before.groups;
    let rotations = after.segments - before.segments;
    assert!(groups <= 1 + 128 / 8, "{groups} groups");
    assert_eq!(after.fdatasyncs - before.fdatasyncs, groups + rotations);
}

#[test]
fn one_process_and_one_store_per_folder() {
    let folder = folder();
    let storage = open(folder.path());
    let error = Storage::open(folder.path(), &options()).unwrap_err();
    assert!(matches!(error, StorageError::Locked { .. }), "{error}");
    assert_eq!(error.exit_code(), 73);
    storage.close().unwrap();
    let error = Storage::init(folder.path(), &StoreId::from(STORE), EPOCH).unwrap_err();
    assert!(matches!(error, StorageError::Exists { .. }), "{error}");
    let empty = tempfile::tempdir().unwrap();
    let error = Storage::open(empty.path(), &options()).unwrap_err();
    assert!(matches!(error, StorageError::Missing { .. }), "{error}");
}

#[tokio::test]
async fn a_commit_longer_than_a_segment_gets_a_longer_segment() {
    let folder = folder();
    let storage = open(folder.path());
    let mut till = Shop::new("till-1");
    storage.commit(till.sale()).await.unwrap();
    let events = (0..1_500).flat_map(|number| till.product(&format!("sku-{number:04}")).events).collect();
    storage.commit(till.commit(events)).await.unwrap();
    storage.commit(till.sale()).await.unwrap();
    assert_eq!(storage.products().product_count().unwrap(), 1_500);
    storage.close().unwrap();
    std::fs::remove_dir_all(folder.path().join("rows")).unwrap();
    let storage = open(folder.path());
    assert_eq!((storage.products().product_count().unwrap(), storage.head().seq), (1_500, 2));
}

#[tokio::test]
async fn a_group_longer_than_an_empty_segment_takes_its_place() {
    let folder = folder();
    // Such a segment has no space even for the first commit.
    let options = storage::Options { segment_bytes: 4096, ..options() };
    let storage = Storage::open(folder.path(), &options).unwrap();
    assert_eq!(storage.stats().segments, 1);
    let mut till = Shop::new("till-1");
    for _ in 0..5 {
        storage.commit(till.sale()).await.unwrap();
    }
    assert_eq!(storage.sales().transactions_of_shift(&till.shift.shift_id, None, 10).unwrap().len(), 5);
    let (head, segments) = (storage.head(), storage.stats().segments);
    assert_eq!(segments, 6, "one commit each, and no empty segment");
    storage.close().unwrap();
    let storage = Storage::open(folder.path(), &options).unwrap();
    assert_eq!((storage.head(), storage.stats().segments), (head, segments));
}

#[tokio::test]
async fn more_segments_than_open_files() {
    let folder = folder();
    let options = storage::Options { segment_bytes: 5 * 1024, ..options() };
    let storage = Storage::open(folder.path(), &options).unwrap();
    let mut till = Shop::new("till-1");
    for _ in 0..600 {
        storage.commit(till.sale()).await.unwrap();
    }
    let reads = |storage: &Storage| {
        assert!(storage.stats().segments > 140, "{:?}", storage.stats());
        assert!(storage.sales().transaction(&till.transaction_id(1)).unwrap().is_some());
        assert_eq!(storage.stock().movements(&till.stock.sku, None, 1_000).unwrap().len(), 600);
    };
    reads(&storage);
    storage.close().unwrap();
    let storage = Storage::open(folder.path(), &options).unwrap();
    reads(&storage);
    let open = std::fs::read_dir("/proc/self/fd").unwrap().filter_map(|entry| {
        let target = std::fs::read_link(entry.unwrap().path()).ok()?;
        target.starts_with(folder.path()).then_some(target)
    });
    assert!(open.count() < 2 * 128 + 16);
}
