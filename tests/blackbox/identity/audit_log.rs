//! The audit log: each sensitive action makes one entry, and every filter of `GET /api/audit` works.

use crate::contract::names;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use testkit::audit::items;
use testkit::counter::{Counter, SALES, approved, text};
use testkit::{Client, Reply};

fn patch(client: &mut Client, path: &str, body: &Value) -> Reply {
    client.send("PATCH", path, &[], body.to_string().as_bytes())
}

/// Returns the user that a client is logged in as.
#[track_caller]
fn id(client: &mut Client) -> String {
    text(&client.get("/api/auth/me").data(200)["user"], "id")
}

/// Does one action of each kind. Returns the action, who did it and whether somebody approved it.
#[track_caller]
fn a_busy_day(counter: &mut Counter) -> Vec<(&'static str, &'static str, bool)> {
    let why = || json!({"reason": "test"});
    let shift = format!("/api/shifts/{}", counter.shift_id);
    let opened = json!({"type": "no_sale", "reason": "change for a customer"});
    counter.till.post(&format!("{shift}/cash-movements"), &opened).data(201);
    let cheap = json!({"items": [{"sku": "8990001", "qty": 2, "price": 1_500}]});
    let open = counter.till.post(SALES, &approved(cheap)).data(201);
    let fewer = json!({"items": [{"sku": "8990001", "qty": 1, "price": 1_500}]});
    let path = format!("{SALES}/{}", text(&open, "transaction_id"));
    patch(&mut counter.till, &path, &approved(fewer)).data(200);
    let part = counter.act(&open, "pay", &json!({"method": "card", "amount": 9})).data(200);
    let reverse = format!("payments/{}/reverse", text(&part["payments"][0], "payment_id"));
    counter.act(&open, &reverse, &approved(why())).data(200);
    counter.act(&open, "void", &approved(why())).data(200);
    let sold = counter.sale(&[("8990003", 2)], &[], "cash");
    let payments = json!([{"method": "card", "amount": sold["total"]}]);
    let right =
        json!({"payment_id": sold["payments"][0]["payment_id"], "payments": payments, "reason": "keyed"});
    counter.act(&sold, "correct-tender", &approved(right)).data(200);
    let prints = format!("/api/pos/receipts/{}/prints", text(&sold, "receipt_no"));
    for _ in 0..2 {
        counter.till.send("POST", &prints, &[("Accept", "text/plain")], b"{}");
    }
    let bare = json!({"items": [{"sku": "8990001", "qty": 1, "price": 100}]});
    let back = counter.till.post("/api/pos/returns", &approved(bare)).data(201);
    let void = format!("/api/pos/returns/{}/void", text(&back, "return_id"));
    counter.till.post(&void, &approved(why())).data(200);
    let manager = &mut counter.manager;
    manager.post("/api/registers", &json!({"register_id": "till-9"})).data(201);
    patch(manager, "/api/registers/till-9", &json!({"state": "disabled"})).data(200);
    let joined = manager.post("/api/members", &json!({"name": "A", "phone": "081234567890"})).data(201);
    let member = format!("/api/members/{}", text(&joined, "member_id"));
    manager.post(&format!("{member}/points/adjust"), &json!({"points": 5, "reason": "sorry"})).data(200);
    patch(manager, &member, &json!({"name": "B"})).data(200);
    manager.post(&format!("{member}/erase"), &json!({})).data(200);
    manager.post("/api/safe/opening", &json!({"amount": 1_000_000, "reason": "counted"})).data(200);
    manager.post("/api/deposits", &json!({"amount": 1, "bag_no": "1", "bank_account": "x"})).data(201);
    let new = json!({"username": "new@s001.example", "name": "New", "role": "cashier"});
    let user = format!("/api/users/{}", text(&manager.post("/api/users", &new).data(201), "id"));
    patch(manager, &user, &json!({"disabled": true})).data(200);
    manager.post(&format!("{user}/revoke-tokens"), &json!({})).data(200);
    let received = json!({"lines": [{"sku": "8990001", "qty": 1, "unit_cost": 1}]});
    let received = manager.post("/api/receiving", &received).data(201);
    manager
        .post(&format!("/api/receiving/{}/reverse", text(&received, "receiving_id")), &json!({}))
        .data(200);
    counter.till.post(&format!("{shift}/close"), &approved(json!({"counted_cash": 900_000}))).data(200);
    manager.post(&format!("{shift}/recounts"), &json!({"counted_cash": 0, "reason": "a tray"})).data(201);
    let day = text(&sold, "business_date");
    manager
        .post(&format!("/api/days/{day}/seal"), &json!({"force": true, "reason": "closed early"}))
        .data(200);
    vec![
        ("drawer.opened", "till", false),
        ("transaction.price_overridden", "till", true),
        ("transaction.line_removed", "till", true),
        ("payment.reversed", "till", true),
        ("transaction.voided", "till", true),
        ("tender.corrected", "till", true),
        ("receipt.printed", "till", false),
        ("return.posted", "till", true),
        ("return.voided", "till", true),
        ("register.created", "manager", false),
        ("register.changed", "manager", false),
        ("points.adjusted", "manager", false),
        ("member.changed", "manager", false),
        ("member.erased", "manager", false),
        ("cash.deposited", "manager", false),
        ("user.created", "manager", false),
        ("user.changed", "manager", false),
        ("user.tokens_revoked", "manager", false),
        ("receiving.reversed", "manager", false),
        ("shift.variance_approved", "till", true),
        ("shift.recounted", "manager", false),
        ("day.sealed", "manager", false),
    ]
}

