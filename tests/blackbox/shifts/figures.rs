//! Figures at the end of a shift: how cash was counted, and the totals of every method.

use serde_json::{Value, json};
use testkit::counter::{Counter, text};

#[track_caller]
fn row(summary: &Value, method: &str) -> Value {
    let rows = summary["by_method"].as_array().unwrap();
    rows.iter()
        .find(|row| row["method"] == json!(method))
        .unwrap_or_else(|| panic!("no {method}: {summary}"))
        .clone()
}

#[test]
fn notes_and_coins_add_up_to_what_was_counted() {
    let mut counter = Counter::open();
    counter.sale(&[("8990003", 1)], &[], "cash");
    let close = format!("/api/shifts/{}/close", counter.shift_id);
    let counted = |cash: i64, parts: Value| json!({"counted_cash": cash, "denominations": parts});
    let part = |value: i64, count: i64| json!({"value": value, "count": count});
    for (body, path) in [
        (counted(13_875, json!([part(10_000, 1)])), "denominations"),
        (counted(13_875, json!([])), "denominations"),
        (counted(0, json!([part(0, 5)])), "denominations[0].value"),
        (counted(0, json!([part(100, -1), part(100, 1)])), "denominations[0].count"),
        (counted(0, json!([part(i64::MAX, i64::MAX)])), "denominations[0].value"),
        (counted(0, json!([{"value": 1}])), "denominations[0].count"),
        (counted(100, json!(vec![part(1, 1); 101])), "denominations"),
    ] {
        counter.till.post(&close, &body).invalid_field(path);
    }
    assert_eq!(counter.till.get("/api/shifts/current").data(200)["state"], json!("open"));
    let parts =
        json!([part(10_000, 1), part(1_000, 3), part(500, 1), part(100, 3), part(25, 3), part(50, 0)]);
    let closed = counter.till.post(&close, &counted(13_875, parts)).data(200);
    assert_eq!((&closed["shift"]["variance"], &closed["shift"]["counted_cash"]), (&json!(0), &json!(13_875)));
    let report = counter.manager.get(&format!("/api/shifts/{}/report", counter.shift_id)).text();
    assert!(report.starts_with("Z REPORT"), "{report}");
}

#[test]
fn every_method_has_its_own_count_and_variance() {
    let mut counter = Counter::open();
    let sold = counter.sale(&[("8990003", 2)], &[("card", 20_000), ("qris", 5_000)], "cash");
    counter.sale(&[("8990001", 1)], &[], "voucher");
    let back = json!({"transaction_id": sold["transaction_id"], "items": [{"sku": "8990003", "qty": 1}]});
    let returned = counter.till.post("/api/pos/returns", &back).data(201);
    assert_eq!(returned["refunds"][0]["method"], json!("card"));
    let close = format!("/api/shifts/{}/close", counter.shift_id);
    let with = |counts: Value| json!({"counted_cash": 2_700, "counts": counts});
    let count = |method: &str, amount: i64| json!({"method": method, "amount": amount});
    for (counts, path) in [
        (json!([count("shells", 1)]), "counts[0].method"),
        (json!([count("card", -1)]), "counts[0].amount"),
        (json!([count("card", 1), count("card", 2)]), "counts[1].method"),
        (json!([count("cash", 1)]), "counts[0].method"),
    ] {
        counter.till.post(&close, &with(counts)).invalid_field(path);
    }
    let counts = json!([count("card", 6_000), count("qris", 5_001), count("bank_transfer", 7)]);
    let closed = counter.till.post(&close, &with(counts)).data(200);
    for (method, sales, refunds, counted, variance) in [
        ("card", 20_000, 13_875, json!(6_000), json!(-125)),
        ("qris", 5_000, 0, json!(5_001), json!(1)),
        ("voucher", 2_220, 0, Value::Null, Value::Null),
        ("bank_transfer", 0, 0, json!(7), json!(7)),
        ("cash", 2_750, 0, json!(2_700), json!(-50)),
    ] {
        let row = row(&closed, method);
        let figures = json!([row["sales"], row["refunds"], row["net"], row["counted"], row["variance"]]);
        assert_eq!(figures, json!([sales, refunds, sales - refunds, counted, variance]), "{method}: {row}");
    }
    assert_eq!(closed["shift"]["variance"], json!(-50));
    // The summary is the same after a crash.
    counter.store.kill9();
    counter.store.start();
    assert_eq!(counter.summary(), closed);
}

#[test]
fn a_till_says_which_one_it_is() {
    let mut counter = Counter::open();
    // The header names the till of a new shift; without the header it is `main`.
    let mut silent = counter.store.login("till-2");
    let opened = silent.post("/api/shifts/open", &json!({})).data(201);
    assert_eq!(opened["register_id"], json!("main"));
    let body = json!({"items": [{"sku": "8990001", "qty": 1, "price": 2_000}]});
    let sale = silent.post("/api/pos/transactions", &body).data(201);
    assert_eq!((&sale["register_id"], &sale["shift_id"]), (&json!("main"), &opened["shift_id"]));
    // A request with another till's header still sells in the cashier's own shift.
    let mut elsewhere = counter.store.login("till-2").at_register("till-1");
    let sale = elsewhere.post("/api/pos/transactions", &body).data(201);
    assert_eq!(sale["register_id"], json!("main"), "{sale}");
    // The body has precedence over the header if both name a till.
    let path = format!("/api/shifts/{}/close", text(&opened, "shift_id"));
    silent.post(&path, &json!({"counted_cash": 0, "void_open": true})).data(200);
    let opened = elsewhere.post("/api/shifts/open", &json!({"register_id": "till-7"})).data(201);
    assert_eq!(opened["register_id"], json!("till-7"));
    let by_till = counter.manager.get("/api/shifts/current?register_id=till-1").data(200);
    assert_eq!(by_till["shift_id"], json!(counter.shift_id));
    counter.manager.get("/api/shifts/current?register_id=till-5").refused(404, "not_found");
    counter.manager.get("/api/shifts/current").refused(404, "not_found");
}
