//! Processes that are killed: the hub between any two statements, its database, and the store at any time.

use super::QUICK;
use super::trade::everything;
use super::wire::Wire;
use std::process::Command;
use std::time::{Duration, Instant};
use testkit::chaos::{ALL, Chaos, Proxy};
use testkit::dice::Random;
use testkit::ends::{same, settled};
use testkit::hub::Hub;
use testkit::hub::postgres::Postgres;
use testkit::store::Store;
use testkit::till::{Load, Till};
use testkit::{hub::database, wait};

/// Upper bound of the statements of a push with its hello.
const STATEMENTS_MAX: usize = 200;
/// Number of kills after which both ends are compared completely.
const COMPARED_EVERY: usize = 15;

#[test]
fn the_hub_killed_between_any_two_statements() {
    match database::server() {
        Some(server) => at_every_statement(&server),
        None => at_every_write(),
    }
}

/// With PostgreSQL the hub is killed before it sends its first statement, its second, and so on.
fn at_every_statement(server: &str) {
    let wire = Wire::before(server);
    let url = database::fresh_at(server);
    let by_wire = format!("{}/{}", wire.server(server), url.rsplit_once('/').unwrap().1);
    let mut hub = Hub::open_at(tempfile::tempdir().unwrap(), &by_wire, "");
    let (store, mut till) = shop(&hub);
    let mut killed = 0;
    for n in 1..STATEMENTS_MAX {
        wire.arm(n, hub.pid());
        till.sell();
        let died = wait::until("the hub is killed, or has everything", || {
            if hub.ended() {
                return Some(true);
            }
            settled_now(&hub, &store).then_some(false)
        });
        if !died && wire.disarm() {
            break;
        }
        killed += 1;
        hub.restart();
        settled(&hub, &store);
        if n % COMPARED_EVERY == 0 {
            same(&hub, &store);
        }
    }
    println!("killed at {killed} statements");
    assert!(killed > 10, "killed at only {killed} statements");
    same(&hub, &store);
}

/// SQLite has no connection, so the hub is killed at its first write to a file, its second, and so on.
fn at_every_write() {
    let tried = Command::new("strace").args(["-D", "-f", "-o", "/dev/null", "true"]).output();
    if !tried.is_ok_and(|tried| tried.status.success()) {
        println!("NOT RUN: no strace here; `cargo xtask test` installs it");
        return;
    }
    let mut hub = Hub::open();
    let (store, mut till) = shop(&hub);
    let mut killed = 0;
    for call in ["pwrite64", "fdatasync"] {
        for n in 1..STATEMENTS_MAX {
            hub.kill9();
            till.sell();
            let inject = format!("inject={call}:signal=SIGKILL:when={n}");
            hub.wrap(&[
                "strace",
                "-D",
                "-f",
                "-qq",
                "-o",
                "/dev/null",
                "-e",
                &format!("trace={call}"),
                "-e",
                &inject,
            ]);
            hub.spawn();
            let died = wait::until("the hub is killed, or has everything", || {
                if hub.ended() {
                    return Some(true);
                }
                settled_now(&hub, &store).then_some(false)
            });
            hub.wrap(&[]);
            if !died {
                break;
            }
            killed += 1;
            hub.restart();
            settled(&hub, &store);
            if n % COMPARED_EVERY == 0 {
                same(&hub, &store);
            }
        }
        hub.restart();
    }
    println!("killed at {killed} writes");
    assert!(killed > 10, "killed at only {killed} writes");
    same(&hub, &store);
}

#[track_caller]
fn shop(hub: &Hub) -> (Store, Till) {
    let mut store = Store::prepare(QUICK, 1);
    hub.enrol(&store);
    store.start();
    let till = Till::open(&store, 1, &mut Random::announced("kills"));
    settled(hub, &store);
    (store, till)
}

/// Returns whether the hub has acknowledged everything to the store.
fn settled_now(hub: &Hub, store: &Store) -> bool {
    let heard = hub.client().try_send("GET", "/health", &[], b"").is_ok();
    heard && super::outbox(store)["pending"] == 0
}

#[test]
fn postgresql_stopped_with_m_immediate() {
    if database::server().is_none() {
        println!("NOT RUN on SQLite: the step of `cargo xtask test` that has a PostgreSQL runs it");
        return;
    }
    let mut postgres = Postgres::start();
    let url = database::fresh_at(&postgres.server());
    let hub = Hub::open_at(tempfile::tempdir().unwrap(), &url, "");
    let mut store = Store::prepare(QUICK, 2);
    hub.enrol(&store);
    store.start();
    let mut random = Random::announced("immediate");
    store.receive_all(100_000);
    let load = Load::start((1..=2).map(|n| Till::open(&store, n, &mut random)).collect());
    for _ in 0..6 {
        load.wait_for(15);
        let moment = Instant::now() + Duration::from_millis(random.below(40));
        wait::until("the random time of the stop", || (Instant::now() >= moment).then_some(()));
        postgres.stop_immediately();
        // The store continues to sell, and the hub answers again as soon as its database does.
        load.wait_for(10);
        postgres.start_again();
    }
    load.wait_for(5);
    drop(load.finish());
    same(&hub, &store);
}

#[test]
fn the_store_killed_anywhere() {
    let hub = Hub::open();
    let mut store = Store::prepare(QUICK, 2);
    let proxy = Proxy::before(hub.address());
    hub.enrol_at(&store, &proxy.url());
    proxy.set(Chaos::Delay(Duration::from_millis(2)), ALL);
    store.start();
    let mut random = Random::announced("store killed");
    store.receive_all(100_000);
    let load = Load::start((1..=2).map(|n| Till::open(&store, n, &mut random)).collect());
    for round in 0..10 {
        load.wait_for(8);
        let moment = Instant::now() + Duration::from_millis(random.below(60));
        wait::until("the random time of the kill", || (Instant::now() >= moment).then_some(()));
        store.kill9();
        store.start();
        if round % 4 == 0 {
            wait::until("records arrive", || (proxy.pushes().len() > round).then_some(()));
        }
    }
    drop(load.finish());
    proxy.set(Chaos::Pass, ALL);
    same(&hub, &store);
    everything(&store, 1);
    same(&hub, &store);
    store.stop();
    store.verify();
}
