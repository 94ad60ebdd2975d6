//! A whole sale in one request: what two requests make, or nothing.

use serde_json::{Value, json};
use testkit::audit::items;
use testkit::counter::{Counter, SALES, approved, number, text};
use testkit::goods::SKU;
use testkit::journal;
use testkit::store::AS_SHIPPED;

/// Settings under which a sale has rounding, an approval, and goods that may not be there.
const SETTINGS: &str = "payments.cash_rounding = 100\nstock.negative = \"reject\"\n";

/// A counter with a member who has 500 points.
#[track_caller]
fn counter() -> (Counter, String) {
    let mut counter = Counter::open_with(&format!("{AS_SHIPPED}{SETTINGS}"));
    let joined = json!({"name": "Siti", "phone": "081234567890"});
    let member = text(&counter.till.post("/api/members", &joined).data(201), "member_id");
    let given = json!({"points": 500, "reason": "welcome"});
    counter.manager.post(&format!("/api/members/{member}/points/adjust"), &given).data(200);
    (counter, member)
}

/// A basket of the member with a price and discounts by hand, more than a cashier may give: 7,742 in all.
fn basket(member: &str) -> Value {
    json!({
        "items": [
            {"sku": SKU, "qty": 3, "price": 1_500, "price_reason": "damaged", "discount": 500},
            {"sku": "8990002", "qty": 1},
        ],
        "member_id": member, "discount": 25, "discount_reason": "regular", "note": "two bags",
    })
}

/// Points, a card, and cash with change.
fn payments(total: i64) -> Value {
    json!([
        {"method": "points", "amount": 300},
        {"method": "card", "amount": 1_000, "reference": "slip 7"},
        {"method": "cash", "amount": total - 1_300, "tendered": 10_000},
    ])
}

/// IDs without the part that is another one each time, and times.
fn alike(value: &mut Value) {
    /// Characters of a UUID.
    const ID: usize = 36;
    match value {
        Value::Array(all) => all.iter_mut().for_each(alike),
        Value::Object(fields) => fields.values_mut().for_each(alike),
        Value::String(text) if text.parse::<jiff::Timestamp>().is_ok() => *text = "a time".to_owned(),
        Value::String(text) => {
            if let Some(at) = text.find('_').filter(|at| text.len() > at + ID) {
                text.replace_range(at + 1..=at + ID, "");
            }
        }
        _ => {}
    }
}

/// All that is at the store, with the records for head office behind the first `begun`.
#[track_caller]
fn left(counter: &mut Counter, member: &str, begun: usize) -> Value {
    let stock = |counter: &mut Counter, sku: &str| {
        let row = counter.manager.get(&format!("/api/stock/{sku}")).data(200);
        json!([row, items(&mut counter.manager, &format!("/api/stock/{sku}/movements"))])
    };
    let mut records = journal::records(counter.store.data()).split_off(begun);
    for record in &mut records {
        // The clock's reading; and the first of two requests does not know the receipt yet.
        record.as_object_mut().unwrap().remove("at");
        record["payload"]["details"].as_object_mut().map(|details| details.remove("receipt_no"));
    }
    records.sort_by_key(|record| record["type"].to_string() + &record["payload"]["action"].to_string());
    let mut left = json!({
        "sales": items(&mut counter.till, SALES),
        "stock": [stock(counter, SKU), stock(counter, "8990002")],
        "summary": counter.summary(),
        "points": counter.till.get(&format!("/api/members/{member}/points")).data(200),
        "records": records,
    });
    alike(&mut left);
    left
}

#[test]
fn one_request_leaves_what_two_leave() {
    let (mut two, member) = counter();
    let begun = journal::records(two.store.data()).len();
    let made = two.till.post(SALES, &approved(basket(&member))).data(201);
    let payments = payments(number(&made, "total"));
    let mut by_two = two.act(&made, "pay", &json!({"payments": payments})).data(200);
    let expected = left(&mut two, &member, begun);

    let (mut one, member) = counter();
    let mut whole = basket(&member);
    whole["payments"] = payments;
    let mut by_one = one.till.post(SALES, &approved(whole)).data(201);
    let found = left(&mut one, &member, begun);
    for (what, expected) in expected.as_object().unwrap() {
        assert_eq!(&found[what], expected, "{what}");
    }
    [&mut by_two, &mut by_one].into_iter().for_each(alike);
    assert_eq!(by_one, by_two);
    // The case is a rich one.
    let kinds: Vec<_> = found["records"].as_array().unwrap().iter().map(|record| &record["type"]).collect();
    assert_eq!(kinds, ["audit.recorded", "audit.recorded", "transaction.paid"]);
    assert_ne!((&by_one["rounding"], &by_one["points_earned"]), (&json!(0), &json!(0)), "{by_one}");
    let entries = items(&mut one.manager, "/api/audit");
    let entries = entries.iter().filter(|entry| entry["details"]["receipt_no"] == by_one["receipt_no"]);
    let approved = entries.filter(|entry| entry["approved_by"].is_string());
    assert_eq!(approved.count(), 2, "each names its receipt and the manager");
}

