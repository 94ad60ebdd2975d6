//! Baskets that are changed or voided, and payments that are corrected: who may do so, what is refunded, and what stays
//! recorded.

use serde_json::{Value, json};
use testkit::counter::{Counter, SALES, approved, basket, number, text};

fn why() -> Value {
    json!({"reason": "customer left"})
}

#[test]
fn a_cashier_voids_what_nothing_was_paid_of_in_the_own_shift() {
    let mut counter = Counter::open();
    let made = counter.basket(&[("8990001", 2)]);
    counter.act(&made, "void", &json!({"reason": "  "})).invalid_field("reason");
    counter.act(&made, "void", &json!({})).invalid_field("reason");
    let path = format!("{SALES}/{}/void", text(&made, "transaction_id"));
    let (mut other, _) = counter.second();
    other.post(&path, &why()).refused(403, "insufficient_role");
    counter.store.login("warehouse").post(&path, &why()).refused(403, "insufficient_role");
    counter.till.post(&format!("{SALES}/trx_nope/void"), &why()).refused(404, "not_found");
    assert_eq!(counter.read(&made)["state"], json!("open"), "refusals changed nothing");

    let voided = counter.act(&made, "void", &why()).data(200);
    assert_eq!((&voided["state"], &voided["void_reason"]), (&json!("voided"), &json!("customer left")));
    assert_eq!((&voided["refunds"], &voided["receipt_no"]), (&json!([]), &Value::Null));
    let details = counter.act(&made, "void", &why()).refused(409, "invalid_state");
    assert_eq!(details["state"], json!("voided"));
    counter.act(&made, "pay", &json!({"payments": []})).refused(409, "invalid_state");
    let summary = counter.summary();
    assert_eq!((&summary["sales_count"], &summary["gross_sales"]), (&json!(0), &json!(0)));
}

#[test]
fn a_partial_payment_is_refunded_with_a_managers_approval() {
    let mut counter = Counter::open();
    let made = counter.basket(&[("8990003", 2)]);
    let pay =
        json!({"payments": [{"method": "card", "amount": 20_000}, {"method": "cash", "amount": 1_000}]});
    counter.act(&made, "pay", &pay).data(200);
    assert_eq!(counter.method("card"), (20_000, 0));
    counter.act(&made, "void", &why()).refused(403, "approval_required");
    let mut wrong = approved(why());
    wrong["approval"]["password"] = json!("not the word");
    counter.act(&made, "void", &wrong).refused(403, "approval_refused");
    // Nobody may approve their own request.
    let mut own = approved(why());
    own["approval"]["username"] = json!("till-1@s001.example");
    counter.act(&made, "void", &own).refused(403, "approval_required");

    let voided = counter.act(&made, "void", &approved(why())).data(200);
    let refunds = voided["refunds"].as_array().unwrap();
    let back: Vec<_> =
        refunds.iter().map(|refund| (text(refund, "method"), number(refund, "amount"))).collect();
    assert_eq!(back, [("card".to_owned(), 20_000), ("cash".to_owned(), 1_000)]);
    assert_eq!((counter.method("card"), counter.method("cash")), ((0, 0), (0, 0)));
}

#[test]
fn a_sale_is_voided_in_its_own_open_shift_and_only_whole() {
    let mut counter = Counter::open();
    let (stock, value) = (counter.on_hand("8990009"), counter.value("8990009"));
    let sold = counter.sale(&[("8990009", 3)], &[], "card");
    counter.act(&sold, "void", &why()).refused(403, "approval_required");
    let voided = counter.act(&sold, "void", &approved(why())).data(200);
    assert_eq!((&voided["state"], &voided["receipt_no"]), (&json!("voided"), &sold["receipt_no"]));
    assert_eq!(voided["refunds"][0]["amount"], sold["total"]);
    assert_eq!(
        (counter.on_hand("8990009"), counter.value("8990009")),
        (stock, value),
        "the stock is as before"
    );
    let summary = counter.summary();
    assert_eq!((&summary["sales_count"], &summary["voids_count"]), (&json!(0), &json!(1)));
    counter.act(&sold, "void", &approved(why())).refused(409, "invalid_state");

    let back = counter.sale(&[("8990001", 2)], &[], "cash");
    let items = json!([{"sku": "8990001", "qty": 1}]);
    let body = json!({"transaction_id": back["transaction_id"], "items": items});
    counter.till.post("/api/pos/returns", &body).data(201);
    let details = counter.act(&back, "void", &approved(why())).refused(409, "invalid_state");
    assert_eq!(details["allowed"], json!(["return"]));

    let late = counter.sale(&[("8990001", 1)], &[], "cash");
    counter.close();
    let path = format!("{SALES}/{}/void", text(&late, "transaction_id"));
    let details = counter.manager.post(&path, &why()).refused(409, "invalid_state");
    assert_eq!((&details["state"], &details["allowed"]), (&json!("paid"), &json!(["return"])));
}

