//! A month without head office, and then everything at once.
//!
//! `SOAK_SALES` and `SOAK_DAYS` set the number of sales and days. `cargo xtask soak` runs half a million sales in
//! thirty days, and a hundred thousand in one.

use super::{QUICK, outbox, status};
use jiff::Span;
use serde_json::json;
use std::time::{Duration, Instant};
use testkit::chaos::{ALL, Chaos, Proxy};
use testkit::clock::Clock;
use testkit::dice::Random;
use testkit::ends::{same, same_sums};
use testkit::hub::Hub;
use testkit::process;
use testkit::store::{STORE_ID, Store};
use testkit::till::{Load, Till};
use testkit::wait;

/// Default number of sales.
const SALES: usize = 1_200;
const DAYS: i64 = 30;
const TILLS: usize = 4;
/// Number of records up to which all are compared as text; beyond it, only heads and sums are compared.
const COMPARED_MAX: usize = 50_000;
/// Timeout for any number of records.
const PATIENCE: Duration = Duration::from_secs(3_600);

fn given<N: std::str::FromStr>(name: &str, otherwise: N) -> N {
    let text = std::env::var(name).ok();
    text.map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{name} is {text}")))
}

#[test]
fn thirty_days_offline_and_one_catch_up() {
    let Some(clock) = Clock::find() else { return };
    let (sales, days) = (given("SOAK_SALES", SALES), given("SOAK_DAYS", DAYS));
    let hub = Hub::open();
    let mut store = Store::prepare(QUICK, TILLS);
    let line = Proxy::before(hub.address());
    hub.enrol_at(&store, &line.url());
    line.set(Chaos::Down, ALL);
    clock.set(Span::new().days(-days));
    store.environment(&clock.environment());
    store.start();
    store.receive_all(1_000_000);
    let mut random = Random::announced("offline");
    let mut sold = 0;
    for day in 1..=days {
        let goal = sales * usize::try_from(day).unwrap() / usize::try_from(days).unwrap();
        let load = Load::start((1..=TILLS).map(|n| Till::open(&store, n, &mut random)).collect());
        wait::within(PATIENCE, "the day's sales", || (sold + load.acknowledged() >= goal).then_some(()));
        for mut till in load.finish() {
            sold += till.sold.len();
            let path = format!("/api/shifts/{}/close", till.shift_id);
            till.persist(&path, &json!({"counted_cash": 100_000}));
        }
        clock.set(Span::new().days(day - days));
    }
    let pending = outbox(&store)["pending"].as_u64().unwrap();
    assert!(pending > sold as u64, "{pending} records of {sold} sales");
    assert_eq!(status(&hub)["sums"]["sales_count"], json!(0));

    let mut admin = hub.login().keeping_alive();
    line.set(Chaos::Pass, ALL);
    let begun = Instant::now();
    wait::within(PATIENCE, "head office has everything", || {
        let status = admin.get(&format!("/api/stores/{STORE_ID}/status")).data(200);
        (status["heads"][0]["seq"].as_u64() >= Some(pending)).then_some(())
    });
    let took = begun.elapsed();
    println!(
        "{sold} sales of {days} days, {pending} records: caught up in {:.1} s, {:.0} records a second; at most {} MiB \
         at the store, {} MiB at the hub",
        took.as_secs_f64(),
        pending as f64 / took.as_secs_f64(),
        process::peak_mib(store.daemon().pid()),
        process::peak_mib(hub.pid())
    );
    // The store seals the last day automatically, which makes one more record.
    let mut manager = store.login("manager");
    let last = manager.get("/api/shifts?state=closed&limit=1").data(200)["items"][0]["business_date"].clone();
    let day = format!("/api/days/{}", last.as_str().unwrap());
    wait::until("the last day is sealed", || {
        (manager.get(&day).data(200)["state"] == json!("sealed")).then_some(())
    });
    let books = if sold <= COMPARED_MAX { same(&hub, &store) } else { same_sums(&hub, &store) };
    assert_eq!(books.sales["sales_count"], sold as i64);
}
