//! Adjustments: posted, above the limit, waiting, rejected, reversed.

use serde_json::{Value, json};
use testkit::audit::items;
use testkit::counter::Counter;
use testkit::goods::{COST, SKU, stock, text};
use testkit::store::PASSWORD;
use testkit::{Client, Store};

const PATH: &str = "/api/adjustments";

fn shop(extra: &str) -> Store {
    let store = Store::open_with(extra, 1);
    store.receive_all(10);
    store
}

fn body(reason: &str, qty: i64) -> Value {
    json!({"reason": reason, "lines": [{"sku": SKU, "qty": qty}]})
}

#[test]
fn goods_are_written_off_found_and_the_write_off_is_taken_back() {
    let mut store = shop("");
    let (mut staff, mut manager) = (store.login("warehouse"), store.login("manager"));
    let made = staff.post(PATH, &body("damaged", -3)).data(201);
    assert_eq!((&made["state"], &made["value"]), (&json!("posted"), &json!(-3 * COST)), "{made}");
    assert_eq!(made["lines"][0]["balance_after"], json!(7));
    assert_eq!(stock(&mut staff, SKU), (7, 7 * COST));
    staff.post(PATH, &body("found", 1)).data(201);
    assert_eq!(stock(&mut staff, SKU), (8, 8 * COST));
    let id = text(&made, "adjustment_id");
    staff.post(&format!("{PATH}/{id}/reverse"), &json!({})).refused(403, "insufficient_role");
    let back = manager.post(&format!("{PATH}/{id}/reverse"), &json!({})).data(200);
    assert_eq!(back["state"], json!("reversed"));
    assert_eq!(stock(&mut staff, SKU), (11, 11 * COST));
    let details = manager.post(&format!("{PATH}/{id}/reverse"), &json!({})).refused(409, "invalid_state");
    assert_eq!(details["state"], json!("reversed"));
    assert_eq!(staff.get(&format!("{PATH}/{id}")).data(200), back);
    // Ordered by last change, newest first, in pages, with filters.
    let first = staff.get(&format!("{PATH}?limit=1")).data(200);
    assert_eq!(first["items"][0]["adjustment_id"], made["adjustment_id"]);
    let next = text(&first, "next_cursor");
    let second = staff.get(&format!("{PATH}?limit=1&cursor={next}")).data(200);
    assert_eq!((&second["items"][0]["reason"], &second["next_cursor"]), (&json!("found"), &Value::Null));
    assert_eq!(items(&mut staff, &format!("{PATH}?state=reversed")).len(), 1);
    assert_eq!(items(&mut staff, &format!("{PATH}?reason=theft")).len(), 0);
    let movements = items(&mut staff, &format!("/api/stock/{SKU}/movements"));
    let reasons: Vec<_> = movements.iter().map(|movement| movement["reason"].clone()).collect();
    assert_eq!(reasons, ["adjustment", "adjustment", "adjustment", "receiving"]);
    store.stop();
    store.verify();
}

#[test]
fn above_the_limit_somebody_has_to_stand_behind_it() {
    let store = shop(&format!("approval.adjustment_value = {}\n", 2 * COST));
    let (mut staff, mut manager) = (store.login("warehouse"), store.login("manager"));
    staff.post(PATH, &body("theft", -2)).data(201);
    staff.post(PATH, &body("theft", -3)).refused(403, "approval_required");
    let approved = |who: &str, password: &str| {
        let mut body = body("theft", -3);
        body["approval"] = json!({"username": format!("{who}@s001.example"), "password": password});
        body
    };
    staff.post(PATH, &approved("manager", "wrong horse")).refused(403, "approval_refused");
    staff.post(PATH, &approved("till-1", PASSWORD)).refused(403, "approval_required");
    assert_eq!(stock(&mut staff, SKU).0, 8, "nothing has changed");
    let made = staff.post(PATH, &approved("manager", PASSWORD)).data(201);
    assert!(made["decided_by"].is_string(), "{made}");
    manager.post(PATH, &body("theft", -4)).data(201);
    assert_eq!(stock(&mut staff, SKU).0, 1);
}

