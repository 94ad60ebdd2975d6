//! Returns: never more than was sold, and exactly the amount paid, by the method of the payment.

use serde_json::{Value, json};
use testkit::counter::{Counter, SALES, approved, basket, number, text};

const RETURNS: &str = "/api/pos/returns";

/// Returns the body of a return of pieces of one SKU of a sale.
fn back(sale: &Value, sku: &str, qty: i64) -> Value {
    json!({"transaction_id": sale["transaction_id"], "items": [{"sku": sku, "qty": qty, "reason": "torn"}]})
}

#[test]
fn parts_add_up_to_the_sale_and_no_piece_comes_back_twice() {
    let mut counter = Counter::open();
    let body = json!({"items": [{"sku": "8990001", "qty": 3, "price": 1_000, "discount": 100}]});
    let made = counter.till.post(SALES, &body).data(201);
    counter.act(&made, "pay", &json!({"method": "cash", "amount": 3_219})).data(200);
    let (stock, value) = (counter.on_hand("8990001"), counter.value("8990001"));
    counter.till.post(RETURNS, &back(&made, "8990001", 4)).refused(422, "return_exceeds_sold");
    counter.till.post(RETURNS, &back(&made, "8990002", 1)).refused(422, "return_exceeds_sold");

    let mut parts = Vec::new();
    for n in 1..=3 {
        let returned = counter.till.post(RETURNS, &back(&made, "8990001", 1)).data(201);
        let line = &returned["items"][0];
        parts.push((
            number(line, "gross"),
            number(line, "discount"),
            number(line, "tax"),
            number(line, "refund"),
        ));
        assert_eq!(
            returned["receipt_no"],
            json!(format!("S001-till-1-{:08}", n + 1)),
            "the till's own counter"
        );
        assert_eq!((&returned["state"], &returned["refund_total"]), (&json!("posted"), &json!(1_073)));
        assert_eq!(returned["refunds"][0]["method"], json!("cash"));
    }
    assert_eq!(parts, [(1_000, 33, 106, 1_073), (1_000, 33, 106, 1_073), (1_000, 34, 107, 1_073)]);
    counter.till.post(RETURNS, &back(&made, "8990001", 1)).refused(422, "return_exceeds_sold");
    assert_eq!((counter.on_hand("8990001"), counter.value("8990001")), (stock + 3, value + 3 * 1_200));
    let sale = counter.read(&made);
    assert_eq!((&sale["refunded"], &sale["items"][0]["returned_qty"]), (&json!(3_219), &json!(3)));
    let summary = counter.summary();
    assert_eq!((&summary["returns_count"], &summary["returns_total"]), (&json!(3), &json!(3_219)));
    assert_eq!(counter.method("cash"), (3_219, 3_219));
}

#[test]
fn goods_come_back_at_the_cost_they_left_with_and_go_where_they_are_sent() {
    let mut counter = Counter::open();
    let sold = counter.sale(&[("8990002", 4)], &[], "card");
    let dearer = json!({"lines": [{"sku": "8990002", "qty": 10, "unit_cost": 9_000}]});
    counter.store.login("warehouse").post("/api/receiving", &dearer).data(201);
    let (stock, value) = (counter.on_hand("8990002"), counter.value("8990002"));
    counter.till.post(RETURNS, &back(&sold, "8990002", 1)).data(201);
    assert_eq!((counter.on_hand("8990002"), counter.value("8990002")), (stock + 1, value + 1_800));
    for (field, way) in
        [("restock", json!(false)), ("disposition", json!("damaged")), ("disposition", json!("vendor"))]
    {
        let mut body = back(&sold, "8990002", 1);
        body["items"][0][field] = way;
        let returned = counter.till.post(RETURNS, &body).data(201);
        assert_eq!(returned["items"][0]["restock"], json!(false));
        assert!(returned["items"][0].get("cost").is_none(), "cashiers must not see costs");
    }
    let row = counter.manager.get("/api/stock/8990002").data(200);
    assert_eq!((number(&row, "available"), number(&row, "damaged")), (stock + 1, 2), "{row}");
    let mut both = back(&sold, "8990002", 1);
    both["items"][0]["restock"] = json!(true);
    both["items"][0]["disposition"] = json!("damaged");
    counter.till.post(RETURNS, &both).invalid_field("items[0].restock");
}

