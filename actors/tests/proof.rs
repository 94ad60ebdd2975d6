//! The daily proof: which days the hub is asked for.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use domain::event::Event;
use domain::sync::Figure;
use domain::sync::local::{Change, DayFigures, DayProof};
use domain::time::UtcMs;
use hub::{FakeHub, OnPull, OnPush};
use jiff::civil::{Date, date};
use shop::{Shop, config, rules, shop_of};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use storage::Commit;

#[path = "support/hub.rs"]
mod hub;
#[path = "support/shop.rs"]
mod shop;

/// Longer than what is read at once.
const DAYS: i64 = 230;

async fn until(what: &str, mut there: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !there() {
        assert!(Instant::now() < deadline, "never: {what}");
        tokio::task::yield_now().await;
    }
}

async fn kept(shop: &Shop, changes: Vec<Change>) {
    let events = changes.into_iter().map(|change| Event::Sync { change: Box::new(change) }).collect();
    let commit = Commit { events, records: Vec::new(), keyed: None, at: UtcMs(0), hlc: None };
    shop.handle.storage().commit(commit).await.unwrap();
}

fn figures(day: Date, count: u64) -> (BTreeMap<String, Figure>, Change) {
    let types = BTreeMap::from([("cash.moved".to_owned(), Figure { count, total: 7 })]);
    (types.clone(), Change::Figures { day: DayFigures { business_date: day, tally: 0, types } })
}

/// Days that were compared and are the same.
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
    // As after an update: nothing says that they are not due.
    shop.handle.force_sync(false).await.unwrap();
    until("all were looked at", || {
        storage.proving().unwrap().whole && storage.due_days(None, 1).unwrap().is_empty()
    })
    .await;
    assert!(asked(&hub).is_empty(), "what is proven is not asked for");

    // A record of a day long past arrives late.
    kept(&shop, vec![figures(days[17], 2).1]).await;
    assert_eq!(storage.due_days(None, 9).unwrap(), [days[17]], "and no other is looked at");
    shop.handle.force_sync(false).await.unwrap();
    until("it is compared", || storage.due_days(None, 1).unwrap().is_empty()).await;
    assert_eq!(asked(&hub), [days[17].to_string()]);
    assert_eq!(storage.day_proof(days[17]).unwrap().unwrap().types["cash.moved"].count, 2);

    hub.restore();
    shop.handle.force_sync(false).await.unwrap();
    until("every day is compared with the hub of another life", || asked(&hub).len() > days.len()).await;
    let expected: Vec<String> = days.iter().map(Date::to_string).collect();
    assert_eq!(asked(&hub)[1..], expected, "once each, oldest first");
    until("all of it is kept", || storage.due_days(None, 1).unwrap().is_empty()).await;
}
