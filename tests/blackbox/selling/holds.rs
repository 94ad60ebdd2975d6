//! Holds: held baskets survive shifts and crashes, and can be recalled by exactly one till.

use serde_json::{Value, json};
use testkit::counter::{Counter, SALES, approved, basket, number, text};
use testkit::store::catalogue;
use testkit::{process, wait};

const HOLDS: &str = "/api/pos/holds";

#[test]
fn a_basket_waits_and_another_till_takes_it() {
    let mut counter = Counter::open();
    let made = counter.basket(&[("8990001", 2)]);
    let body = json!({"transaction_id": made["transaction_id"], "note": "wallet"});
    let hold = counter.till.post(HOLDS, &body).data(201);
    assert_eq!(
        (&hold["state"], &hold["note"], &hold["register_id"]),
        (&json!("active"), &json!("wallet"), &json!("till-1"))
    );
    assert_eq!(
        (&hold["total"], &hold["item_count"], &hold["expires_at"]),
        (&made["total"], &json!(2), &Value::Null)
    );
    assert_eq!(counter.read(&made)["state"], json!("held"));
    counter.till.post(HOLDS, &body).refused(409, "invalid_state");
    counter.act(&made, "pay", &json!({"method": "card", "amount": 1})).refused(409, "invalid_state");
    let recall = format!("{HOLDS}/{}/recall", text(&hold, "hold_id"));
    counter.store.login("till-2").post(&recall, &json!({})).refused(409, "no_open_shift");
    counter.store.login("warehouse").post(&recall, &json!({})).refused(403, "insufficient_role");
    counter.till.post(&recall, &json!({"hurry": true})).invalid_field("hurry");
    counter.till.post(&format!("{HOLDS}/hld_nope/recall"), &json!({})).refused(404, "not_found");

    let (mut other, shift) = counter.second();
    let taken = other.post(&recall, &json!({})).data(200);
    assert_eq!(
        (&taken["state"], &taken["shift_id"], &taken["register_id"]),
        (&json!("open"), &json!(shift), &json!("till-2"))
    );
    assert_eq!((&taken["changes"], &taken["total"]), (&json!([]), &made["total"]));
    let details = counter.till.post(&recall, &json!({})).refused(409, "invalid_state");
    assert_eq!(details["state"], json!("recalled"));
    let read = counter.till.get(&format!("{HOLDS}/{}", text(&hold, "hold_id"))).data(200);
    assert_eq!(read["state"], json!("recalled"));
    let pay = format!("{SALES}/{}/pay", text(&made, "transaction_id"));
    let paid = other.post(&pay, &json!({"method": "card", "amount": made["total"]})).data(200);
    assert_eq!(paid["receipt_no"], json!("S001-till-2-00000001"));
}

#[test]
fn a_new_basket_waits_at_once_and_its_price_is_renewed() {
    let mut counter = Counter::open();
    let mut body = basket(&[("8990001", 1), ("8990002", 2)]);
    body["note"] = json!("back in five");
    let hold = counter.till.post(HOLDS, &body).data(201);
    counter.till.post(HOLDS, &json!({"note": "x"})).refused(422, "validation_failed");
    counter.till.post(HOLDS, &json!({"items": []})).invalid_field("items");
    let nope = json!({"items": [{"sku": "nope", "qty": 1, "price": 1}]});
    counter.till.post(HOLDS, &nope).refused(422, "unknown_sku");
    counter.till.post(HOLDS, &json!({"transaction_id": "trx_nope"})).refused(404, "not_found");
    let mut both = body.clone();
    both["transaction_id"] = hold["transaction_id"].clone();
    counter.till.post(HOLDS, &both).refused(422, "validation_failed");
    let mut member = body.clone();
    member["member_id"] = json!("mbr_nope");
    counter.till.post(HOLDS, &member).refused(422, "unknown_member");
    counter.store.login("till-2").post(HOLDS, &body).refused(409, "no_open_shift");

    let dearer = catalogue().replace("Product 8990001,2000,", "Product 8990001,2500,");
    let file = counter.store.write_file("dearer.csv", &dearer);
    process::succeed(counter.store.command(&["import", "products", file.to_str().unwrap()]), "");
    let taken =
        counter.till.post(&format!("{HOLDS}/{}/recall", text(&hold, "hold_id")), &json!({})).data(200);
    assert_eq!(taken["items"][0]["price"], json!(2_500));
    let changes = taken["changes"].as_array().unwrap();
    let of = |field: &str, line: Value| {
        let change =
            changes.iter().find(|change| change["field"] == json!(field) && change["line_no"] == line);
        change.map(|change| (number(change, "before"), number(change, "after")))
    };
    assert_eq!(of("price", json!(1)), Some((2_000, 2_500)));
    assert_eq!(of("total", Value::Null), Some((number(&hold, "total"), number(&taken, "total"))));
}

