//! The highest values that a store accepts, and the next higher ones: lines, bytes of a record, figures.

use serde_json::{Value, json};
use testkit::counter::{Counter, SALES, number, text};
use testkit::process;

const RETURNS: &str = "/api/pos/returns";

fn lines(count: usize) -> Value {
    json!(vec![json!({"sku": "8990001", "qty": 1, "price": 2_000}); count])
}

#[test]
fn five_hundred_lines_go_all_the_way_and_one_more_does_not_begin() {
    let mut counter = Counter::open();
    counter.till.post(SALES, &json!({"items": lines(501)})).invalid_field("items");
    counter.till.post("/api/pos/holds", &json!({"items": lines(501)})).invalid_field("items");
    let hold = counter.till.post("/api/pos/holds", &json!({"items": lines(500)})).data(201);
    let recall = format!("/api/pos/holds/{}/recall", text(&hold, "hold_id"));
    let made = counter.till.post(&recall, &json!({})).data(200);
    let patch = json!({"items": lines(501)}).to_string();
    let path = format!("{SALES}/{}", text(&made, "transaction_id"));
    counter.till.send("PATCH", &path, &[], patch.as_bytes()).invalid_field("items");
    let paid = counter.act(&made, "pay", &json!({"method": "card", "amount": made["total"]})).data(200);
    assert_eq!(paid["items"].as_array().unwrap().len(), 500);
    assert_eq!(counter.on_hand("8990001"), -400);
    let receipt = format!("/api/pos/receipts/{}", text(&paid, "receipt_no"));
    let printed = counter.till.send("GET", &receipt, &[("Accept", "text/plain")], b"");
    assert_eq!((printed.status, printed.text().lines().count() > 500), (200, true));
    let back = |count: i64| json!({"transaction_id": paid["transaction_id"], "items": [{"sku": "8990001", "qty": count}]});
    counter.till.post(RETURNS, &back(501)).refused(422, "return_exceeds_sold");
    let returned = counter.till.post(RETURNS, &back(500)).data(201);
    assert_eq!((&returned["refund_total"], counter.on_hand("8990001")), (&paid["total"], 100));

    let mut staff = counter.store.login("warehouse");
    let mut rows = String::from("sku,name,price,category,barcode,reorder_level,tax_rate_bp,cost\n");
    (0..501).for_each(|n| rows.push_str(&format!("many-{n},Many {n},1,,,0,,1\n")));
    let file = counter.store.write_file("many.csv", &rows);
    process::succeed(counter.store.command(&["import", "products", file.to_str().unwrap()]), "");
    let goods = |count: usize, line: Value| -> Value {
        let named = |n: usize| {
            let mut line = line.clone();
            line["sku"] = json!(format!("many-{n}"));
            line
        };
        (0..count).map(named).collect()
    };
    let received = |count| json!({"lines": goods(count, json!({"qty": 2, "unit_cost": 1}))});
    let found = |count| json!({"reason": "found", "lines": goods(count, json!({"qty": 2}))});
    let sent = |count| json!({"to_store_id": "S002", "lines": goods(count, json!({"qty": 1}))});
    staff.post("/api/receiving", &received(501)).invalid_field("lines");
    staff.post("/api/receiving", &received(500)).data(201);
    staff.post("/api/adjustments", &found(501)).invalid_field("lines");
    staff.post("/api/adjustments", &found(500)).data(201);
    staff.post("/api/transfers", &sent(501)).invalid_field("lines");
    staff.post("/api/transfers", &sent(500)).data(201);
    assert_eq!(counter.on_hand("many-499"), 3);
    let counts = |count: usize| json!({"counts": goods(count, json!({"qty": 3}))});
    let opname = staff.post("/api/opname", &json!({"scope": "all"})).data(201);
    let path = format!("/api/opname/{}/counts", text(&opname, "opname_id"));
    staff.post(&path, &counts(501)).invalid_field("counts");
    staff.post(&path, &counts(500)).data(200);
    assert!(number(&opname, "lines_total") > 500, "{opname}");
    counter.store.stop();
    counter.store.verify();
}

