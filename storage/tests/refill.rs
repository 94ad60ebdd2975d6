//! Records that come back from the hub: written to the journal at their epoch and number, found instead of the ones
//! that they replace, and verified like all others.

use domain::model::base::event::{Event, Rows, fact};
use domain::model::base::figures::Money;
use domain::model::base::ids::MemberId;
use domain::model::base::time::UtcMs;
use domain::model::hub::chain::{GENESIS, next};
use domain::model::hub::sync::local::{Change, LinkRow, RecoveryPosition};
use domain::model::people::points::{PointsAccount, PointsEntry, PointsReason};
use domain::wire::feed::{Coverage, Covered};
use std::path::Path;
use storage::{Commit, Options, Storage, rebuild_index, verify};

const OLD: &str = "1-0123456789abcdef";
const NEW: &str = "2-0123456789abcdef";

fn options() -> Options {
    Options { segment_bytes: 8 * 1024, min_free_bytes: 0, ..Options::default() }
}

fn commit(events: Vec<Event>, records: Vec<String>) -> Commit {
    Commit { events, records, keyed: None, at: UtcMs(1_795_140_000_000), hlc: None }
}

fn texts(name: &str, count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("{{\"{name}\":{number}}}")).collect()
}

fn change(change: Change) -> Event {
    fact::SyncChanged { change }.into()
}

fn refill(epoch: &str, first_seq: u64, prev_hash: &str) -> Event {
    let (epoch, prev_hash) = (epoch.to_owned(), prev_hash.to_owned());
    change(Change::Refill { refill: RecoveryPosition { epoch, first_seq, prev_hash } })
}

fn hash_after(previous: &str, texts: &[String]) -> String {
    texts.iter().fold(previous.to_owned(), |hash, text| next(&hash, text))
}

fn read(storage: &Storage, epoch: &str) -> Vec<String> {
    let mut read: Vec<String> = Vec::new();
    loop {
        let (_, page) = storage.outbox().records(epoch, read.len() as u64, 3, 1 << 20).unwrap();
        if page.is_empty() {
            return read;
        }
        read.extend(page.into_iter().map(|event| event.record));
    }
}

fn head(storage: &Storage, epoch: &str) -> (u64, String) {
    let lineage = storage.outbox().lineage().unwrap();
    let state = lineage.into_iter().find(|state| state.epoch == epoch).unwrap();
    (state.head_seq, state.head_hash)
}

/// Runs the checks now, after a clean start, and after a rebuild of the rows, and verifies the store.
fn everywhere(folder: &Path, storage: Storage, holds: impl Fn(&Storage)) {
    holds(&storage);
    storage.close().unwrap();
    let reopened = Storage::open(folder, &options()).unwrap();
    holds(&reopened);
    reopened.close().unwrap();
    rebuild_index(folder, &mut |_| ()).unwrap();
    let rebuilt = Storage::open(folder, &options()).unwrap();
    holds(&rebuilt);
    rebuilt.close().unwrap();
    let report = verify(folder, &mut |_| ()).unwrap();
    assert!(report.clean(), "{:?}", report.problems);
}

#[tokio::test]
async fn an_epoch_that_was_never_here_comes_back_beside_the_current_one() {
    let folder = tempfile::tempdir().unwrap();
    Storage::init(folder.path(), &"S001".into(), NEW).unwrap();
    let storage = Storage::open(folder.path(), &options()).unwrap();
    let (old, own) = (texts("old", 70), texts("own", 50));
    let mut hash = GENESIS.to_owned();
    for (index, chunk) in old.chunks(10).enumerate() {
        storage.commit(commit(Vec::new(), own[index * 5..index * 5 + 5].to_vec())).await.unwrap();
        let events = vec![refill(OLD, index as u64 * 10 + 1, &hash)];
        storage.commit(commit(events, chunk.to_vec())).await.unwrap();
        hash = hash_after(&hash, chunk);
    }
    storage.commit(commit(Vec::new(), own[35..].to_vec())).await.unwrap();
    everywhere(folder.path(), storage, |storage| {
        assert_eq!((read(storage, OLD), read(storage, NEW)), (old.clone(), own.clone()));
        assert_eq!(head(storage, OLD), (70, hash.clone()));
        assert_eq!(head(storage, NEW), (50, hash_after(GENESIS, &own)));
        let epochs: Vec<String> =
            storage.outbox().lineage().unwrap().into_iter().map(|state| state.epoch).collect();
        assert_eq!(epochs, [OLD, NEW], "oldest first");
        assert_eq!(storage.head().seq, 50);
    });
}

