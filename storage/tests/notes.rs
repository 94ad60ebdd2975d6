//! Lists for users (parked records, lost values, days that are due or differ) are counted and read without scanning
//! the history.

use domain::model::base::event::fact;
use domain::model::base::time::UtcMs;
use domain::model::hub::sync::Figure;
use domain::model::hub::sync::local::{Change, DayFigures, DayProof, ParkedNote, Proving};
use jiff::civil::{Date, date};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use storage::{Commit, Options, Storage, rebuild_index, verify};

fn options() -> Options {
    Options { segment_bytes: 32 * 1024, min_free_bytes: 0, ..Options::default() }
}

async fn commit(storage: &Storage, changes: Vec<Change>) {
    let events = changes.into_iter().map(|change| fact::SyncChanged { change }.into()).collect();
    let commit = Commit { events, records: Vec::new(), keyed: None, at: UtcMs(1_795_140_000_000), hlc: None };
    storage.commit(commit).await.unwrap();
}

fn figures(day: Date, count: u64) -> Change {
    let types = BTreeMap::from([("cash.moved".to_owned(), Figure { count, total: 5 })]);
    Change::Figures { day: DayFigures { business_date: day, tally: 1, types } }
}

fn proof(day: Date, result: &str, parked: u64, since: Option<i64>) -> Change {
    Change::Day {
        proof: DayProof {
            business_date: day.to_string(),
            result: result.to_owned(),
            parked,
            first_difference: None,
            at: UtcMs(9),
            generation: "g1".to_owned(),
            types: BTreeMap::new(),
            since: since.map(UtcMs),
        },
    }
}

fn parked(epoch: &str, seq: u64) -> Change {
    Change::Parked {
        note: ParkedNote {
            epoch: epoch.to_owned(),
            seq,
            event_id: format!("evt_{seq}"),
            code: "unknown_type".to_owned(),
            message: "what is that?".to_owned(),
            parked_at: UtcMs(i64::try_from(seq).unwrap()),
            kind: None,
            business_date: None,
            amount: None,
            receiving_id: None,
            named_in: "1-00000000000000aa".to_owned(),
        },
    }
}

fn conflict(id: &str, at: i64) -> Change {
    let conflict = json!({"conflict_id": id, "resource": "member", "id": "mbr_1", "winner": "hub",
        "lost_fields": {"name": "Ani"}, "kept_fields": {"name": "Ana"}, "resolved_at": UtcMs(at)});
    Change::Conflict { id: id.to_owned(), conflict }
}

fn everywhere(folder: &Path, storage: Storage, holds: impl Fn(&Storage)) {
    holds(&storage);
    storage.close().unwrap();
    rebuild_index(folder, &mut |_| ()).unwrap();
    let rebuilt = Storage::open(folder, &options()).unwrap();
    holds(&rebuilt);
    rebuilt.close().unwrap();
    let report = verify(folder, &mut |_| ()).unwrap();
    assert!(report.clean(), "{:?}", report.problems);
}

async fn opened(folder: &Path) -> Storage {
    Storage::init(folder, &"S001".into(), "1-0123456789abcdef").unwrap();
    Storage::open(folder, &options()).unwrap()
}