#[test]
fn a_whole_sale_that_is_refused_leaves_nothing() {
    let (mut counter, member) = counter();
    let total = 7_742;
    let plain = json!({"items": [{"sku": "8990002", "qty": 1}], "member_id": member});
    let of = |basket: &Value, payments: Value| {
        let mut body = basket.clone();
        body["payments"] = payments;
        body
    };
    let by = |method: &str, amount: i64| json!([{"method": method, "amount": amount}]);
    let mut stranger = plain.clone();
    stranger["member_id"] = Value::Null;
    let before = left(&mut counter, &member, 0);
    let much = json!({"items": [{"sku": SKU, "qty": 101}]});
    for (body, status, code) in [
        (of(&plain, by("card", 3_329)), 422, "payment_mismatch"),
        (of(&plain, by("card", 3_331)), 422, "payment_mismatch"),
        (of(&plain, json!([])), 422, "payment_mismatch"),
        (
            of(&plain, json!([{"method": "cash", "amount": 3_330, "tendered": 3_000}])),
            422,
            "payment_mismatch",
        ),
        (of(&plain, by("cheque", 3_330)), 422, "validation_failed"),
        (of(&plain, by("exchange", 3_330)), 422, "validation_failed"),
        (of(&stranger, by("points", 3_330)), 422, "validation_failed"),
        (of(&plain, by("points", 3_330)), 409, "insufficient_points"),
        (of(&plain, json!(vec![json!({"method": "card", "amount": 1}); 21])), 422, "validation_failed"),
        (of(&much, by("card", 224_220)), 409, "insufficient_stock"),
        (of(&basket(&member), payments(total)), 403, "approval_required"),
    ] {
        counter.till.post_keyed(SALES, "whole", &body).refused(status, code);
    }
    assert_eq!(left(&mut counter, &member, 0), before);
    // No key, no number and no points were used.
    let sold = counter.till.post_keyed(SALES, "whole", &of(&plain, by("card", 3_330))).data(201);
    assert_eq!(sold["receipt_no"], json!("S001-till-1-00000001"), "{sold}");
}

#[test]
fn a_whole_sale_is_answered_again_after_a_power_cut() {
    let mut counter = Counter::open();
    let payment = json!({"method": "cash", "amount": 9_990, "tendered": 20_000});
    let items = json!([{"sku": SKU, "qty": 3, "price": 2_000}, {"sku": "8990002", "qty": 1, "price": 3_000}]);
    let body = json!({"items": items, "payments": [payment]});
    let done = counter.till.post_keyed(SALES, "whole", &body);
    let sale = done.data(201);
    let path = format!("{SALES}/{}", text(&sale, "transaction_id"));
    assert_eq!(done.header("location"), Some(path.as_str()));
    let shown = ["state", "receipt_no", "change", "amount_due"].map(|field| sale[field].clone());
    assert_eq!(shown, [json!("paid"), json!("S001-till-1-00000001"), json!(10_010), json!(0)]);
    assert_eq!(counter.till.post_keyed(SALES, "whole", &body).body, done.body);
    // The receipt, the stock and the drawer know it.
    counter.store.kill9();
    counter.store.start();
    let mut till = counter.store.login("till-1").at_register("till-1");
    assert_eq!(till.get(&path).data(200), sale);
    assert_eq!(till.post_keyed(SALES, "whole", &body).body, done.body);
    assert_eq!(counter.on_hand(SKU), 97);
    assert_eq!(counter.method("cash"), (9_990, 0));
    let void = counter.manager.post(&format!("{path}/void"), &json!({"reason": "customer left"})).data(200);
    assert_eq!(void["state"], json!("voided"), "{void}");
}