#[test]
fn write_offs_below_the_limit_count_together_over_a_restart() {
    let mut store = shop(&format!("approval.adjustment_value = {}\n", 2 * COST));
    let mut staff = store.login("warehouse");
    staff.post(PATH, &body("theft", -1)).data(201);
    store.kill9();
    store.start();
    let mut staff = store.login("warehouse");
    let figures = |details: Value| (details["value"].clone(), details["limit"].clone());
    let details = staff.post(PATH, &body("loss", -2)).refused(403, "approval_required");
    assert_eq!(figures(details), (json!(3 * COST), json!(2 * COST)));
    // A supplier and a store that nobody lists record no receipt: what they get is written off.
    let back = json!({"supplier_id": "sup_friend", "lines": [{"sku": SKU, "qty": 2, "unit_cost": 9 * COST}]});
    let details = staff.post("/api/supplier-returns", &back).refused(403, "approval_required");
    assert_eq!(figures(details), (json!(3 * COST), json!(2 * COST)));
    let mut away = json!({"to_store_id": "S099", "lines": [{"sku": SKU, "qty": 2}]});
    let details = staff.post("/api/transfers", &away).refused(403, "approval_required");
    assert_eq!(figures(details), (json!(3 * COST), json!(2 * COST)));
    away["draft"] = json!(true);
    let draft = text(&staff.post("/api/transfers", &away).data(201), "transfer_id");
    let send = format!("/api/transfers/{draft}/send");
    staff.post(&send, &json!({})).refused(403, "approval_required");
    let approval = json!({"username": "manager@s001.example", "password": PASSWORD});
    staff.post(&send, &json!({"approval": approval})).data(200);
    staff.post(PATH, &body("loss", -1)).data(201);
    staff.post(PATH, &body("loss", -1)).refused(403, "approval_required");
    assert_eq!(stock(&mut staff, SKU).0, 6);
    store.stop();
    store.verify();
}

#[test]
fn one_that_waits_moves_nothing_until_a_manager_says_yes() {
    let mut store = shop("");
    let (mut staff, mut manager) = (store.login("warehouse"), store.login("manager"));
    let mut ask = |qty: i64| {
        let mut body = body("loss", qty);
        body["request_approval"] = json!(true);
        let made = staff.post(PATH, &body).data(201);
        assert_eq!((&made["state"], &made["lines"][0]["balance_after"]), (&json!("pending"), &Value::Null));
        text(&made, "adjustment_id")
    };
    let (yes, no) = (ask(-2), ask(-5));
    assert_eq!(stock(&mut manager, SKU).0, 10);
    staff.post(&format!("{PATH}/{yes}/approve"), &json!({})).refused(403, "insufficient_role");
    manager.post(&format!("{PATH}/{no}/reject"), &json!({})).data(200);
    manager.post(&format!("{PATH}/{no}/approve"), &json!({})).refused(409, "invalid_state");
    // The adjustment still waits after a restart.
    store.kill9();
    store.start();
    let mut manager = store.login("manager");
    assert_eq!(items(&mut manager, &format!("{PATH}?state=pending")).len(), 1);
    let posted = manager.post(&format!("{PATH}/{yes}/approve"), &json!({})).data(200);
    assert_eq!((&posted["state"], &posted["lines"][0]["balance_after"]), (&json!("posted"), &json!(8)));
    manager.post(&format!("{PATH}/{yes}/reject"), &json!({})).refused(409, "invalid_state");
    assert_eq!(stock(&mut manager, SKU), (8, 8 * COST));
    store.stop();
    store.verify();
}

#[test]
fn invalid_documents_are_refused() {
    let store = shop("stock.negative = \"reject\"\n");
    let mut staff = store.login("warehouse");
    for (reason, qty) in [("damaged", 1), ("found", -1), ("correction", 0), ("theft", i64::MIN)] {
        staff.post(PATH, &body(reason, qty)).invalid_field("lines[0].qty");
    }
    staff.post(PATH, &json!({"reason": "lost", "lines": []})).refused(422, "validation_failed");
    staff.post(PATH, &json!({"reason": "loss", "lines": []})).invalid_field("lines");
    let unknown = json!({"reason": "loss", "lines": [{"sku": "nope", "qty": -1}]});
    staff.post(PATH, &unknown).refused(422, "unknown_sku");
    let lines = json!([{"sku": SKU, "qty": -6}, {"sku": SKU, "qty": -5}]);
    let details =
        staff.post(PATH, &json!({"reason": "loss", "lines": lines})).refused(409, "insufficient_stock");
    assert_eq!(details["items"], json!([{"sku": SKU, "on_hand": 10, "requested": 11}]));
    let mut manager = store.login("manager");
    for step in ["approve", "reject", "reverse"] {
        manager.post(&format!("{PATH}/adj_nope/{step}"), &json!({})).refused(404, "not_found");
    }
    staff.get(&format!("{PATH}/adj_nope")).refused(404, "not_found");
    staff.get(&format!("{PATH}?state=lost")).refused(400, "invalid_query");
    staff.get(&format!("{PATH}?cursor=x")).refused(400, "invalid_cursor");
    store.login("till-1").post(PATH, &body("loss", -1)).refused(403, "insufficient_role");
    assert_eq!(stock(&mut staff, SKU).0, 10);
}