#[test]
fn a_payment_is_taken_back_before_completion() {
    let mut counter = Counter::open();
    let made = counter.basket(&[("8990003", 1)]);
    let part = counter.act(&made, "pay", &json!({"method": "cash", "amount": 5_000})).data(200);
    let cash = |counter: &mut Counter| counter.summary()["cash"]["expected"].clone();
    assert_eq!(cash(&mut counter), json!(5_000), "the drawer has the payment");
    let id = text(&part["payments"][0], "payment_id");
    let reverse = format!("payments/{id}/reverse");
    counter.act(&made, &reverse, &json!({"reason": ""})).invalid_field("reason");
    counter.act(&made, "payments/pay_nope/reverse", &why()).refused(404, "not_found");
    // Only the shift's cashier and a manager may do so.
    let (mut other, _) = counter.second();
    let path = format!("{SALES}/{}/{reverse}", text(&made, "transaction_id"));
    other.post(&path, &why()).refused(403, "insufficient_role");
    let keyed = [("Idempotency-Key", "back-1")];
    let open = counter.till.send("POST", &path, &keyed, why().to_string().as_bytes()).data(200);
    let again = counter.till.send("POST", &path, &keyed, why().to_string().as_bytes());
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.data(200), open);
    assert_eq!((&open["state"], &open["amount_paid"]), (&json!("open"), &json!(0)));
    assert_eq!(open["payments"][0]["state"], json!("reversed"));
    assert_eq!(open["refunds"][0]["amount"], json!(5_000));
    counter.act(&made, &reverse, &why()).refused(409, "invalid_state");
    assert_eq!(
        (counter.method("cash"), cash(&mut counter)),
        ((0, 0), json!(0)),
        "no sum of the shift has the payment"
    );
    // Voiding the basket now has the same effect as voiding it partly paid, and needs the same approval.
    counter.act(&made, "void", &why()).refused(403, "approval_required");
    counter.act(&made, "pay", &json!({"method": "card", "amount": made["total"]})).data(200);
    counter.act(&made, &reverse, &why()).refused(409, "invalid_state");
    assert_eq!((counter.method("cash"), cash(&mut counter)), ((0, 0), json!(0)));
}

#[test]
fn a_wrong_method_is_put_right_in_the_same_shift() {
    let mut counter = Counter::open();
    let sold = counter.sale(&[("8990003", 1)], &[], "cash");
    let total = number(&sold, "total");
    let correct = |payment: &Value, amount: i64| {
        let payments = json!([{"method": "card", "amount": amount, "reference": "slip 7"}]);
        json!({"payment_id": payment, "payments": payments, "reason": "keyed as cash"})
    };
    let wrong = sold["payments"][0]["payment_id"].clone();
    counter.act(&sold, "correct-tender", &correct(&wrong, total)).refused(403, "approval_required");
    counter
        .act(&sold, "correct-tender", &approved(correct(&json!("pay_nope"), total)))
        .refused(404, "not_found");
    counter
        .act(&sold, "correct-tender", &approved(correct(&wrong, total - 1)))
        .refused(422, "payment_mismatch");
    let mut points = approved(correct(&wrong, total));
    points["payments"][0]["method"] = json!("points");
    counter.act(&sold, "correct-tender", &points).invalid_field("payments[0].method");

    let right = counter.act(&sold, "correct-tender", &approved(correct(&wrong, total))).data(200);
    let states: Vec<_> = right["payments"].as_array().unwrap().iter().map(|one| text(one, "state")).collect();
    assert_eq!(states, ["reversed", "accepted"], "both rows are kept");
    assert_eq!((&right["state"], &right["receipt_no"]), (&json!("paid"), &sold["receipt_no"]));
    assert_eq!((counter.method("cash"), counter.method("card")), ((0, 0), (total, 0)));
    assert_eq!(counter.read(&sold), right);
    counter.act(&sold, "correct-tender", &approved(correct(&wrong, total))).refused(409, "invalid_state");
    let open = counter.basket(&[("8990001", 1)]);
    counter.act(&open, "correct-tender", &approved(correct(&wrong, total))).refused(409, "invalid_state");
    counter.act(&open, "void", &why()).data(200);
    counter.close();
    let path = format!("{SALES}/{}/correct-tender", text(&sold, "transaction_id"));
    counter
        .manager
        .post(&path, &correct(&right["payments"][1]["payment_id"], total))
        .refused(409, "invalid_state");
}