#[test]
fn each_sensitive_action_is_found_by_every_filter() {
    let mut counter = Counter::open_with("shifts.variance_tolerance = 100\npricing.override = \"manager\"");
    let done = a_busy_day(&mut counter);
    let (till, manager) = (id(&mut counter.till), id(&mut counter.manager));
    let mut of = |query: &str| items(&mut counter.manager, &format!("/api/audit{query}"));
    let whole = of("");
    for (action, who, approved) in &done {
        let found = of(&format!("?action={action}"));
        assert!(!found.is_empty(), "no {action} among {}", json!(whole));
        let user = if *who == "till" { &till } else { &manager };
        assert!(found.iter().all(|entry| entry["action"] == json!(action)), "{found:?}");
        assert!(found.iter().any(|entry| entry["user_id"] == json!(user)), "{action}: {found:?}");
        let approver = found.iter().find_map(|entry| entry["approved_by"].as_str());
        assert_eq!(approver, approved.then_some(manager.as_str()), "{action}: {found:?}");
        let both = of(&format!("?action={action}&user_id={user}"));
        assert!(!both.is_empty() && both.len() <= found.len(), "{action}");
        assert!(both.iter().all(|entry| whole.contains(entry)), "{both:?}");
    }
    let fields = names::fields();
    whole.iter().for_each(|entry| names::are_details(entry, &fields));
    let ids: BTreeSet<&str> = whole.iter().map(|entry| entry["audit_id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), whole.len());
    let drawer = &of("?action=tender.corrected")[0];
    assert_eq!(
        [&drawer["register_id"], &drawer["user_name"], &drawer["approved_by_name"]],
        [&json!("till-1"), &json!("cashier"), &json!("store_manager")],
        "{drawer}"
    );
    // The filters together return every entry once, newest first.
    let stamps: Vec<&str> = whole.iter().map(|entry| entry["at"].as_str().unwrap()).collect();
    assert!(stamps.windows(2).all(|pair| pair[0] >= pair[1]), "{stamps:?}");
    let users: BTreeSet<&str> = whole.iter().map(|entry| entry["user_id"].as_str().unwrap()).collect();
    let sum: usize = users.iter().map(|user| of(&format!("?user_id={user}")).len()).sum();
    assert_eq!(sum, whole.len());
    let day = of("?action=day.sealed")[0]["details"]["business_date"].as_str().unwrap().to_owned();
    assert_eq!(of(&format!("?from={day}&to={day}")).len(), whole.len());
    assert_eq!(
        (of(&format!("?from={day}")).len(), of(&format!("?to={day}")).len()),
        (whole.len(), whole.len())
    );
    assert!(of("?to=2001-01-01").is_empty() && of("?from=2999-01-01").is_empty());
    assert!(of("?user_id=usr_nobody").is_empty() && of("?action=nothing").is_empty());
    // The trail of one document has every entry that names it.
    let receipt = text(&of("?action=tender.corrected")[0]["details"], "receipt_no");
    let names_it = |entry: &&Value| entry["details"].to_string().contains(&format!("\"{receipt}\""));
    let named: Vec<&Value> = whole.iter().filter(names_it).collect();
    assert!(named.len() >= 2, "the receipt was corrected and reprinted: {named:?}");
    let trail = of(&format!("?object_id={receipt}"));
    assert_eq!(trail.iter().collect::<Vec<_>>(), named);
    assert!(
        of("?object_id=nothing").is_empty() && of(&format!("?object_id={receipt}&to=2001-01-01")).is_empty()
    );
    for query in ["from=yesterday", "to=2026-13-01", "limit=0", "who=me"] {
        counter.manager.get(&format!("/api/audit?{query}")).refused(400, "invalid_query");
    }
    for who in ["till-2", "warehouse"] {
        counter.store.login(who).get("/api/audit").refused(403, "insufficient_role");
    }
    // The log contains no secret: neither the approver's password nor a token.
    let text = json!(whole).to_string();
    assert!(!text.contains(testkit::store::PASSWORD) && !text.contains("eyJ"), "{text}");
    // The log is the same after a crash.
    let whole = items(&mut counter.manager, "/api/audit");
    counter.store.kill9();
    counter.store.start();
    assert_eq!(items(&mut counter.manager, "/api/audit"), whole);
}

#[test]
fn an_action_of_a_managers_own_right_is_in_the_audit_log_like_an_approval() {
    let settings = format!("{}shifts.variance_tolerance = 100", testkit::store::AS_SHIPPED);
    let mut counter = Counter::open_with(&settings);
    let sold = counter.sale(&[("8990001", 500)], &[], "card");
    let (till, shift) = (counter.shift_id.clone(), format!("/api/shifts/{}", counter.shift_id));
    let manager = &mut counter.manager;
    let did = |manager: &mut Client, action: &str, times: usize| {
        let found = items(manager, &format!("/api/audit?action={action}"));
        assert_eq!(found.len(), times, "{action}: {found:?}");
        let who = id(manager);
        assert!(
            found.iter().all(|one| one["user_id"] == json!(who) && one["approved_by"].is_null()),
            "{found:?}"
        );
    };
    let back = |qty: i64| {
        json!({"shift_id": till, "transaction_id": sold["transaction_id"],
            "items": [{"sku": "8990001", "qty": qty}]})
    };
    manager.post("/api/pos/returns", &back(1)).data(201);
    did(manager, "return.posted", 0);
    manager.post("/api/pos/returns", &back(451)).data(201);
    did(manager, "return.posted", 1);
    let free = json!({"shift_id": till, "items": [{"sku": "8990001", "qty": 1, "price": 0}]});
    let free = manager.post(SALES, &free).data(201);
    did(manager, "transaction.discounted", 1);
    let void = format!("{SALES}/{}/void", text(&free, "transaction_id"));
    manager.post(&void, &json!({"reason": "test"})).data(200);
    manager.post(&format!("{shift}/close"), &json!({"counted_cash": 900_000})).data(200);
    did(manager, "shift.variance_approved", 1);
    manager.post("/api/safe/opening", &json!({"amount": 0, "reason": "counted"})).data(200);
    let mut own = counter.store.login("manager").at_register("till-3");
    let float = |amount: i64| json!({"opening_float": amount});
    let opened = own.post("/api/shifts/open", &float(100)).data(201);
    did(manager, "shift.float_approved", 0);
    own.post(&format!("/api/shifts/{}/close", text(&opened, "shift_id")), &json!({"counted_cash": 100}))
        .data(200);
    own.post("/api/shifts/open", &float(900_001)).data(201);
    did(manager, "shift.float_approved", 1);
}
