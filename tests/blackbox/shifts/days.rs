//! Days that are sealed automatically when the next one begins: exactly once, also after an outage.

use edge::clock;
use jiff::Span;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::clock::Clock;
use testkit::counter::text;
use testkit::hub::Hub;
use testkit::{Client, Store, process, wait};

/// With `EVENING` the business day is one earlier than with `MORNING`, at any time of the day. A restart with the other
/// setting simulates the night.
const EVENING: &str = "store.day_start = \"23:59\"";
const MORNING: &str = "store.day_start = \"00:00\"";

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
fn day_of(store: &Store, date: &str) -> Value {
    day(&mut store.login("manager"), date)
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
    assert_eq!(day(&mut manager, &date)["state"], json!("open"), "the business day is not over");

    store.stop();
    store.set(MORNING);
    store.start();
    let mut three = store.login("till-3").at_register("c");
    let (morning, today) = open(&mut three);
    assert!(today > date);
    let seen = day(&mut manager, &date);
    assert_eq!((&seen["state"], &seen["missing"][0]["shift_id"]), (&json!("open"), &json!(late)));
    let mut list = |query: &str| manager.get(&format!("/api/days?{query}")).data(200);
    assert_eq!(list("")["items"], json!([day_of(&store, &today), seen]), "newest first");
    let page = list("limit=1");
    let rest = list(&format!("limit=1&cursor={}", text(&page, "next_cursor")));
    assert_eq!((&rest["items"], &rest["next_cursor"]), (&json!([seen]), &Value::Null));
    for (query, days) in [
        (format!("from={date}&to={date}"), vec![&date]),
        (format!("to={date}"), vec![&date]),
        (format!("from={today}"), vec![&today]),
        (format!("from={date}&to={today}"), vec![&today, &date]),
        ("to=2001-01-01".to_owned(), vec![]),
    ] {
        let found = list(&query)["items"].as_array().unwrap().clone();
        let found: Vec<String> = found.iter().map(|day| text(day, "business_date")).collect();
        assert_eq!(found.iter().collect::<Vec<_>>(), days, "{query}");
    }
    close(&mut two, &late);
    let seen = sealed(&mut manager, &date);
    assert_eq!((&seen["sealed_by"], &seen["missing"]), (&Value::Null, &json!([])));
    manager.post(&format!("/api/days/{date}/seal"), &json!({})).refused(409, "invalid_state");
    close(&mut three, &morning);
    assert_eq!(day(&mut manager, &today)["state"], json!("open"), "a day is not sealed before it is over");

    // Head office gets the record once, also after another start.
    store.stop();
    store.start();
    reported(&mut manager);
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
    manager.post("/api/safe/opening", &json!({"amount": 1_000_000, "reason": "counted"})).data(200);
    let reported = last_seq(&mut manager);

    // A day that a person sealed keeps that person as its sealer.
    let (id, today) = open(&mut till);
    close(&mut till, &id);
    let by_hand = manager
        .post(&format!("/api/days/{today}/seal"), &json!({"force": true, "reason": "closed early"}))
        .data(200);
    assert!(by_hand["sealed_by"].is_string());
    let after = last_seq(&mut manager);
    assert!(after.as_u64() > reported.as_u64());
    store.kill9();
    store.start();
    // Waits until the start has expired holds and sealed days, so that a till can be opened.
    manager.post("/api/deposits", &json!({"amount": 1, "bag_no": "B", "bank_account": "x"})).data(201);
    assert_eq!(day(&mut manager, &date)["sealed_at"], by_itself["sealed_at"]);
    assert_eq!(day(&mut manager, &today)["sealed_by"], by_hand["sealed_by"]);
    let records = last_seq(&mut manager).as_u64().unwrap() - after.as_u64().unwrap();
    assert_eq!(records, 2, "only the deposit and its audit entry");
}

