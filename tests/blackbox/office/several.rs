//! Two processes of head office with one PostgreSQL, killed at random under load: stores push their days, files are
//! imported, settlements approved, days and months locked, invoices paid, orders changed. A caller without an answer
//! repeats the request at the other process. At the end each change was made exactly once, and `verify` finds no
//! problem.

mod pair;
mod work;

use pair::{Caller, Pair};
use serde_json::{Value, json};
use testkit::dice::Random;
use testkit::hub::database;
use work::{DAYS, INVOICES, ORDERS, SALES_OF_A_STORE, STORES, Work};

/// Number of rounds; `cargo xtask soak` runs more.
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
        assert!(kills >= DAYS, "only {kills} kills");
        once(&mut office, &pair);
        whole(&mut office);
        pair.says_again();
        pair.verified();
    }
}

/// Asserts that every acknowledged change exists, and no other.
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
    // For each list: its path, the field with the number, the number of documents, and their state.
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

/// Returns the documents of a list and asserts that their numbers have no gap.
fn numbered(office: &mut Caller<'_>, path: &str, name: &str) -> Vec<Value> {
    let items = office.lists(path, "");
    let number = |item: &Value| text(item, name).rsplit_once('-').unwrap().1.parse::<usize>().unwrap();
    let mut numbers: Vec<usize> = items.iter().map(number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=items.len()).collect::<Vec<_>>(), "{path}");
    items
}

/// Asserts that the books balance and that every proof succeeds.
fn whole(office: &mut Caller<'_>) {
    let balance = office.reads("/api/finance/trial-balance?date=2026-12-31");
    assert_eq!(balance["total_debit"], balance["total_credit"], "{balance}");
    let proofs = office.did("/api/finance/proofs", &json!({}));
    assert_eq!(proofs["ok"], true, "{proofs}");
}

fn text(of: &Value, name: &str) -> String {
    of[name].as_str().unwrap_or_else(|| panic!("no {name}: {of}")).to_owned()
}
