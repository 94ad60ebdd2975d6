//! Damage: files that can be rebuilt are rebuilt; others are refused with file, offset and possible actions.

use crate::files::{copy, copy_into, files, flip, frames};
use crate::shop::{EPOCH, Shop, folder, open, options};
use domain::model::base::event::fact;
use std::fs;
use std::path::{Path, PathBuf};
use storage::{Options, Storage, StorageError};

/// Creates a closed store with several sealed segments, and returns its till.
async fn sold(path: &Path, sales: usize) -> Shop {
    let storage = open(path);
    let mut till = Shop::new("till-1");
    storage.commit(till.open_shift()).await.unwrap();
    for number in 0..5 {
        storage.commit(till.product(&format!("sku-{number}"))).await.unwrap();
    }
    for _ in 0..sales {
        storage.submit(till.sale(), |_| ()).unwrap();
    }
    storage.commit(till.basket()).await.unwrap();
    storage.close().unwrap();
    // Snapshots run at intervals, so the newest may be old. A start takes a due snapshot, and reads no sealed segment
    // before it at the next start.
    open(path).close().unwrap();
    till
}

/// Commits until the last frame of the newest segment belongs to a later group.
async fn with_a_later_group(path: &Path) -> PathBuf {
    let storage = open(path);
    let mut till = Shop::new("till-2");
    storage.commit(till.open_shift()).await.unwrap();
    loop {
        storage.commit(till.sale()).await.unwrap();
        let newest = files(&path.join("journal"), "seg").pop().unwrap();
        if frames(&newest).0.len() > 1 {
            storage.close().unwrap();
            return newest;
        }
    }
}

/// Returns all current rows and some history as text.
fn state(storage: &Storage, till: &Shop) -> String {
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        storage.stock().stocks(None, usize::MAX).unwrap(),
        storage.products().products(None, 100).unwrap(),
        storage.shifts().open_shifts().unwrap(),
        storage.sales().open_transactions(&till.shift.shift_id).unwrap(),
        storage.shifts().counters(&till.shift.register_id).unwrap(),
        storage.outbox().lineage().unwrap(),
        storage.head(),
        storage.stock().movements(&till.stock.sku, None, 1_000).unwrap().len(),
    )
}

#[tokio::test]
async fn a_torn_last_frame_is_cut_off_at_every_byte_exactly_if_it_was_never_answered() {
    let folder = folder();
    let storage = open(folder.path());
    let mut till = Shop::new("till-1");
    storage.commit(till.open_shift()).await.unwrap();
    let small = fact::SessionClosed { session_id: "ses_1".into() }.into();
    let lsn = storage.commit(till.commit(vec![small])).await.unwrap().lsn;
    storage.close().unwrap();
    let newest = files(&folder.path().join("journal"), "seg").pop().unwrap();
    let (starts, end) = frames(&newest);
    let last = *starts.last().unwrap();
    let whole = fs::read(&newest).unwrap();
    for cut in last + 1..end {
        let mut torn = whole.clone();
        torn[cut as usize..end as usize].fill(0);
        if torn == whole {
            continue; // The bytes after it were zero before.
        }
        fs::write(&newest, &torn).unwrap();
        if cut % 8 == 1 {
            let error = Storage::open(folder.path(), &options()).unwrap_err();
            let lost =
                matches!(error, StorageError::Lost { head, known, .. } if (head, known) == (lsn - 1, lsn));
            assert!(lost, "answered, cut at {cut}: {error}");
            assert_eq!(fs::read(&newest).unwrap(), torn, "a refusal changes nothing");
        }
        // The commit was never answered: neither the high-water mark nor the rows contain it.
        let unanswered = tempfile::tempdir().unwrap();
        fs::create_dir(unanswered.path().join("journal")).unwrap();
        for name in ["store.json", "install.key"] {
            fs::copy(folder.path().join(name), unanswered.path().join(name)).unwrap();
        }
        let segment = unanswered.path().join("journal").join(newest.file_name().unwrap());
        fs::copy(&newest, &segment).unwrap();
        let storage = open(unanswered.path());
        assert_eq!(storage.head().lsn, lsn - 1, "cut at {cut}");
        let bytes = fs::read(&segment).unwrap();
        assert!(bytes[last as usize..].iter().all(|byte| *byte == 0), "cut off at {cut}");
        assert_eq!(storage.commit(till.sale()).await.unwrap().lsn, lsn, "the journal continues there");
    }
}