#[test]
fn a_document_has_to_fit_into_one_record() {
    let mut counter = Counter::open();
    let (sku, name) = ("s".repeat(64), "n".repeat(255));
    let header = "sku,name,price,category,barcode,reorder_level,tax_rate_bp,cost\n";
    let import = |counter: &Counter, sku: &str, name: &str| {
        let file = counter.store.write_file("long.csv", &format!("{header}{sku},{name},1000,,,0,1100,1\n"));
        counter.store.run(&["import", "products", file.to_str().unwrap()]).status.success()
    };
    assert!(!import(&counter, &"s".repeat(65), "short") && !import(&counter, "short", &"n".repeat(256)));
    assert!(import(&counter, &sku, &name));
    let basket = |count: usize| {
        let line = json!({"sku": sku, "qty": 1, "price": 1_000, "discount": 1});
        json!({"items": vec![line; count], "discount": count, "discount_reason": "r".repeat(60)})
    };
    let before = counter.manager.get("/api/sync/status").data(200)["outbox"].clone();
    counter.till.post(SALES, &basket(500)).invalid_field("items");
    counter.till.post("/api/pos/holds", &basket(500)).invalid_field("items");
    assert_eq!(counter.manager.get("/api/sync/status").data(200)["outbox"], before);
    let made = counter.till.post(SALES, &basket(100)).data(201);
    counter.act(&made, "pay", &json!({"method": "card", "amount": made["total"]})).data(200);
    counter.store.stop();
    counter.store.verify();
}

/// 2^53 − 1: the highest integer that every client can read exactly.
const MOST: i64 = 9_007_199_254_740_991;

#[test]
fn figures_end_where_a_page_can_no_longer_read_them() {
    let mut counter = Counter::open();
    // With 11 % on top, exactly the highest value: 8,114,593,923,190,082 + 892,605,331,550,909.
    let basket = |rest: i64| {
        json!({"items": [
            {"sku": "8990001", "qty": 8_114, "price": 1_000_000_000_000_i64},
            {"sku": "8990001", "qty": 1, "price": 593_923_190_000_i64},
            {"sku": "8990001", "qty": 1, "price": rest},
        ]})
    };
    counter.till.post(SALES, &basket(83)).refused(422, "validation_failed");
    let made = counter.till.post(SALES, &basket(82)).data(201);
    assert_eq!(made["total"], json!(MOST), "{made}");
    let paid = counter.act(&made, "pay", &json!({"method": "card", "amount": MOST})).data(200);
    assert_eq!((&paid["state"], &paid["amount_paid"]), (&json!("paid"), &json!(MOST)));
    // The shift's sums have reached their limit: the next sale is refused and changes nothing.
    let more = counter.basket(&[("8990011", 1)]);
    counter.act(&more, "pay", &json!({"method": "card", "amount": 1})).refused(422, "validation_failed");
    assert_eq!(counter.read(&more)["state"], json!("open"));
    counter.act(&more, "void", &json!({"reason": "no room"})).data(200);
    let back = json!({"transaction_id": paid["transaction_id"], "items": [{"sku": "8990001", "qty": 8_116}]});
    let returned = counter.till.post(RETURNS, &back).data(201);
    assert_eq!(returned["refund_total"], json!(MOST), "the whole sale is refunded");
    counter.store.stop();
    counter.store.verify();
}

#[test]
fn a_catalogue_row_is_checked_before_any_is_taken() {
    let counter = Counter::open();
    let header = "sku,name,price,category,barcode,reorder_level,tax_rate_bp,cost\n";
    let rows = format!("{header}good,Good,1,,,0,0,1\nbad,Bad,-1,,,0,0,1\n");
    let file = counter.store.write_file("mixed.csv", &rows);
    let output = process::run(counter.store.command(&["import", "products", file.to_str().unwrap()]), "");
    assert!(!output.status.success());
    counter.store.login("till-1").get("/api/pos/products/good").refused(404, "not_found");
}