#[test]
fn an_open_basket_is_changed_and_priced_anew() {
    let mut counter = Counter::open();
    let made = counter.basket(&[("8990001", 2), ("8990002", 1)]);
    let path = format!("{SALES}/{}", text(&made, "transaction_id"));
    let mut patch = |body: &Value| counter.till.send("PATCH", &path, &[], body.to_string().as_bytes());
    let fewer =
        json!({"items": basket(&[("8990001", 1)])["items"], "discount": 100, "discount_reason": "dented"});
    let changed = patch(&fewer).data(200);
    let line = &changed["items"][0];
    assert_eq!((number(line, "qty"), number(line, "discount"), number(&changed, "total")), (1, 100, 2_109));
    assert_eq!(line["discounts"][0]["reason"], json!("dented"));
    let noted = patch(&json!({"note": "two bags"})).data(200);
    assert_eq!((&noted["note"], &noted["total"]), (&json!("two bags"), &json!(2_109)));
    patch(&json!({"items": []})).invalid_field("items");
    patch(&json!({"items": [{"sku": "nope", "qty": 1, "price": 1}]})).refused(422, "unknown_sku");
    patch(&json!({"member_id": "mbr_nope"})).refused(422, "unknown_member");
    patch(&json!({"discount": 5_000})).refused(422, "validation_failed");
    patch(&json!({"total": 1})).invalid_field("total");
    counter.act(&made, "pay", &json!({"method": "card", "amount": 9})).data(200);
    let body = json!({"note": "too late"}).to_string();
    counter.till.send("PATCH", &path, &[], body.as_bytes()).refused(409, "invalid_state");
    counter.till.send("PATCH", &format!("{SALES}/trx_nope"), &[], body.as_bytes()).refused(404, "not_found");
}

#[test]
fn another_price_is_a_matter_of_policy() {
    let cheap = json!({"items": [{"sku": "8990001", "qty": 1, "price": 1_500}]});
    let mut flags = Counter::open();
    let made = flags.till.post(SALES, &cheap).data(201);
    assert_eq!(
        (&made["items"][0]["price_override"], &made["items"][0]["list_price"]),
        (&json!(true), &json!(2_000))
    );

    let mut asks = Counter::open_with("pricing.override = \"manager\"");
    asks.till.post(SALES, &cheap).refused(403, "approval_required");
    asks.till.post(SALES, &approved(cheap.clone())).data(201);
    asks.till.post("/api/pos/holds", &cheap).refused(403, "approval_required");
    asks.till.post("/api/pos/holds", &approved(cheap.clone())).data(201);
    asks.basket(&[("8990001", 1)]);

    let mut never = Counter::open_with("pricing.override = \"reject\"");
    never.till.post(SALES, &approved(cheap.clone())).invalid_field("items[0].price");
    never.basket(&[("8990001", 1)]);
    // The price is the catalogue's, so no price policy applies.
    let said = |sale: serde_json::Value| {
        (sale["items"][0]["price"].clone(), sale["items"][0]["price_override"].clone())
    };
    let plain = json!({"items": [{"sku": "8990001", "qty": 1}]});
    assert_eq!(said(never.till.post(SALES, &plain).data(201)), (json!(2_000), json!(false)));
}

