//! `GET /api/events`: screens receive the events that concern them, resume after a reconnect, and are disconnected when
//! their session ends.

use serde_json::{Value, json};
use testkit::client::events::{Reported, Screen};
use testkit::counter::{Counter, SALES, basket, number, text};
use testkit::hub::Hub;
use testkit::linked::Linked;
use testkit::{Client, Store, process, wait};

fn of_sku(sku: &str) -> impl Fn(&Reported) -> bool {
    move |reported: &Reported| reported.name == "stock" && reported.data["sku"] == json!(sku)
}

fn names(reported: &[Reported]) -> Vec<&str> {
    reported.iter().map(|one| one.name.as_str()).collect()
}

#[test]
fn each_role_receives_the_events_that_it_may_see() {
    let mut counter = Counter::open();
    let warehouse = counter.store.login("warehouse");
    let other = counter.store.login("till-2");
    let (mut manages, ready) = Screen::ready(&counter.manager, None);
    assert_eq!((&ready["role"], &ready["resumed"]), (&json!("store_manager"), &json!(false)));
    let (mut stock_room, _) = Screen::ready(&warehouse, None);
    let (mut own, ready) = Screen::ready(&counter.till, None);
    assert_eq!((&ready["role"], &ready["store_id"]), (&json!("cashier"), &json!("S001")));
    let (mut others, _) = Screen::ready(&other, None);

    let on_hand = counter.on_hand("8990001");
    counter.sale(&[("8990001", 2)], &[], "cash");
    let hold = counter.till.post("/api/pos/holds", &basket(&[("8990002", 1)])).data(201);
    let hold_id = text(&hold, "hold_id");
    counter.till.post(&format!("/api/pos/holds/{hold_id}/recall"), &json!({})).data(200);
    let path = format!("/api/shifts/{}/end", counter.shift_id);
    let open = counter.till.get(SALES).data(200)["items"].clone();
    for unpaid in open.as_array().unwrap().iter().filter(|one| one["state"] == json!("open")) {
        counter.act(unpaid, "void", &json!({"reason": "left"})).data(200);
    }
    counter.till.post(&path, &json!({})).data(200);
    // Every role that may see stock receives this event, and it follows all the others.
    let mark = json!({"reason": "found", "lines": [{"sku": "8990012", "qty": 1}]});
    counter.manager.post("/api/adjustments", &mark).data(201);

    let (_, seen) = manages.until(of_sku("8990012"));
    assert_eq!(names(&seen), ["sync", "stock", "hold", "hold", "shift"], "{seen:?}");
    assert_eq!((&seen[0].data["state"], &seen[0].id), (&json!("not_configured"), &None));
    assert_eq!(number(&seen[1].data, "on_hand"), on_hand - 2);
    assert_eq!(number(&seen[1].data, "available"), on_hand - 2);
    assert!(seen[1].data.get("value").is_none(), "no screen shows the cost of goods: {seen:?}");
    assert_eq!((&seen[2].data, &seen[3].data["state"]), (&hold, &json!("recalled")));
    assert_eq!(
        (&seen[4].data["shift_id"], &seen[4].data["state"]),
        (&json!(counter.shift_id), &json!("ended"))
    );

    let (marked, seen) = stock_room.until(of_sku("8990012"));
    assert_eq!((names(&seen), number(&marked.data, "damaged")), (vec!["sync", "stock"], 0));
    assert_eq!(seen[0].data, json!({"state": "not_configured"}), "only managers see the reason");
    let (marked, seen) = own.until(of_sku("8990012"));
    assert_eq!(names(&seen), ["sync", "stock", "hold", "hold", "shift"]);
    let fields: Vec<&String> = marked.data.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["on_hand", "sku", "updated_at"], "the same fields as in the till's list of products");
    let (_, seen) = others.until(of_sku("8990012"));
    assert_eq!(names(&seen), ["sync", "stock", "hold", "hold"], "no events about another cashier's shift");
}

