//! Reason codes: suggestions by default, and the only accepted values where the store enforces them.

use serde_json::{Value, json};
use testkit::counter::{Counter, SALES, approved, basket, text};

const REASONS: &str = "/api/pos/reasons";
const RETURNS: &str = "/api/pos/returns";
const ENFORCED: &str = "reasons.voids = [\"mistake\", \"left\"]\nreasons.discounts = [\"damaged\"]\n\
                        reasons.returns = [\"torn\", \"late\"]\nreasons.enforced = true";

/// Returns the body of a return of one piece for this reason.
fn back(sale: &Value, reason: &Value) -> Value {
    json!({"transaction_id": sale["transaction_id"], "items": [{"sku": "8990001", "qty": 1, "reason": reason}]})
}

/// Returns a basket with a discount on its line, another on the whole basket, and a reason for both.
fn cheaper(reason: &Value) -> Value {
    let mut body = basket(&[("8990001", 2)]);
    body["items"][0]["discount"] = json!(100);
    body["discount"] = json!(50);
    body["discount_reason"] = reason.clone();
    body
}

#[test]
fn codes_are_offered_and_any_text_is_taken() {
    let mut counter = Counter::open();
    let offered = counter.till.get(REASONS).data(200);
    assert_eq!(offered["enforced"], json!(false));
    for list in ["voids", "discounts", "returns"] {
        assert!(offered[list].as_array().is_some_and(|codes| !codes.is_empty()), "{offered}");
    }
    let made = counter.till.post(SALES, &cheaper(&json!("a regular"))).data(201);
    let given = made["items"][0]["discounts"].as_array().unwrap();
    let why: Vec<_> = given.iter().map(|part| (&part["source"], &part["reason"])).collect();
    let regular = json!("a regular");
    assert_eq!(why, [(&json!("manual"), &regular), (&json!("basket"), &regular)]);
    counter.act(&made, "void", &json!({"reason": "it rains"})).data(200);
    let sold = counter.sale(&[("8990001", 1)], &[], "cash");
    let returned = counter.till.post(RETURNS, &back(&sold, &json!("it rains"))).data(201);
    assert_eq!(returned["items"][0]["reason"], json!("it rains"));
}

#[test]
fn each_discount_keeps_its_own_reason() {
    let mut counter = Counter::open();
    let mut body = basket(&[("8990001", 2), ("8990002", 1), ("8990003", 1)]);
    for (line, reason) in [(0, json!("dented")), (1, Value::Null)] {
        body["items"][line]["discount"] = json!(100);
        body["items"][line]["discount_reason"] = reason;
    }
    body["discount_reason"] = json!("a regular");
    let made = counter.till.post(SALES, &body).data(201);
    let why = |sale: &Value| -> Vec<Value> {
        let lines = sale["items"].as_array().unwrap().iter();
        lines.map(|line| line["discounts"][0]["reason"].clone()).collect()
    };
    assert_eq!(why(&made), [json!("dented"), json!("a regular"), Value::Null]);

    // The discount of a third line leaves the others unchanged.
    let path = format!("{SALES}/{}", text(&made, "transaction_id"));
    let mut patch = |path: &str, body: &Value| {
        let json = [("content-type", "application/json")];
        counter.till.send("PATCH", path, &json, body.to_string().as_bytes()).data(200)
    };
    let third = patch(&format!("{path}/lines/3"), &json!({"discount": 50, "reason": "short_dated"}));
    assert_eq!(why(&third), [json!("dented"), json!("a regular"), json!("short_dated")]);
    let cleared = patch(&format!("{path}/lines/1"), &json!({"reason": null}));
    assert_eq!(why(&cleared), [Value::Null, json!("a regular"), json!("short_dated")]);
    let all = patch(&path, &json!({"discount": 30, "discount_reason": "staff"}));
    assert_eq!(why(&all), vec![json!("staff"); 3], "a reason without lines applies to all discounts");
}

