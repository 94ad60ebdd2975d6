//! A backup is taken while tills sell, verifies, and becomes a store again.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs, reason = "a test may fail loudly")]
#![allow(dead_code, reason = "shop and files serve several test files")]

#[path = "support/files.rs"]
mod files;
#[path = "support/shop.rs"]
mod shop;

use domain::event::Event;
use domain::time::UtcMs;
use shop::{Shop, folder, open, options};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use storage::{Backup, Commit, Storage, StorageError, restore, verify};

fn backup(storage: &Storage, target: &Path) -> Result<Backup, StorageError> {
    let keys = [Path::new("keys/tokens.pem").to_owned(), Path::new("keys/sync.pem").to_owned()];
    storage.backup(target, Some(&keys), UtcMs(5), &mut |_| ())
}

/// Sells until it is told to stop.
fn sell(storage: &Storage, till: &mut Shop, sold: &AtomicU64, stop: &AtomicBool) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    while !stop.load(Relaxed) {
        runtime.block_on(storage.commit(till.sale())).unwrap();
        sold.fetch_add(1, Relaxed);
    }
}

fn wait_for(sold: &AtomicU64, count: u64) {
    while sold.load(Relaxed) < count {
        std::thread::yield_now();
    }
}

#[test]
fn a_backup_under_load_is_whole_and_so_is_the_verification_beside_it() {
    let folder = folder();
    let storage = open(folder.path());
    fs::create_dir(folder.path().join("keys")).unwrap();
    fs::write(folder.path().join("keys/tokens.pem"), "a key").unwrap();
    let mut till = Shop::new("till-1");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(storage.commit(till.open_shift())).unwrap();
    runtime.block_on(storage.commit(till.basket())).unwrap();
    let (sold, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let places = tempfile::tempdir().unwrap();
    let mut taken = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| sell(&storage, &mut till, &sold, &stop));
        for round in 1..=3 {
            wait_for(&sold, round * 150);
            let before = sold.load(Relaxed);
            let target = places.path().join(format!("backup-{round}"));
            taken.push((backup(&storage, &target).unwrap(), target, before));
            let report = storage.verify(&mut |_| ()).unwrap();
            assert!(report.clean(), "{:#?}", report.problems);
            assert!(report.sales >= before && report.rows > 3, "{report:?}");
        }
        stop.store(true, Relaxed);
    });
    storage.close().unwrap();
    assert!(fs::read_dir(places.path()).unwrap().count() == 3, "nothing half-made is left");
    for (list, target, before) in taken {
        let mode = fs::metadata(target.join("keys/tokens.pem")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let back = tempfile::tempdir().unwrap();
        let restoring = restore(&target, back.path(), &mut |_| ()).unwrap();
        let refused = Storage::open(back.path(), &options()).unwrap_err();
        assert!(refused.to_string().contains("interrupted"), "{refused}");
        let storage = restoring.open(&options()).unwrap();
        assert_eq!((storage.head().lsn, storage.head().seq), (list.lsn, list.seq));
        let epoch = Event::EpochOpened { epoch: "2-fedcba9876543210".to_owned() };
        let first = Commit { events: vec![epoch], records: vec![], keyed: None, at: UtcMs(6), hlc: None };
        runtime.block_on(storage.commit(first)).unwrap();
        storage.close().unwrap();
        restoring.finish().unwrap();
        let report = verify(back.path(), &mut |_| ()).unwrap();
        assert!(report.clean(), "{:#?}", report.problems);
        assert!(report.sales >= before, "{} of at least {before}", report.sales);
        assert_eq!(report.sales, list.seq, "one record each");
        let storage = open(back.path());
        assert_eq!(storage.head().epoch, "2-fedcba9876543210");
        assert_eq!(storage.lineage().unwrap()[0].head_seq, list.seq);
        let stock = storage.all_stock().unwrap();
        assert_eq!(stock[0].qty, -i64::try_from(report.sales).unwrap());
        storage.close().unwrap();
    }
}

#[test]
fn a_changed_backup_is_refused_and_leaves_no_store() {
    let folder = folder();
    let storage = open(folder.path());
    let places = tempfile::tempdir().unwrap();
    let target = places.path().join("backup");
    backup(&storage, &target).unwrap();
    storage.close().unwrap();
    for name in ["journal/0000000000000001.seg", "store.json", "install.key"] {
        let path = target.join(name);
        let good = fs::read(&path).unwrap();
        let mut bad = good.clone();
        let last = bad.len() - 1;
        bad[last] ^= 1;
        fs::write(&path, bad).unwrap();
        let back = tempfile::tempdir().unwrap();
        let refused = restore(&target, back.path(), &mut |_| ()).unwrap_err();
        assert!(refused.to_string().contains(name), "{refused}");
        assert_eq!(refused.exit_code(), 74);
        assert!(Storage::open(back.path(), &options()).is_err());
        fs::write(&path, good).unwrap();
    }
    let back = tempfile::tempdir().unwrap();
    restore(&target, back.path(), &mut |_| ()).unwrap();
    assert_eq!(restore(places.path(), &back.path().join("new"), &mut |_| ()).unwrap_err().exit_code(), 1);
}

#[test]
fn a_backup_without_keys_holds_none_and_touches_nothing_that_is_there() {
    let folder = folder();
    let storage = open(folder.path());
    let places = tempfile::tempdir().unwrap();
    let target = places.path().join("backup");
    fs::create_dir(&target).unwrap();
    fs::write(target.join("mine"), "").unwrap();
    let refused = backup(&storage, &target).unwrap_err();
    assert!(refused.to_string().contains("not empty"), "{refused}");
    fs::remove_file(target.join("mine")).unwrap();
    let list = storage.backup(&target, None, UtcMs(5), &mut |_| ()).unwrap();
    storage.close().unwrap();
    assert!(!list.keys && !target.join("install.key").exists() && !target.join("keys").exists());
    assert!(restore(&target, folder.path(), &mut |_| ()).unwrap_err().to_string().contains("not empty"));
    let back = tempfile::tempdir().unwrap();
    let restoring = restore(&target, back.path(), &mut |_| ()).unwrap();
    restoring.open(&options()).unwrap().close().unwrap();
    restoring.finish().unwrap();
    assert_ne!(
        fs::read(back.path().join("install.key")).unwrap(),
        fs::read(folder.path().join("install.key")).unwrap()
    );
}