#[tokio::test]
async fn the_hubs_copy_of_an_epoch_replaces_the_own_one_even_a_longer_one() {
    let folder = tempfile::tempdir().unwrap();
    Storage::init(folder.path(), &"S001".into(), OLD).unwrap();
    let storage = Storage::open(folder.path(), &options()).unwrap();
    let (mine, theirs) = (texts("mine", 40), texts("theirs", 25));
    for chunk in mine.chunks(5) {
        storage.commit(commit(Vec::new(), chunk.to_vec())).await.unwrap();
    }
    let opened = fact::EpochOpened { epoch: NEW.to_owned() }.into();
    storage.commit(commit(vec![opened], texts("new", 2))).await.unwrap();
    let mut hash = GENESIS.to_owned();
    for (index, chunk) in theirs.chunks(5).enumerate() {
        let events = vec![refill(OLD, index as u64 * 5 + 1, &hash)];
        storage.commit(commit(events, chunk.to_vec())).await.unwrap();
        hash = hash_after(&hash, chunk);
    }
    everywhere(folder.path(), storage, |storage| {
        assert_eq!(read(storage, OLD), theirs);
        assert_eq!(head(storage, OLD), (25, hash.clone()));
        assert_eq!(storage.outbox().hash_at(OLD, 26).unwrap(), None, "the former records are behind the end");
        assert_eq!(read(storage, NEW), texts("new", 2));
    });
}

#[tokio::test]
async fn points_are_covered_where_their_record_stands_now() {
    let folder = tempfile::tempdir().unwrap();
    Storage::init(folder.path(), &"S001".into(), OLD).unwrap();
    let storage = Storage::open(folder.path(), &options()).unwrap();
    let text = |name: &str| format!("{{\"event_id\":\"evt_{name}\",\"entry_id\":\"{name}:adjust\"}}");
    storage.commit(commit(vec![earned("a")], vec![text("a")])).await.unwrap();
    let looked_at = storage.head().lsn;
    storage.commit(commit(vec![earned("b")], vec![text("b")])).await.unwrap();
    let opened = fact::EpochOpened { epoch: NEW.to_owned() }.into();
    storage.commit(commit(vec![opened], Vec::new())).await.unwrap();
    // The hub has other records in their place. The old ones are moved, after a new one.
    storage.commit(commit(Vec::new(), vec![text("new"), text("a"), text("b")])).await.unwrap();
    storage.commit(commit(vec![refill(OLD, 1, GENESIS)], vec![text("theirs")])).await.unwrap();
    everywhere(folder.path(), storage, |storage| {
        let lacks_of = |old, new, span| -> Vec<String> {
            let end = |epoch: &str, seq| Covered { epoch: epoch.to_owned(), seq, hash: String::new() };
            let includes = vec![end(OLD, old), end(NEW, new)];
            let coverage = Coverage { includes, missing: Vec::new() };
            storage
                .members()
                .uncovered_points(&"m1".into(), &coverage, span)
                .unwrap()
                .into_iter()
                .map(|entry| entry.reference_id)
                .collect()
        };
        let lacks = |old, new| lacks_of(old, new, (0, u64::MAX));
        assert_eq!(
            lacks_of(1, 1, (looked_at, u64::MAX)),
            ["b"],
            "the former record was counted by another reader"
        );
        assert_eq!(lacks_of(1, 1, (0, looked_at)), ["a"], "only a reader of later records counts it");
        assert_eq!(lacks(1, 1), ["b", "a"], "neither is at its former place");
        assert_eq!(lacks(1, 2), ["b"]);
        assert_eq!(lacks(1, 3), Vec::<String>::new());
    });
}