#[tokio::test]
async fn a_bad_frame_before_a_later_group_is_refused_by_file_and_offset() {
    let folder = folder();
    sold(folder.path(), 100).await;
    let newest = with_a_later_group(folder.path()).await;
    let (starts, _) = frames(&newest);
    let whole = fs::read(&newest).unwrap();
    for frame in [0, starts.len() / 2] {
        for within in [2, 9, 30, 61, 70] {
            flip(&newest, starts[frame] + within);
            let error = Storage::open(folder.path(), &options()).unwrap_err();
            assert_eq!(error.exit_code(), 74);
            match &error {
                StorageError::Damaged { path, offset, .. } => {
                    assert_eq!((path, *offset), (&newest, starts[frame]), "{error}");
                }
                // All following frames belong to one group, so the high-water mark is ahead.
                StorageError::Lost { .. } => assert!(frame > 0, "{error}"),
                other => panic!("{other}"),
            }
            assert!(error.to_string().contains("backup"), "the error lists the possible actions: {error}");
            fs::write(&newest, &whole).unwrap();
        }
    }
    open(folder.path()).close().unwrap();
}

#[tokio::test]
async fn a_missing_swapped_or_old_segment_is_refused() {
    let folder = folder();
    sold(folder.path(), 400).await;
    let segments = files(&folder.path().join("journal"), "seg");
    assert!(segments.len() >= 4, "{segments:?}");
    let refused = |change: &dyn Fn(&[PathBuf])| {
        let copy = copy(folder.path());
        change(&files(&copy.path().join("journal"), "seg"));
        let error = Storage::open(copy.path(), &options()).unwrap_err();
        let refused = matches!(error, StorageError::Damaged { .. } | StorageError::Lost { .. });
        assert!(refused && error.exit_code() == 74, "{error}");
    };
    for missing in 0..segments.len() {
        refused(&|segments| fs::remove_file(&segments[missing]).unwrap());
    }
    refused(&|segments| {
        let aside = segments[0].with_extension("aside");
        fs::rename(&segments[1], &aside).unwrap();
        fs::rename(&segments[2], &segments[1]).unwrap();
        fs::rename(&aside, &segments[2]).unwrap();
    });
    // An older copy of the open segment lacks its last frames.
    refused(&|segments| {
        let newest = segments.last().unwrap();
        let (starts, end) = frames(newest);
        let mut bytes = fs::read(newest).unwrap();
        bytes[*starts.last().unwrap() as usize..end as usize].fill(0);
        fs::write(newest, bytes).unwrap();
    });
    refused(&|segments| fs::remove_dir_all(segments[0].parent().unwrap()).unwrap());
    open(folder.path()).close().unwrap();
}

#[tokio::test]
async fn a_hole_in_an_old_segment_is_not_skipped_by_a_rebuild() {
    let folder = folder();
    sold(folder.path(), 600).await;
    let segments = files(&folder.path().join("journal"), "seg");
    let (starts, _) = frames(&segments[1]);
    flip(&segments[1], starts[starts.len() / 2] + 70);
    open(folder.path()).close().unwrap();
    let snapshots = files(&folder.path().join("snapshots"), "snap");
    // Neither rows nor snapshots, but a file name that shows how far the journal was read.
    fs::remove_dir_all(folder.path().join("rows")).unwrap();
    snapshots.iter().for_each(|snapshot| flip(snapshot, 300));
    let error = Storage::open(folder.path(), &options()).unwrap_err();
    let place = (&segments[1], starts[starts.len() / 2]);
    assert!(
        matches!(&error, StorageError::Damaged { path, offset, .. } if (path, *offset) == place),
        "{error}"
    );
}

#[tokio::test]
async fn an_index_that_is_remade_over_a_bad_frame_blames_that_frame() {
    let folder = folder();
    sold(folder.path(), 600).await;
    let segments = files(&folder.path().join("journal"), "seg");
    let (starts, _) = frames(&segments[1]);
    let middle = starts[starts.len() / 2];
    flip(&segments[1], middle + 70);
    for lost in ["gone", "damaged"] {
        let index = segments[1].with_extension("idx");
        match lost {
            "gone" => fs::remove_file(&index).unwrap(),
            _ => fs::write(&index, b"no index").unwrap(),
        }
        let error = Storage::open(folder.path(), &options()).unwrap_err();
        assert!(
            matches!(&error, StorageError::Damaged { path, offset, .. }
                if (path, *offset) == (&segments[1], middle)),
            "{lost}: {error}"
        );
    }
}

