//! A backup is taken while tills sell, is verified, and is restored to a store.

use crate::shop::{Shop, folder, open, options};
use domain::model::base::event::fact;
use domain::model::base::time::UtcMs;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use storage::{Backup, Commit, Storage, StorageError, restore, verify};

fn backup(storage: &Storage, target: &Path) -> Result<Backup, StorageError> {
    let keys = [Path::new("keys/tokens.pem").to_owned(), Path::new("keys/sync.pem").to_owned()];
    storage.backup(target, Some(&keys), UtcMs(5), &mut |_| ())
}

/// Sells until `stop` is set.
fn sell(storage: &Storage, till: &mut Shop, sold: &AtomicU64, stop: &AtomicBool) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
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
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
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
    assert!(fs::read_dir(places.path()).unwrap().count() == 3, "no partial backup is left");
    for (list, target, before) in taken {
        let mode = fs::metadata(target.join("keys/tokens.pem")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let back = tempfile::tempdir().unwrap();
        let restoring = restore(&target, back.path(), &mut |_| ()).unwrap();
        let refused = Storage::open(back.path(), &options()).unwrap_err();
        assert!(refused.to_string().contains("interrupted"), "{refused}");
        let storage = restoring.open(&options()).unwrap();
        assert_eq!((storage.head().lsn, storage.head().seq), (list.lsn, list.seq));
        let epoch = fact::EpochOpened { epoch: "2-fedcba9876543210".to_owned() }.into();
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
        assert_eq!(storage.outbox().lineage().unwrap()[0].head_seq, list.seq);
        let stock = storage.stock().stocks(None, usize::MAX).unwrap();
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
        assert_eq!(fs::read_dir(back.path()).unwrap().count(), 0, "{name}");
        let new = back.path().join("a/new one");
        restore(&target, &new, &mut |_| ()).unwrap_err();
        assert!(!new.exists());
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

#[test]
fn a_backup_never_lies_among_the_stores_own_files() {
    let folder = folder();
    let storage = open(folder.path());
    for name in ["keys", "backups", "snapshots"] {
        fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    for inside in ["journal/0000000000000009.seg", "rows/x", "keys/x", "snapshots/x", "snapshots/new/x"] {
        let refused = backup(&storage, &folder.path().join(inside)).unwrap_err();
        assert!(refused.to_string().contains("the store's own"), "{inside}: {refused}");
    }
    backup(&storage, &folder.path().join("backups/one")).unwrap();
    storage.close().unwrap();
    open(folder.path()).close().unwrap();
}

#[test]
fn a_restore_that_was_interrupted_does_not_verify() {
    let places = tempfile::tempdir().unwrap();
    let whole = backed_up(places.path());
    let back = tempfile::tempdir().unwrap();
    let restoring = restore(&whole, back.path(), &mut |_| ()).unwrap();
    let report = verify(back.path(), &mut |_| ()).unwrap();
    assert!(report.problems.iter().any(|problem| problem.contains("interrupted")), "{report:?}");
    restoring.finish().unwrap();
    assert!(verify(back.path(), &mut |_| ()).unwrap().clean());
}

/// Returns the backup of a closed store with sealed segments.
fn backed_up(places: &Path) -> PathBuf {
    let folder = folder();
    let storage = open(folder.path());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let mut till = Shop::new("till-1");
    runtime.block_on(storage.commit(till.open_shift())).unwrap();
    while storage.stats().segments < 3 {
        runtime.block_on(storage.commit(till.sale())).unwrap();
    }
    let target = places.join("backup");
    backup(&storage, &target).unwrap();
    storage.close().unwrap();
    target
}

#[test]
fn a_restore_copies_listed_plain_files_of_the_listed_length_only() {
    let places = tempfile::tempdir().unwrap();
    let whole = backed_up(places.path());
    let segment = "journal/0000000000000001.seg";
    type Change = fn(&Path, &Path);
    // All targets of links are intact, so only the link itself is wrong.
    let changes: [(&str, Change); 6] = [
        ("a link to the file", |copy, whole| {
            fs::remove_file(copy.join("journal/0000000000000001.seg")).unwrap();
            let file = whole.join("journal/0000000000000001.seg");
            symlink(file, copy.join("journal/0000000000000001.seg")).unwrap();
        }),
        ("a link to the folder", |copy, whole| {
            fs::remove_dir_all(copy.join("journal")).unwrap();
            symlink(whole.join("journal"), copy.join("journal")).unwrap();
        }),
        ("a link to the list", |copy, whole| {
            fs::remove_file(copy.join("backup.json")).unwrap();
            symlink(whole.join("backup.json"), copy.join("backup.json")).unwrap();
        }),
        ("a pipe", |copy, _| {
            let key = copy.join("install.key");
            fs::remove_file(&key).unwrap();
            assert!(std::process::Command::new("mkfifo").arg(key).status().unwrap().success());
        }),
        ("a longer file", |copy, _| {
            let mut file = fs::File::options().append(true).open(copy.join("store.json")).unwrap();
            file.write_all(b" ").unwrap();
        }),
        ("a file that no backup holds", |copy, _| {
            let list = fs::read_to_string(copy.join("backup.json")).unwrap();
            // An entry for an empty file.
            let more = "\"files\": [{\"path\": \"rows/db\", \"bytes\": 0, \"sha256\": \
                \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"},";
            fs::create_dir(copy.join("rows")).unwrap();
            fs::write(copy.join("rows/db"), "").unwrap();
            fs::write(copy.join("backup.json"), list.replacen("\"files\": [", more, 1)).unwrap();
        }),
    ];
    assert!(whole.join(segment).exists());
    for (name, change) in changes {
        let copy = crate::files::copy(&whole);
        change(copy.path(), &whole);
        let back = tempfile::tempdir().unwrap();
        let refused = restore(copy.path(), &back.path().join("data"), &mut |_| ());
        assert!(refused.is_err(), "{name} was accepted");
        assert!(!back.path().join("data/rows").exists(), "{name}");
    }
    let copy = crate::files::copy(&whole);
    fs::write(copy.path().join("journal/unlisted"), "x").unwrap();
    let back = tempfile::tempdir().unwrap();
    restore(copy.path(), back.path(), &mut |_| ()).unwrap();
    assert!(!back.path().join("journal/unlisted").exists());
    for file in crate::files::files(&back.path().join("journal"), "seg") {
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
