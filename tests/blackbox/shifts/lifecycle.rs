//! Shifts from the first pay-in to the sealed day: drawers, blind ends, recounts, reports, the safe.

use serde_json::{Value, json};
use testkit::store::PASSWORD;
use testkit::{Client, Store, process};

fn open(till: &mut Client, float: i64) -> String {
    let shift = till.post("/api/shifts/open", &json!({"opening_float": float})).data(201);
    shift["shift_id"].as_str().unwrap().to_owned()
}

fn sell(till: &mut Client) -> i64 {
    let body = json!({"items": [{"sku": "8990001", "qty": 1, "price": 2000}]});
    let made = till.post("/api/pos/transactions", &body).data(201);
    let due = made["amount_due"].as_i64().unwrap();
    let path = format!("/api/pos/transactions/{}/pay", made["transaction_id"].as_str().unwrap());
    till.post(&path, &json!({"method": "cash", "amount": due})).data(200);
    due
}

fn moves(kind: &str, amount: i64) -> Value {
    json!({"type": kind, "amount": amount, "reason": "test"})
}

fn actions(manager: &mut Client, query: &str) -> Vec<String> {
    let list = manager.get(&format!("/api/audit{query}")).data(200);
    let items = list["items"].as_array().unwrap();
    items.iter().map(|entry| entry["action"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn cash_moves_and_adds_up_over_a_crash() {
    let mut store = Store::open();
    let (mut till, mut other, mut manager) =
        (store.login("till-1").at_register("till-1"), store.login("till-2"), store.login("manager"));
    let id = open(&mut till, 200_000);
    let path = format!("/api/shifts/{id}/cash-movements");
    let due = sell(&mut till);
    let moved = till.post(&path, &moves("pay_in", 50_000)).data(201);
    assert!(moved["cash_id"].as_str().unwrap().starts_with("csh_"), "{moved}");
    till.post(&path, &moves("pay_out", 15_000)).data(201);
    let mut drop = moves("drop", 120_000);
    drop["bag_no"] = json!("B-1");
    manager.post(&path, &drop).data(201);
    till.post(&path, &moves("no_sale", 0)).data(201);
    till.post(&path, &moves("no_sale", 5)).invalid_field("amount");
    till.post(&path, &moves("drop", 0)).invalid_field("amount");
    till.post(&path, &json!({"type": "drop", "amount": 1, "reason": " "})).invalid_field("reason");
    other.post(&path, &moves("drop", 1)).refused(403, "insufficient_role");
    other.get(&path).refused(403, "insufficient_role");
    other.get(&format!("/api/shifts/{id}")).refused(403, "insufficient_role");
    manager.post("/api/shifts/shf_nope/cash-movements", &moves("drop", 1)).refused(404, "not_found");
    store.kill9();
    store.start();
    let expected = 200_000 + due + 50_000 - 15_000 - 120_000;
    let summary = till.get(&format!("/api/shifts/{id}/summary")).data(200);
    assert_eq!(summary["cash"]["expected"], json!(expected), "{summary}");
    let first = till.get(&format!("{path}?limit=3")).data(200);
    let cursor = first["next_cursor"].as_str().unwrap();
    let rest = till.get(&format!("{path}?limit=3&cursor={cursor}")).data(200);
    let kinds = |page: &Value| {
        page["items"].as_array().unwrap().iter().map(|item| item["type"].clone()).collect::<Vec<_>>()
    };
    assert_eq!([kinds(&first), kinds(&rest)].concat(), ["no_sale", "drop", "pay_out", "pay_in"]);
    assert!(rest["next_cursor"].is_null(), "{rest}");
    assert_eq!(actions(&mut manager, "?action=drawer.opened"), ["drawer.opened"]);
    till.post(&format!("/api/shifts/{id}/close"), &json!({"counted_cash": expected})).data(200);
    till.post(&path, &moves("drop", 1)).refused(409, "invalid_state");
    store.stop();
    store.verify();
}

#[test]
fn a_blind_shift_is_ended_counted_approved_and_recounted() {
    let mut store = Store::open_with("shifts.blind = true\nshifts.variance_tolerance = 100\n", 2);
    let (mut till, mut manager) = (store.login("till-1").at_register("till-1"), store.login("manager"));
    let id = open(&mut till, 1_000);
    let due = sell(&mut till);
    let path = |what: &str| format!("/api/shifts/{id}{what}");
    assert!(till.get(&path("/summary")).data(200)["cash"].is_null(), "blind");
    assert_eq!(manager.get(&path("/summary")).data(200)["cash"]["expected"], json!(1_000 + due));
    let x = till.get(&path("/report"));
    assert!(
        x.status == 200 && x.text().starts_with("X REPORT") && !x.text().contains("Expected"),
        "{}",
        x.text()
    );
    assert!(manager.get(&path("/report")).text().contains("Expected"));
    let body = json!({"items": [{"sku": "8990001", "qty": 1, "price": 2000}]});
    let basket = till.post("/api/pos/transactions", &body).data(201);
    till.post(&path("/end"), &json!({})).refused(409, "shift_has_open_transactions");
    let pay = format!("/api/pos/transactions/{}/pay", basket["transaction_id"].as_str().unwrap());
    till.post(&pay, &json!({"method": "card", "amount": due})).data(200);
    manager
        .post(&path("/recounts"), &json!({"counted_cash": 1, "reason": "x"}))
        .refused(409, "invalid_state");
    assert_eq!(till.post(&path("/end"), &json!({})).data(200)["state"], "ended");
    till.post(&path("/end"), &json!({})).refused(409, "invalid_state");
    till.post("/api/pos/transactions", &body).refused(409, "invalid_state");
    // An ended shift survives a crash, and its own actor closes it.
    store.kill9();
    store.start();
    let close = path("/close");
    till.post(&close, &json!({"counted_cash": 1})).refused(403, "approval_required");
    let approval = |name: &str, password: &str| {
        json!({"counted_cash": 1, "denominations": [{"value": 1, "count": 1}],
            "approval": {"username": format!("{name}@s001.example"), "password": password}})
    };
    till.post(&close, &approval("till-2", testkit::store::PASSWORD)).refused(403, "approval_required");
    till.post(&close, &approval("manager", "wrong")).refused(403, "approval_refused");
    let closed = till.post(&close, &approval("manager", testkit::store::PASSWORD)).data(200);
    assert_eq!((&closed["shift"]["z_no"], &closed["shift"]["variance"]), (&json!(1), &json!(-due - 999)));
    assert!(closed["shift"]["approved_by"].is_string(), "{closed}");
    assert_eq!(till.get(&path("/summary")).data(200), closed, "the shift is no longer blind");
    till.post(&path("/recounts"), &json!({"counted_cash": 5, "reason": "x"}))
        .refused(403, "insufficient_role");
    manager
        .post(&path("/recounts"), &json!({"counted_cash": -5, "reason": "x"}))
        .invalid_field("counted_cash");
    let recounted = manager.post(&path("/recounts"), &json!({"counted_cash": 1_000 + due, "reason": "tray"}));
    let recounted = recounted.data(201);
    assert_eq!(recounted["counted_cash"], json!(1), "the first count is kept");
    assert_eq!(recounted["recounts"][0]["variance"], json!(0));
    let page = till.send("GET", &path("/report"), &[("Accept", "text/html")], b"");
    assert!(page.text().contains("<pre>Z REPORT") && page.text().contains("Recounted"), "{}", page.text());
    let found = actions(&mut manager, "?limit=2");
    assert_eq!(found, ["shift.recounted", "shift.variance_approved"]);
    assert!(actions(&mut manager, "?to=2001-01-01").is_empty());
    let mut all = Vec::new();
    let mut query = "?limit=1".to_owned();
    loop {
        let page = manager.get(&format!("/api/audit{query}")).data(200);
        all.extend(page["items"].as_array().unwrap().clone());
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        query = format!("?limit=1&cursor={cursor}");
    }
    let whole = manager.get("/api/audit?limit=500").data(200);
    assert_eq!(whole["items"], json!(all));
    till.get("/api/audit").refused(403, "insufficient_role");
    store.stop();
    store.verify();
}

#[test]
fn shifts_are_listed_and_numbered_till_by_till() {
    let store = Store::open();
    let (mut one, mut two) = (store.login("till-1").at_register("a"), store.login("till-2").at_register("b"));
    let mut manager = store.login("manager");
    for round in 1..=2 {
        for till in [&mut one, &mut two] {
            let id = open(till, 0);
            let closed = till.post(&format!("/api/shifts/{id}/close"), &json!({"counted_cash": 0})).data(200);
            assert_eq!(closed["shift"]["z_no"], json!(round), "one counter per register, without gaps");
        }
    }
    let last = open(&mut one, 0);
    let count = |client: &mut Client, query: &str| {
        client.get(&format!("/api/shifts{query}")).data(200)["items"].as_array().unwrap().len()
    };
    assert_eq!((count(&mut manager, ""), count(&mut one, ""), count(&mut two, "")), (5, 3, 2));
    assert_eq!((count(&mut manager, "?state=open"), count(&mut manager, "?state=closed")), (1, 4));
    assert_eq!((count(&mut manager, "?to=2001-01-01"), count(&mut manager, "?from=2001-01-01")), (0, 5));
    let first = manager.get("/api/shifts?limit=4").data(200);
    assert_eq!(first["items"][0]["shift_id"], json!(last), "newest first");
    let cursor = first["next_cursor"].as_str().unwrap();
    let rest = manager.get(&format!("/api/shifts?limit=4&cursor={cursor}")).data(200);
    assert_eq!((rest["items"].as_array().unwrap().len(), &rest["next_cursor"]), (1, &Value::Null));
    let whole = manager.get("/api/shifts").data(200);
    let pages = [first["items"].as_array().unwrap().as_slice(), rest["items"].as_array().unwrap()].concat();
    assert_eq!(whole["items"], json!(pages));
    let opened: Vec<&str> = pages.iter().map(|shift| shift["opened_at"].as_str().unwrap()).collect();
    assert!(opened.is_sorted_by(|a, b| a >= b), "{opened:?}");
    let today = pages[0]["business_date"].as_str().unwrap();
    assert_eq!(count(&mut manager, &format!("?from={today}&to={today}")), 5);
    assert_eq!(count(&mut manager, &format!("?from={today}&state=closed&limit=1")), 1);
    manager.get("/api/shifts?cursor=nope").refused(400, "invalid_cursor");
    manager.get("/api/shifts?from=yesterday").refused(400, "invalid_query");
    manager.get("/api/shifts/shf_nope/report").refused(404, "not_found");
}

#[test]
fn a_day_is_sealed_once_and_takes_no_more() {
    let mut store = Store::open();
    let (mut till, mut manager) = (store.login("till-1").at_register("till-1"), store.login("manager"));
    let id = open(&mut till, 200_000);
    let due = sell(&mut till);
    till.post(&format!("/api/shifts/{id}/cash-movements"), &moves("drop", 50_000)).data(201);
    let shift = till.get(&format!("/api/shifts/{id}")).data(200);
    let day = format!("/api/days/{}", shift["business_date"].as_str().unwrap());
    let seen = manager.get(&day).data(200);
    assert_eq!((&seen["state"], &seen["missing"][0]["shift_id"]), (&json!("open"), &json!(id)));
    assert_eq!((&seen["totals"]["total"], &seen["by_method"][0]["net"]), (&json!(due), &json!(due)));
    manager.post(&format!("{day}/seal"), &json!({})).refused(409, "invalid_state");
    manager.post("/api/days/2999-01-01/seal", &json!({})).refused(409, "invalid_state");
    // A sealed day without a shift is listed as well.
    manager.post("/api/days/2020-01-02/seal", &json!({})).data(200);
    let old = manager.get("/api/days?from=2020-01-01&to=2020-12-31").data(200)["items"].clone();
    assert_eq!((&old[0]["state"], &old[0]["shifts"], &old[1]), (&json!("sealed"), &json!([]), &json!(null)));
    manager.get("/api/days/today").refused(404, "not_found");
    till.get(&day).refused(403, "insufficient_role");
    till.post(&format!("{day}/seal"), &json!({})).refused(403, "insufficient_role");
    till.post(&format!("/api/shifts/{id}/close"), &json!({"counted_cash": 150_000})).data(200);
    let early = json!({"force": true, "reason": "closed early"});
    let sealed = manager.post(&format!("{day}/seal"), &early).data(200);
    assert_eq!(sealed["shift_ids"], json!([id]));
    let details = manager.post(&format!("{day}/seal"), &early).refused(409, "invalid_state");
    assert_eq!(details, json!({"state": "sealed", "allowed": ["unseal"]}));
    assert_eq!(manager.get(&day).data(200)["state"], "sealed");

    let deposit = json!({"amount": 60_000, "bag_no": "B-1", "bank_account": "BCA 1"});
    manager.post("/api/deposits", &deposit).invalid_field("amount");
    manager.post("/api/safe/opening", &json!({"amount": 200_000, "reason": "counted"})).data(200);
    manager.post("/api/deposits", &deposit).data(201);
    manager
        .post("/api/deposits", &json!({"amount": 0, "bag_no": "", "bank_account": "x"}))
        .invalid_field("bag_no");
    till.post("/api/deposits", &deposit).refused(403, "insufficient_role");
    let safe = manager.get("/api/safe").data(200);
    assert_eq!(safe["balance"], json!(50_000 + 150_000 - 60_000), "{safe}");
    assert_eq!(safe["deposits"].as_array().unwrap().len(), 1);
    let more = json!({"amount": 1_000, "bag_no": "B-2", "bank_account": "BCA 1"});
    manager.post("/api/deposits", &more).data(201);
    let safe = manager.get("/api/safe").data(200);
    assert_eq!((&safe["deposited"], &safe["deposits"][0]["bag_no"]), (&json!(61_000), &json!("B-2")));
    till.get("/api/safe").refused(403, "insufficient_role");
    let newest = ["cash.deposited", "cash.deposited", "safe.opened", "day.sealed"];
    assert_eq!(actions(&mut manager, "?limit=4"), newest);
    store.stop();
    store.verify();
}

#[test]
fn a_wrong_cash_document_is_reversed_by_another_that_names_it() {
    let mut store = Store::open();
    let (mut till, mut other, mut manager) =
        (store.login("till-1").at_register("till-1"), store.login("till-2"), store.login("manager"));
    till.post("/api/safe/opening", &json!({"amount": 1, "reason": "x"})).refused(403, "insufficient_role");
    manager.post("/api/safe/opening", &json!({"amount": 1, "reason": " "})).invalid_field("reason");
    let counted = |amount: i64| json!({"amount": amount, "reason": "counted"});
    assert_eq!(manager.post("/api/safe/opening", &counted(50)).data(200)["before"], Value::Null);
    assert_eq!(manager.post("/api/safe/opening", &counted(500_000)).data(200)["before"], json!(50));
    let id = open(&mut till, 200_000);
    assert_eq!(
        manager.get("/api/safe").data(200)["balance"],
        json!(300_000),
        "a float can't make the balance negative"
    );

    let path = format!("/api/shifts/{id}/cash-movements");
    let wrong = till.post(&path, &moves("pay_out", 150_000)).data(201);
    let undo = format!("{path}/{}/reverse", wrong["cash_id"].as_str().unwrap());
    let why = json!({"reason": "a zero too many"});
    till.post(&undo, &why).refused(403, "approval_required");
    other.post(&undo, &why).refused(403, "insufficient_role");
    till.post(&format!("{path}/csh_nope/reverse"), &why).refused(404, "not_found");
    let mut approved = why.clone();
    approved["approval"] = json!({"username": "manager@s001.example", "password": PASSWORD});
    let back = till.post(&undo, &approved).data(201);
    assert_eq!((&back["reverses"], &back["amount"]), (&wrong["cash_id"], &json!(-150_000)), "{back}");
    manager.post(&undo, &why).refused(409, "invalid_state");
    let again = format!("{path}/{}/reverse", back["cash_id"].as_str().unwrap());
    manager.post(&again, &why).refused(409, "invalid_state");
    let opened = till.post(&path, &moves("no_sale", 0)).data(201);
    let nothing = format!("{path}/{}/reverse", opened["cash_id"].as_str().unwrap());
    manager.post(&nothing, &why).refused(409, "invalid_state");
    let cash = till.get(&format!("/api/shifts/{id}/summary")).data(200)["cash"].clone();
    assert_eq!((&cash["pay_out"], &cash["expected"]), (&json!(0), &json!(200_000)));
    till.post(&format!("/api/shifts/{id}/close"), &json!({"counted_cash": 200_000})).data(200);
    manager.post(&undo, &why).refused(409, "invalid_state");

    let bag = json!({"amount": 60_000, "bag_no": "B-1", "bank_account": "BCA 1"});
    let wrong = manager.post("/api/deposits", &bag).data(201);
    let undo = format!("/api/deposits/{}/reverse", wrong["deposit_id"].as_str().unwrap());
    let back = manager.post(&undo, &why).data(201);
    assert_eq!((&back["reverses"], &back["amount"]), (&wrong["deposit_id"], &json!(-60_000)), "{back}");
    manager.post(&undo, &why).refused(409, "invalid_state");
    manager.post("/api/deposits/csh_nope/reverse", &why).refused(404, "not_found");
    store.kill9();
    store.start();
    manager.post(&undo, &why).refused(409, "invalid_state");
    let safe = manager.get("/api/safe").data(200);
    assert_eq!((&safe["balance"], &safe["deposited"]), (&json!(500_000), &json!(0)), "{safe}");
    for action in ["cash.reversed", "cash.deposit_reversed", "safe.opened"] {
        assert!(!actions(&mut manager, &format!("?action={action}")).is_empty(), "{action}");
    }
    store.stop();
    store.verify();
}

#[test]
fn a_shift_that_a_restore_interrupted_is_counted() {
    let mut store = Store::open();
    let mut till = store.login("till-1").at_register("till-1");
    let id = open(&mut till, 200_000);
    let due = sell(&mut till);
    let backup = store.folder().join("backup");
    process::succeed(store.command(&["backup", backup.to_str().unwrap()]), "");
    store.stop();
    store.move_data(store.folder().join("restored"));
    process::succeed(store.command(&["restore", backup.to_str().unwrap()]), "");
    store.start();
    let (mut till, mut manager) = (store.login("till-1").at_register("till-1"), store.login("manager"));
    let path = format!("/api/shifts/{id}");
    assert_eq!(manager.get(&path).data(200)["state"], json!("interrupted"));
    let closing = manager.post(&format!("{path}/close"), &json!({"counted_cash": 1}));
    assert_eq!(closing.refused(409, "invalid_state")["allowed"], json!(["recount"]));
    // The till sells again in the meantime and has the numbers.
    let next = open(&mut till, 0);
    let count = |cash: i64| json!({"counted_cash": cash, "reason": "after the restore"});
    let recounts = format!("{path}/recounts");
    let counted = manager.post(&recounts, &count(199_000 + due)).data(201);
    assert_eq!((&counted["state"], &counted["variance"]), (&json!("closed"), &json!(-1_000)), "{counted}");
    let again = manager.post(&recounts, &count(200_000 + due)).data(201);
    assert_eq!(again["recounts"][0]["variance"], json!(0), "{again}");
    let closed = till.post(&format!("/api/shifts/{next}/close"), &json!({"counted_cash": 0})).data(200);
    assert_eq!(closed["shift"]["z_no"], json!(1));
    store.kill9();
    store.start();
    assert_eq!(manager.get("/api/safe").data(200)["counted"], json!(200_000 + due));
    store.stop();
    store.verify();
}
