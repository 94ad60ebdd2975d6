//! Clocks that are wrong by ten years, at the start and while the store runs.

use super::QUICK;
use super::trade::{everything, sell};
use jiff::Span;
use serde_json::{Value, json};
use testkit::clock::Clock;
use testkit::dice::Random;
use testkit::ends::same;
use testkit::hub::Hub;
use testkit::store::Store;
use testkit::till::Till;
use testkit::wait;

/// Starts with a wrong clock, which is corrected while the store runs and then set wrong again.
#[track_caller]
fn off_at_the_start(off: Span) {
    let Some(clock) = Clock::find() else { return };
    let hub = Hub::open();
    let mut store = Store::prepare(QUICK, 1);
    hub.enrol(&store);
    clock.set(off);
    store.environment(&clock.environment());
    store.start();
    let mut random = Random::announced("clock");
    let mut till = Till::open(&store, 1, &mut random);
    sell(&mut till, 2);
    everything(&store, 1);
    same(&hub, &store);
    in_order(&hub, &store);
    clock.set(Span::new());
    // Tokens of another decade have expired, so everybody logs in again.
    till.log_in_again(&store);
    sell(&mut till, 2);
    same(&hub, &store);
    clock.set(off.negate());
    till.log_in_again(&store);
    sell(&mut till, 2);
    same(&hub, &store);
    in_order(&hub, &store);
    store.stop();
    store.start();
    till.log_in_again(&store);
    sell(&mut till, 1);
    same(&hub, &store);
    in_order(&hub, &store);
    store.stop();
    store.verify();
}

/// Asserts that the hybrid clock never goes back: each record's stamp is higher than the one before, whatever the wall
/// clock shows.
#[track_caller]
fn in_order(hub: &Hub, store: &Store) {
    let stamps: Vec<String> = testkit::journal::record_texts(store.data())
        .iter()
        .map(|text| serde_json::from_str::<Value>(text).unwrap()["at"].as_str().unwrap().to_owned())
        .collect();
    assert!(stamps.len() > 3);
    let back = stamps.windows(2).find(|pair| pair[0] >= pair[1]);
    assert!(back.is_none() || reset(back), "{back:?}");
    let status = super::status(hub);
    assert_eq!(status["state"], json!("active"), "{status}");
}

/// Returns whether this pair shows the reset of a clock that was far ahead: a step back by years, not a small one.
fn reset(pair: Option<&[String]>) -> bool {
    let ms = |stamp: &str| stamp.get(..13).and_then(|ms| ms.parse::<i64>().ok()).unwrap();
    pair.is_some_and(|pair| ms(&pair[0]) - ms(&pair[1]) > 5 * 60 * 1_000)
}

#[test]
fn a_store_ten_years_ahead() {
    off_at_the_start(Span::new().years(10));
}

#[test]
fn a_store_ten_years_behind() {
    off_at_the_start(Span::new().years(-10));
}

#[test]
fn a_hub_ten_years_off_while_it_runs() {
    let Some(clock) = Clock::find() else { return };
    let mut hub = Hub::open();
    let mut store = Store::prepare(QUICK, 1);
    hub.enrol(&store);
    hub.restart_with(&clock.environment());
    store.start();
    let mut till = Till::open(&store, 1, &mut Random::announced("hub clock"));
    for off in [Span::new(), Span::new().years(10), Span::new().years(-10), Span::new()] {
        clock.set(off);
        sell(&mut till, 2);
        wait::until("the store's records arrive", || {
            let outbox = super::outbox(&store);
            (outbox["pending"] == json!(0)).then_some(())
        });
        same(&hub, &store);
    }
}