#[test]
fn the_stock_room_receives_events_of_its_documents_and_of_orders() {
    let mut shop = Linked::open();
    let (mut staff, till) = (shop.store.login("warehouse"), shop.store.login("till-1"));
    let (mut screen, _) = Screen::ready(&staff, None);
    let (mut cashier, _) = Screen::ready(&till, None);
    let mut hears = |made: &Value, name: &str, id: &str| {
        screen.until(|reported| reported.name == name && reported.data == json!({"id": made[id]}));
    };
    let lost = json!({"reason": "loss", "lines": [{"sku": "8990001", "qty": -1}]});
    hears(&staff.post("/api/adjustments", &lost).data(201), "adjustment", "adjustment_id");
    let counted = json!({"scope": "skus", "skus": ["8990001"]});
    hears(&staff.post("/api/opname", &counted).data(201), "opname", "opname_id");
    let supplier = shop.made("/api/suppliers", &json!({"code": "TEA", "name": "Tea Traders"}));
    let line = json!({"sku": "8990012", "qty": 10, "unit_cost": 900});
    let order = json!({"supplier_id": supplier["supplier_id"], "store_id": "S001", "lines": [line]});
    let order = shop.made("/api/purchase-orders", &order);
    for step in ["approve", "send"] {
        let path = format!("/api/purchase-orders/{}/{step}", text(&order, "po_id"));
        shop.office.post(&path, &json!({})).data(200);
    }
    hears(&order, "order", "po_id");
    let came = json!({"po_id": order["po_id"], "lines": [{"sku": "8990012", "qty": 1}]});
    let came = staff.post("/api/receiving", &came).data(201);
    hears(&came, "receiving", "receiving_id");
    hears(&order, "order", "po_id");
    // A cashier sells and receives only events about goods.
    let (_, seen) = cashier.until(of_sku("8990012"));
    assert!(
        seen.iter().all(|reported| ["sync", "stock", "catalogue"].contains(&reported.name.as_str())),
        "{seen:?}"
    );
}

#[test]
fn a_screen_comes_back_where_it_was() {
    let mut counter = Counter::open();
    let (mut screen, _) = Screen::ready(&counter.till, None);
    counter.sale(&[("8990001", 1), ("8990002", 1)], &[], "cash");
    let (_, before) = screen.until(of_sku("8990002"));
    assert_eq!(before.last().unwrap().id, None, "only the last event of a commit has an ID");
    counter.sale(&[("8990003", 1)], &[], "cash");
    let last = screen.next_event().unwrap().id.unwrap();
    drop(screen);
    counter.sale(&[("8990004", 1)], &[], "cash");
    let (mut screen, ready) = Screen::ready(&counter.till, Some(&last));
    assert_eq!(ready["resumed"], json!(true));
    let missed = screen.next_event().unwrap();
    assert!(of_sku("8990004")(&missed), "{missed:?}");
    let last = missed.id.unwrap();
    drop(screen);

    for id in ["0", "999999999", "none", ""] {
        let (mut screen, ready) = Screen::ready(&counter.till, Some(id));
        assert_eq!(ready["resumed"], json!(false), "{id}");
        let reported = screen.next_event().unwrap();
        assert_eq!((reported.name.as_str(), reported.id.as_ref()), ("reload", Some(&last)), "{id}");
    }
    counter.store.stop();
    counter.store.start();
    let (_, ready) = Screen::ready(&counter.till, Some(&last));
    assert_eq!(ready["resumed"], json!(true), "nothing happened in between");

    // A document that is too large for the stream is replaced by one reload event.
    let (mut screen, _) = Screen::ready(&counter.till, None);
    let header = "sku,name,price,category,barcode,reorder_level\n";
    let rows: String = (0..600).map(|n| format!("N{n:03},New {n},100,,,\n")).collect();
    let stock: String = (0..600).map(|n| format!("N{n:03},5,50\n")).collect();
    for (kind, name, body) in [
        ("products", "new.csv", format!("{header}{rows}")),
        ("stock", "first.csv", format!("sku,qty,unit_cost\n{stock}")),
    ] {
        let file = counter.store.write_file(name, &body);
        process::succeed(counter.store.command(&["import", kind, file.to_str().unwrap()]), "");
    }
    let (_, before) = screen.until(|reported| reported.name == "reload");
    assert_eq!(names(&before), ["sync"]);
    counter.sale(&[("8990005", 1)], &[], "cash");
    screen.until(of_sku("8990005"));
}

#[track_caller]
fn ends(screen: &mut Screen, code: &str) {
    let (end, _) = screen.until(|reported| reported.name == "end");
    assert_eq!(end.data["code"], json!(code));
    assert_eq!(screen.next_event(), None);
}

#[test]
fn a_token_that_is_taken_back_ends_its_streams() {
    let mut counter = Counter::open();
    let mut cashier = counter.store.login("till-2");
    let second = counter.store.login("till-2");
    let id = text(&cashier.get("/api/auth/me").data(200)["user"], "id");
    let (mut one, _) = Screen::ready(&cashier, None);
    let (mut two, _) = Screen::ready(&second, None);
    let (mut stays, _) = Screen::ready(&counter.till, None);
    cashier.post("/api/auth/logout", &json!({})).data(200);
    ends(&mut one, "token_revoked");
    counter.sale(&[("8990001", 1)], &[], "cash");
    two.until(of_sku("8990001"));
    counter.manager.post(&format!("/api/users/{id}/revoke-tokens"), &json!({})).data(200);
    ends(&mut two, "token_revoked");
    assert_eq!(Screen::open(&second, None).status, 401);
    stays.until(of_sku("8990001"));

    let fresh = counter.store.login("till-2");
    let (mut screen, _) = Screen::ready(&fresh, None);
    let body = json!({"disabled": true}).to_string();
    counter.manager.send("PATCH", &format!("/api/users/{id}"), &[], body.as_bytes()).data(200);
    let (end, _) = screen.until(|reported| reported.name == "end");
    assert!(["token_revoked", "account_disabled"].contains(&end.data["code"].as_str().unwrap()), "{end:?}");
}

