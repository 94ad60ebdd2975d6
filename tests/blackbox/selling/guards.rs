//! Approvals that the shipped settings require, and limits that no approval lifts: nobody gets more than exists.

use serde_json::{Value, json};
use testkit::counter::{Counter, SALES, approved, text};
use testkit::goods::SKU;
use testkit::store::AS_SHIPPED;

#[test]
fn a_price_of_nothing_and_a_discount_of_all_need_a_manager() {
    let mut counter = Counter::open_with(AS_SHIPPED);
    let body = |price: i64, discount: i64| json!({"items": [{"sku": SKU, "qty": 5, "price": price, "discount": discount}]});
    // A discount of a fifth of 10,000: by price, by discount, or both.
    for (price, discount) in [(1_600, 0), (2_000, 2_000), (1_800, 1_000), (3_000, 0)] {
        counter.till.post(SALES, &body(price, discount)).data(201);
    }
    for (price, discount) in [(0, 0), (1_599, 0), (2_000, 10_000), (2_000, 2_001), (1_800, 1_001)] {
        counter.till.post(SALES, &body(price, discount)).refused(403, "approval_required");
    }
    counter.till.post(SALES, &approved(body(0, 0))).data(201);
    let audit = counter.manager.get("/api/audit?action=transaction.discounted").data(200);
    assert!(audit["items"][0]["approved_by"].is_string(), "{audit}");
}

/// Goods at the catalogue's price can be added to a basket that a manager has approved. A larger discount needs a new
/// approval.
#[test]
fn an_approved_discount_is_not_asked_for_again() {
    let mut counter = Counter::open_with(AS_SHIPPED);
    let item = json!({"sku": SKU, "qty": 5, "price": 2_000, "discount": 5_000});
    let made = counter.till.post(SALES, &approved(json!({"items": [item]}))).data(201);
    let path = format!("{SALES}/{}", text(&made, "transaction_id"));
    let more = counter.till.post(&format!("{path}/lines"), &json!({"sku": SKU, "qty": 1})).data(200);
    assert_eq!(more["discount"], json!(5_000), "{more}");
    let change =
        |discount: i64| json!({"items": [{"sku": SKU, "qty": 5, "price": 2_000, "discount": discount}]});
    let mut change =
        |discount: i64| counter.till.send("PATCH", &path, &[], change(discount).to_string().as_bytes());
    change(5_001).refused(403, "approval_required");
    change(4_999).refused(403, "approval_required");
}

/// A product that is no longer sold stays in a basket, but no more of it can be added.
#[test]
fn a_basket_continues_with_a_product_that_is_no_longer_sold() {
    let mut counter = Counter::open();
    counter.manager.post("/api/products", &json!({"sku": "OTHER", "name": "Other", "price": 700})).data(201);
    let body = json!({"items": [{"sku": SKU, "qty": 2}]});
    let made = counter.till.post(SALES, &body).data(201);
    let path = format!("{SALES}/{}", text(&made, "transaction_id"));
    let product = format!("/api/products/{SKU}");
    let inactive = json!({"state": "inactive"}).to_string();
    counter.manager.send("PATCH", &product, &[], inactive.as_bytes()).data(200);
    let more = counter.till.post(&format!("{path}/lines"), &json!({"sku": "OTHER", "qty": 1})).data(200);
    assert_eq!(more["items"].as_array().map(Vec::len), Some(2), "{more}");
    let again = counter.till.post(&format!("{path}/lines"), &json!({"sku": SKU, "qty": 1}));
    again.invalid_field("items[0].sku");
}

#[test]
fn a_drawer_gives_what_is_in_it_and_much_of_it_for_a_manager_alone() {
    let mut counter = Counter::open_with(AS_SHIPPED);
    let path = format!("/api/shifts/{}/cash-movements", counter.shift_id);
    let moves = |kind: &str, amount: i64| json!({"type": kind, "amount": amount, "reason": "test"});
    counter.till.post(&path, &moves("pay_in", 2_000_000)).data(201);
    for kind in ["pay_out", "drop"] {
        counter.till.post(&path, &approved(moves(kind, 999_999_999))).invalid_field("amount");
    }
    counter.till.post(&path, &moves("pay_out", 500_000)).data(201);
    counter.till.post(&path, &moves("pay_out", 500_001)).refused(403, "approval_required");
    counter.till.post(&path, &approved(moves("pay_out", 500_001))).data(201);
    counter.till.post(&path, &moves("drop", 999_999)).data(201);
    counter.manager.post(&path, &moves("drop", 1)).invalid_field("amount");
    let audit = counter.manager.get("/api/audit?action=cash.paid_out").data(200)["items"].clone();
    assert_eq!(audit.as_array().unwrap().len(), 2, "{audit}");
    assert!(audit[0]["approved_by"].is_string() && audit[1]["approved_by"].is_null(), "{audit}");
}