#[test]
fn a_clock_that_jumps_seals_no_day_and_ends_no_hold_before_its_time() {
    let Some(clock) = Clock::find() else { return };
    let waits = Duration::from_secs(8);
    // At noon both ends of the day are far away.
    let ahead = 12 - i64::from(clock::now().timestamp().to_zoned(TimeZone::UTC).hour());
    let zone = format!("store.timezone = \"Etc/GMT{:+}\"\n", -ahead);
    let mut store = Store::prepare(&format!("{zone}holds.expire_after = \"{}s\"\n", waits.as_secs()), 1);
    store.environment(&clock.environment());
    store.start();
    store.receive_all(10);
    let mut till = store.login("till-1").at_register("a");
    let (id, date) = open(&mut till);
    let basket = json!({"items": [{"sku": "8990001", "qty": 1, "price": 2000}]});
    let begun = Instant::now();
    let held = till.post("/api/pos/holds", &basket).data(201);
    close(&mut till, &id);
    clock.set(Span::new().days(2));
    // The tokens have expired, so the manager logs in again.
    let mut manager = store.login("manager");
    let sale = format!("/api/pos/transactions/{}", text(&held, "transaction_id"));
    wait::until("the hold has expired", || {
        (manager.get(&sale).data(200)["state"] == json!("voided")).then_some(())
    });
    assert!(begun.elapsed() >= waits, "the hold ended by wall clock and not by elapsed time");
    assert_eq!(
        day(&mut manager, &date)["state"],
        json!("open"),
        "the job that ends holds also sealed the day"
    );
    // A restart does not seal the day either, although the journal has commits of the later date by now.
    store.kill9();
    store.start();
    let mut manager = store.login("manager");
    let held = store.login("till-1").at_register("a").post("/api/shifts/open", &json!({})).data(201);
    assert!(text(&held, "business_date") > date);
    assert_eq!(day(&mut manager, &date)["state"], json!("open"));
    clock.set(Span::new());
    store.stop();
    store.start();
    assert_eq!(day(&mut store.login("manager"), &date)["state"], json!("open"));
    store.stop();
    store.verify();
}

#[test]
fn a_day_that_sealed_itself_is_open_again_once_a_shift_opens_on_it() {
    let hub = Hub::open();
    let mut store = Store::prepare(EVENING, 2);
    hub.enrol(&store);
    store.start();
    let mut till = store.login("till-1").at_register("a");
    let mut manager = store.login("manager");
    let (first, date) = open(&mut till);
    close(&mut till, &first);
    store.stop();
    store.set(MORNING);
    store.start();
    sealed(&mut manager, &date);
    // The clock was wrong, and the day is not over.
    store.stop();
    store.set(EVENING);
    store.start();
    let (second, again) = open(&mut till);
    assert_eq!(again, date);
    let seen = day(&mut manager, &date);
    assert_eq!((&seen["state"], &seen["missing"][0]["shift_id"]), (&json!("open"), &json!(second)));
    let audit = manager.get("/api/audit?action=day.reopened").data(200);
    assert_eq!(audit["items"][0]["details"]["business_date"], json!(date), "{audit}");
    close(&mut till, &second);
    // A seal by a person is kept.
    manager
        .post(&format!("/api/days/{date}/seal"), &json!({"force": true, "reason": "closed early"}))
        .data(200);
    let (_, next) = open(&mut till);
    assert!(next > date, "documents after the seal count for the next day");
    reported(&mut manager);
    store.stop();
    store.verify();
}

#[test]
fn a_restored_store_seals_nothing_before_it_has_what_the_hub_has() {
    let mut hub = Hub::open();
    let mut store = Store::prepare(&format!("{EVENING}\nsync.backoff_max = \"1s\"\n"), 2);
    hub.enrol(&store);
    store.start();
    let mut till = store.login("till-1").at_register("a");
    let (first, date) = open(&mut till);
    close(&mut till, &first);
    let backup = store.folder().join("backup");
    process::succeed(store.command(&["backup", backup.to_str().unwrap()]), "");
    let morning = format!("{MORNING}\nsync.backoff_max = \"1s\"\n");
    store.stop();
    store.set(&morning);
    store.start();
    let mut manager = store.login("manager");
    let first = sealed(&mut manager, &date);
    reported(&mut manager);
    store.stop();

    // The store's own records are of a later day, and nothing here knows that the day was sealed.
    hub.kill9();
    store.move_data(store.folder().join("restored"));
    process::succeed(store.command(&["restore", backup.to_str().unwrap()]), "");
    store.start();
    let mut manager = store.login("manager");
    wait::until("the store has tried to reach the hub for some seconds", || {
        let status = manager.get("/api/sync/status").data(200);
        (status["hub"]["attempt"].as_u64() >= Some(6)).then_some(())
    });
    assert_eq!(day(&mut manager, &date)["state"], json!("open"));
    hub.start();
    let back = sealed(&mut manager, &date);
    assert_eq!(back["sealed_at"], first["sealed_at"], "the seal was restored, not made again");
    store.stop();
    store.verify();
    let records = testkit::journal::records(store.data());
    let seals = records.iter().filter(|record| record["type"] == json!("day.sealed")).count();
    assert_eq!(seals, 1);
}