#[tokio::test]
async fn a_day_is_due_from_a_change_of_its_figures_until_it_is_proven() {
    let folder = tempfile::tempdir().unwrap();
    let storage = opened(folder.path()).await;
    let days = [date(2026, 11, 18), date(2026, 11, 19), date(2026, 11, 20), date(2026, 11, 21)];
    commit(&storage, days.map(|day| figures(day, 1)).into()).await;
    assert_eq!(storage.days().due_days(None, 9).unwrap(), days);
    assert_eq!(storage.days().due_days(Some(days[1]), 1).unwrap(), [days[2]]);
    let compared = vec![
        proof(days[0], "match", 0, None),
        proof(days[1], "match", 2, None),
        proof(days[2], "difference", 0, Some(70)),
        proof(days[3], "not_yet", 0, Some(60)),
    ];
    commit(&storage, compared).await;
    assert_eq!(storage.days().due_days(None, 9).unwrap(), days[1..], "parked records may be applied");
    assert_eq!(storage.days().differing_days(9).unwrap(), (1, vec![(days[2], UtcMs(70))]));
    // A late record, a hub of another generation, and days that match again.
    commit(&storage, vec![figures(days[0], 2), proof(days[2], "match", 0, None)]).await;
    commit(&storage, vec![Change::Proven { day: days[3] }]).await;
    assert_eq!(storage.days().due_days(None, 9).unwrap(), days[..2]);
    assert_eq!(storage.days().differing_days(9).unwrap(), (0, Vec::new()));
    let proving = Proving { generation: "g2".to_owned(), after: Some(days[2]), whole: false };
    commit(&storage, vec![Change::Proving { proving: proving.clone(), days: vec![days[2]] }]).await;
    everywhere(folder.path(), storage, |storage| {
        assert_eq!(storage.days().due_days(None, 9).unwrap(), days[..3]);
        assert_eq!(storage.days().proving().unwrap(), proving);
        let dates = |days: Vec<DayFigures>| days.into_iter().map(|day| day.business_date).collect::<Vec<_>>();
        assert_eq!(dates(storage.days().days_after(Some(days[0]), 2).unwrap()), days[1..3]);
        assert_eq!(dates(storage.days().days_before(None, 2).unwrap()), [days[3], days[2]]);
        assert_eq!(dates(storage.days().days_before(Some(days[1]), 9).unwrap()), [days[0]]);
    });
}

#[tokio::test]
async fn parked_records_and_lost_values_are_counted_and_the_newest_found() {
    let folder = tempfile::tempdir().unwrap();
    let storage = opened(folder.path()).await;
    for chunk in (1..=600).collect::<Vec<u64>>().chunks(100) {
        let notes = chunk.iter().map(|seq| parked("1-0123456789abcdef", *seq));
        // IDs are not in order of time.
        let lost = chunk.iter().map(|n| conflict(&format!("cfl_{}", 1_000 - n), i64::try_from(*n).unwrap()));
        commit(&storage, notes.chain(lost).collect()).await;
    }
    commit(&storage, vec![parked("1-0123456789abcdef", 7), conflict("cfl_998", 2)]).await;
    let gone = (1..=10).map(|seq| Change::Unparked { epoch: "1-0123456789abcdef".to_owned(), seq });
    commit(&storage, gone.collect()).await;
    everywhere(folder.path(), storage, |storage| {
        assert_eq!(storage.sync().parked_count().unwrap(), 590);
        assert_eq!(storage.sync().parked(None, 1).unwrap()[0].seq, 11);
        let (count, newest) = storage.sync().newest_conflicts(2).unwrap();
        let ids: Vec<&str> = newest.iter().map(|note| note.conflict.conflict_id.as_str()).collect();
        assert_eq!((count, ids), (600, vec!["cfl_400", "cfl_401"]), "a repeated conflict counts once");
        assert_eq!(storage.sync().conflicts(Some("cfl_997"), 9).unwrap().len(), 2);
    });
}

#[tokio::test]
async fn work_beside_the_rows_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let storage = opened(folder.path()).await;
    let scratch = folder.path().join("scratch");
    let left = || std::fs::read_dir(&scratch).unwrap().count();
    let (mut one, two) = (storage.scratch().unwrap(), storage.scratch().unwrap());
    for number in 0..5_000 {
        one.add(format!("key {}", number % 3_000).as_bytes()).unwrap();
    }
    assert_eq!((one.count(), two.count(), left()), (3_000, 0, 2));
    assert!(one.has(b"key 2999").unwrap() && !one.has(b"key 3000").unwrap());
    assert!(!two.has(b"key 1").unwrap(), "each set is separate");
    std::io::Write::write_all(&mut one.file("pages").unwrap(), b"text").unwrap();
    assert!(one.file("pages").is_err(), "each name is used once");
    drop((one, two));
    assert_eq!(left(), 0);
    storage.close().unwrap();
    // The remains of a process that died.
    std::fs::create_dir_all(scratch.join("7/set")).unwrap();
    std::fs::write(scratch.join("7/pages"), b"half").unwrap();
    Storage::open(folder.path(), &options()).unwrap().close().unwrap();
    assert!(!scratch.exists());
}
