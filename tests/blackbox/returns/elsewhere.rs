//! One sale is returned at two stores, the one that sold it and another. A store that reaches head office learns of the
//! pieces and money that the other store returned. An excess that is found too late is reported as an exception.

use serde_json::{Value, json};
use testkit::Client;
use testkit::chaos::{ALL, Chaos, Proxy};
use testkit::counter::{SALES, approved, number, text};
use testkit::hub::Hub;
use testkit::store::Store;
use testkit::wait;

const QUICK: &str = "sync.backoff_min = \"2ms\"\nsync.backoff_max = \"40ms\"\n";
const RETURNS: &str = "/api/pos/returns";
const SKU: &str = "8990001";

/// A store with its own connection to the hub, and a till with an open shift.
struct End {
    store: Store,
    line: Proxy,
    till: Client,
    manager: Client,
}

impl End {
    #[track_caller]
    fn open(hub: &Hub, id: &str) -> Self {
        let mut store = Store::prepare_other(id, QUICK, 1);
        let line = Proxy::before(hub.address());
        hub.enrol_at(&store, &line.url());
        store.start();
        store.receive_all(100);
        let mut till = store.login("till-1").at_register("till-1");
        let manager = store.login("manager");
        // Cash for refunds of goods that were sold elsewhere.
        till.post("/api/shifts/open", &json!({"opening_float": 100_000})).data(201);
        Self { store, line, till, manager }
    }

    /// Sells pieces at 1,000, less a discount of 100 and with 11 % tax, paid by these methods.
    #[track_caller]
    fn sale(&mut self, qty: i64, paid: &[(&str, i64)]) -> Value {
        let body = json!({"items": [{"sku": SKU, "qty": qty, "price": 1_000, "discount": 100}]});
        let made = self.till.post(SALES, &body).data(201);
        let pay = |(method, amount): &(&str, i64)| json!({"method": method, "amount": amount});
        let payments: Vec<Value> = paid.iter().map(pay).collect();
        let path = format!("{SALES}/{}/pay", text(&made, "transaction_id"));
        let sale = self.till.post(&path, &json!({"payments": payments})).data(200);
        self.reported();
        sale
    }

    /// Waits until head office has all of the store's records.
    #[track_caller]
    fn reported(&mut self) {
        wait::until("the store has reported everything", || {
            let forced = self.manager.post("/api/sync/force", &json!({})).data(200);
            (forced["completed"] == json!(true)).then_some(())
        });
    }

    #[track_caller]
    fn cut(&mut self) {
        self.line.set(Chaos::Down, ALL);
        self.link("the store sees that its line is cut", |state| state != "online");
    }

    #[track_caller]
    fn mend(&mut self) {
        self.line.set(Chaos::Pass, ALL);
        self.link("the line is back", |state| state == "online");
        self.reported();
    }

    #[track_caller]
    fn link(&mut self, what: &str, expected: impl Fn(&str) -> bool) {
        wait::until(what, || {
            let status = self.manager.get("/api/sync/status").data(200);
            status["hub"]["state"].as_str().is_some_and(&expected).then_some(())
        });
    }
}

/// Starts head office, the store that sells and another store.
#[track_caller]
fn open() -> (Hub, End, End) {
    let hub = Hub::open();
    let (here, there) = (End::open(&hub, "S001"), End::open(&hub, "S002"));
    (hub, here, there)
}

/// Returns the body of a return of pieces of a sale, by its receipt.
fn back(sale: &Value, qty: i64) -> Value {
    json!({"receipt_no": sale["receipt_no"], "items": [{"sku": SKU, "qty": qty, "reason": "torn"}]})
}

fn by(mut body: Value, method: &str, amount: i64) -> Value {
    body["refunds"] = json!([{"method": method, "amount": amount}]);
    body
}

fn refunds(document: &Value) -> Vec<(String, i64)> {
    let refunds = document["refunds"].as_array().unwrap();
    refunds.iter().map(|refund| (text(refund, "method"), number(refund, "amount"))).collect()
}

fn exceptions(hub: &Hub) -> Vec<Value> {
    hub.login().get("/api/exceptions").data(200)["items"].as_array().unwrap().clone()
}

#[test]
fn no_piece_comes_back_twice_whichever_store_is_first() {
    let (hub, mut here, mut there) = open();
    for seller_first in [true, false] {
        let sale = here.sale(3, &[("card", 3_219)]);
        let (first, second) = if seller_first { (&mut here, &mut there) } else { (&mut there, &mut here) };
        // Head office may not have the return yet. Its reservation still counts.
        let one = first.till.post(RETURNS, &back(&sale, 1)).data(201);
        let details = second.till.post(RETURNS, &back(&sale, 3)).refused(422, "return_exceeds_sold");
        let left = &details["items"][0];
        assert_eq!((&left["path"], &left["left"]), (&json!("items[0]"), &json!(2)), "{details}");
        let two = second.till.post(RETURNS, &back(&sale, 1)).data(201);
        second.reported();
        first.till.post(RETURNS, &back(&sale, 2)).refused(422, "return_exceeds_sold");
        let three = first.till.post(RETURNS, &back(&sale, 1)).data(201);
        let parts = [&one, &two, &three].map(|part| number(part, "refund_total"));
        assert_eq!(parts.iter().sum::<i64>(), 3_219, "the partial refunds add up to the sale: {parts:?}");
        for end in [&mut here, &mut there] {
            end.reported();
            end.till.post(RETURNS, &back(&sale, 1)).refused(422, "return_exceeds_sold");
        }
    }
    assert_eq!(exceptions(&hub), Vec::<Value>::new());
    here.store.stop();
    here.store.verify();
}