#[track_caller]
fn reported(manager: &mut Client) {
    wait::until("the hub has everything", || {
        manager.post("/api/sync/force", &json!({})).data(200);
        let status = manager.get("/api/sync/status").data(200);
        (status["outbox"]["pending"] == json!(0)).then_some(())
    });
}

#[test]
fn a_day_that_is_not_over_takes_force_and_an_administrator_opens_it_again() {
    // At noon both ends of the day are far away.
    let ahead = 12 - i64::from(clock::now().timestamp().to_zoned(TimeZone::UTC).hour());
    let zone = format!("store.timezone = \"Etc/GMT{:+}\"\n", -ahead);
    let hub = Hub::open();
    let mut store = Store::prepare(&zone, 1);
    hub.enrol(&store);
    store.start();
    let mut till = store.login("till-1").at_register("a");
    let (mut manager, mut admin) = (store.login("manager"), store.login("admin"));
    let (first, date) = open(&mut till);
    close(&mut till, &first);
    let next = date.parse::<jiff::civil::Date>().unwrap().tomorrow().unwrap().to_string();
    let (seal, unseal) = (format!("/api/days/{date}/seal"), format!("/api/days/{date}/unseal"));
    let details = manager.post(&seal, &json!({})).refused(409, "invalid_state");
    assert_eq!(details, json!({"state": "not_over", "allowed": ["force"]}));
    manager.post(&seal, &json!({"force": true, "reason": " "})).invalid_field("reason");
    let early = json!({"force": true, "reason": "a power cut"});
    assert_eq!(manager.post(&seal, &early).data(200)["reason"], json!("a power cut"));

    // The shop continues, and nothing counts for the sealed day any more.
    let goods = json!({"lines": [{"sku": "8990001", "qty": 100, "unit_cost": 1}]});
    let lost = json!({"reason": "loss", "lines": [{"sku": "8990001", "qty": -1}]});
    let bag = json!({"amount": 1, "bag_no": "B", "bank_account": "x"});
    manager.post("/api/safe/opening", &json!({"amount": 1_000_000, "reason": "counted"})).data(200);
    for (path, body) in [("/api/receiving", &goods), ("/api/adjustments", &lost), ("/api/deposits", &bag)] {
        let made = manager.post(path, body).data(201);
        assert_eq!(made["business_date"], json!(next), "{path}: {made}");
    }
    let again = json!({"counted_cash": 0, "reason": "again"});
    let counted = manager.post(&format!("/api/shifts/{first}/recounts"), &again).data(201);
    assert_eq!(counted["recounts"][0]["business_date"], json!(next), "{counted}");
    let (second, counts_for) = open(&mut till);
    assert_eq!(counts_for, next);
    close(&mut till, &second);
    // The day is compared once all records have arrived.
    let complete = |stores: u64| {
        let (mut office, report) = (hub.login(), format!("/api/reports/sales?from={date}&to={date}"));
        wait::until("the report has the expected number of complete stores", || {
            let report = office.get(&report).data(200);
            (report["completeness"]["stores_complete"] == json!(stores)).then_some(())
        });
    };
    complete(1);

    manager.post(&unseal, &json!({"reason": "too early"})).refused(403, "insufficient_role");
    admin.post(&unseal, &json!({"reason": ""})).invalid_field("reason");
    let open_until = admin.post(&unseal, &json!({"reason": "too early"})).data(200)["open_until"].clone();
    assert_eq!(open_until, json!(date));
    let details = admin.post(&unseal, &json!({"reason": "twice"})).refused(409, "invalid_state");
    assert_eq!(details["state"], json!("open"));
    store.kill9();
    store.start();
    assert_eq!(day(&mut manager, &date)["state"], json!("open"));
    let audit = manager.get("/api/audit?action=day.unsealed").data(200);
    assert_eq!(audit["items"][0]["details"]["reason"], json!("too early"), "{audit}");
    assert_eq!(manager.post("/api/receiving", &goods).data(201)["business_date"], json!(date));
    let (third, counts_for) = open(&mut till);
    assert_eq!(counts_for, date);
    close(&mut till, &third);
    // A reopened day is not complete.
    complete(0);
    manager.post(&seal, &early).data(200);
    complete(1);
    assert_eq!(manager.get("/api/sync/status").data(200)["outbox"]["parked"], json!(0));
    store.stop();
    store.verify();
}