#[test]
fn where_the_list_is_enforced_nothing_else_is_taken() {
    let mut counter = Counter::open_with(ENFORCED);
    let offered = json!({"voids": ["mistake", "left"], "discounts": ["damaged"], "returns": ["torn", "late"],
        "enforced": true});
    assert_eq!(counter.till.get(REASONS).data(200), offered);

    // Discounts by hand, when made and when changed. A basket without a discount needs no reason.
    for wrong in [Value::Null, json!("a regular"), json!("mistake")] {
        counter.till.post(SALES, &cheaper(&wrong)).invalid_field("discount_reason");
    }
    let damaged = counter.till.post(SALES, &cheaper(&json!("damaged"))).data(201);
    let plain = counter.basket(&[("8990001", 1)]);
    let path = format!("{SALES}/{}", text(&plain, "transaction_id"));
    let patch = |till: &mut testkit::Client, path: &str, body: &Value| {
        till.send("PATCH", path, &[("content-type", "application/json")], body.to_string().as_bytes())
    };
    patch(&mut counter.till, &path, &json!({"discount": 10})).invalid_field("discount_reason");
    patch(&mut counter.till, &path, &json!({"note": "no discount"})).data(200);
    let path = format!("{SALES}/{}", text(&damaged, "transaction_id"));
    let changed = patch(&mut counter.till, &path, &json!({"discount": 20})).data(200);
    assert_eq!(changed["items"][0]["discounts"][0]["reason"], json!("damaged"), "the reason is unchanged");

    // A price below the catalogue's needs a reason, its own or the sale's. A higher one needs none.
    let priced = |price: i64, reason: &Value| {
        let mut body = approved(basket(&[("8990001", 1)]));
        body["items"][0]["price"] = json!(price);
        body["items"][0]["price_reason"] = reason.clone();
        body
    };
    for wrong in [Value::Null, json!("a regular")] {
        counter.till.post(SALES, &priced(1_999, &wrong)).invalid_field("items[0].price_reason");
    }
    let cut = counter.till.post(SALES, &priced(1_999, &json!("damaged"))).data(201);
    counter.act(&cut, "void", &json!({"reason": "left"})).data(200);
    let dearer = counter.till.post(SALES, &priced(2_001, &Value::Null)).data(201);
    counter.act(&dearer, "void", &json!({"reason": "left"})).data(200);

    // Voids of a basket, of a held basket and of a sale.
    counter.act(&damaged, "void", &json!({"reason": "it rains"})).invalid_field("reason");
    counter.act(&damaged, "void", &json!({"reason": "left"})).data(200);
    counter.till.post("/api/pos/holds", &json!({"transaction_id": plain["transaction_id"]})).data(201);
    counter.act(&plain, "void", &json!({"reason": "it rains"})).invalid_field("reason");
    counter.act(&plain, "void", &json!({"reason": "left"})).data(200);
    let sold = counter.sale(&[("8990001", 2)], &[], "cash");
    counter.act(&sold, "void", &approved(json!({"reason": "it rains"}))).invalid_field("reason");

    // Returns by line, with and without a receipt, and the void of a return.
    for wrong in [Value::Null, json!("it rains")] {
        counter.till.post(RETURNS, &back(&sold, &wrong)).invalid_field("items[0].reason");
    }
    let bare = json!({"items": [{"sku": "8990001", "qty": 1, "price": 100, "reason": "mistake"}]});
    counter.till.post(RETURNS, &approved(bare)).invalid_field("items[0].reason");
    let returned = counter.till.post(RETURNS, &back(&sold, &json!("torn"))).data(201);
    let path = format!("{RETURNS}/{}/void", text(&returned, "return_id"));
    counter.till.post(&path, &approved(json!({"reason": "torn"}))).invalid_field("reason");
    counter.till.post(&path, &approved(json!({"reason": "mistake"}))).data(200);
    counter.act(&sold, "void", &approved(json!({"reason": "mistake"}))).data(200);
}
