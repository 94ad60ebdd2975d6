//! A small store in every format of version 1, byte by byte.
//!
//! `golden/v1` is a backup: its list, manifest, key, a sealed segment with its index, the open segment, a snapshot
//! of the rows. A build that writes other bytes has changed a format. Where that is meant, follow
//! `docs/decisions/0028-one-format-until-1.0.md`; `GOLDEN=write cargo test --test storage golden::this_build`
//! writes the folder anew.

use crate::files::{copy, files, flip, frames};
use crate::shop::{EPOCH, START_MS, Shop, folder};
use domain::model::base::answer::Answer;
use domain::model::base::time::UtcMs;
use domain::model::people::user::Role;
use domain::rules::selling::transaction::TransactionView;
use std::fs;
use std::path::{Path, PathBuf};
use storage::{Options, Storage, verify};
use tempfile::TempDir;

const SALES: u64 = 12;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1")
}

fn options() -> Options {
    Options { cache_bytes: 1 << 20, min_free_bytes: 0, segment_bytes: 10 * 1024, ..Options::default() }
}

/// Makes a backup of a store whose key, IDs and times are always the same.
async fn make(target: &Path) {
    let folder = folder();
    fs::write(folder.path().join("install.key"), [7; 32]).unwrap();
    let storage = Storage::open(folder.path(), &options()).unwrap();
    let mut till = Shop::new("till-1");
    storage.commit(till.open_shift()).await.unwrap();
    storage.commit(till.product("sku-till-1")).await.unwrap();
    for _ in 0..SALES {
        storage.commit(till.sale()).await.unwrap();
    }
    storage.commit(till.answered_basket(SALES + 1)).await.unwrap();
    storage.backup(target, Some(&[]), UtcMs(START_MS), &mut |_| ()).unwrap();
    storage.close().unwrap();
}

/// Returns every file below a folder, relative to it, in order.
fn list(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        let name = PathBuf::from(entry.file_name());
        match entry.path().is_dir() {
            true => found.extend(list(&entry.path()).into_iter().map(|path| name.join(path))),
            false => found.push(name),
        }
    }
    found.sort();
    found
}

#[tokio::test]
async fn this_build_writes_the_bytes_of_version_1() {
    let place = TempDir::new().unwrap();
    let made = place.path().join("backup");
    make(&made).await;
    if std::env::var("GOLDEN").is_ok_and(|word| word == "write") {
        let _ = fs::remove_dir_all(golden());
        fs::create_dir_all(golden()).unwrap();
        crate::files::copy_into(&made, &golden());
    }
    assert_eq!(list(&made), list(&golden()));
    for file in list(&golden()) {
        let (made, pinned) = (fs::read(made.join(&file)).unwrap(), fs::read(golden().join(&file)).unwrap());
        let first = made.iter().zip(&pinned).position(|(made, pinned)| made != pinned);
        let differs = first.or_else(|| (made.len() != pinned.len()).then(|| made.len().min(pinned.len())));
        assert_eq!(
            differs,
            None,
            "{} has other bytes from here on: a format has changed; the head of this test says what to do",
            file.display()
        );
    }
}

#[test]
fn a_folder_of_version_1_is_read_from_its_snapshot_and_from_its_journal() {
    let journal = golden().join("journal");
    assert_eq!((files(&journal, "seg").len(), files(&journal, "idx").len()), (2, 1));
    let from_snapshot = copy(&golden());
    check(from_snapshot.path());
    let report = verify(from_snapshot.path(), &mut |_| ()).unwrap();
    assert!(report.clean(), "{report:?}");
    let from_journal = copy(&golden());
    fs::remove_dir_all(from_journal.path().join("snapshots")).unwrap();
    for index in files(&from_journal.path().join("journal"), "idx") {
        flip(&index, 20);
    }
    check(from_journal.path());
    assert!(verify(from_journal.path(), &mut |_| ()).unwrap().clean());
    // The product's frame is damaged, so its row can only come from the snapshot.
    let from_snapshot = copy(&golden());
    let sealed = &files(&from_snapshot.path().join("journal"), "seg")[0];
    flip(sealed, frames(sealed).0[2] + 80);
    check(from_snapshot.path());
    assert!(!verify(from_snapshot.path(), &mut |_| ()).unwrap().clean());
}

fn check(path: &Path) {
    let storage = Storage::open(path, &options()).unwrap();
    let mut till = Shop::new("till-1");
    till.made = SALES;
    let shift = storage.shifts().shift(&till.shift.shift_id).unwrap().unwrap();
    assert_eq!((shift.totals.sales_count, shift.totals.total), (12, (12 * 1_110).into()));
    assert_eq!(storage.shifts().open_shifts().unwrap(), [shift]);
    let stock = storage.stock().stock(&till.stock.sku).unwrap().unwrap();
    assert_eq!((stock.qty.get(), stock.value), (-12, (-12 * 600).into()));
    assert_eq!(storage.products().product(&till.stock.sku).unwrap().unwrap().price, 1_000);
    assert_eq!(storage.shifts().counters(&till.shift.register_id).unwrap().receipt, SALES);
    let register = &storage.shifts().registers().unwrap()[0];
    assert_eq!((register.name.as_str(), register.quick_keys[0].label.as_deref()), ("Till", Some("Bag")));
    let basket = &storage.sales().open_transactions(&till.shift.shift_id).unwrap()[0];
    assert_eq!(basket.transaction_id, till.transaction_id(SALES + 1));
    let sale = storage.sales().transaction_by_receipt("S001-till-1-00000003").unwrap().unwrap();
    assert_eq!((sale.transaction_id, sale.items[0].sku.as_str()), (till.transaction_id(3), "sku-till-1"));
    assert_eq!(storage.stock().movements(&till.stock.sku, None, 100).unwrap().len(), 12);
    let answer = storage.log().answer(&till.key(2)).unwrap().unwrap();
    assert_eq!(answer.answer.body, br#"{"success":true,"data":"trx_till-1_2"}"#);
    let answer = storage.log().answer(&till.key(SALES + 1)).unwrap().unwrap().answer;
    assert_eq!(answer, Answer::ok(&TransactionView::new(basket, Role::Cashier)));
    let (_, records) = storage.outbox().records(EPOCH, 0, 100, 1 << 20).unwrap();
    assert_eq!(records.len() as u64, SALES);
    assert_eq!(records[11].record, r#"{"event_id":"evt_till-1_12"}"#);
    assert_eq!(records[11].hash, "dfa8a28127fffa9c20b727e5e0ca3dbec4afe8d423f9cba0a5b6f90c211f67a3");
    assert_eq!((storage.head().seq, storage.outbox().lineage().unwrap()[0].epoch.as_str()), (SALES, EPOCH));
    storage.close().unwrap();
}