#[test]
fn a_return_that_was_voided_or_refused_leaves_its_pieces_to_the_other() {
    let (_hub, mut here, mut there) = open();
    let sale = here.sale(1, &[("cash", 999)]);
    let voided = there.till.post(RETURNS, &back(&sale, 1)).data(201);
    here.till.post(RETURNS, &back(&sale, 1)).refused(422, "return_exceeds_sold");
    let path = format!("{RETURNS}/{}/void", text(&voided, "return_id"));
    there.till.post(&path, &approved(json!({"reason": "wrong customer"}))).data(200);
    there.reported();
    // The seller's request reserves the piece and is then refused. The reservation is released.
    here.till.post(RETURNS, &by(back(&sale, 1), "card", 999)).refused(403, "approval_required");
    let again = wait::until("the piece is released", || {
        let reply = there.till.post(RETURNS, &back(&sale, 1));
        (reply.status == 201).then(|| reply.data(201))
    });
    let path = format!("{RETURNS}/{}/void", text(&again, "return_id"));
    there.till.post(&path, &approved(json!({"reason": "wrong customer"}))).data(200);
    there.reported();
    // The store knows of its own void, whether head office has received it or not.
    let own = here.till.post(RETURNS, &back(&sale, 1)).data(201);
    here.reported();
    here.line.set(Chaos::Down, testkit::chaos::PUSH);
    let path = format!("{RETURNS}/{}/void", text(&own, "return_id"));
    here.till.post(&path, &approved(json!({"reason": "wrong item"}))).data(200);
    here.till.post(RETURNS, &back(&sale, 1)).data(201);
}

#[test]
fn a_method_gives_back_what_it_paid_whichever_store_asks() {
    let (_hub, mut here, mut there) = open();
    for seller_first in [true, false] {
        // Each piece is 1,054 or 1,055 of 2,109, so 446 are left on the card after the first.
        let sale = here.sale(2, &[("card", 1_500), ("cash", 609)]);
        let (first, second) = if seller_first { (&mut here, &mut there) } else { (&mut there, &mut here) };
        let one = first.till.post(RETURNS, &back(&sale, 1)).data(201);
        let half = number(&one, "refund_total");
        assert_eq!(refunds(&one), [("card".to_owned(), half)]);
        first.reported();
        let rest = 2_109 - half;
        second.till.post(RETURNS, &by(back(&sale, 1), "card", rest)).refused(403, "approval_required");
        let two = second.till.post(RETURNS, &back(&sale, 1)).data(201);
        let card = 1_500 - half;
        assert_eq!(refunds(&two), [("card".to_owned(), card), ("cash".to_owned(), rest - card)]);
    }
    // After a correction of the tender the corrected method is the one that paid.
    let sale = here.sale(1, &[("cash", 999)]);
    let right = json!({"payment_id": sale["payments"][0]["payment_id"], "reason": "it was a card",
        "payments": [{"method": "card", "amount": 999}]});
    let path = format!("{SALES}/{}/correct-tender", text(&sale, "transaction_id"));
    here.manager.post(&path, &right).data(200);
    here.reported();
    there.till.post(RETURNS, &by(back(&sale, 1), "cash", 999)).refused(403, "approval_required");
    let given = wait::until("the piece is released", || {
        let reply = there.till.post(RETURNS, &back(&sale, 1));
        (reply.status == 201).then(|| reply.data(201))
    });
    assert_eq!(refunds(&given), [("card".to_owned(), 999)]);
}

