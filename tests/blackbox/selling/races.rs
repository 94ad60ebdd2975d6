//! Two concurrent requests: exactly one wins, a thousand times in a row.

use serde_json::{Value, json};
use std::sync::Barrier;
use testkit::counter::{Counter, SALES, basket, text};
use testkit::{Client, Reply, Store};

const ROUNDS: usize = 1_000;

/// Sends both requests at the same moment.
fn at_once(first: (&mut Client, &str, &Value), second: (&mut Client, &str, &Value)) -> [Reply; 2] {
    let start = Barrier::new(2);
    let go = |(client, path, body): (&mut Client, &str, &Value)| {
        start.wait();
        client.post(path, body)
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| go(second));
        [go(first), other.join().unwrap()]
    })
}

/// Returns the winner's index and data. Asserts that the loser got this refusal.
fn one_wins(replies: &[Reply; 2], won: u16, lost: (u16, &str)) -> (usize, Value) {
    let winner = usize::from(replies[0].status != won);
    replies[1 - winner].refused(lost.0, lost.1);
    (winner, replies[winner].data(won))
}

#[test]
fn one_of_two_tills_recalls_a_hold() {
    let counter = Counter::open();
    let (other, _) = counter.second();
    let mut tills = [counter.till.keeping_alive(), other.keeping_alive()];
    for _ in 0..ROUNDS {
        let hold = tills[0].post("/api/pos/holds", &basket(&[("8990001", 1)])).data(201);
        let path = format!("/api/pos/holds/{}/recall", text(&hold, "hold_id"));
        let [first, second] = &mut tills;
        let replies = at_once((first, &path, &json!({})), (second, &path, &json!({})));
        let (winner, taken) = one_wins(&replies, 200, (409, "invalid_state"));
        let void = format!("{SALES}/{}/void", text(&taken, "transaction_id"));
        tills[winner].post(&void, &json!({"reason": "race"})).data(200);
    }
}

#[test]
fn a_transaction_is_paid_once_and_its_last_piece_comes_back_once() {
    let mut counter = Counter::open();
    let token = counter.till.token().unwrap().to_owned();
    let client = || counter.store.client().with_token(&token).at_register("till-1").keeping_alive();
    let (mut first, mut second) = (client(), client());
    for _ in 0..ROUNDS {
        let made = first.post(SALES, &basket(&[("8990001", 1)])).data(201);
        let pay = format!("{SALES}/{}/pay", text(&made, "transaction_id"));
        let all = json!({"method": "card", "amount": made["total"]});
        let replies = at_once((&mut first, &pay, &all), (&mut second, &pay, &all));
        let (_, sold) = one_wins(&replies, 200, (409, "invalid_state"));
        let back = json!({"transaction_id": sold["transaction_id"], "items": [{"sku": "8990001", "qty": 1, "reason": "torn"}]});
        let replies =
            at_once((&mut first, "/api/pos/returns", &back), (&mut second, "/api/pos/returns", &back));
        one_wins(&replies, 201, (422, "return_exceeds_sold"));
    }
    assert_eq!(counter.on_hand("8990001"), 100);
    let figures = counter.summary();
    assert_eq!((&figures["sales_count"], &figures["returns_count"]), (&json!(ROUNDS), &json!(ROUNDS)));
    assert_eq!(figures["last_receipt"], json!(format!("S001-till-1-{:08}", 2 * ROUNDS)));
}

#[test]
fn one_of_two_cashiers_opens_a_shift_at_a_till() {
    let store = Store::open_with("", 2);
    let mut cashiers =
        ["till-1", "till-2"].map(|name| store.login(name).at_register("till-9").keeping_alive());
    for _ in 0..ROUNDS {
        let [first, second] = &mut cashiers;
        let replies =
            at_once((first, "/api/shifts/open", &json!({})), (second, "/api/shifts/open", &json!({})));
        let (winner, shift) = one_wins(&replies, 201, (409, "shift_already_open"));
        let close = format!("/api/shifts/{}/close", text(&shift, "shift_id"));
        cashiers[winner].post(&close, &json!({"counted_cash": 0})).data(200);
    }
}
