//! `verify` finds no problem in an intact store and names those of a damaged one; `rebuild_index` rebuilds.

use crate::files::{copy, files, flip, frames};
use crate::shop::{Shop, folder, open};
use domain::model::base::event::{Event, Fact};
use std::fs;
use std::path::Path;
use storage::{Commit, Storage, VerifyReport, rebuild_index, verify};

fn report(path: &Path) -> VerifyReport {
    verify(path, &mut |_| ()).unwrap()
}

/// Creates sales of two tills, of which one closes its shift, and a receipt without goods, which leaves no row.
async fn sold(path: &Path) -> [Shop; 2] {
    let storage = open(path);
    let mut tills = [Shop::new("till-1"), Shop::new("till-2")];
    for till in &mut tills {
        storage.commit(till.open_shift()).await.unwrap();
    }
    for round in 0..300 {
        let till = &mut tills[round % 2];
        let commit = till.sale();
        storage.submit(commit, |_| ()).unwrap();
    }
    storage.commit(tills[1].close_shift()).await.unwrap();
    storage.close().unwrap();
    tills
}

#[tokio::test]
async fn a_sound_store_is_clean_and_counted() {
    let folder = folder();
    assert!(report(folder.path()).clean(), "before the first start");
    sold(folder.path()).await;
    let mut seen = Vec::new();
    let found = verify(folder.path(), &mut |progress| seen.push(progress)).unwrap();
    assert!(found.clean(), "{:#?}", found.problems);
    assert_eq!((found.sales, found.records, found.commits, found.head_lsn), (300, 300, 304, 304));
    assert!(found.segments > 2 && found.rows > 8, "{found:?}");
    assert_eq!(seen.last().map(|progress| progress.done), seen.last().map(|progress| progress.total));
    let storage = open(folder.path());
    assert_eq!(verify(folder.path(), &mut |_| ()).unwrap_err().exit_code(), 73, "while another one runs");
    storage.close().unwrap();
}

#[tokio::test]
async fn defects_on_the_disk_are_named() {
    let folder = folder();
    sold(folder.path()).await;
    let named = |what: &str, damage: &dyn Fn(&Path)| {
        let copy = copy(folder.path());
        damage(copy.path());
        let problems = report(copy.path()).problems;
        assert!(problems.iter().any(|problem| problem.contains(what)), "{what}: {problems:#?}");
    };
    let segment = |path: &Path, index: usize| files(&path.join("journal"), "seg")[index].clone();
    let first = segment(folder.path(), 0);
    let (starts, _) = frames(&first);
    let middle = starts[starts.len() / 2];
    named(&format!("offset {middle}"), &|path| flip(&segment(path, 0), middle + 70));
    named("continues lsn", &|path| fs::remove_file(segment(path, 1)).unwrap());
    named("idx", &|path| flip(&files(&path.join("journal"), "idx")[0], 5_000));
    named("idx", &|path| fs::remove_file(&files(&path.join("journal"), "idx")[0]).unwrap());
    named("snap", &|path| flip(&files(&path.join("snapshots"), "snap")[0], 200));
    named("high-water", &|path| {
        let newest = files(&path.join("journal"), "seg").pop().unwrap();
        let (starts, end) = frames(&newest);
        let mut bytes = fs::read(&newest).unwrap();
        bytes[*starts.last().unwrap() as usize..end as usize].fill(0);
        fs::write(newest, bytes).unwrap();
    });
}

