//! Days that end by themselves: sealed when the next one begins, once, whoever was away meanwhile.

use crate::support::counter::text;
use crate::support::hub::Hub;
use crate::support::{Client, Store, wait};
use serde_json::{Value, json};

/// The day is one earlier here than there, whatever the clock says: a restart is the night between.
const EVENING: &str = "store.timezone = \"Etc/GMT+12\"";
const MORNING: &str = "store.timezone = \"Pacific/Kiritimati\"";

#[track_caller]
fn open(till: &mut Client) -> (String, String) {
    let shift = till.post("/api/shifts/open", &json!({})).data(201);
    (text(&shift, "shift_id"), text(&shift, "business_date"))
}

#[track_caller]
fn close(till: &mut Client, id: &str) {
    till.post(&format!("/api/shifts/{id}/close"), &json!({"counted_cash": 0})).data(200);
}

#[track_caller]
fn day(manager: &mut Client, date: &str) -> Value {
    manager.get(&format!("/api/days/{date}")).data(200)
}

#[track_caller]
fn sealed(manager: &mut Client, date: &str) -> Value {
    wait::until("the day is sealed", || {
        Some(day(manager, date)).filter(|day| day["state"] == json!("sealed"))
    })
}

#[test]
fn the_next_day_seals_what_is_over_and_a_late_close_what_was_left_open() {
    let hub = Hub::open();
    let mut store = Store::prepare(EVENING, 3);
    hub.enrol(&store);
    store.start();
    let (mut one, mut two) = (store.login("till-1").at_register("a"), store.login("till-2").at_register("b"));
    let mut manager = store.login("manager");
    let (first, date) = open(&mut one);
    let (late, _) = open(&mut two);
    close(&mut one, &first);
    assert_eq!(day(&mut manager, &date)["state"], json!("open"), "its day is not over");

    store.stop();
    store.set(MORNING);
    store.start();
    let mut three = store.login("till-3").at_register("c");
    let (morning, today) = open(&mut three);
    assert!(today > date);
    let seen = day(&mut manager, &date);
    assert_eq!((&seen["state"], &seen["missing"][0]["shift_id"]), (&json!("open"), &json!(late)));
    close(&mut two, &late);
    let seen = sealed(&mut manager, &date);
    assert_eq!((&seen["sealed_by"], &seen["missing"]), (&Value::Null, &json!([])));
    manager.post(&format!("/api/days/{date}/seal"), &json!({})).refused(409, "invalid_state");
    close(&mut three, &morning);
    assert_eq!(day(&mut manager, &today)["state"], json!("open"), "a day is not sealed before it is over");

    // Head office is told once, also after another start.
    store.stop();
    store.start();
    wait::until("the hub has everything", || {
        manager.post("/api/sync/force", &json!({})).data(200);
        let status = manager.get("/api/sync/status").data(200);
        (status["outbox"]["pending"] == json!(0)).then_some(())
    });
    assert_eq!(day(&mut manager, &date)["sealed_at"], seen["sealed_at"]);
    store.stop();
    store.verify();
}

#[test]
fn a_start_seals_what_ended_while_nobody_was_there_but_not_twice() {
    let mut store = Store::open_with(EVENING, 2);
    let mut till = store.login("till-1").at_register("a");
    let mut manager = store.login("manager");
    let (id, date) = open(&mut till);
    close(&mut till, &id);
    store.kill9();
    store.set(MORNING);
    store.start();
    let by_itself = sealed(&mut manager, &date);
    assert_eq!(by_itself["sealed_by"], Value::Null);
    let last_seq =
        |manager: &mut Client| manager.get("/api/sync/status").data(200)["outbox"]["last_seq"].clone();
    let told = last_seq(&mut manager);

    // A day that a person sealed stays that person's.
    let (id, today) = open(&mut till);
    close(&mut till, &id);
    let by_hand = manager.post(&format!("/api/days/{today}/seal"), &json!({})).data(200);
    assert!(by_hand["sealed_by"].is_string());
    let after = last_seq(&mut manager);
    assert!(after.as_u64() > told.as_u64());
    store.kill9();
    store.start();
    // Whatever a start does by itself is done once it expires holds and seals days: a till opens after that.
    manager.post("/api/cash-deposits", &json!({"amount": 1, "bag_no": "B", "bank_account": "x"})).data(201);
    assert_eq!(day(&mut manager, &date)["sealed_at"], by_itself["sealed_at"]);
    assert_eq!(day(&mut manager, &today)["sealed_by"], by_hand["sealed_by"]);
    let records = last_seq(&mut manager).as_u64().unwrap() - after.as_u64().unwrap();
    assert_eq!(records, 2, "the deposit and its audit entry, nothing else");
}
