//! The link to the hub: unexpected answers and unreadable records cause no storm, and the tills continue to sell.

use crate::HeadOffice;
use crate::tests::support::hub::{FakeHub, OnPull, OnPush, named};
use crate::tests::support::shop::{Shop, config, open, rules, sell, shop_of};
use domain::model::base::event::fact;
use domain::model::base::ids::Sku;
use domain::model::base::time::UtcMs;
use domain::model::books::day::Day;
use domain::model::hub::sync::local::Change;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use storage::Commit;

/// Number of calls above which requests count as a loop.
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
        // Polling without a pause would take CPU time from the work that the test waits for.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn link(shop: &Shop) -> Value {
    shop.handle.sync_status().unwrap()
}

fn error(shop: &Shop) -> String {
    link(shop)["hub"]["last_error"].as_str().unwrap_or_default().to_owned()
}

/// Returns the number of restarts of all actors.
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
        // The next segment may be renamed in the meantime.
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
        // More often than the restart budget allows.
        for _ in 0..5 {
            let answer = shop.handle.force_sync(false).await.unwrap();
            assert_eq!(answer["completed"], false, "{answer}");
            assert!(answer["error"].as_str().unwrap().contains("can't be read"), "{answer}");
        }
        // The record before the damaged one can still be read.
        assert!(
            shop.handle.storage().outbox().ack_mark().unwrap().seq <= 1,
            "no damaged record may count as sent"
        );
        assert_eq!(restarts(&shop), 0, "no actor was restarted");
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
    until("the link reports the reason", || error(&shop).contains("its answer is ignored")).await;
    assert_eq!(link(&shop)["hub"]["state"], "rejected");
    assert_eq!(shop.handle.storage().head().epoch, before, "no number is used up");
    open(&shop, 1).await;
    sell(&shop, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parked_records_are_kept_with_their_amounts() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let shop = enrolled(&hub).await;
    open(&shop, 1).await;
    until("the shift is open", || link(&shop)["outbox"]["pending"] == 0).await;
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
    // One conflict was reported in the answer to a push, and has been restored since.
    let mut restored = lost("cfl_1");
    restored["restored_at"] = json!(UtcMs(1_700_000_000_001));
    let known = Change::Conflict { id: "cfl_1".to_owned(), conflict: restored };
    let events = vec![fact::SyncChanged { change: known }.into()];
    let commit = Commit { events, records: Vec::new(), keyed: None, at: UtcMs(0), hlc: None };
    storage.commit(commit).await.unwrap();
    hub.lock().conflicts = json!([lost("cfl_2"), lost("cfl_1")]);
    shop.handle.force_sync(false).await.unwrap();
    until("both conflicts are stored", || storage.sync().newest_conflicts(9).unwrap().0 == 2).await;
    let notes = storage.sync().conflicts(None, 9).unwrap();
    assert_eq!(notes[0].restored_at, Some(UtcMs(1_700_000_000_001)));
    assert_eq!((notes[1].conflict.lost(), notes[1].restored_at), (Some(("name", &json!("Old"))), None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_that_the_hub_has_applied_is_no_longer_listed_as_parked() {
    let hub = FakeHub::start(OnPush::Park, OnPull::End).await;
    let shop = enrolled(&hub).await;
    open(&shop, 1).await;
    until("the first record is parked", || link(&shop)["outbox"]["parked"] == 1).await;
    sell(&shop, 1).await;
    until("the second record is parked", || link(&shop)["outbox"]["parked"] == 2).await;
    let storage = shop.handle.storage();
    let first = storage.sync().parked(None, 1).unwrap().remove(0);
    // A hub with too many parked records lists none, and the store forgets none.
    shop.handle.force_sync(false).await.unwrap();
    assert_eq!(link(&shop)["outbox"]["parked"], 2);
    hub.lock().parked = json!([named(first.seq, "unknown_type", first.parked_at)]);
    shop.handle.force_sync(false).await.unwrap();
    until("one record is left", || link(&shop)["outbox"]["parked"] == 1).await;
    assert_eq!(storage.sync().parked(None, 9).unwrap(), [first]);
    hub.lock().parked = json!([]);
    shop.handle.force_sync(false).await.unwrap();
    until("no record is left", || link(&shop)["outbox"]["parked"] == 0).await;
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
    until("everything is acknowledged", || link(&shop)["outbox"]["pending"] == 0).await;
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
    until("the shift is acknowledged", || link(&shop)["outbox"]["pending"] == 0).await;
    hub.lock().on_push = OnPush::Hold;
    sell(&shop, 1).await;
    let under_way = || {
        let hub = hub.lock();
        hub.pushes > hub.sizes.len()
    };
    until("one push is pending", under_way).await;
    for _ in 0..8 {
        sell(&shop, 1).await;
    }
    // The held push succeeds, then all others fail: eight records wait, and no more are added.
    hub.lock().on_push = OnPush::Refuse;
    hub.release();
    let refused = || hub.lock().sizes.iter().copied().skip_while(|size| *size != 8).collect::<Vec<_>>();
    until("it shrinks to one", || refused().iter().filter(|size| **size == 1).count() >= 4).await;
    let sizes = refused();
    let runs = |size: usize| sizes.iter().filter(|one| **one == size).count();
    assert!(sizes.windows(2).all(|pair| pair[0] >= pair[1]), "{sizes:?}");
    assert_eq!((runs(8), runs(4), runs(2)), (3, 3, 3), "three failures halve it: {sizes:?}");
    hub.lock().on_push = OnPush::Take;
    until("everything is acknowledged", || link(&shop)["outbox"]["pending"] == 0).await;
    assert_eq!(hub.lock().sizes.last(), Some(&7), "full size again after the first success");
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
    until("everything is acknowledged", || link(&shop)["outbox"]["pending"] == 0).await;
    let storage = shop.handle.storage();
    assert!(storage.days().day_proofs(None, 9).unwrap().is_empty(), "the day continues");
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
    // A day with a matching digest is compared again only after a change, or with another generation.
    let asked = hub.lock().digests.len();
    shop.handle.force_sync(false).await.unwrap();
    sell(&shop, 1).await;
    shop.handle.force_sync(false).await.unwrap();
    until("the days are compared again", || hub.lock().digests.len() > asked).await;
    assert_eq!(hub.lock().digests[asked]["types"]["transaction.paid"]["count"], 3, "only changed days");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lane_that_is_read_anew_is_swapped_whole_and_sold_from_meanwhile() {
    let hub = FakeHub::start(OnPush::Take, OnPull::EndAtOnce).await;
    let shop = enrolled(&hub).await;
    open(&shop, 1).await;
    let storage = shop.handle.storage();
    until("a cursor", || storage.sync().lane_cursor("rest").unwrap().is_some()).await;
    hub.lock().on_pull = OnPull::Anew;
    // The first time the snapshot fails in the middle, the second time it waits there.
    until("the middle of the second snapshot", || hub.lock().snapshots >= 4).await;
    let active =
        |sku: &str| storage.products().product(&Sku::from(sku)).unwrap().map(|product| product.is_active());
    assert_eq!(
        (active("A"), active("B"), active("C")),
        (Some(true), None, None),
        "half a snapshot must not be applied"
    );
    sell(&shop, 1).await;
    let beside = || {
        let folder = std::fs::read_dir(shop.folder.path().join("data/scratch"));
        folder.unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    let gathered = beside();
    assert_eq!(gathered.len(), 1, "the failed snapshot left nothing: {gathered:?}");
    assert!(gathered[0].join("pages").metadata().unwrap().len() > 0, "stored beside the live records");
    let there = || {
        hub.release();
        active("C").is_some() && !storage.sync().untaken(9).unwrap().is_empty()
    };
    until("the whole snapshot", there).await;
    assert_eq!((active("B"), active("C")), (Some(true), Some(true)));
    // Head office does not know the product. Its goods are in stock, so it stays on sale and people are notified.
    assert_eq!(active("A"), Some(true));
    let notes = storage.sync().untaken(9).unwrap();
    assert!(notes.iter().all(|note| note.kind == "product" && note.id == "A"), "{notes:?}");
    assert!(notes[0].problem.contains("head office's catalogue does not have it"), "{notes:?}");
    sell(&shop, 1).await;
    until("the cursor of the snapshot", || {
        storage.sync().lane_cursor("rest").unwrap().is_some_and(|(cursor, _)| cursor == "c9")
    })
    .await;
    assert_eq!(hub.lock().snapshots, 4, "and not again");
    until("nothing is left of the snapshot", || beside().is_empty()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tills_that_ask_for_members_share_their_connections() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let shop = enrolled(&hub).await;
    until("the link is connected", || link(&shop)["hub"]["state"] == "online").await;
    for n in 0..30 {
        let asked = shop.handle.look_up_member(&format!("mbr_{n}").as_str().into()).await.unwrap();
        assert_eq!(asked, HeadOffice::Asked);
    }
    // The connections of the link, one for each lane at most, and those that requests share.
    assert!(hub.lock().connections < 15, "{} connections", hub.lock().connections);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_that_claims_more_than_there_is_is_not_believed() {
    let hub = FakeHub::start(OnPush::ClaimMore, OnPull::End).await;
    let shop = enrolled(&hub).await;
    open(&shop, 1).await;
    until("rejected", || link(&shop)["hub"]["state"] == "rejected").await;
    assert_eq!(link(&shop)["outbox"]["acked_seq"], 0);
    assert_eq!(link(&shop)["outbox"]["fenced"], true, "diverged, and fenced");
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
    assert!(hub.seen().0 < STORM, "hellos in a loop");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_that_does_not_wait_is_asked_once_a_second() {
    let hub = FakeHub::start(OnPush::Take, OnPull::EndAtOnce).await;
    let start = Instant::now();
    let _shop = enrolled(&hub).await;
    // Each of the four lanes is read to its end, then polled with a wait, and again only after a second.
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
    // The feed was read to its end and is polled there; the push is pending.
    until("the push is pending", || hub.seen().2 >= pulls + 2 && hub.seen().1 > pushes).await;
    until("the acknowledgement mark is void", || link(&shop)["outbox"]["acked_seq"] == 0).await;
    hub.release();
    let answer = forced.await.unwrap();
    // Both records are sent again. The acknowledgement before this may be counted too.
    assert!(answer["completed"] == true && answer["pushed"].as_u64() >= Some(2), "{answer}");
    assert_eq!(hub.lock().seq, 2);
}