#[test]
fn a_discount_by_hand_has_a_limit() {
    let mut counter = Counter::open_with("pricing.discount_limit_bp = 1000");
    let body = |own: i64, whole: i64| json!({"items": [{"sku": "8990001", "qty": 5, "price": 2_000, "discount": own}], "discount": whole});
    // A discount of a tenth of 10,000: on the line, on the whole, or both.
    for (own, whole) in [(1_000, 0), (0, 1_000), (600, 400)] {
        counter.till.post(SALES, &body(own, whole)).data(201);
    }
    for (own, whole) in [(1_001, 0), (0, 1_001), (600, 401), (10_000, 0)] {
        counter.till.post(SALES, &body(own, whole)).refused(403, "approval_required");
        counter.till.post("/api/pos/holds", &body(own, whole)).refused(403, "approval_required");
    }
    let made = counter.till.post(SALES, &approved(body(600, 900))).data(201);
    assert_eq!(made["discount"], json!(1_500));
    let path = format!("{SALES}/{}", text(&made, "transaction_id"));
    let mut patch = |body: &Value| counter.till.send("PATCH", &path, &[], body.to_string().as_bytes());
    patch(&json!({"note": "as it is"})).data(200);
    patch(&json!({"discount": 901})).refused(403, "approval_required");
    patch(&approved(json!({"discount": 2_000}))).data(200);
    patch(&json!({"discount": 100})).data(200);
    counter.manager.post(SALES, &body(0, 1)).refused(409, "no_open_shift");
    let audit = counter.manager.get("/api/audit?action=transaction.discounted").data(200);
    let entries = audit["items"].as_array().unwrap();
    assert_eq!(entries.len(), 2, "one entry for each approval: {audit}");
    assert!(entries.iter().all(|entry| entry["approved_by"].is_string()), "{audit}");
}

/// Returns the rows of a list, page by page.
#[track_caller]
fn listed(client: &mut testkit::Client, query: &str) -> Vec<String> {
    let (mut ids, mut path) = (Vec::new(), format!("{SALES}?limit=2&{query}"));
    loop {
        let page = client.get(&path).data(200);
        ids.extend(page["items"].as_array().unwrap().iter().map(|sale| text(sale, "transaction_id")));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("{SALES}?limit=2&{query}&cursor={cursor}");
    }
    ids.sort();
    ids
}

#[test]
fn every_list_shows_baskets_that_were_voided_unpaid() {
    let mut counter = Counter::open();
    let member = counter.till.post("/api/members", &json!({"name": "Ayu", "phone": "0812000111"})).data(201);
    let mut body = basket(&[("8990001", 1)]);
    body["member_id"] = member["member_id"].clone();
    let left = counter.till.post(SALES, &body).data(201);
    counter.act(&left, "void", &why()).data(200);
    let paid = counter.sale(&[("8990002", 1)], &[], "card");
    counter.act(&paid, "void", &approved(why())).data(200);
    counter.sale(&[("8990002", 1)], &[], "card");
    let waits = counter.basket(&[("8990003", 1)]);
    let hold = json!({"transaction_id": waits["transaction_id"]});
    counter.till.post("/api/pos/holds", &hold).data(201);
    counter.act(&waits, "void", &why()).data(200);
    counter.basket(&[("8990004", 1)]);
    let day = text(&left, "business_date");
    let (shift, member) = (counter.shift_id.clone(), text(&member, "member_id"));
    let close = json!({"counted_cash": 0, "void_open": true});
    counter.till.post(&format!("/api/shifts/{shift}/close"), &close).data(200);

    let manager = &mut counter.manager;
    let of_shift = listed(manager, &format!("state=voided&shift_id={shift}"));
    assert_eq!(of_shift.len(), 4, "abandoned, paid, held, and closed with the shift");
    assert_eq!(listed(manager, &format!("state=voided&from={day}&to={day}")), of_shift);
    assert_eq!(listed(manager, &format!("from={day}&to={day}")).len(), 5);
    assert_eq!(listed(manager, &format!("state=voided&member_id={member}")), [text(&left, "transaction_id")]);
}