#[test]
fn money_goes_back_the_way_it_came_unless_a_manager_says_otherwise() {
    let mut counter = Counter::open();
    // 27,750: card 20,000, cash 7,750.
    let sold = counter.sale(&[("8990003", 2)], &[("card", 20_000)], "cash");
    let returned = counter.till.post(RETURNS, &back(&sold, "8990003", 1)).data(201);
    let refund = &returned["refunds"][0];
    assert_eq!((&refund["method"], &refund["amount"]), (&json!("card"), &json!(13_875)));
    let asked = |refunds: Value| {
        let mut body = back(&sold, "8990003", 1);
        body["refunds"] = refunds;
        body
    };
    let all_cash = json!([{"method": "cash", "amount": 13_875}]);
    counter.till.post(RETURNS, &asked(all_cash.clone())).refused(403, "approval_required");
    counter
        .till
        .post(RETURNS, &asked(json!([{"method": "cash", "amount": 1}])))
        .refused(422, "payment_mismatch");
    counter
        .till
        .post(RETURNS, &asked(json!([{"method": "shells", "amount": 13_875}])))
        .invalid_field("refunds[0].method");
    let points = asked(json!([{"method": "points", "amount": 13_875}]));
    counter.till.post(RETURNS, &points).invalid_field("refunds[0].amount");
    let returned = counter.till.post(RETURNS, &approved(asked(all_cash))).data(201);
    assert!(returned["approved_by"].is_string());
    assert_eq!((counter.method("card"), counter.method("cash")), ((20_000, 13_875), (7_750, 13_875)));
}

#[test]
fn without_a_receipt_it_takes_a_manager_and_a_price() {
    let mut counter = Counter::open_with("returns.unreceipted_max = 5_000");
    let body = |price: i64| json!({"items": [{"sku": "8990001", "qty": 1, "price": price, "restock": true}]});
    counter.till.post(RETURNS, &body(2_000)).refused(403, "approval_required");
    counter
        .till
        .post(RETURNS, &approved(json!({"items": [{"sku": "8990001", "qty": 1}]})))
        .invalid_field("items[0].price");
    counter.till.post(RETURNS, &approved(body(5_000))).invalid_field("items");
    let nope = json!({"items": [{"sku": "nope", "qty": 1, "price": 1}]});
    counter.till.post(RETURNS, &approved(nope)).refused(422, "unknown_sku");
    let returned = counter.till.post(RETURNS, &approved(body(2_000))).data(201);
    assert_eq!((&returned["transaction_id"], &returned["refund_total"]), (&Value::Null, &json!(2_220)));
    assert_eq!(counter.on_hand("8990001"), 101);
    // Lines with and without a receipt can't be in one document.
    let sold = counter.sale(&[("8990001", 1)], &[], "cash");
    let mut mixed = back(&sold, "8990001", 1);
    mixed["items"][0]["price"] = json!(2_000);
    counter.till.post(RETURNS, &approved(mixed)).invalid_field("items[0].price");
    let shifted = json!({"items": [{"sku": "8990001", "qty": 1, "price": 1}], "shift_id": "shf_nope"});
    counter.till.post(RETURNS, &approved(shifted)).refused(404, "not_found");
    let mut other = counter.store.login("till-2");
    other.post(RETURNS, &back(&sold, "8990001", 1)).refused(409, "no_open_shift");
    counter
        .store
        .login("warehouse")
        .post(RETURNS, &back(&sold, "8990001", 1))
        .refused(403, "insufficient_role");
}

#[test]
fn limits_ask_for_a_manager() {
    let mut counter = Counter::open_with("returns.cashier_limit = 2_000");
    let sold = counter.sale(&[("8990001", 1)], &[], "cash");
    counter.till.post(RETURNS, &back(&sold, "8990001", 1)).refused(403, "approval_required");
    counter.till.post(RETURNS, &approved(back(&sold, "8990001", 1))).data(201);
}

