//! Business for tests that compare the sums of store and hub: one of each document that changes a sum.

use serde_json::{Value, json};
use testkit::counter::{approved, basket, text};
use testkit::till::Till;
use testkit::{Client, Store};

const SALES: &str = "/api/pos/transactions";

/// Makes some random sales at a till.
#[track_caller]
pub fn sell(till: &mut Till, count: usize) {
    for _ in 0..count {
        till.sell();
    }
}

#[track_caller]
fn sale(till: &mut Client, items: &[(&str, i64)], member: Option<&str>, method: &str) -> Value {
    let mut body = basket(items);
    if let Some(member) = member {
        body["member_id"] = json!(member);
    }
    let made = till.post(SALES, &body).data(201);
    let pay = json!({"method": method, "amount": made["total"]});
    till.post(&format!("{SALES}/{}/pay", text(&made, "transaction_id")), &pay).data(200)
}

/// At a till with an open shift, makes receipts, sales with points, a void, a return, a corrected tender, cash
/// movements, an adjustment of stock and one of points, a count, and a reversed receipt.
#[track_caller]
pub fn everything(store: &Store, n: usize) {
    let register = format!("till-{n}");
    let mut till = store.login(&register).at_register(&register);
    let (mut staff, mut manager) = (store.login("warehouse"), store.login("manager"));
    store.receive_all(50);
    let code = format!("M-{}-{}", store.id(), testkit::store::free_address().port());
    let member = till
        .post("/api/members", &json!({"name": "Ani", "code": code, "email": format!("{code}@x.example")}));
    let member = text(&member.data(201), "member_id");

    let with_points = sale(&mut till, &[("8990003", 2), ("8990007", 1)], Some(&member), "cash");
    sale(&mut till, &[("8990012", 1)], Some(&member), "card");
    let shift = text(&with_points, "shift_id");
    let voided = sale(&mut till, &[("8990001", 3)], None, "cash");
    let path = format!("{SALES}/{}/void", text(&voided, "transaction_id"));
    till.post(&path, &approved(json!({"reason": "wrong customer"}))).data(200);
    let back = json!({"transaction_id": with_points["transaction_id"],
        "items": [{"sku": "8990003", "qty": 1, "reason": "torn"}]});
    till.post("/api/pos/returns", &back).data(201);
    let mistaken = sale(&mut till, &[("8990010", 1)], None, "cash");
    let right = json!({"payment_id": mistaken["payments"][0]["payment_id"], "reason": "it was a card",
        "payments": [{"method": "card", "amount": mistaken["total"]}]});
    let path = format!("{SALES}/{}/correct-tender", text(&mistaken, "transaction_id"));
    manager.post(&path, &right).data(200);

    let cash = format!("/api/shifts/{shift}/cash-movements");
    for (kind, amount) in [("pay_in", 7_000), ("pay_out", 1_500), ("drop", 20_000), ("no_sale", 0)] {
        let moved = json!({"type": kind, "amount": amount, "reason": "today"});
        manager.post(&cash, &moved).data(201);
    }
    let adjust = json!({"reason": "damaged", "lines": [{"sku": "8990002", "qty": -2}]});
    manager.post("/api/adjustments", &adjust).data(201);
    let points = json!({"points": 40, "reason": "sorry"});
    manager.post(&format!("/api/members/{member}/points/adjust"), &points).data(200);
    count_one_less(&mut staff, &mut manager);
    let receipt = json!({"lines": [{"sku": "8990009", "qty": 4, "unit_cost": 2_001}]});
    let receiving_id = text(&staff.post("/api/receiving", &receipt).data(201), "receiving_id");
    manager.post(&format!("/api/receiving/{receiving_id}/reverse"), &json!({})).data(200);
}

/// Counts one product, with one piece less than expected.
#[track_caller]
fn count_one_less(staff: &mut Client, manager: &mut Client) {
    let on_hand = manager.get("/api/stock/8990004").data(200)["on_hand"].as_i64().unwrap();
    let count = staff.post("/api/opname", &json!({"scope": "skus", "skus": ["8990004"]})).data(201);
    let path = format!("/api/opname/{}", text(&count, "opname_id"));
    let found = json!({"counts": [{"sku": "8990004", "qty": on_hand - 1}]});
    staff.post(&format!("{path}/counts"), &found).data(200);
    manager.post(&format!("{path}/post"), &json!({})).data(200);
}
