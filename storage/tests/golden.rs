//! Golden files: what an earlier version wrote stays readable.
//!
//! `golden/v<n>` holds a small store's journal (a sealed segment, its index, the open one), a snapshot of
//! its rows, manifest and key. When a type in a row changes, raise the version in `rows/mark.rs`: old
//! snapshots are then left aside and rows come from the journal, whose events are JSON and need a
//! serde default for new fields. Then let `GOLDEN=v<n+1> cargo test -p storage --test golden` add a folder.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs, reason = "a test may fail loudly")]
#![allow(dead_code, reason = "shop and files serve several test files")]

#[path = "support/files.rs"]
mod files;
#[path = "support/shop.rs"]
mod shop;

use files::{copy, copy_into, files, flip, frames};
use shop::{EPOCH, Shop, folder};
use std::fs;
use std::path::{Path, PathBuf};
use storage::{Options, Storage, verify};

const SALES: u64 = 12;
/// The version that this program writes: its snapshots are used, not only left aside.
const CURRENT: &str = "v9";

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn options() -> Options {
    Options { cache_bytes: 1 << 20, min_free_bytes: 0, segment_bytes: 24 * 1024, ..Options::default() }
}

/// Writes a folder for this version, when asked to.
async fn make(target: &Path) {
    let folder = folder();
    let storage = Storage::open(folder.path(), &options()).unwrap();
    let mut till = Shop::new("till-1");
    storage.commit(till.open_shift()).await.unwrap();
    storage.commit(till.product("sku-till-1")).await.unwrap();
    for _ in 0..SALES {
        storage.commit(till.sale()).await.unwrap();
    }
    storage.commit(till.basket()).await.unwrap();
    storage.close().unwrap();
    for name in ["rows", "reserve", "lock", "journal/next.seg"] {
        let path = folder.path().join(name);
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
    fs::create_dir_all(target).unwrap();
    copy_into(folder.path(), target);
}

#[tokio::test]
async fn every_stored_version_stays_readable() {
    if let Ok(version) = std::env::var("GOLDEN") {
        make(&golden().join(version)).await;
    }
    let versions: Vec<_> = fs::read_dir(golden()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!versions.is_empty());
    for version in versions {
        assert_eq!(files(&version.join("journal"), "seg").len(), 2, "{}", version.display());
        assert_eq!(files(&version.join("snapshots"), "snap").len(), 1);
        let from_snapshot = copy(&version);
        check(from_snapshot.path());
        let report = verify(from_snapshot.path(), &mut |_| ()).unwrap();
        assert!(report.clean(), "{}: {report:?}", version.display());
        let from_journal = copy(&version);
        fs::remove_dir_all(from_journal.path().join("snapshots")).unwrap();
        for index in files(&from_journal.path().join("journal"), "idx") {
            flip(&index, 20);
        }
        check(from_journal.path());
        assert!(verify(from_journal.path(), &mut |_| ()).unwrap().clean());
    }
    // The product's frame is damaged, so its row can only come from the snapshot.
    let from_snapshot = copy(&golden().join(CURRENT));
    let sealed = &files(&from_snapshot.path().join("journal"), "seg")[0];
    flip(sealed, frames(sealed).0[2] + 80);
    check(from_snapshot.path());
    assert!(!verify(from_snapshot.path(), &mut |_| ()).unwrap().clean());
}

fn check(path: &Path) {
    let storage = Storage::open(path, &options()).unwrap();
    let mut till = Shop::new("till-1");
    till.made = SALES;
    let shift = storage.shift(&till.shift.shift_id).unwrap().unwrap();
    assert_eq!((shift.totals.sales_count, shift.totals.total), (12, 12 * 1_110));
    assert_eq!(storage.open_shifts().unwrap(), [shift]);
    let stock = storage.stock(&till.stock.sku).unwrap().unwrap();
    assert_eq!((stock.qty, stock.value), (-12, -12 * 600));
    assert_eq!(storage.product(&till.stock.sku).unwrap().unwrap().price, 1_000);
    assert_eq!(storage.counters(&till.shift.register_id).unwrap().receipt, SALES);
    assert_eq!(storage.registers().unwrap()[0].name, "Till");
    let basket = &storage.open_transactions(&till.shift.shift_id).unwrap()[0];
    assert_eq!(basket.transaction_id, till.transaction_id(SALES + 1));
    let sale = storage.transaction_by_receipt("S001-till-1-00000003").unwrap().unwrap();
    assert_eq!((sale.transaction_id, sale.items[0].sku.as_str()), (till.transaction_id(3), "sku-till-1"));
    assert_eq!(storage.movements(&till.stock.sku, None, 100).unwrap().len(), 12);
    let answer = storage.answer(&till.key(2)).unwrap().unwrap();
    assert_eq!(answer.answer.body, br#"{"success":true,"data":"trx_till-1_2"}"#);
    let (_, records) = storage.records(EPOCH, 0, 100, 1 << 20).unwrap();
    assert_eq!(records.len() as u64, SALES);
    assert_eq!(records[11].record, r#"{"event_id":"evt_till-1_12"}"#);
    assert_eq!(records[11].hash, "dfa8a28127fffa9c20b727e5e0ca3dbec4afe8d423f9cba0a5b6f90c211f67a3");
    assert_eq!((storage.head().seq, storage.lineage().unwrap()[0].epoch.as_str()), (SALES, EPOCH));
    storage.close().unwrap();
}