#[test]
fn a_receipt_is_as_good_as_the_sale_and_anothers_is_pending() {
    let mut counter = Counter::open();
    let sold = counter.sale(&[("8990001", 2)], &[], "cash");
    let by = |number: &str| json!({"receipt_no": number, "items": [{"sku": "8990001", "qty": 1}]});
    let returned = counter.till.post(RETURNS, &by(&text(&sold, "receipt_no"))).data(201);
    assert_eq!(
        (&returned["transaction_id"], &returned["verification"]),
        (&sold["transaction_id"], &Value::Null)
    );
    counter.till.post(RETURNS, &by("S001-till-1-00009999")).refused(404, "not_found");
    counter
        .till
        .post(RETURNS, &json!({"transaction_id": "trx_nope", "items": by("x")["items"]}))
        .refused(404, "not_found");
    let mut both = by("S001-till-1-00009999");
    both["transaction_id"] = sold["transaction_id"].clone();
    counter.till.post(RETURNS, &both).invalid_field("receipt_no");

    let mut foreign = by("S002-till-1-00000007");
    foreign["items"][0]["price"] = json!(2_000);
    counter.till.post(RETURNS, &foreign).refused(403, "approval_required");
    let pending = counter.till.post(RETURNS, &approved(foreign)).data(201);
    assert_eq!(
        (&pending["verification"], &pending["origin_receipt_no"]),
        (&json!("pending"), &json!("S002-till-1-00000007"))
    );
    let open = counter.basket(&[("8990001", 1)]);
    let details = counter.till.post(RETURNS, &back(&open, "8990001", 1)).refused(409, "invalid_state");
    assert_eq!(details["state"], json!("open"));
}

#[test]
fn an_exchange_pays_the_new_basket_in_one_commit() {
    let mut counter = Counter::open();
    // A return of 13,875 that was paid by card, for new baskets of 2,220 and 3,330.
    let sold = counter.sale(&[("8990003", 1)], &[], "card");
    let small = counter.basket(&[("8990001", 1)]);
    let exchange = |target: &Value, amount: i64, rest: i64| {
        let mut body = back(&sold, "8990003", 1);
        body["refunds"] = json!([
            {"method": "exchange", "transaction_id": target["transaction_id"], "amount": amount},
            {"method": "card", "amount": rest}
        ]);
        body
    };
    counter.till.post(RETURNS, &exchange(&small, 2_221, 11_654)).refused(422, "payment_mismatch");
    counter
        .till
        .post(RETURNS, &exchange(&json!({"transaction_id": "trx_nope"}), 2_220, 11_655))
        .refused(404, "not_found");
    let (mut other, _) = counter.second();
    let elsewhere = other.post(SALES, &basket(&[("8990001", 1)])).data(201);
    counter.till.post(RETURNS, &exchange(&elsewhere, 2_220, 11_655)).refused(404, "not_found");

    let stock = counter.on_hand("8990001");
    let returned = counter.till.post(RETURNS, &exchange(&small, 2_220, 11_655)).data(201);
    let paid = counter.read(&small);
    assert_eq!((&paid["state"], &paid["receipt_no"]), (&json!("paid"), &json!("S001-till-1-00000003")));
    assert_eq!(returned["receipt_no"], json!("S001-till-1-00000002"));
    let payment = &paid["payments"][0];
    assert_eq!(
        (&payment["method"], &payment["origin"], &payment["reference"]),
        (&json!("exchange"), &json!("card"), &returned["return_id"])
    );
    assert_eq!(counter.on_hand("8990001"), stock - 1);
    // A return that paid an exchange can't be voided. A return of the new sale is refunded by the original method.
    let void = format!("{RETURNS}/{}/void", text(&returned, "return_id"));
    counter.manager.post(&void, &json!({"reason": "x"})).refused(409, "invalid_state");
    let again = counter.till.post(RETURNS, &back(&paid, "8990001", 1)).data(201);
    assert_eq!(again["refunds"][0]["method"], json!("card"));
}

