//! Network failures.

use super::QUICK;
use super::trade::{everything, sell};
use jiff::Span;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::chaos::{ALL, Chaos, PUSH, Proxy};
use testkit::clock::Clock;
use testkit::dice::Random;
use testkit::ends::same;
use testkit::hub::Hub;
use testkit::store::Store;
use testkit::till::Till;
use testkit::wait;

/// Timeout for thousands of connections, one after the other.
const CUTTING: Duration = Duration::from_secs(900);

/// A store that reaches its hub through a proxy.
struct Line {
    hub: Hub,
    proxy: Proxy,
    store: Store,
    till: Till,
}

impl Line {
    #[track_caller]
    fn open(test: &str) -> Self {
        Self::open_with(test, QUICK)
    }

    #[track_caller]
    fn open_with(test: &str, settings: &str) -> Self {
        let hub = Hub::open();
        let mut store = Store::prepare(settings, 1);
        let proxy = Proxy::before(hub.address());
        hub.enrol_at(&store, &proxy.url());
        proxy.sign_with(hub.signer(&store));
        store.start();
        let till = Till::open(&store, 1, &mut Random::announced(test));
        Self { hub, proxy, store, till }
    }

    /// Sells while calls are tampered with, then without. Asserts that both ends have the same.
    #[track_caller]
    fn trade(&mut self, chaos: Chaos, to: &'static [u8], calls: u64) {
        self.proxy.set(chaos, to);
        // `hello` reports what the hub already has, so another push needs another sale.
        wait::until("enough calls were tampered with", || {
            sell(&mut self.till, 1);
            (self.proxy.tampered() >= calls).then_some(())
        });
        self.proxy.set(Chaos::Pass, ALL);
        same(&self.hub, &self.store);
    }
}

#[track_caller]
fn sync(store: &Store) -> Value {
    store.login("manager").get("/api/sync/status").data(200)
}

#[test]
fn something_of_everything_is_the_same_at_both_ends() {
    let mut line = Line::open("everything");
    everything(&line.store, 1);
    let books = same(&line.hub, &line.store);
    for (name, figures) in
        [("stock", books.stock.len()), ("points", books.points.len()), ("cash", books.cash.len())]
    {
        assert!(figures > 0, "no {name}: {books:?}");
    }
    for name in ["sales_count", "tax", "voids_count", "returns_total", "returns_tax"] {
        assert!(books.sales.contains_key(name), "no {name}: {books:?}");
    }
    line.store.stop();
    line.store.verify();
}

#[test]
fn answers_lost_after_apply() {
    let mut line = Line::open("lost");
    line.trade(Chaos::LoseAnswer, PUSH, 3);
    line.trade(Chaos::LoseAnswer, ALL, 3);
    everything(&line.store, 1);
    line.trade(Chaos::LoseAnswer, PUSH, 5);
}

#[test]
fn every_batch_sent_twice_concurrently_and_out_of_order() {
    let mut line = Line::open("twice");
    for chaos in [Chaos::Twice, Chaos::TwiceAtOnce, Chaos::Reorder] {
        line.trade(chaos, PUSH, 2);
        line.proxy.set(chaos, PUSH);
        everything(&line.store, 1);
        same(&line.hub, &line.store);
        assert!(line.proxy.copies_taken() > 0, "{chaos:?} tampered with no call");
        line.proxy.set(Chaos::Pass, ALL);
    }
}

#[test]
fn every_batch_sent_again_a_day_later() {
    let Some(clock) = Clock::find() else { return };
    let mut line = Line::open("later");
    everything(&line.store, 1);
    let before = same(&line.hub, &line.store);
    line.store.stop();
    clock.set(Span::new().days(1));
    line.hub.restart_with(&clock.environment());
    let pushes = line.proxy.pushes();
    assert!(!pushes.is_empty(), "nothing was pushed");
    for push in &pushes {
        assert_eq!(line.proxy.again(push), "HTTP/1.1 200 OK");
    }
    line.hub.restart_with::<&str, &str>(&[]);
    line.store.start();
    line.till.log_in_again(&line.store);
    assert_eq!(same(&line.hub, &line.store), before);
    sell(&mut line.till, 1);
    same(&line.hub, &line.store);
}

/// Cuts a kind of call after each of its bytes on the way up, then after each on the way back.
fn cut_at_every_byte(name: &str, call: &'static [u8]) {
    let mut line = Line::open_with(name, "sync.backoff_min = \"1ms\"\nsync.backoff_max = \"2ms\"\n");
    line.proxy.set(Chaos::CutAtEveryByte, call);
    line.store.login("manager").post("/api/sync/force", &json!({})).data(200);
    sell(&mut line.till, 1);
    let mut sold_at = 0;
    let (up, back) = wait::stepping(CUTTING, "one call has come through whole", || {
        let (up, back, through) = line.proxy.cut_at();
        // `hello` reports what the hub already has, so another push needs another sale.
        if back > sold_at {
            sell(&mut line.till, 1);
            sold_at = back;
        }
        through.then_some((up, back))
    });
    println!("cut at {up} bytes on the way up and {back} on the way back");
    assert!(up > 300 && back > 300, "{up} {back}");
    line.proxy.set(Chaos::Pass, ALL);
    same(&line.hub, &line.store);
}

// A test for each call: they wait most of their time, and run at once.
#[test]
fn a_push_cut_at_every_byte() {
    cut_at_every_byte("cut-push", PUSH);
}

#[test]
fn a_hello_cut_at_every_byte() {
    cut_at_every_byte("cut-hello", b"POST /api/sync/hello");
}

#[test]
fn a_pull_cut_at_every_byte() {
    cut_at_every_byte("cut-pull", b"GET /api/sync/pull");
}

#[test]
fn a_slow_line_and_a_dead_one() {
    let mut line = Line::open("slow");
    line.trade(Chaos::Delay(Duration::from_millis(150)), ALL, 4);
    line.trade(Chaos::Down, ALL, 6);
}

#[test]
fn a_captive_portal_is_a_failure_and_never_an_acknowledgement() {
    let mut line = Line::open("portal");
    same(&line.hub, &line.store);
    for portal in [Chaos::Portal, Chaos::JsonPortal] {
        line.proxy.set(portal, ALL);
        let acked = sync(&line.store)["outbox"]["acked_seq"].clone();
        sell(&mut line.till, 1);
        wait::until("the store has called the portal", || (line.proxy.tampered() >= 3).then_some(()));
        let forced = line.store.login("manager").post("/api/sync/force", &json!({})).data(200);
        assert_eq!(forced["completed"], json!(false), "{forced}");
        let now = sync(&line.store);
        assert_eq!(now["outbox"]["acked_seq"], acked, "{now}");
        line.proxy.set(Chaos::Pass, ALL);
        same(&line.hub, &line.store);
    }
}