#[tokio::test]
async fn a_snapshot_of_another_journal_is_not_used() {
    let (folder, other) = (folder(), folder());
    let till = sold(folder.path(), 600).await;
    let live = state(&open(folder.path()), &till);
    let storage = open(other.path());
    let mut elsewhere = Shop::new("till-9");
    for _ in 0..400 {
        storage.commit(elsewhere.sale()).await.unwrap();
    }
    storage.close().unwrap();
    for name in ["rows", "snapshots"] {
        fs::remove_dir_all(folder.path().join(name)).unwrap();
    }
    fs::create_dir(folder.path().join("snapshots")).unwrap();
    copy_into(&other.path().join("snapshots"), &folder.path().join("snapshots"));
    assert_eq!(state(&open(folder.path()), &till), live);
}

#[tokio::test]
async fn a_damaged_index_is_remade_once_for_all_who_read_it() {
    let folder = folder();
    let till = sold(folder.path(), 400).await;
    for index in files(&folder.path().join("journal"), "idx") {
        flip(&index, 5_000);
    }
    let storage = open(folder.path());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for number in [399, 200, 1] {
                    assert!(storage.sales().transaction(&till.transaction_id(number)).unwrap().is_some());
                }
            });
        }
    });
}

#[tokio::test]
async fn damaged_rows_are_rebuilt_equal_from_snapshot_or_journal() {
    let folder = folder();
    let till = sold(folder.path(), 400).await;
    let storage = open(folder.path());
    let live = state(&storage, &till);
    storage.close().unwrap();
    assert!(!files(&folder.path().join("snapshots"), "snap").is_empty());
    // The engine's file grows by half a megabyte, most of it zeros.
    let db = fs::read(folder.path().join("rows/db")).unwrap();
    let held: Vec<usize> = (0..db.len()).filter(|at| db[*at] != 0).collect();
    let mut rebuilt = 0;
    for part in 0..24 {
        let copy = copy(folder.path());
        flip(&copy.path().join("rows/db"), held[held.len() * part / 24] as u64);
        let storage = open(copy.path());
        assert_eq!(state(&storage, &till), live, "flip in part {part}");
        rebuilt += usize::from(copy.path().join("rows.damaged").exists());
    }
    assert!(rebuilt > 0, "some flips hit rows");
    for damage in ["suspect", "no rows", "no snapshots", "bad snapshot", "garbage"] {
        let copy = copy(folder.path());
        match damage {
            // State left by a check in the background, or by a start that died while rebuilding.
            "suspect" => fs::write(copy.path().join("rows.suspect"), b"").unwrap(),
            "no rows" => fs::remove_dir_all(copy.path().join("rows")).unwrap(),
            "no snapshots" => {
                fs::remove_dir_all(copy.path().join("rows")).unwrap();
                fs::remove_dir_all(copy.path().join("snapshots")).unwrap();
            }
            "bad snapshot" => {
                fs::remove_dir_all(copy.path().join("rows")).unwrap();
                flip(&files(&copy.path().join("snapshots"), "snap").pop().unwrap(), 300);
            }
            _ => fs::write(copy.path().join("rows/db"), vec![0x5a; 100_000]).unwrap(),
        }
        let storage = open(copy.path());
        assert_eq!(state(&storage, &till), live, "{damage}");
        assert!(!copy.path().join("rows.suspect").exists());
        storage.close().unwrap();
        assert_eq!(state(&open(copy.path()), &till), live, "{damage}, again");
    }
}