fn earned(name: &str) -> Event {
    let member_id: MemberId = "m1".into();
    let entry = PointsEntry {
        entry_id: format!("{name}:adjust"),
        member_id: member_id.clone(),
        points: 5.into(),
        reason: PointsReason::Adjust,
        reference_id: name.to_owned(),
        balance_after: 5.into(),
        lots: Vec::new(),
        business_date: jiff::civil::date(2026, 11, 20),
        user_id: "u1".into(),
        at: UtcMs(1),
        worth: Money::new(1),
    };
    Event::new(
        fact::PointsMoved {},
        Rows {
            points: vec![entry],
            account: Some(Box::new(PointsAccount::new(member_id))),
            ..Rows::default()
        },
    )
    .into()
}

#[tokio::test]
async fn a_corrected_clock_and_the_standing_survive_a_start() {
    let folder = tempfile::tempdir().unwrap();
    Storage::init(folder.path(), &"S001".into(), OLD).unwrap();
    let storage = Storage::open(folder.path(), &options()).unwrap();
    let ahead = "2795140000000-00000-S001".to_owned();
    storage.commit(Commit { hlc: Some(ahead), ..commit(Vec::new(), texts("a", 1)) }).await.unwrap();
    let right = "1795140000000-00000-S001".to_owned();
    let (fenced_at, generation) = (Some(UtcMs(7)), "g1".to_owned());
    let standing = LinkRow { fenced_at, apart: true, hub_n: 3, generation, ..LinkRow::default() };
    let reset = change(Change::ClockReset { hlc: right.clone() });
    let events = vec![reset, change(Change::Standing { standing: standing.clone() })];
    storage.commit(commit(events, Vec::new())).await.unwrap();
    everywhere(folder.path(), storage, |storage| {
        assert_eq!(storage.sync().last_hlc(), Some(right.clone()));
        assert_eq!(storage.sync().standing().unwrap(), standing);
    });
}

fn named(id: &str) -> String {
    format!("{{\"event_id\":\"{id}\",\"type\":\"cash.moved\"}}")
}

#[tokio::test]
async fn records_are_found_by_the_id_of_their_event_in_whatever_epochs_they_stand() {
    let folder = tempfile::tempdir().unwrap();
    Storage::init(folder.path(), &"S001".into(), NEW).unwrap();
    let storage = Storage::open(folder.path(), &options()).unwrap();
    let own: Vec<String> = (1..=90).map(|number| named(&format!("evt_{number}"))).collect();
    for chunk in own.chunks(10) {
        storage.commit(commit(Vec::new(), chunk.to_vec())).await.unwrap();
    }
    // A differently encoded ID is the same ID; a record without an ID is not found.
    let odd = r#"{ "type": "x", "event_id": "evt_\u0031" }"#.to_owned();
    let first = [odd.clone(), named("evt_gone")];
    storage.commit(commit(vec![refill(OLD, 1, GENESIS)], first.to_vec())).await.unwrap();
    let replaced = vec![refill(OLD, 2, &hash_after(GENESIS, &[odd]))];
    storage.commit(commit(replaced, vec![named("evt_90")])).await.unwrap();
    everywhere(folder.path(), storage, |storage| {
        let mut places = storage.outbox().record_places("evt_1").unwrap();
        places.sort();
        assert_eq!(places, [(OLD.to_owned(), 1), (NEW.to_owned(), 1)]);
        assert_eq!(storage.outbox().record_places("evt_90").unwrap().len(), 2);
        assert_eq!(storage.outbox().record_places("evt_45").unwrap(), [(NEW.to_owned(), 45)]);
        assert!(storage.outbox().record_places("evt_gone").unwrap().is_empty(), "it was replaced");
        assert!(storage.outbox().has_record("evt_gone").unwrap(), "its effects are applied nevertheless");
        assert!(!storage.outbox().has_record("evt_none").unwrap());
    });
}
