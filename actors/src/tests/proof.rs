//! The daily proof: the days that are compared with the hub.

use crate::tests::support::hub::{FakeHub, OnPull, OnPush};
use crate::tests::support::shop::{Shop, config, open, rules, sell, shop_of};
use domain::model::base::event::fact;
use domain::model::base::time::UtcMs;
use domain::model::hub::sync::Figure;
use domain::model::hub::sync::local::{Change, DayFigures, DayProof};
use jiff::civil::{Date, date};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use storage::Commit;

/// More days than are read at once.
const DAYS: i64 = 230;

async fn until(what: &str, mut there: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !there() {
        assert!(Instant::now() < deadline, "never: {what}");
        tokio::task::yield_now().await;
    }
}

async fn kept(shop: &Shop, changes: Vec<Change>) {
    let events = changes.into_iter().map(|change| fact::SyncChanged { change }.into()).collect();
    let commit = Commit { events, records: Vec::new(), keyed: None, at: UtcMs(0), hlc: None };
    shop.handle.storage().commit(commit).await.unwrap();
}

fn figures(day: Date, count: u64) -> (BTreeMap<String, Figure>, Change) {
    let types = BTreeMap::from([("cash.moved".to_owned(), Figure { count, total: 7 })]);
    (types.clone(), Change::Figures { day: DayFigures { business_date: day, tally: 0, types } })
}

/// Stores days that were compared and match.
async fn proven(shop: &Shop, days: &[Date]) {
    for chunk in days.chunks(50) {
        let mut changes = Vec::new();
        for day in chunk {
            let (types, figures) = figures(*day, 1);
            let proof = DayProof {
                business_date: day.to_string(),
                result: "match".to_owned(),
                parked: 0,
                first_difference: None,
                at: UtcMs(1),
                generation: "g1".to_owned(),
                types,
                since: None,
            };
            changes.extend([figures, Change::Day { proof }]);
        }
        kept(shop, changes).await;
    }
}

fn asked(hub: &FakeHub) -> Vec<String> {
    hub.lock().digests.iter().map(|asked| asked["business_date"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_days_that_changed_are_compared_and_all_of_them_with_another_hub() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let mut config = config(2);
    config.sync.backoff_min = Duration::from_millis(50);
    let shop = shop_of(config, rules(), Some(hub.identity())).await;
    let storage = shop.handle.storage();
    let first = date(2025, 1, 1);
    let days: Vec<Date> = (0..DAYS).map(|n| first.checked_add(jiff::Span::new().days(n)).unwrap()).collect();
    proven(&shop, &days).await;
    // The state after an update: no day is known to be up to date.
    shop.handle.force_sync(false).await.unwrap();
    until("all days were checked", || {
        storage.days().proving().unwrap().whole && storage.days().due_days(None, 1).unwrap().is_empty()
    })
    .await;
    assert!(asked(&hub).is_empty(), "matching days are not compared again");

    // A record of a day long ago arrives late.
    kept(&shop, vec![figures(days[17], 2).1]).await;
    assert_eq!(storage.days().due_days(None, 9).unwrap(), [days[17]], "and no other day is checked");
    shop.handle.force_sync(false).await.unwrap();
    until("the day is compared", || storage.days().due_days(None, 1).unwrap().is_empty()).await;
    assert_eq!(asked(&hub), [days[17].to_string()]);
    assert_eq!(storage.days().day_proof(days[17]).unwrap().unwrap().types["cash.moved"].count, 2);

    hub.restore();
    shop.handle.force_sync(false).await.unwrap();
    until("every day is compared with the hub of another generation", || asked(&hub).len() > days.len())
        .await;
    let expected: Vec<String> = days.iter().map(Date::to_string).collect();
    assert_eq!(asked(&hub)[1..], expected, "once each, oldest first");
    until("all results are stored", || storage.days().due_days(None, 1).unwrap().is_empty()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_that_follow_each_other_at_once_count_each_record_once() {
    let hub = FakeHub::start(OnPush::Take, OnPull::End).await;
    let shop = shop_of(config(2), rules(), Some(hub.identity())).await;
    let storage = shop.handle.storage();
    open(&shop, 1).await;
    for _ in 0..20 {
        sell(&shop, 1).await;
        until("everything is acknowledged", || shop.handle.sync_status().unwrap()["outbox"]["pending"] == 0)
            .await;
        shop.handle.force_sync(false).await.unwrap();
    }
    let head = storage.head();
    until("everything is counted", || storage.days().tally().unwrap().place(&head.epoch).0 == head.seq).await;
    let types = storage.days().day_figures(date(2100, 1, 1)).unwrap().unwrap().types;
    assert_eq!((types["shift.opened"].count, types["transaction.paid"].count), (1, 20), "{types:?}");
}
