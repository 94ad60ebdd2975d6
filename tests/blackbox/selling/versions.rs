//! Two pages have the same basket open: neither overwrites changes of the other that it has not seen, and scans of both
//! count.

use serde_json::{Value, json};
use testkit::counter::{Counter, SALES, basket, text};
use testkit::{Client, Reply};

const ROUNDS: i64 = 50;

fn send(client: &mut Client, method: &str, path: &str, version: Option<&str>, body: &Value) -> Reply {
    let version = version.map(|version| format!("\"{version}\""));
    let headers: Vec<(&str, &str)> = version.iter().map(|version| ("If-Match", version.as_str())).collect();
    client.send(method, path, &headers, body.to_string().as_bytes())
}

/// Creates a basket of one line, and returns its path and its version.
fn opened(counter: &mut Counter) -> (String, String) {
    let made = counter.till.post(SALES, &basket(&[("8990001", 1)])).data(201);
    (format!("{SALES}/{}", text(&made, "transaction_id")), text(&made, "version"))
}

#[test]
fn a_change_of_a_basket_that_another_page_changed_is_refused() {
    let mut counter = Counter::open();
    let (path, read) = opened(&mut counter);
    let lines = format!("{path}/lines");
    let (mut here, mut there) = (counter.store.login("till-1"), counter.store.login("till-1"));
    assert_eq!(text(&there.get(&path).data(200), "version"), read);
    let first = send(&mut here, "PATCH", &path, Some(&read), &json!({"note": "one bag"})).data(200);
    let version = text(&first, "version");
    assert_ne!(version, read);
    for (method, path, body) in [
        ("PATCH", &path, json!({"note": "two bags"})),
        ("POST", &lines, json!({"sku": "8990001", "qty": 1})),
        ("PATCH", &format!("{lines}/1"), json!({"qty": 9})),
        ("DELETE", &format!("{lines}/1"), json!({})),
    ] {
        let details = send(&mut there, method, path, Some(&read), &body).refused(409, "version_conflict");
        assert_eq!(details, json!({"version": version}), "{method} {path}");
    }
    assert_eq!(there.get(&path).data(200), first);
    send(&mut there, "PATCH", &path, Some(&version), &json!({"note": "two bags"})).data(200);
    // A request without a version changes the basket whatever its version is.
    let last = send(&mut here, "PATCH", &path, None, &json!({"note": "three"})).data(200);
    assert_eq!(last["note"], json!("three"));
    for wrong in ["x", "W/\"x\"", "\"\"", "*"] {
        here.send("PATCH", &path, &[("If-Match", wrong)], b"{}").refused(400, "invalid_header");
    }
    let paid = counter.act(&last, "pay", &json!({"method": "card", "amount": last["total"]})).data(200);
    assert_eq!(paid.get("version"), None, "{paid}");
}

#[test]
fn each_scan_is_one_call_and_those_of_two_pages_all_count() {
    let mut counter = Counter::open();
    let (path, _) = opened(&mut counter);
    let lines = format!("{path}/lines");
    let scan = json!({"sku": "8990001", "qty": 1});
    std::thread::scope(|scope| {
        for mut page in [counter.store.login("till-1"), counter.store.login("till-1")] {
            scope.spawn({
                let (lines, scan) = (&lines, &scan);
                move || (0..ROUNDS).for_each(|_| drop(page.post(lines, scan).data(200)))
            });
        }
    });
    let after = counter.till.get(&path).data(200);
    assert_eq!(after["items"].as_array().unwrap().len(), 1, "{after}");
    assert_eq!(after["items"][0]["qty"], json!(1 + 2 * ROUNDS));
}

#[test]
fn a_line_is_added_changed_and_taken_off_as_the_whole_basket_would_be() {
    let mut counter = Counter::open();
    let (path, _) = opened(&mut counter);
    let lines = format!("{path}/lines");
    let till = &mut counter.till;
    till.post(&lines, &json!({"barcode": "89900030", "qty": 30})).data(200);
    let scanned = till.post(&lines, &json!({"barcode": "89900030", "qty": 6})).data(200);
    let line = &scanned["items"][1];
    assert_eq!((&line["qty"], &line["code"]), (&json!(36), &json!("89900030")), "{scanned}");
    // Another code makes another line, because the receipt shows how the pieces of this one were scanned.
    let apart = till.post(&lines, &json!({"sku": "8990003", "qty": 1})).data(200);
    assert_eq!(apart["items"].as_array().unwrap().len(), 3, "{apart}");
    let fewer = json!({"qty": 30, "discount": 500, "reason": "dented"});
    let changed = send(till, "PATCH", &format!("{lines}/2"), None, &fewer).data(200);
    assert_eq!((&changed["items"][1]["qty"], &changed["items"][1]["discount"]), (&json!(30), &json!(500)));
    // A line with a discount by hand gets no more pieces.
    let beside = till.post(&lines, &json!({"barcode": "89900030", "qty": 1})).data(200);
    assert_eq!(beside["items"].as_array().unwrap().len(), 4, "{beside}");
    let off = send(till, "DELETE", &format!("{lines}/3"), None, &json!({"reason": "twice"})).data(200);
    assert_eq!(off["items"].as_array().unwrap().len(), 3);
    let whole = json!({"items": off["items"].as_array().unwrap().iter().map(|line| {
        let discount = line["discounts"][0]["amount"].as_i64();
        json!({"sku": line["sku"], "qty": line["qty"], "discount": discount})
    }).collect::<Vec<_>>(), "discount_reason": "dented"});
    let same = send(till, "PATCH", &path, None, &whole).data(200);
    assert_eq!((&same["total"], &same["tax"]), (&off["total"], &off["tax"]));
    let log = counter.manager.get("/api/audit?action=transaction.line_removed").data(200);
    let reasons: Vec<&Value> =
        log["items"].as_array().unwrap().iter().map(|entry| &entry["details"]["reason"]).collect();
    assert_eq!(reasons, [&json!("twice"), &json!("dented")], "{log}");
    till.post(&lines, &json!({"barcode": "nothing", "qty": 1})).refused(422, "unknown_sku");
    till.post(&lines, &json!({"qty": 1})).invalid_field("sku");
    till.post(&lines, &json!({"sku": "8990001", "qty": 0})).invalid_field("qty");
    for line in ["0", "9", "x"] {
        send(till, "DELETE", &format!("{lines}/{line}"), None, &json!({})).refused(404, "not_found");
    }
    for _ in 0..2 {
        send(till, "DELETE", &format!("{lines}/2"), None, &json!({})).data(200);
    }
    send(till, "DELETE", &format!("{lines}/1"), None, &json!({})).invalid_field("line_no");
    counter.act(&same, "void", &json!({"reason": "left"})).data(200);
    counter.till.post(&lines, &json!({"sku": "8990001", "qty": 1})).refused(409, "invalid_state");
}