#[test]
fn goods_that_are_not_there_are_neither_written_off_nor_sent_away() {
    let counter = Counter::open_with(AS_SHIPPED);
    let (mut staff, mut manager) = (counter.store.login("warehouse"), counter.store.login("manager"));
    let lost = |qty: i64| json!({"reason": "loss", "lines": [{"sku": SKU, "qty": qty}]});
    let short = json!([{"sku": SKU, "on_hand": 100, "requested": 100_000}]);
    let details = manager.post("/api/adjustments", &lost(-100_000)).refused(409, "insufficient_stock");
    assert_eq!(details["items"], short);
    let sent = json!({"to_store_id": "S002", "lines": [{"sku": SKU, "qty": 101}]});
    staff.post("/api/transfers", &sent).refused(409, "insufficient_stock");
    let back = json!({"supplier_id": "sup_1", "lines": [{"sku": SKU, "qty": 101}]});
    staff.post("/api/supplier-returns", &back).refused(409, "insufficient_stock");
    // A waiting adjustment is checked again when it is approved.
    let mut later = lost(-101);
    later["request_approval"] = json!(true);
    let waiting = staff.post("/api/adjustments", &later).data(201);
    let approve = format!("/api/adjustments/{}/approve", text(&waiting, "adjustment_id"));
    manager.post(&approve, &json!({})).refused(409, "insufficient_stock");
    staff.post("/api/adjustments", &lost(-100)).data(201);
    // The value is high: 834 pieces at 1,200 exceed 1,000,000.
    let came = json!({"lines": [{"sku": SKU, "qty": 2_000, "unit_cost": 1_200}]});
    staff.post("/api/receiving", &came).data(201);
    staff.post("/api/adjustments", &lost(-834)).refused(403, "approval_required");
    staff.post("/api/adjustments", &approved(lost(-834))).data(201);
    // A return to a supplier who pays nothing for the goods does not bypass the limit.
    let mut given = json!({"supplier_id": "sup_1", "lines": [{"sku": SKU, "qty": 834, "line_total": 0}]});
    staff.post("/api/supplier-returns", &given).refused(403, "approval_required");
    given["lines"][0]["line_total"] = json!(1);
    staff.post("/api/supplier-returns", &approved(given)).data(201);
}

#[test]
fn a_bag_holds_no_more_than_the_safe() {
    let mut counter = Counter::open_with(AS_SHIPPED);
    let manager = &mut counter.manager;
    let bag = |amount: i64| json!({"amount": amount, "bag_no": "B", "bank_account": "x"});
    manager.post("/api/deposits", &bag(1)).invalid_field("amount");
    let opening = json!({"amount": 1_000, "reason": "counted"});
    manager.post("/api/safe/opening", &opening).data(200);
    manager.post("/api/deposits", &bag(1_001)).invalid_field("amount");
    let mut long_ago = bag(1_000);
    long_ago["deposited_at"] = json!("2016-11-29T03:00:00Z");
    manager.post("/api/deposits", &long_ago).invalid_field("deposited_at");
    manager.post("/api/deposits", &bag(1_000)).data(201);
    manager.post("/api/deposits", &bag(1)).invalid_field("amount");
    // A float is taken from the same safe, whose content is now known.
    let mut till = counter.store.login("till-2").at_register("till-2");
    let float = |amount: i64| json!({"opening_float": amount});
    let details = till.post("/api/shifts/open", &float(1)).refused(403, "approval_required");
    assert_eq!((&details["value"], &details["limit"]), (&json!(1), &json!(0)), "{details}");
    let path = format!("/api/shifts/{}/cash-movements", counter.shift_id);
    let moves = |kind: &str, amount: i64| json!({"type": kind, "amount": amount, "reason": "test"});
    counter.till.post(&path, &moves("pay_in", 500)).data(201);
    let dropped = counter.till.post(&path, &moves("drop", 500)).data(201);
    let undo = format!("{path}/{}/reverse", text(&dropped, "cash_id"));
    till.post("/api/shifts/open", &approved(float(501))).data(201);
    counter.manager.post(&undo, &json!({"reason": "x"})).refused(422, "validation_failed");
    let safe = counter.manager.get("/api/safe").data(200);
    assert_eq!(
        (&safe["balance"], &safe["floats"], &safe["drops"]),
        (&json!(-1), &json!(501), &json!(500)),
        "{safe}"
    );
    let audit = counter.manager.get("/api/audit?action=shift.float_approved").data(200)["items"].clone();
    assert!(audit[0]["approved_by"].is_string(), "{audit}");
    counter.store.stop();
    counter.store.verify();
}