#[test]
fn an_exchange_that_is_not_enough_leaves_the_basket_partly_paid() {
    let mut counter = Counter::open();
    let sold = counter.sale(&[("8990001", 1)], &[], "cash");
    let big = counter.basket(&[("8990003", 1)]);
    let mut body = back(&sold, "8990001", 1);
    body["refunds"] =
        json!([{"method": "exchange", "transaction_id": big["transaction_id"], "amount": 2_220}]);
    counter.till.post(RETURNS, &body).data(201);
    let part = counter.read(&big);
    assert_eq!((&part["state"], &part["amount_due"]), (&json!("partially_paid"), &json!(11_655)));
    let voided = counter.act(&big, "void", &approved(json!({"reason": "left"}))).data(200);
    let refund = &voided["refunds"][0];
    assert_eq!(
        (&refund["method"], &refund["exchange"], &refund["amount"]),
        (&json!("cash"), &json!(true), &json!(2_220))
    );
}

#[test]
fn a_return_is_voided_in_its_own_shift() {
    let mut counter = Counter::open();
    let sold = counter.sale(&[("8990001", 2)], &[], "cash");
    let returned = counter.till.post(RETURNS, &back(&sold, "8990001", 2)).data(201);
    let path = format!("{RETURNS}/{}", text(&returned, "return_id"));
    let void = format!("{path}/void");
    counter.till.post(&void, &json!({"reason": "x"})).refused(403, "approval_required");
    counter.till.post(&void, &json!({"reason": ""})).invalid_field("reason");
    counter.till.post(&format!("{RETURNS}/ret_nope/void"), &json!({"reason": "x"})).refused(404, "not_found");
    let voided = counter.till.post(&void, &approved(json!({"reason": "wrong receipt"}))).data(200);
    assert_eq!((&voided["state"], &voided["void_reason"]), (&json!("voided"), &json!("wrong receipt")));
    assert_eq!(counter.till.get(&path).data(200), voided);
    counter.till.post(&void, &approved(json!({"reason": "x"}))).refused(409, "invalid_state");
    assert_eq!((counter.on_hand("8990001"), counter.method("cash")), (98, (4_440, 0)));
    assert_eq!(counter.read(&sold)["refunded"], json!(0));

    let again = counter.till.post(RETURNS, &back(&sold, "8990001", 2)).data(201);
    counter.close();
    let void = format!("{RETURNS}/{}/void", text(&again, "return_id"));
    counter.manager.post(&void, &json!({"reason": "late"})).refused(409, "invalid_state");
}

#[test]
fn returns_are_read_and_listed() {
    let mut counter = Counter::open();
    let sold = counter.sale(&[("8990001", 5)], &[], "cash");
    let made: Vec<Value> =
        (0..3).map(|_| counter.till.post(RETURNS, &back(&sold, "8990001", 1)).data(201)).collect();
    let listed = counter.till.get(RETURNS).data(200);
    assert_eq!(listed["items"], json!([made[2], made[1], made[0]]), "newest first");
    let first = counter.till.get(&format!("{RETURNS}?limit=2")).data(200);
    let next =
        counter.till.get(&format!("{RETURNS}?limit=2&cursor={}", text(&first, "next_cursor"))).data(200);
    assert_eq!((&next["items"], &next["next_cursor"]), (&json!([made[0]]), &Value::Null));
    let of_sale = format!("{RETURNS}?transaction_id={}", text(&sold, "transaction_id"));
    assert_eq!(counter.manager.get(&of_sale).data(200)["items"].as_array().unwrap().len(), 3);
    assert_eq!(counter.manager.get(&format!("{RETURNS}?transaction_id=trx_x")).data(200)["items"], json!([]));
    let (mut other, shift) = counter.second();
    assert_eq!(other.get(RETURNS).data(200)["items"], json!([]));
    other.get(&format!("{RETURNS}?shift_id={}", counter.shift_id)).refused(403, "insufficient_role");
    counter.till.get(&format!("{RETURNS}?shift_id={shift}")).refused(403, "insufficient_role");
    counter.till.get(&format!("{RETURNS}?shift_id=shf_nope")).refused(404, "not_found");
    counter.till.get(&format!("{RETURNS}/ret_nope")).refused(404, "not_found");
    counter.till.get(&format!("{RETURNS}?cursor=x")).refused(400, "invalid_cursor");
    let seen = other.get(&format!("{RETURNS}/{}", text(&made[0], "return_id"))).data(200);
    assert_eq!(seen, made[0], "any receipt of the store is found");
}