#[test]
fn holds_are_listed_by_till_and_page_by_page() {
    let mut counter = Counter::open();
    let (mut other, _) = counter.second();
    for _ in 0..3 {
        counter.till.post(HOLDS, &basket(&[("8990001", 1)])).data(201);
    }
    other.post(HOLDS, &basket(&[("8990002", 1)])).data(201);
    let all = counter.till.get(HOLDS).data(200);
    assert_eq!(all["items"].as_array().unwrap().len(), 4);
    let mine = counter.till.get(&format!("{HOLDS}?register_id=till-2")).data(200);
    assert_eq!(
        (mine["items"].as_array().unwrap().len(), &mine["items"][0]["register_id"]),
        (1, &json!("till-2"))
    );
    let first = counter.till.get(&format!("{HOLDS}?limit=3")).data(200);
    let next = counter.till.get(&format!("{HOLDS}?limit=3&cursor={}", text(&first, "next_cursor"))).data(200);
    assert_eq!((&next["items"][0], &next["next_cursor"]), (&all["items"][3], &Value::Null));
    counter.till.get(&format!("{HOLDS}?cursor=nonsense")).refused(400, "invalid_cursor");
    counter.till.get(&format!("{HOLDS}?till=1")).refused(400, "invalid_query");
    counter.till.get(&format!("{HOLDS}/hld_nope")).refused(404, "not_found");
}

#[test]
fn a_hold_outlives_its_shift_and_a_crash() {
    let mut counter = Counter::open();
    let made = counter.basket(&[("8990004", 3)]);
    let hold = counter.till.post(HOLDS, &json!({"transaction_id": made["transaction_id"]})).data(201);
    counter.close();
    counter.store.kill9();
    counter.store.start();
    let (mut other, shift) = counter.second();
    let listed = other.get(HOLDS).data(200);
    assert_eq!(listed["items"], json!([hold]));
    let taken = other.post(&format!("{HOLDS}/{}/recall", text(&hold, "hold_id")), &json!({})).data(200);
    assert_eq!((&taken["shift_id"], &taken["total"]), (&json!(shift), &made["total"]));
}

#[test]
fn a_waiting_basket_is_voided_but_not_one_that_is_partly_paid() {
    let mut counter = Counter::open();
    let hold = counter.till.post(HOLDS, &basket(&[("8990001", 1)])).data(201);
    let voided = counter.act(&hold, "void", &json!({"reason": "never came back"})).data(200);
    assert_eq!((&voided["state"], &voided["refunds"]), (&json!("voided"), &json!([])));
    let read = counter.till.get(&format!("{HOLDS}/{}", text(&hold, "hold_id"))).data(200);
    assert_eq!(read["state"], json!("voided"));
    let recall = format!("{HOLDS}/{}/recall", text(&hold, "hold_id"));
    assert_eq!(
        counter.till.post(&recall, &json!({})).refused(409, "invalid_state")["state"],
        json!("voided")
    );

    let made = counter.basket(&[("8990003", 1)]);
    counter.act(&made, "pay", &json!({"method": "card", "amount": 10})).data(200);
    let body = json!({"transaction_id": made["transaction_id"]});
    let details = counter.till.post(HOLDS, &body).refused(409, "invalid_state");
    assert_eq!(details["state"], json!("partially_paid"));
    counter.act(&made, "void", &approved(json!({"reason": "x"}))).data(200);
}

#[test]
fn an_old_hold_ends_by_itself_also_over_a_stop() {
    let mut counter = Counter::open_with("holds.expire_after = \"1s\"");
    let hold = counter.till.post(HOLDS, &basket(&[("8990001", 1)])).data(201);
    assert!(hold["expires_at"].is_string());
    let ended = |counter: &mut Counter, hold: &Value| {
        let sale = format!("{SALES}/{}", text(hold, "transaction_id"));
        wait::until("the hold expires", || {
            let read = counter.till.get(&sale).data(200);
            (read["state"] == json!("voided")).then_some(read)
        })
    };
    let voided = ended(&mut counter, &hold);
    assert_eq!(voided["void_reason"], json!("hold_expired"));
    let recall = format!("{HOLDS}/{}/recall", text(&hold, "hold_id"));
    assert_eq!(
        counter.till.post(&recall, &json!({})).refused(409, "invalid_state")["state"],
        json!("expired")
    );
    assert_eq!(counter.till.get(HOLDS).data(200)["items"], json!([]));

    let second = counter.till.post(HOLDS, &basket(&[("8990001", 1)])).data(201);
    counter.store.stop();
    counter.store.start();
    assert_eq!(ended(&mut counter, &second)["void_reason"], json!("hold_expired"));
    let summary = counter.summary();
    assert_eq!(summary["voids_count"], json!(0), "the hold ends outside of any shift");
}