#[test]
fn a_float_and_a_bag_at_once_take_no_more_than_lies_in_the_safe() {
    let mut counter = Counter::open_with(AS_SHIPPED);
    counter.manager.post("/api/safe/opening", &json!({"amount": 100_000, "reason": "counted"})).data(200);
    let bag = json!({"amount": 60_000, "bag_no": "B", "bank_account": "x"});
    for _ in 0..10 {
        let mut till = counter.store.login("till-2").at_register("till-2");
        let manager = &mut counter.manager;
        let bag = &bag;
        let (opened, deposited) = std::thread::scope(|scope| {
            let opened =
                scope.spawn(move || till.post("/api/shifts/open", &json!({"opening_float": 60_000})));
            let deposited = manager.post("/api/deposits", bag);
            (opened.join().unwrap(), deposited)
        });
        let safe = manager.get("/api/safe").data(200);
        assert_eq!(safe["balance"], json!(40_000), "{safe}: only one of both succeeded");
        // The successful one is reversed.
        if opened.status == 201 {
            let path = format!("/api/shifts/{}/close", text(&opened.data(201), "shift_id"));
            manager.post(&path, &json!({"counted_cash": 60_000})).data(200);
            deposited.invalid_field("amount");
        } else {
            let path = format!("/api/deposits/{}/reverse", text(&deposited.data(201), "deposit_id"));
            manager.post(&path, &json!({"reason": "test"})).data(201);
            opened.refused(403, "approval_required");
        }
    }
    counter.store.stop();
    counter.store.verify();
}

#[test]
fn without_a_receipt_nobody_gets_more_than_the_price() {
    let mut counter = Counter::open_with(AS_SHIPPED);
    let back =
        |qty: i64, price: i64| -> Value { json!({"items": [{"sku": SKU, "qty": qty, "price": price}]}) };
    counter.till.post("/api/pos/returns", &back(1, 2_000)).refused(403, "approval_required");
    counter.till.post("/api/pos/returns", &approved(back(1, 7_200))).invalid_field("items[0].price");
    counter.till.post("/api/pos/returns", &approved(back(1, 2_000))).data(201);
}

#[test]
fn a_drawer_gives_back_no_more_cash_than_it_holds_but_by_a_managers_word() {
    let mut counter = Counter::open_with(AS_SHIPPED);
    let sold = counter.sale(&[(SKU, 2)], &[], "cash");
    let total = sold["total"].as_i64().unwrap();
    let path = format!("/api/shifts/{}/cash-movements", counter.shift_id);
    let drop = json!({"type": "drop", "amount": total - 100, "reason": "safe"});
    counter.till.post(&path, &drop).data(201);
    let back = json!({"transaction_id": sold["transaction_id"], "items": [{"sku": SKU, "qty": 1}]});
    let quoted = counter.till.post("/api/pos/returns/quote", &back).data(200);
    assert_eq!(quoted["approval_required"], json!(true), "{quoted}");
    let details = counter.till.post("/api/pos/returns", &back).refused(403, "approval_required");
    let figures = (&details["value"], &details["limit"], &details["approvers"]);
    assert_eq!(figures, (&json!(total / 2), &json!(100), &json!(["store_manager", "admin"])), "{details}");
    counter.till.post("/api/pos/returns", &approved(back)).data(201);
    counter.store.stop();
    counter.store.verify();
}

#[test]
fn a_quote_shows_nothing_of_a_drawer_that_is_counted_blind() {
    let mut counter = Counter::open_with(&format!("{AS_SHIPPED}\nshifts.blind = true"));
    let sold = counter.sale(&[(SKU, 2)], &[], "cash");
    let path = format!("/api/shifts/{}/cash-movements", counter.shift_id);
    let drop = json!({"type": "drop", "amount": sold["total"], "reason": "safe"});
    counter.till.post(&path, &drop).data(201);
    let back = json!({"transaction_id": sold["transaction_id"], "items": [{"sku": SKU, "qty": 1}]});
    let quoted = counter.till.post("/api/pos/returns/quote", &back).data(200);
    assert_eq!(quoted["approval_required"], json!(false), "{quoted}");
    counter.till.post("/api/pos/returns", &back).refused(403, "approval_required");
}