#[test]
fn damaged_goods_are_put_aside_and_return_to_the_shelf() {
    let mut counter = Counter::open();
    let (mut staff, mut manager) = (counter.store.login("warehouse"), counter.store.login("manager"));
    let keep = |reason: &str, qty: i64| {
        let mut body = body(reason, qty);
        body["keep"] = json!(true);
        body
    };
    let counts = |staff: &mut Client| {
        let row = staff.get(&format!("/api/stock/{SKU}")).data(200);
        [&row["on_hand"], &row["damaged"], &row["value"]].map(|figure| figure.as_i64().unwrap())
    };
    let [on_hand, damaged, value] = counts(&mut staff);
    staff.post(PATH, &keep("theft", -1)).invalid_field("keep");
    let mut aside = keep("damaged", -1);
    aside["bucket"] = json!("damaged");
    staff.post(PATH, &aside).invalid_field("keep");
    let made = staff.post(PATH, &keep("damaged", -3)).data(201);
    assert_eq!((&made["keep"], &made["value"]), (&json!(true), &json!(-3 * COST)));
    let now = [on_hand - 3, damaged + 3, value - 3 * COST];
    assert_eq!(counts(&mut staff), now);
    counter.store.kill9();
    counter.store.start();
    assert_eq!(counts(&mut staff), now);
    let reverse = format!("{PATH}/{}/reverse", text(&made, "adjustment_id"));
    let mut sold = body("damaged", -1);
    sold["bucket"] = json!("damaged");
    let gone = staff.post(PATH, &sold).data(201);
    manager.post(&reverse, &json!({})).refused(409, "insufficient_stock");
    manager.post(&format!("{PATH}/{}/reverse", text(&gone, "adjustment_id")), &json!({})).data(200);
    manager.post(&reverse, &json!({})).data(200);
    assert_eq!(counts(&mut staff), [on_hand, damaged, value]);
    counter.store.stop();
    counter.store.verify();
}

#[test]
fn damaged_goods_are_written_off_or_sent_back_and_what_is_on_hand_stays() {
    let mut counter = Counter::open();
    let sold = counter.sale(&[(SKU, 6)], &[], "card");
    let back = json!({"transaction_id": sold["transaction_id"],
        "items": [{"sku": SKU, "qty": 6, "reason": "defective", "disposition": "damaged"}]});
    counter.till.post("/api/pos/returns", &back).data(201);
    let (mut staff, mut manager) = (counter.store.login("warehouse"), counter.store.login("manager"));
    let damaged = |staff: &mut Client| {
        let row = staff.get(&format!("/api/stock/{SKU}")).data(200);
        assert_eq!(row["on_hand"], json!(94), "{row}");
        row["damaged"].as_i64().unwrap()
    };
    // Goods that came in later at another cost do not affect the value.
    let dearer = json!({"lines": [{"sku": SKU, "qty": 1, "unit_cost": 9 * COST}]});
    staff.post("/api/receiving", &dearer).data(201);
    staff.post(PATH, &body("theft", -1)).data(201);
    let of = |reason: &str, qty: i64| {
        let mut body = body(reason, qty);
        body["bucket"] = json!("damaged");
        body
    };
    assert_eq!(damaged(&mut staff), 6);
    staff.post(PATH, &of("found", 1)).invalid_field("lines[0].qty");
    let details = staff.post(PATH, &of("damaged", -7)).refused(409, "insufficient_stock");
    assert_eq!(details["items"], json!([{"path": "lines[0].qty", "sku": SKU, "damaged": 6, "requested": 7}]));
    let made = staff.post(PATH, &of("damaged", -4)).data(201);
    assert_eq!((&made["value"], &made["bucket"]), (&json!(-4 * COST), &json!("damaged")), "{made}");
    assert_eq!(damaged(&mut staff), 2);
    manager.post(&format!("{PATH}/{}/reverse", text(&made, "adjustment_id")), &json!({})).data(200);
    assert_eq!(damaged(&mut staff), 6);
    staff.post(PATH, &of("damaged", -1)).data(201);
    let sent = json!({"supplier_id": "sup_1", "bucket": "damaged", "lines": [{"sku": SKU, "qty": 5}]});
    let sent = staff.post("/api/supplier-returns", &sent).data(201);
    assert_eq!((&sent["stock_cost"], &sent["lines"][0]["balance_after"]), (&json!(5 * COST), &json!(0)));
    assert_eq!(sent["claim"], json!(5 * COST), "the claim is the cost of the damaged goods");
    counter.store.kill9();
    counter.store.start();
    assert_eq!(damaged(&mut staff), 0);
    counter.store.stop();
    counter.store.verify();
}