/// The writer accepts each of these commits, but an intact store can't contain it.
#[tokio::test]
async fn facts_that_do_not_add_up_are_named() {
    type Spoil = fn(&mut Commit, &Shop);
    fn paid(commit: &mut Commit) -> &mut Event {
        &mut commit.events[0]
    }
    let cases: [(&str, Spoil); 5] = [
        ("stock of sku-till-1", |commit, _| {
            let row = &mut paid(commit).rows.stock[0];
            row.qty = row.qty.saturating_add(1.into());
        }),
        ("worth", |commit, _| {
            let cost = &mut paid(commit).rows.movements[0].cost;
            *cost = cost.saturating_sub(1.into());
        }),
        ("follows number", |commit, _| {
            if let Fact::TransactionPaid(it) = &mut paid(commit).fact {
                it.transaction.receipt_no = Some("S001-till-1-00000009".into());
            }
        }),
        ("shift shf_till-1", |commit, _| {
            let total = &mut paid(commit).rows.shifts[0].totals.total;
            *total = total.saturating_add(1.into());
        }),
        ("carried out twice", |commit, till| commit.keyed.as_mut().unwrap().key = till.key(1)),
    ];
    for (what, spoil) in cases {
        let folder = folder();
        let storage = open(folder.path());
        let mut till = Shop::new("till-1");
        storage.commit(till.open_shift()).await.unwrap();
        storage.commit(till.sale()).await.unwrap();
        let mut commit = till.sale();
        spoil(&mut commit, &till);
        storage.commit(commit).await.unwrap();
        storage.close().unwrap();
        let problems = report(folder.path()).problems;
        assert!(problems.iter().any(|problem| problem.contains(what)), "{what}: {problems:#?}");
    }
}

#[tokio::test]
async fn an_index_rebuilt_from_the_journal_gives_the_live_rows() {
    let folder = folder();
    let tills = sold(folder.path()).await;
    let state = |storage: &Storage| {
        format!(
            "{:?} {:?} {:?} {:?} {:?}",
            storage.stock().stocks(None, usize::MAX),
            storage.shifts().open_shifts(),
            storage.shifts().shifts(None, 10),
            storage.shifts().counters(&tills[0].shift.register_id),
            storage.outbox().lineage()
        )
    };
    let storage = open(folder.path());
    let live = state(&storage);
    storage.close().unwrap();
    for index in files(&folder.path().join("journal"), "idx") {
        flip(&index, 40);
    }
    fs::remove_dir_all(folder.path().join("snapshots")).unwrap();
    let mut steps = 0;
    rebuild_index(folder.path(), &mut |_| steps += 1).unwrap();
    assert!(steps > 3);
    assert!(report(folder.path()).clean(), "{:#?}", report(folder.path()).problems);
    let storage = open(folder.path());
    assert_eq!(state(&storage), live);
    assert!(storage.log().answer(&tills[0].key(3)).unwrap().is_some());
}

/// One flipped bit anywhere on the disk is refused, named by `verify`, or harmless, but never unnoticed.
#[tokio::test]
async fn no_flipped_bit_is_silent() {
    const SEED: u64 = 0x5eed_0001;
    let folder = folder();
    let tills = sold(folder.path()).await;
    let sound = facts(folder.path(), &tills);
    let mut places = Vec::new();
    for file in
        ["journal", "snapshots"].iter().flat_map(|name| fs::read_dir(folder.path().join(name)).unwrap())
    {
        let path = file.unwrap().path();
        let used = fs::read(&path).unwrap().iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        places.push((path.strip_prefix(folder.path()).unwrap().to_owned(), used as u64));
    }
    places.retain(|(_, used)| *used > 0);
    places.sort();
    let mut random = SEED;
    let (mut refused, mut named) = (0, 0);
    for round in 0..60_u64 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (name, used) = &places[round as usize % places.len()];
        let at = (random >> 16) % used;
        let copy = copy(folder.path());
        flip(&copy.path().join(name), at);
        let clean = verify(copy.path(), &mut |_| ()).is_ok_and(|report| report.clean());
        named += usize::from(!clean);
        match Storage::open(copy.path(), &crate::shop::options()) {
            Err(error) => {
                assert_eq!(error.exit_code(), 74, "{error}");
                refused += 1;
            }
            Ok(storage) => {
                storage.close().unwrap();
                let same = facts(copy.path(), &tills) == sound;
                assert!(same || !clean, "seed {SEED:#x} round {round}: {} at {at}", name.display());
            }
        }
    }
    assert!(refused > 0 && named > refused, "refused {refused}, named {named} of 60");
}

fn facts(path: &Path, tills: &[Shop; 2]) -> String {
    let storage = open(path);
    let head = storage.head();
    format!(
        "{head:?} {:?} {:?} {:?} {:?} {:?}",
        storage.stock().stocks(None, usize::MAX),
        storage.shifts().shifts(None, 10),
        storage.outbox().records(&head.epoch, 0, 1_000, 1 << 22),
        storage.sales().transactions_of_shift(&tills[0].shift.shift_id, None, 1_000),
        storage.log().answer(&tills[0].key(3)),
    )
}