#[test]
fn a_discount_is_not_made_larger_by_what_comes_back() {
    let mut counter = Counter::open_with(AS_SHIPPED);
    let items = json!([{"sku": SKU, "qty": 1, "discount": 2_000}, {"sku": SKU, "qty": 4}]);
    let made = counter.till.post(SALES, &json!({"items": items, "discount_reason": "loyalty"})).data(201);
    let due = json!({"method": "card", "amount": made["amount_due"]});
    let sold = counter.act(&made, "pay", &due).data(200);
    let back = |line: i64| json!({"transaction_id": sold["transaction_id"], "items": [{"sku": SKU, "qty": 1, "line_no": line}]});
    for _ in 0..2 {
        // A fifth of five pieces is a quarter of four, and a third of three.
        counter.till.post("/api/pos/returns", &back(2)).refused(403, "approval_required");
        counter.till.post("/api/pos/returns", &approved(back(2))).data(201);
    }
    counter.till.post("/api/pos/returns", &back(1)).data(201);
    counter.till.post("/api/pos/returns", &back(2)).data(201);
}

#[test]
fn an_approved_discount_stays_with_its_goods() {
    let mut counter = Counter::open_with(AS_SHIPPED);
    let half = |sku: &str| json!({"items": [{"sku": sku, "qty": 1, "discount": 1_500}], "discount_reason": "loyalty"});
    let made = counter.till.post(SALES, &approved(half(SKU))).data(201);
    let path = format!("{SALES}/{}", text(&made, "transaction_id"));
    let headers = [("content-type", "application/json")];
    let mut patch = |body: &Value| counter.till.send("PATCH", &path, &headers, body.to_string().as_bytes());
    patch(&half("8990002")).refused(403, "approval_required");
    patch(&json!({"note": "nothing else"})).data(200);
    patch(&half(SKU)).data(200);
}

#[test]
fn a_price_by_hand_is_dropped_when_the_catalogues_has_left_it_behind() {
    let mut counter = Counter::open_with(AS_SHIPPED);
    let mut admin = counter.store.login("admin");
    let headers = [("content-type", "application/json")];
    let body = json!({"items": [{"sku": SKU, "qty": 1, "price": 1_600, "price_reason": "damaged"}]});
    let held = |counter: &mut Counter| {
        let made = counter.till.post(SALES, &body).data(201);
        let hold = json!({"transaction_id": made["transaction_id"]});
        format!(
            "/api/pos/holds/{}/recall",
            text(&counter.till.post("/api/pos/holds", &hold).data(201), "hold_id")
        )
    };
    let (first, second) = (held(&mut counter), held(&mut counter));
    let price = |recalled: &Value| (recalled["items"][0]["price"].clone(), recalled["changes"].clone());
    let (same, changes) = price(&counter.till.post(&first, &json!({})).data(200));
    assert_eq!((&same, &changes), (&json!(1_600), &json!([])));
    let product = format!("/api/products/{SKU}");
    admin.send("PATCH", &product, &headers, br#"{"price": 20000}"#).data(200);
    let (renewed, changes) = price(&counter.till.post(&second, &json!({})).data(200));
    assert_eq!(renewed, json!(20_000));
    assert_eq!((&changes[0]["field"], &changes[0]["before"]), (&json!("price"), &json!(1_600)), "{changes}");
}

#[test]
fn much_money_goes_back_for_a_manager_alone() {
    let mut counter = Counter::open_with(AS_SHIPPED);
    let sold = counter.sale(&[(SKU, 500)], &[], "card");
    let back =
        |qty: i64| json!({"transaction_id": sold["transaction_id"], "items": [{"sku": SKU, "qty": qty}]});
    counter.till.post("/api/pos/returns", &back(451)).refused(403, "approval_required");
    // Many small returns do not bypass the limit.
    counter.till.post("/api/pos/returns", &back(300)).data(201);
    counter.till.post("/api/pos/returns", &back(151)).refused(403, "approval_required");
    counter.till.post("/api/pos/returns", &back(150)).data(201);
    counter.till.post("/api/pos/returns", &approved(back(1))).data(201);
}
