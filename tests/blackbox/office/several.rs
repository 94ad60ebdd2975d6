//! Two processes of head office on one PostgreSQL, killed at random while everything happens at once: stores push
//! their days, files are imported, settlements approved, days and months locked, invoices paid, orders changed. A
//! caller without an answer repeats the request at the other process. In the end each change was made once, and
//! `verify` finds no problem.

mod pair;
mod work;

use pair::{Caller, Pair};
use serde_json::{Value, json};
use testkit::dice::Random;
use testkit::hub::database;
use work::{DAYS, INVOICES, ORDERS, SALES_OF_A_STORE, STORES, Work};

/// `cargo xtask soak` runs more.
const ROUNDS: usize = 1;
const ROUNDS_VARIABLE: &str = "SOAK_KILLED";

#[test]
fn two_processes_that_are_killed_at_random_do_each_thing_once() {
    if database::server().is_none() {
        println!("NOT RUN on SQLite: the step of `cargo xtask test` that has a PostgreSQL runs it");
        return;
    }
    let rounds = std::env::var(ROUNDS_VARIABLE).ok().and_then(|rounds| rounds.parse().ok());
    let mut dice = Random::announced("several");
    for round in 1..=rounds.unwrap_or(ROUNDS) {
        let Some(pair) = Pair::open() else { return };
        let mut office = Caller::new(&pair, "office".to_owned(), dice.fork());
        let work = Work::begun(&mut office);
        let kills = pair.busy(&work, &mut dice);
        println!("round {round}: {kills} kills, {}", pair.figures());
        assert!(kills >= DAYS, "{kills} kills only");
        once(&mut office, &pair);
        whole(&mut office);
        pair.says_again();
        pair.verified();
    }
}

/// What was answered as done is there, and nothing beside it.
fn once(office: &mut Caller<'_>, pair: &Pair) {
    for store in STORES {
        let status = office.reads(&format!("/api/stores/{store}/status"));
        let figures = [&status["sums"]["sales_count"], &status["parked_count"]];
        assert_eq!(figures, [&json!(SALES_OF_A_STORE), &json!(0)], "{store}: {status}");
    }
    let settlements = office.lists("/api/settlements", "");
    let approved = pair.done(|path| path.starts_with("/api/settlements/"));
    assert_eq!((settlements.len(), approved), (DAYS * STORES.len(), DAYS * STORES.len()));
    states(&settlements, "approved");
    // Each list, how many are in it, and what has become of those.
    let numbers = [
        ("/api/statements", "doc_no", DAYS, "approved"),
        ("/api/finance/invoices", "doc_no", INVOICES, "paid"),
        ("/api/finance/payments", "doc_no", INVOICES, "posted"),
    ];
    for (path, name, count, expected) in numbers {
        let items = numbered(office, path, name);
        assert_eq!((items.len(), pair.done(|done| done == path)), (count, count), "{path}");
        states(&items, expected);
    }
    assert_eq!(numbered(office, "/api/purchase-orders", "po_no").len(), 2 * ORDERS);
    assert_eq!(office.lists("/api/finance/journal", "&kind=manual").len(), 2 * DAYS);
}

#[track_caller]
fn states(items: &[Value], expected: &str) {
    assert!(items.iter().all(|item| item["state"] == expected), "{expected}: {items:?}");
}

/// The documents of a list, whose numbers leave none out.
fn numbered(office: &mut Caller<'_>, path: &str, name: &str) -> Vec<Value> {
    let items = office.lists(path, "");
    let number = |item: &Value| text(item, name).rsplit_once('-').unwrap().1.parse::<usize>().unwrap();
    let mut numbers: Vec<usize> = items.iter().map(number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=items.len()).collect::<Vec<_>>(), "{path}");
    items
}

/// The books are even, and every proof holds.
fn whole(office: &mut Caller<'_>) {
    let balance = office.reads("/api/finance/trial-balance?date=2026-12-31");
    assert_eq!(balance["total_debit"], balance["total_credit"], "{balance}");
    let proofs = office.did("/api/finance/proofs", &json!({}));
    assert_eq!(proofs["ok"], true, "{proofs}");
}

fn text(of: &Value, name: &str) -> String {
    of[name].as_str().unwrap_or_else(|| panic!("no {name}: {of}")).to_owned()
}