#[test]
fn a_stream_lives_as_long_as_its_token_and_no_longer() {
    // A request has one second for its body. A stream must not count as a slow request.
    let store = Store::open_with("auth.access_ttl = \"4s\"\nhttp.request_timeout = \"1s\"", 1);
    let (mut screen, _) = Screen::ready(&store.login("till-1"), None);
    ends(&mut screen, "token_expired");
}

#[test]
fn streams_are_counted_and_a_place_comes_back() {
    let store = Store::open_with("", 1);
    let (till, manager) = (store.login("till-1"), store.login("manager"));
    let mut own: Vec<Screen> = (0..8).map(|_| Screen::ready(&till, None).0).collect();
    let refused = Screen::open(&till, None);
    assert_eq!(refused.status, 503);
    assert!(refused.head.contains("retry-after: "), "{}", refused.head);
    let again = store.login("till-1");
    assert_eq!(Screen::open(&again, None).status, 503, "the limit is per person, not per token");
    let (mut other, _) = Screen::ready(&manager, None);
    assert_eq!(other.next_event().unwrap().name, "sync");
    let metrics = store.client().get("/metrics").text();
    assert!(metrics.contains("sr_event_streams 9"), "{metrics}");
    own.pop();
    wait::until("the slot is free again", || (Screen::open(&till, None).status == 200).then_some(()));
}

#[test]
fn a_daemon_that_stops_lets_its_screens_go() {
    let mut counter = Counter::open();
    let mut screens: Vec<Screen> = (0..5).map(|_| Screen::ready(&counter.till, None).0).collect();
    counter.store.stop();
    for screen in &mut screens {
        ends(screen, "unavailable");
    }
    let log = counter.store.log();
    assert!(!log.contains("closed at the end of the drain time"), "{log}");
}

#[test]
fn managers_follow_the_link_to_head_office() {
    let mut hub = Hub::open();
    let mut store = Store::prepare("sync.backoff_max = \"2s\"", 1);
    hub.enrol(&store);
    store.start();
    let (mut screen, _) = Screen::ready(&store.login("manager"), None);
    let state = |wanted: &'static str| {
        move |reported: &Reported| reported.name == "sync" && reported.data["state"] == json!(wanted)
    };
    screen.until(state("online"));
    hub.kill9();
    let (away, _) =
        screen.until(|reported| reported.name == "sync" && reported.data["state"] != json!("online"));
    assert_ne!(away.data["last_error"], Value::Null, "{away:?}");
    hub.start();
    screen.until(state("online"));
}

/// A ticket opens one stream, for its owner, without a token. A used, malformed or missing ticket opens none.
fn a_ticket_opens_one_stream(mut owner: Client, mut nobody: Client, ended: &str) {
    let mut ticket = || {
        let made = owner.post("/api/events/ticket", &json!({})).data(200);
        assert_eq!(made["expires_in"], json!(30));
        text(&made, "ticket")
    };
    let (first, other) = (ticket(), ticket());
    let mut screen = Screen::with_ticket(&nobody, &first);
    assert_eq!(screen.status, 200, "{}", screen.head);
    assert_eq!(screen.next_event().unwrap().name, "ready");
    let refused = |nobody: &mut Client, ticket: &str, code: &str| {
        nobody.get(&format!("/api/events?ticket={ticket}")).refused(401, code);
    };
    refused(&mut nobody, &first, "invalid_token");
    refused(&mut nobody, &format!("{other}x"), "invalid_token");
    refused(&mut nobody, "", "invalid_token");
    nobody.get("/api/events").refused(401, "missing_token");
    nobody.get("/api/events?no_such_parameter=1").refused(401, "missing_token");
    let as_token = [("Authorization", format!("Bearer {other}"))];
    let header = as_token.each_ref().map(|(name, value)| (*name, value.as_str()));
    nobody.send("GET", "/api/auth/me", &header, b"").refused(401, "invalid_token");
    let token = owner.token().unwrap().to_owned();
    refused(&mut nobody, &token, "invalid_token");
    owner.post("/api/auth/logout", &json!({})).data(200);
    ends(&mut screen, ended);
    refused(&mut nobody, &other, ended);
}

#[test]
fn a_ticket_opens_one_stream_of_the_store() {
    let mut store = Store::open_with("log.level = \"trace\"\n", 1);
    a_ticket_opens_one_stream(store.login("till-1"), store.client(), "token_revoked");
    store.stop();
    let log = store.log();
    assert!(log.contains("serving") && !log.contains("ticket="), "{log}");
}

#[test]
fn a_ticket_opens_one_stream_of_head_office() {
    let hub = Hub::open();
    a_ticket_opens_one_stream(hub.login(), hub.client(), "token_revoked");
}