#[test]
fn an_exchange_passes_on_what_the_other_store_left_of_each_method() {
    let (_hub, mut here, mut there) = open();
    let sale = here.sale(2, &[("card", 1_500), ("cash", 609)]);
    there.till.post(RETURNS, &back(&sale, 1)).data(201);
    there.reported();
    let basket = json!({"items": [{"sku": SKU, "qty": 1, "price": 2_000}]});
    let new = here.till.post(SALES, &basket).data(201);
    let mut body = back(&sale, 1);
    body["refunds"] =
        json!([{"method": "exchange", "transaction_id": new["transaction_id"], "amount": 1_055}]);
    let given = here.till.post(RETURNS, &body).data(201);
    let origins: Vec<(String, i64)> = given["refunds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| (text(part, "origin"), number(part, "amount")))
        .collect();
    assert_eq!(origins, [("card".to_owned(), 446), ("cash".to_owned(), 609)]);
}

#[test]
fn while_head_office_is_away_each_store_goes_by_what_it_knows() {
    let (hub, mut here, mut there) = open();
    let sale = here.sale(1, &[("cash", 999)]);
    here.cut();
    there.till.post(RETURNS, &back(&sale, 1)).data(201);
    there.reported();
    here.till.post(RETURNS, &back(&sale, 1)).data(201);
    here.till.post(RETURNS, &back(&sale, 1)).refused(422, "return_exceeds_sold");
    here.mend();
    let found = exceptions(&hub);
    let expected = json!({"transaction_id": sale["transaction_id"], "receipt_no": sale["receipt_no"],
        "items": [{"sku": SKU, "sold": 1, "returned": 2}]});
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (&found[0]["store_id"], &found[0]["code"], &found[0]["details"]),
        (&json!("S001"), &json!("return_exceeds_sold"), &expected)
    );
    let status = hub.login().get("/api/stores/S001/status").data(200);
    let problems = status["problems"].as_array().unwrap();
    assert!(problems.iter().any(|problem| problem["code"] == json!("exceptions")), "{status}");
    assert_eq!((&status["exceptions_count"], &status["parked_count"]), (&json!(1), &json!(0)));

    // The reverse order: a manager approved a return of a receipt that could not be checked.
    let sale = here.sale(1, &[("cash", 999)]);
    there.cut();
    let mut pending = back(&sale, 1);
    pending["items"][0]["price"] = json!(900);
    there.till.post(RETURNS, &approved(pending)).data(201);
    there.mend();
    // Once reported, the return counts like any other.
    here.till.post(RETURNS, &back(&sale, 1)).refused(422, "return_exceeds_sold");
}

#[test]
fn a_sale_that_head_office_does_not_have_yet_is_only_the_sellers() {
    let (hub, mut here, mut there) = open();
    here.line.set(Chaos::Down, testkit::chaos::PUSH);
    let body = json!({"items": [{"sku": SKU, "qty": 2, "price": 1_000}]});
    let made = here.till.post(SALES, &body).data(201);
    let path = format!("{SALES}/{}/pay", text(&made, "transaction_id"));
    let sale = here.till.post(&path, &json!({"method": "cash", "amount": 2_220})).data(200);
    here.till.post(RETURNS, &back(&sale, 1)).data(201);
    there.till.post(RETURNS, &back(&sale, 1)).refused(404, "not_found");
    here.mend();
    there.till.post(RETURNS, &back(&sale, 2)).refused(422, "return_exceeds_sold");
    there.till.post(RETURNS, &back(&sale, 1)).data(201);
    assert_eq!(exceptions(&hub), Vec::<Value>::new());

    // With a price, a manager may approve a return of a receipt that its store has not reported yet.
    here.line.set(Chaos::Down, testkit::chaos::PUSH);
    let made = here.till.post(SALES, &body).data(201);
    let path = format!("{SALES}/{}/pay", text(&made, "transaction_id"));
    let sale = here.till.post(&path, &json!({"method": "cash", "amount": 2_220})).data(200);
    let mut priced = approved(back(&sale, 1));
    there.till.post(RETURNS, &priced).refused(404, "not_found");
    priced["items"][0]["price"] = json!(900);
    assert_eq!(there.till.post(RETURNS, &priced).data(201)["verification"], json!("pending"));
    priced["receipt_no"] = json!("S999-000001");
    there.till.post(RETURNS, &priced).refused(404, "not_found");
}

#[test]
fn of_two_stores_that_want_the_last_piece_exactly_one_gets_it_and_a_retry_is_no_second_one() {
    let (hub, mut here, mut there) = open();
    for round in 0..8 {
        let sale = here.sale(1, &[("cash", 999)]);
        let (body, key) = (back(&sale, 1), format!("last-piece-{round}"));
        let both = [&mut here.till, &mut there.till];
        let replies = std::thread::scope(|scope| {
            let ask = |till: &'_ mut Client| till.post_keyed(RETURNS, &key, &body);
            let threads = both.map(|till| scope.spawn(move || ask(till)));
            threads.map(|thread| thread.join().unwrap())
        });
        let mut seen = replies.each_ref().map(|reply| reply.status);
        seen.sort_unstable();
        assert_eq!(seen, [201, 422], "round {round}");
        // The winner's retry gets the same answer, and the loser's is refused again.
        for (till, reply) in [&mut here.till, &mut there.till].into_iter().zip(&replies) {
            let again = till.post_keyed(RETURNS, &key, &body);
            assert_eq!(again.status, reply.status);
            if reply.status == 201 {
                assert_eq!(again.data(201), reply.data(201));
            }
        }
    }
    for end in [&mut here, &mut there] {
        end.reported();
    }
    assert_eq!(exceptions(&hub), Vec::<Value>::new());
}