#[tokio::test]
async fn a_damaged_or_missing_index_is_remade() {
    let folder = folder();
    let till = sold(folder.path(), 400).await;
    let indexes = files(&folder.path().join("journal"), "idx");
    assert!(indexes.len() >= 3);
    let reads = |path: &Path| {
        let storage = open(path);
        for number in [1, 60, 120, 399] {
            let sale = storage.sales().transaction(&till.transaction_id(number)).unwrap().unwrap();
            let receipt = sale.receipt_no.clone().unwrap();
            assert_eq!(storage.sales().transaction_by_receipt(&receipt).unwrap().unwrap(), sale);
            assert!(storage.log().answer(&till.key(number)).unwrap().is_some(), "sale {number}");
        }
        assert_eq!(storage.outbox().records(EPOCH, 0, 1_000, 1 << 20).unwrap().1.len(), 400);
        assert_eq!(storage.stock().movements(&till.stock.sku, None, 1_000).unwrap().len(), 400);
    };
    for damage in [100, 5_000, 9_000] {
        let copy = copy(folder.path());
        for index in files(&copy.path().join("journal"), "idx") {
            flip(&index, damage.min(fs::metadata(&index).unwrap().len() - 1));
        }
        reads(copy.path());
        reads(copy.path());
    }
    let copy = copy(folder.path());
    files(&copy.path().join("journal"), "idx").iter().for_each(|index| fs::remove_file(index).unwrap());
    reads(copy.path());
    for (remade, original) in files(&copy.path().join("journal"), "idx").iter().zip(&indexes) {
        assert_eq!(fs::read(remade).unwrap(), fs::read(original).unwrap(), "{}", remade.display());
    }
}

#[tokio::test]
async fn frames_that_the_rows_lack_are_applied() {
    let folder = folder();
    sold(folder.path(), 30).await;
    let before = copy(folder.path());
    let storage = open(folder.path());
    let mut till = Shop::new("till-2");
    storage.commit(till.open_shift()).await.unwrap();
    for _ in 0..200 {
        storage.commit(till.sale()).await.unwrap();
    }
    let live = state(&storage, &till);
    storage.close().unwrap();
    // The current journal with older rows: killed between fdatasync and apply.
    fs::remove_dir_all(folder.path().join("rows")).unwrap();
    fs::create_dir(folder.path().join("rows")).unwrap();
    copy_into(&before.path().join("rows"), &folder.path().join("rows"));
    let storage = open(folder.path());
    assert_eq!(state(&storage, &till), live);
    assert!(!folder.path().join("rows.damaged").exists(), "no rebuild was needed");
    assert!(storage.log().answer(&till.key(200)).unwrap().is_some(), "a retry gets its stored answer");
}

/// The store is killed while the latest changes, more than a memtable holds, are only in memory.
#[tokio::test]
async fn a_start_applies_more_than_the_memtable_takes() {
    let folder = folder();
    sold(folder.path(), 30).await;
    let options = Options { segment_bytes: 32 << 20, memtable_bytes: usize::MAX, ..options() };
    let storage = Storage::open(folder.path(), &options).unwrap();
    let mut till = Shop::new("till-2");
    storage.commit(till.open_shift()).await.unwrap();
    for _ in 0..2_000 {
        storage.submit(till.sale(), |_| ()).unwrap();
    }
    storage.commit(till.basket()).await.unwrap();
    let live = state(&storage, &till);
    let killed = copy(folder.path());
    let storage = Storage::open(killed.path(), &options).unwrap();
    assert_eq!(state(&storage, &till), live);
    assert!(!killed.path().join("rows.damaged").exists(), "no rebuild was needed");
    storage.close().unwrap();
    let storage = open(killed.path());
    assert_eq!(state(&storage, &till), live);
}

#[tokio::test]
async fn damage_in_an_old_segment_is_named_by_the_scrub() {
    let folder = folder();
    sold(folder.path(), 400).await;
    let oldest = files(&folder.path().join("journal"), "seg").remove(0);
    let (starts, _) = frames(&oldest);
    let middle = starts[starts.len() / 2];
    flip(&oldest, middle + 100);
    let storage = open(folder.path());
    while storage.damage().is_empty() {
        tokio::task::yield_now().await;
    }
    while storage.scrub().finished.is_none() {
        tokio::task::yield_now().await;
    }
    let scrub = storage.scrub();
    assert!(scrub.total_bytes > 0 && scrub.read_bytes == scrub.total_bytes, "the pass continues: {scrub:?}");
    let found = storage.damage();
    let named = found[0].contains(oldest.to_str().unwrap()) && found[0].contains(&format!("offset {middle}"));
    assert!(named, "{found:?}");
}

#[tokio::test]
async fn files_that_an_interrupted_process_left_incomplete_are_removed() {
    let folder = folder();
    sold(folder.path(), 200).await;
    let left = ["journal/0000000000000001.tmp", "journal/next.tmp", "snapshots/0000000000000009.tmp"];
    left.iter().for_each(|name| fs::write(folder.path().join(name), b"half").unwrap());
    open(folder.path()).close().unwrap();
    assert!(left.iter().all(|name| !folder.path().join(name).exists()));
}
