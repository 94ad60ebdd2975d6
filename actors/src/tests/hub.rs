//! The link to the hub: what is odd over there, or unreadable here, is a state and never a storm; the tills sell on.

use crate::HeadOffice;
use crate::tests::support::hub::{FakeHub, OnPull, OnPush};
use crate::tests::support::shop::{Shop, config, open, rules, sell, shop_of};
use domain::model::base::event::fact;
use domain::model::base::ids::Sku;
use domain::model::base::time::UtcMs;
use domain::model::books::day::Day;
use domain::model::hub::sync::local::Change;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use storage::Commit;

/// Calls after which something goes round in circles.
const STORM: usize = 50;

async fn enrolled(hub: &FakeHub) -> Shop {
    let mut config = config(2);
    config.sync.backoff_min = Duration::from_millis(200);
    shop_of(config, rules(), Some(hub.identity())).await
}

async fn until(what: &str, mut there: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !there() {
        assert!(Instant::now() < deadline, "never: {what}");
        // Polling without a pause would take the cores from the work that is waited for.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn link(shop: &Shop) -> Value {
    shop.handle.sync_status().unwrap()
}

fn error(shop: &Shop) -> String {
    link(shop)["hub"]["last_error"].as_str().unwrap_or_default().to_owned()
}

/// How often any actor was restarted.
fn restarts(shop: &Shop) -> u64 {
    let tree = shop.handle.tree();
    let children = tree["root"]["children"].as_array().unwrap();
    children.iter().map(|child| child["restarts"].as_u64().unwrap()).sum()
}

/// Flips a byte in the body of each of these commits (docs/storage.md#a-frame).
fn damage(shop: &Shop, commits: std::ops::RangeInclusive<u64>) {
    let mut damaged = 0;
    for file in std::fs::read_dir(shop.folder.path().join("data/journal")).unwrap() {
        let path = file.unwrap().path();
        // The next segment gets its name meanwhile.
        let Ok(mut bytes) = std::fs::read(&path) else { continue };
        let (mut at, header_bytes) = (4096, 64);
        while bytes.get(at..at + 4) == Some(b"SRF1") {
            let body_bytes = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap()) as usize;
            if commits.contains(&u64::from_le_bytes(bytes[at + 8..at + 16].try_into().unwrap())) {
                bytes[at + header_bytes + body_bytes / 2] ^= 1;
                damaged += 1;
            }
            at += (header_bytes + body_bytes).next_multiple_of(8);
        }
        std::fs::write(&path, &bytes).unwrap();
    }
    assert_eq!(damaged, commits.count());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_that_cannot_be_read_stop_the_link_and_nothing_else() {
    let hub = FakeHub::start(OnPush::Refuse, OnPull::End).await;
    let shop = enrolled(&hub).await;
    let commits = || shop.handle.storage().stats().lsn;
    let before = commits();
    open(&shop, 1).await;
    let opened = commits();
    sell(&shop, 1).await;
    for damaged in [opened + 1..=commits(), before + 1..=opened] {
        damage(&shop, damaged);
        hub.lock().on_push = OnPush::Take;
        // More often than the restart budget allows deaths.
        for _ in 0..5 {
            let answer = shop.handle.force_sync(false).await.unwrap();
            assert_eq!(answer["completed"], false, "{answer}");
            assert!(answer["error"].as_str().unwrap().contains("can't be read"), "{answer}");
        }
        // The record before the damaged one could still be read.
        assert!(
            shop.handle.storage().outbox().ack_mark().unwrap().seq <= 1,
            "nothing damaged is taken for sent"
        );
        assert_eq!(restarts(&shop), 0, "nobody died of it");
        sell(&shop, 1).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_that_takes_nothing_is_not_pushed_to_in_a_circle() {
    let hub = FakeHub::start(OnPush::TakeNothing, OnPull::End).await;
    let shop = enrolled(&hub).await;
    open(&shop, 1).await;
    until("three tries", || hub.seen().0 >= 3 || hub.seen().1 >= STORM).await;
    let (hellos, pushes, _) = hub.seen();
    assert!(pushes <= hellos, "one push for each hello: {pushes} for {hellos}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_that_names_an_epoch_far_ahead_is_not_followed() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    hub.lock().new_epoch = Some(999_999);
    let shop = enrolled(&hub).await;
    let before = shop.handle.storage().head().epoch;
    until("the link says why", || error(&shop).contains("its answer is ignored")).await;
    assert_eq!(link(&shop)["hub"]["state"], "rejected");
    assert_eq!(shop.handle.storage().head().epoch, before, "no number is used up");
    open(&shop, 1).await;
    sell(&shop, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_hub_could_not_apply_is_kept_with_what_it_amounts_to() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let shop = enrolled(&hub).await;
    open(&shop, 1).await;
    until("the shift is there", || link(&shop)["outbox"]["pending"] == 0).await;
    hub.lock().on_push = OnPush::Park;
    sell(&shop, 1).await;
    until("a record is parked", || link(&shop)["outbox"]["parked"] != 0).await;
    let storage = shop.handle.storage();
    let notes = storage.sync().parked(None, 10).unwrap();
    assert_eq!(link(&shop)["outbox"]["parked"], notes.len());
    let note = &notes[0];
    assert_eq!((note.kind.as_deref(), note.code.as_str()), (Some("transaction.paid"), "unknown_type"));
    assert!(note.amount.is_some_and(|amount| amount > 0) && note.business_date.is_some(), "{note:?}");
    assert!(
        storage.sync().parked(Some((&note.epoch, note.seq)), 10).unwrap().is_empty(),
        "the list ends after it"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_losing_value_is_reported_again_at_hello_and_a_known_one_does_not_change() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let shop = enrolled(&hub).await;
    let storage = shop.handle.storage();
    let lost = |id: &str| {
        json!({"conflict_id": id, "resource": "member", "id": "mbr_1", "winner": "hub",
            "lost_fields": {"name": "Old"}, "kept_fields": {"name": "New"}, "resolved_at": UtcMs(1_700_000_000_000)})
    };
    shop.handle.force_sync(false).await.unwrap();
    assert_eq!(storage.sync().conflicts(None, 9).unwrap(), []);
    // One was reported by the answer to a push, and has been put back since.
    let mut restored = lost("cfl_1");
    restored["restored_at"] = json!(UtcMs(1_700_000_000_001));
    let known = Change::Conflict { id: "cfl_1".to_owned(), conflict: restored };
    let events = vec![fact::SyncChanged { change: known }.into()];
    let commit = Commit { events, records: Vec::new(), keyed: None, at: UtcMs(0), hlc: None };
    storage.commit(commit).await.unwrap();
    hub.lock().conflicts = json!([lost("cfl_2"), lost("cfl_1")]);
    shop.handle.force_sync(false).await.unwrap();
    until("both are there", || storage.sync().newest_conflicts(9).unwrap().0 == 2).await;
    let notes = storage.sync().conflicts(None, 9).unwrap();
    assert_eq!(notes[0].restored_at, Some(UtcMs(1_700_000_000_001)));
    assert_eq!((notes[1].conflict.lost(), notes[1].restored_at), (Some(("name", &json!("Old"))), None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_hub_has_applied_meanwhile_is_parked_here_no_longer() {
    let hub = FakeHub::start(OnPush::Park, OnPull::End).await;
    let shop = enrolled(&hub).await;
    open(&shop, 1).await;
    until("the first is parked", || link(&shop)["outbox"]["parked"] == 1).await;
    sell(&shop, 1).await;
    until("the second is parked", || link(&shop)["outbox"]["parked"] == 2).await;
    let storage = shop.handle.storage();
    let first = storage.sync().parked(None, 1).unwrap().remove(0);
    // A hub that keeps too many does not name any: nothing is forgotten.
    shop.handle.force_sync(false).await.unwrap();
    assert_eq!(link(&shop)["outbox"]["parked"], 2);
    hub.lock().parked = json!([{"epoch": first.epoch, "seq": first.seq}]);
    shop.handle.force_sync(false).await.unwrap();
    until("one is left", || link(&shop)["outbox"]["parked"] == 1).await;
    assert_eq!(storage.sync().parked(None, 9).unwrap(), [first]);
    hub.lock().parked = json!([]);
    shop.handle.force_sync(false).await.unwrap();
    until("none is left", || link(&shop)["outbox"]["parked"] == 0).await;
    assert!(!link(&shop)["problems"].to_string().contains("parked"), "{}", link(&shop));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_batch_is_larger_than_the_hub_says() {
    let hub = FakeHub::start(OnPush::Refuse, OnPull::End).await;
    hub.lock().batch_events = 3;
    let shop = enrolled(&hub).await;
    open(&shop, 1).await;
    for _ in 0..10 {
        sell(&shop, 1).await;
    }
    hub.lock().on_push = OnPush::Take;
    shop.handle.force_sync(false).await.unwrap();
    until("all is there", || link(&shop)["outbox"]["pending"] == 0).await;
    assert_eq!(hub.lock().largest, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_that_does_not_go_through_is_halved_down_to_one_record() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let mut config = config(2);
    config.sync.batch_events = 8;
    (config.sync.backoff_min, config.sync.backoff_max) = (Duration::from_millis(1), Duration::from_millis(4));
    let shop = shop_of(config, rules(), Some(hub.identity())).await;
    open(&shop, 1).await;
    until("the shift is told", || link(&shop)["outbox"]["pending"] == 0).await;
    hub.lock().on_push = OnPush::Hold;
    sell(&shop, 1).await;
    let under_way = || {
        let hub = hub.lock();
        hub.pushes > hub.sizes.len()
    };
    until("one is under way", under_way).await;
    for _ in 0..8 {
        sell(&shop, 1).await;
    }
    // What is held goes through, then nothing does: eight records wait, with no more to come.
    hub.lock().on_push = OnPush::Refuse;
    hub.release();
    let refused = || hub.lock().sizes.iter().copied().skip_while(|size| *size != 8).collect::<Vec<_>>();
    until("it is down to one", || refused().iter().filter(|size| **size == 1).count() >= 4).await;
    let sizes = refused();
    let runs = |size: usize| sizes.iter().filter(|one| **one == size).count();
    assert!(sizes.windows(2).all(|pair| pair[0] >= pair[1]), "{sizes:?}");
    assert_eq!((runs(8), runs(4), runs(2)), (3, 3, 3), "three failures halve it: {sizes:?}");
    hub.lock().on_push = OnPush::Take;
    until("all is there", || link(&shop)["outbox"]["pending"] == 0).await;
    assert_eq!(hub.lock().sizes.last(), Some(&7), "whole again after the first that went through");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_day_that_is_over_is_compared_and_a_difference_stays_with_its_beginning() {
    let hub = FakeHub::start(OnPush::Park, OnPull::End).await;
    let differs = json!({"type": "transaction.paid", "store": {"count": 2, "total": 2000},
        "hub": {"count": 1, "total": 1000}});
    hub.lock().digest = json!({"result": "difference", "parked": 1, "first_difference": differs});
    let shop = enrolled(&hub).await;
    open(&shop, 1).await;
    sell(&shop, 1).await;
    sell(&shop, 1).await;
    until("all is there", || link(&shop)["outbox"]["pending"] == 0).await;
    let storage = shop.handle.storage();
    assert!(storage.days().day_proofs(None, 9).unwrap().is_empty(), "the day goes on");
    let day = jiff::civil::date(2100, 1, 1);
    let sealed =
        Day { business_date: day, shift_ids: Vec::new(), sealed_by: None, sealed_at: UtcMs(0), reason: None };
    let events = vec![fact::DaySealed { day: sealed }.into()];
    storage
        .commit(Commit { events, records: Vec::new(), keyed: None, at: UtcMs(0), hlc: None })
        .await
        .unwrap();
    let proof = || storage.days().day_proof(day).unwrap();
    shop.handle.force_sync(false).await.unwrap();
    until("compared", || proof().is_some()).await;
    let first = proof().unwrap();
    assert_eq!((first.result.as_str(), first.parked), ("difference", 1));
    assert!(first.since.is_some() && first.first_difference == Some(differs), "{first:?}");
    let asked = hub.lock().digests[0].clone();
    assert_eq!(asked["types"]["transaction.paid"], json!({"count": 2, "total": 2000}), "{asked}");
    assert_eq!(asked["heads"][0]["seq"], storage.head().seq, "{asked}");
    assert!(!storage.sync().parked(None, 9).unwrap().is_empty());

    hub.lock().digest = json!({"result": "match", "parked": 0, "first_difference": null});
    shop.handle.force_sync(false).await.unwrap();
    until("a match", || proof().unwrap().result == "match").await;
    assert_eq!((proof().unwrap().since, storage.sync().parked(None, 9).unwrap()), (None, Vec::new()));
    // What was proven is asked for again only after it changed, or of another generation.
    let asked = hub.lock().digests.len();
    shop.handle.force_sync(false).await.unwrap();
    sell(&shop, 1).await;
    shop.handle.force_sync(false).await.unwrap();
    until("compared again", || hub.lock().digests.len() > asked).await;
    assert_eq!(hub.lock().digests[asked]["types"]["transaction.paid"]["count"], 3, "only what had changed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lane_that_is_read_anew_is_swapped_whole_and_sold_from_meanwhile() {
    let hub = FakeHub::start(OnPush::Take, OnPull::EndAtOnce).await;
    let shop = enrolled(&hub).await;
    open(&shop, 1).await;
    let storage = shop.handle.storage();
    until("a cursor", || storage.sync().lane_cursor("rest").unwrap().is_some()).await;
    hub.lock().on_pull = OnPull::Anew;
    // The first time the snapshot breaks off in its middle, the second time it waits there.
    until("the middle of the second snapshot", || hub.lock().snapshots >= 4).await;
    let active =
        |sku: &str| storage.products().product(&Sku::from(sku)).unwrap().map(|product| product.is_active());
    assert_eq!(
        (active("A"), active("B"), active("C")),
        (Some(true), None, None),
        "nothing of half a snapshot"
    );
    sell(&shop, 1).await;
    let beside = || {
        let folder = std::fs::read_dir(shop.folder.path().join("data/scratch"));
        folder.unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    let gathered = beside();
    assert_eq!(gathered.len(), 1, "what broke off left nothing: {gathered:?}");
    assert!(gathered[0].join("pages").metadata().unwrap().len() > 0, "it lies beside the live records");
    let there = || {
        hub.release();
        active("C").is_some() && !storage.sync().untaken(9).unwrap().is_empty()
    };
    until("the whole of it", there).await;
    assert_eq!((active("B"), active("C")), (Some(true), Some(true)));
    // Head office does not know it: its goods are on the shelf, so it stays on sale, and people are notified.
    assert_eq!(active("A"), Some(true));
    let notes = storage.sync().untaken(9).unwrap();
    assert!(notes.iter().all(|note| note.kind == "product" && note.id == "A"), "{notes:?}");
    assert!(notes[0].problem.contains("head office's catalogue does not have it"), "{notes:?}");
    sell(&shop, 1).await;
    until("its cursor", || {
        storage.sync().lane_cursor("rest").unwrap().is_some_and(|(cursor, _)| cursor == "c9")
    })
    .await;
    assert_eq!(hub.lock().snapshots, 4, "and not once more");
    until("nothing is left of it", || beside().is_empty()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tills_that_ask_for_members_share_their_connections() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let shop = enrolled(&hub).await;
    until("the link stands", || link(&shop)["hub"]["state"] == "online").await;
    for n in 0..30 {
        let asked = shop.handle.look_up_member(&format!("mbr_{n}").as_str().into()).await.unwrap();
        assert_eq!(asked, HeadOffice::Asked);
    }
    // Those of the link, one for each lane at most, and what the questions share.
    assert!(hub.lock().connections < 15, "{} connections", hub.lock().connections);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_that_claims_more_than_there_is_is_not_believed() {
    let hub = FakeHub::start(OnPush::ClaimMore, OnPull::End).await;
    let shop = enrolled(&hub).await;
    open(&shop, 1).await;
    until("rejected", || link(&shop)["hub"]["state"] == "rejected").await;
    assert_eq!(link(&shop)["outbox"]["acked_seq"], 0);
    assert_eq!(link(&shop)["outbox"]["fenced"], true, "it said that it runs apart, and was fenced");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_feed_without_an_end_or_a_beginning_is_not_read_in_a_circle() {
    for on_pull in [OnPull::Resync, OnPull::NeverMoves] {
        let hub = FakeHub::start(OnPush::Take, on_pull).await;
        let _shop = enrolled(&hub).await;
        until("three tries", || hub.seen().0 >= 3 || hub.seen().2 >= STORM).await;
        let (hellos, _, pulls) = hub.seen();
        assert!(pulls <= hellos + 2, "{pulls} pulls for {hellos} hellos");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_feed_of_another_generation_is_a_failure_with_a_pause() {
    let hub = FakeHub::start(OnPush::Take, OnPull::OtherGeneration).await;
    let shop = enrolled(&hub).await;
    until("told", || error(&shop).contains("restored") || hub.seen().0 >= STORM).await;
    assert!(hub.seen().0 < STORM, "hello in a circle");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_that_does_not_wait_is_asked_once_a_second() {
    let hub = FakeHub::start(OnPush::Take, OnPull::EndAtOnce).await;
    let start = Instant::now();
    let _shop = enrolled(&hub).await;
    // Each of the four lanes is read to its end, then asked to wait, and not again before a second is over.
    until("nine pulls", || hub.seen().2 >= 9).await;
    assert!(start.elapsed() >= Duration::from_secs(1), "after {:?}", start.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forced_sync_is_complete_when_a_restored_hub_has_everything_again() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let shop = enrolled(&hub).await;
    open(&shop, 1).await;
    sell(&shop, 1).await;
    until("sent", || link(&shop)["outbox"]["acked_seq"] == 2).await;
    hub.restore();
    hub.lock().on_push = OnPush::Hold;
    let (_, pushes, pulls) = hub.seen();
    let forced = shop.handle.clone();
    let forced = tokio::spawn(async move { forced.force_sync(false).await.unwrap() });
    // The feed was read to its end, and its end is waited at; the records are on their way.
    until("on its way", || hub.seen().2 >= pulls + 2 && hub.seen().1 > pushes).await;
    until("the mark is void", || link(&shop)["outbox"]["acked_seq"] == 0).await;
    hub.release();
    let answer = forced.await.unwrap();
    // Both records again; the acknowledgement before this may be counted too.
    assert!(answer["completed"] == true && answer["pushed"].as_u64() >= Some(2), "{answer}");
    assert_eq!(hub.lock().seq, 2);
}
