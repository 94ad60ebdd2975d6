//! The standing at the hub is one row, written by a person and by the connection. Neither overwrites a change that the
//! other has just made.

use crate::Failure;
use crate::tests::support::hub::{FakeHub, OnPull, OnPush, named};
use crate::tests::support::shop::{OWN_KID, ask, config, open, rules, sell, shop, shop_of};
use domain::model::base::event::{Event, fact};
use domain::model::base::ids::Sku;
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::model::hub::stamp::HubIdentity;
use domain::model::hub::sync::local::{Change, ParkedNote};
use domain::rules::books::shift::OpenShift;
use domain::rules::selling::returns::{NewReturn, NewReturnItem};
use serde_json::json;
use std::time::{Duration, Instant};
use storage::{COMMANDS_MAX, Commit, OWN_COMMITS_MAX};

/// Returns a head office that can't be reached.
fn away() -> HubIdentity {
    HubIdentity {
        hub_id: "hub".to_owned(),
        url: "http://127.0.0.1:9".to_owned(),
        generation: "g1".to_owned(),
    }
}

fn float() -> OpenShift {
    OpenShift { register_id: None, opening_float: None, note: None }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_box_whose_history_is_elsewhere_sells_nothing_from_the_moment_it_is_enrolled() {
    let shop = shop(2).await;
    let storage = shop.handle.storage();
    // From now on nothing becomes durable.
    let all = |permits: usize| u32::try_from(permits).unwrap();
    let held = (
        storage.gate().acquire_many_owned(all(COMMANDS_MAX)).await.unwrap(),
        storage.reserve().acquire_many_owned(all(OWN_COMMITS_MAX)).await.unwrap(),
    );
    let handle = shop.handle.clone();
    let enrolling = tokio::spawn(async move { handle.enrolled(away(), 3).await });
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let refused = shop.handle.open_shift(ask(1, None), float()).await.unwrap_err();
        if matches!(refused, Failure::Unavailable(why) if why.contains("being restored")) {
            break;
        }
        assert!(Instant::now() < deadline, "{refused:?}");
        tokio::task::yield_now().await;
    }
    assert_eq!(storage.sync().standing().unwrap().refilling_at, None, "nothing was written");
    drop(held);
    enrolling.await.unwrap().unwrap();
    assert!(storage.sync().standing().unwrap().refilling_at.is_some());
    let refused = shop.handle.open_shift(ask(1, None), float()).await.unwrap_err();
    assert!(matches!(refused, Failure::Unavailable(why) if why.contains("being restored")), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_writer_of_the_standing_does_not_undo_the_write_of_another() {
    for _ in 0..5 {
        let shop = shop(9).await;
        let (rejoined, enrolled) = tokio::join!(shop.handle.rejoin(), shop.handle.enrolled(away(), 3));
        rejoined.unwrap();
        enrolled.unwrap();
        let standing = shop.handle.storage().sync().standing().unwrap();
        assert!(standing.refilling_at.is_some() && standing.hub_n == 3, "{standing:?}");
        let refused = shop.handle.open_shift(ask(1, None), float()).await.unwrap_err();
        assert!(
            matches!(refused, Failure::Unavailable(why) if why.contains("being restored")),
            "{refused:?}"
        );
    }
}

fn note(seq: u64) -> Event {
    let note = ParkedNote {
        epoch: "1-00000000000000aa".to_owned(),
        seq,
        event_id: format!("evt_{seq}"),
        code: "unknown_type".to_owned(),
        message: "what is that?".to_owned(),
        parked_at: UtcMs(1),
        kind: None,
        business_date: None,
        amount: None,
        receiving_id: None,
        named_in: "1-00000000000000aa".to_owned(),
    };
    fact::SyncChanged { change: Change::Parked { note } }.into()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn however_many_records_were_parked_no_commit_forgets_them_all() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let shop = shop_of(config(2), rules(), Some(hub.identity())).await;
    let storage = shop.handle.storage();
    for page in 0..10 {
        let events = (1..=500).map(|n| note(page * 500 + n)).collect();
        let commit = Commit { events, records: Vec::new(), keyed: None, at: UtcMs(0), hlc: None };
        storage.commit(commit).await.unwrap();
    }
    let before = storage.stats().commits;
    hub.lock().parked = json!([named(777, "unknown_type", UtcMs(1_700_000_000_000))]);
    let deadline = Instant::now() + Duration::from_secs(30);
    while storage.sync().parked_count().unwrap() != 1 {
        shop.handle.force_sync(false).await.unwrap();
        assert!(Instant::now() < deadline, "{} are left", storage.sync().parked_count().unwrap());
    }
    assert_eq!(storage.sync().parked(None, 9).unwrap()[0].seq, 777);
    let commits = storage.stats().commits - before;
    assert!(commits >= 10, "in {commits} commits");
}

/// A restored copy hears of the records again; a reason may have changed, and what was applied since is gone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_list_of_parked_records_becomes_the_one_that_the_hub_names() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let shop = shop_of(config(2), rules(), Some(hub.identity())).await;
    let storage = shop.handle.storage();
    let events = vec![note(1), note(2)];
    let commit = Commit { events, records: Vec::new(), keyed: None, at: UtcMs(0), hlc: None };
    storage.commit(commit).await.unwrap();
    let at = UtcMs(1_700_000_000_000);
    hub.lock().parked = json!([named(1, "effects_failed", at), named(9, "unknown_type", at)]);
    let listed = || {
        let notes = storage.sync().parked(None, 9).unwrap();
        notes.into_iter().map(|note| (note.seq, note.code, note.parked_at)).collect::<Vec<_>>()
    };
    let expected = [(1, "effects_failed".to_owned(), at), (9, "unknown_type".to_owned(), at)];
    let deadline = Instant::now() + Duration::from_secs(30);
    while listed() != expected {
        shop.handle.force_sync(false).await.unwrap();
        assert!(Instant::now() < deadline, "{:?}", listed());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_return_that_waited_for_head_office_is_not_posted_by_a_copy_that_was_fenced_meanwhile() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let shop = shop_of(config(2), rules(), Some(hub.identity())).await;
    open(&shop, 1).await;
    let receipt_no = Some(sell(&shop, 1).await);
    let item = NewReturnItem { sku: Sku::from("A"), qty: 1.into(), ..NewReturnItem::default() };
    let back = NewReturn { receipt_no, items: vec![item], ..NewReturn::default() };
    let deadline = Instant::now() + Duration::from_secs(30);
    while shop.handle.hub_state() != "online" {
        assert!(Instant::now() < deadline, "never online");
        tokio::task::yield_now().await;
    }
    let handle = shop.handle.clone();
    let returning = tokio::spawn(async move { handle.post_return(ask(1, None), back).await });
    while hub.lock().reserves == 0 {
        assert!(Instant::now() < deadline && !returning.is_finished(), "head office is not asked");
        tokio::task::yield_now().await;
    }
    let mut hellos = hub.lock().hellos;
    hub.lock().fenced = true;
    while shop.handle.storage().sync().standing().unwrap().fenced_at.is_none() {
        assert!(Instant::now() < deadline, "never fenced");
        shop.handle.force_sync(false).await.unwrap();
        hellos += 1;
    }
    while hub.lock().hellos <= hellos {
        assert!(Instant::now() < deadline, "the store does not report again that it is a copy");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    hub.release();
    let refused = returning.await.unwrap().unwrap_err();
    let fenced = |failure: &Failure| matches!(failure, Failure::Refused(Refusal::InvalidState { state, .. }) if state == "fenced");
    assert!(fenced(&refused), "{refused:?}");
    assert_eq!(
        shop.handle.storage().stock().stock(&Sku::from("A")).unwrap().unwrap().qty,
        -1,
        "nothing was downloaded"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_box_that_another_one_replaced_sells_nothing_until_it_is_enrolled_itself() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let shop = shop_of(config(2), rules(), Some(hub.identity())).await;
    open(&shop, 1).await;
    sell(&shop, 1).await;
    let standing = || shop.handle.storage().sync().standing().unwrap();
    // The answer to a call that was sent before this store's own enrolment.
    hub.lock().replaced_by = Some(OWN_KID);
    shop.handle.force_sync(false).await.unwrap();
    assert!(standing().trouble.is_some(), "{:?}", standing());
    assert_eq!((standing().fenced_at, standing().replaced_at), (None, None));
    sell(&shop, 1).await;

    hub.lock().replaced_by = Some("another box's");
    let deadline = Instant::now() + Duration::from_secs(30);
    while standing().replaced_at.is_none() {
        assert!(Instant::now() < deadline, "{:?}", standing());
        shop.handle.force_sync(false).await.unwrap();
    }
    let to_enrol = |failure: Failure| {
        matches!(failure, Failure::Refused(Refusal::InvalidState { state, allowed })
            if state == "fenced" && allowed == ["enrol"])
    };
    assert!(to_enrol(shop.handle.open_shift(ask(2, None), float()).await.unwrap_err()));
    // The hub would refuse the store in any epoch, so it may not sell in a new one either.
    assert!(to_enrol(shop.handle.rejoin().await.unwrap_err()));
    assert!(standing().fenced_at.is_some());

    hub.lock().replaced_by = None;
    shop.handle.enrolled(hub.identity(), 1).await.unwrap();
    while shop.handle.fenced().is_some() {
        assert!(Instant::now() < deadline, "{:?}", standing());
        tokio::task::yield_now().await;
    }
    sell(&shop, 1).await;
}
