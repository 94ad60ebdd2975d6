//! Refusals by business rules.

use super::{Bench, one_line};
use serde_json::json;
use testkit::{Store, wait};

const SALES: &str = "/api/pos/transactions";

#[test]
fn unknown_things_are_not_found() {
    let mut bench = Bench::open();
    bench.unchanged_by(|bench| {
        let body = json!({"items": [
            {"sku": "8990001", "qty": 1, "price": 2000}, {"sku": "nope", "qty": 1, "price": 1}, {"sku": "nada", "qty": 1, "price": 1}
        ]});
        let details = bench.till.post(SALES, &body).refused(422, "unknown_sku");
        assert_eq!(details["skus"], json!(["nope", "nada"]));
        let received = json!({"lines": [{"sku": "nope", "qty": 1}]});
        bench.manager.post("/api/receiving", &received).refused(422, "unknown_sku");
        for id in ["trx_nope", "x", "%00", "%ff", "..", &"x".repeat(64), &"x".repeat(3_000)] {
            // An empty ID and one over the length limit are not valid path parameters.
            let is_parameter = !id.starts_with('%') && id.len() < 1_000;
            let code = if is_parameter { "not_found" } else { "path_not_found" };
            bench.till.get(&format!("{SALES}/{id}")).refused(404, code);
            let pay = json!({"method": "cash", "amount": 1});
            bench.till.post(&format!("{SALES}/{id}/pay"), &pay).refused(404, code);
            bench.manager.get(&format!("/api/stock/{id}")).refused(404, code);
            bench.manager.get(&format!("/api/stock/{id}/movements")).refused(404, code);
            bench.manager.get(&format!("/api/shifts/{id}/summary")).refused(404, code);
            bench.manager.post(&format!("/api/shifts/{id}/close"), &json!({"counted_cash": 0})).refused(404, code);
        }
        bench.store.login("till-2").get("/api/shifts/current").refused(404, "not_found");
        let mut admin = bench.store.login("admin");
        admin.post("/api/admin/actors/nobody/restart", &json!({})).refused(404, "not_found");
        let root = admin.get("/api/admin/actors").data(200)["root"]["name"].as_str().unwrap().to_owned();
        admin.post(&format!("/api/admin/actors/{root}/restart"), &json!({})).refused(409, "invalid_state");
    });
}

#[test]
fn payments_must_fit() {
    let mut bench = Bench::open();
    let id = bench.open_transaction();
    let pay = format!("{SALES}/{id}/pay");
    bench.unchanged_by(|bench| {
        for body in [
            json!({"method": "card", "amount": 2_221}),
            json!({"method": "cash", "amount": 2_221}),
            json!({"method": "cash", "amount": 2_220, "tendered": 2_219}),
            json!({"payments": [{"method": "card", "amount": 2_000}, {"method": "cash", "amount": 221}]}),
        ] {
            bench.till.post(&pay, &body).refused(422, "payment_mismatch");
        }
        for (body, status) in [
            (json!({"payments": []}), 422),
            (json!({"method": "card", "amount": 2_220, "tendered": 3_000}), 422),
            (json!({"method": "shells", "amount": 2_220}), 422),
            (json!({"method": "cash", "amount": 0}), 422),
            (json!({"method": "cash", "amount": -1}), 422),
            (json!({"method": "cash", "amount": i64::MAX}), 422),
            (json!({"method": "cash", "amount": 2_220, "tendered": i64::MAX}), 422),
            (json!({"method": "cash", "amount": 2_220, "change": 0}), 422),
            (json!({"payments": [{"method": "cash"}]}), 422),
            (json!({}), 422),
        ] {
            let reply = bench.till.post(&pay, &body);
            assert_eq!(reply.status, status, "{body}: {}", reply.text());
            let code = reply.json()["error"]["code"].as_str().unwrap().to_owned();
            reply.refused(status, &code);
            assert!(code == "validation_failed" || code == "payment_mismatch", "{body}: {code}");
        }
    });
    bench.till.post(&pay, &json!({"method": "card", "amount": 2_220})).data(200);
    bench.unchanged_by(|bench| {
        let details =
            bench.till.post(&pay, &json!({"method": "cash", "amount": 1})).refused(409, "invalid_state");
        assert_eq!(details["state"], json!("paid"), "{details}");
        assert!(details["allowed"].is_array(), "{details}");
    });
}

#[test]
fn shifts_open_once_and_close_clean() {
    let mut bench = Bench::open();
    let open = bench.open_transaction();
    let close = format!("/api/shifts/{}/close", bench.shift_id);
    let shift_id = bench.shift_id.clone();
    bench.unchanged_by(|bench| {
        let mut other = bench.store.login("till-2");
        let same_user = bench.till.post("/api/shifts/open", &json!({"register_id": "till-9"}));
        assert_eq!(same_user.refused(409, "shift_already_open")["shift_id"], json!(shift_id));
        let same_register = other.post("/api/shifts/open", &json!({"register_id": "till-1"}));
        assert_eq!(same_register.refused(409, "shift_already_open")["shift_id"], json!(shift_id));
        other.post(SALES, &one_line()).refused(409, "no_open_shift");
        let details =
            bench.till.post(&close, &json!({"counted_cash": 0})).refused(409, "shift_has_open_transactions");
        assert_eq!(details["transactions"], json!([open]));
        bench.till.post(&close, &json!({"counted_cash": -1})).invalid_field("counted_cash");
        bench.till.post(&close, &json!({})).invalid_field("counted_cash");
        bench.till.post("/api/shifts/open", &json!({"register_id": "a b"})).refused(422, "validation_failed");
    });
    let voided = bench.till.post(&close, &json!({"counted_cash": 0, "void_open": true})).data(200);
    assert_eq!(voided["shift"]["state"], json!("closed"));
    let shown = bench.till.get(&format!("{SALES}/{open}")).data(200);
    assert_eq!(shown["state"], json!("voided"), "{shown}");
    bench.till.get("/api/shifts/current").refused(404, "not_found");
    bench.till.post(SALES, &one_line()).refused(409, "no_open_shift");
    let mut named = one_line();
    named["shift_id"] = json!(shift_id);
    bench.till.post(SALES, &named).refused(409, "invalid_state");
    bench
        .till
        .post(&format!("{SALES}/{open}/pay"), &json!({"method": "cash", "amount": 2_220}))
        .refused(409, "invalid_state");
    bench.till.post(&close, &json!({"counted_cash": 0})).refused(409, "invalid_state");
    // Closing the shift does not void a partly paid sale.
    let mut till = bench.store.login("till-2").at_register("till-2");
    let shift = till.post("/api/shifts/open", &json!({})).data(201);
    let sale = till.post(SALES, &one_line()).data(201)["transaction_id"].as_str().unwrap().to_owned();
    till.post(&format!("{SALES}/{sale}/pay"), &json!({"method": "card", "amount": 20})).data(200);
    let close = format!("/api/shifts/{}/close", shift["shift_id"].as_str().unwrap());
    till.post(&close, &json!({"counted_cash": 0, "void_open": true}))
        .refused(409, "shift_has_open_transactions");
}

#[test]
fn goods_come_in_once_and_right() {
    let mut bench = Bench::open();
    let note = json!({"supplier_id": "sup_1", "delivery_note_no": "DN-7", "lines": [{"sku": "8990001", "qty": 5, "unit_cost": 1000}]});
    bench.manager.post("/api/receiving", &note).data(201);
    bench.unchanged_by(|bench| {
        bench.manager.post("/api/receiving", &note).refused(409, "duplicate");
        let line = |field: &str, value: serde_json::Value| {
            let mut body = json!({"lines": [{"sku": "8990001", "qty": 1, "unit_cost": 1000}]});
            body["lines"][0][field] = value;
            body
        };
        for (body, path) in [
            (line("qty", json!(-1)), "lines[0].qty"),
            (line("qty", json!("1")), "lines[0].qty"),
            (line("qty", json!(1_000_001)), "lines[0].qty"),
            (line("unit_cost", json!(-1)), "lines[0].unit_cost"),
            (line("rejected_qty", json!(-1)), "lines[0].rejected_qty"),
            (line("colour", json!("red")), "lines[0].colour"),
            (json!({"lines": []}), "lines"),
            (json!({"lines": [], "when": 1}), "when"),
        ] {
            bench.manager.post("/api/receiving", &body).invalid_field(path);
        }
    });
}

#[test]
fn a_store_may_refuse_to_sell_below_zero() {
    let store = Store::open_with("stock.negative = \"reject\"\n", 1);
    let mut till = store.login("till-1").at_register("till-1");
    till.post("/api/shifts/open", &json!({})).data(201);
    let receiving = json!({"lines": [{"sku": "8990001", "qty": 3}, {"sku": "8990002", "qty": 3}]});
    let mut manager = store.login("manager");
    manager.post("/api/receiving", &receiving).data(201);
    let body = json!({"items": [
        {"sku": "8990001", "qty": 3, "price": 2000}, {"sku": "8990002", "qty": 4, "price": 3000}, {"sku": "8990003", "qty": 1, "price": 12500}
    ]});
    let created = till.post(SALES, &body).data(201);
    let pay = format!("{SALES}/{}/pay", created["transaction_id"].as_str().unwrap());
    let details = till
        .post_keyed(&pay, "k", &json!({"method": "card", "amount": created["total"]}))
        .refused(409, "insufficient_stock");
    let short: Vec<_> = details["items"].as_array().unwrap().iter().map(|item| item["sku"].clone()).collect();
    assert_eq!(short, [json!("8990002"), json!("8990003")], "{details}");
    assert_eq!(manager.get("/api/stock/8990001").data(200)["on_hand"], json!(3));
    // The refused payment took no receipt number, and its key can be used again.
    manager
        .post(
            "/api/receiving",
            &json!({"lines": [{"sku": "8990002", "qty": 1}, {"sku": "8990003", "qty": 1}]}),
        )
        .data(201);
    let paid = till.post_keyed(&pay, "k", &json!({"method": "card", "amount": created["total"]})).data(200);
    assert_eq!(paid["receipt_no"], json!("S001-till-1-00000001"));
}

#[test]
fn a_full_disk_refuses_changes_and_still_reads() {
    let mut store = Store::prepare("", 1);
    store.start();
    let mut till = store.login("till-1").at_register("till-1");
    let mut manager = store.login("manager");
    till.post("/api/shifts/open", &json!({})).data(201);
    let sale = till.post(SALES, &one_line()).data(201)["transaction_id"].as_str().unwrap().to_owned();
    store.stop();
    store.set("storage.min_free_bytes = 9000000000000000000\n");
    store.spawn();
    let mut nobody = store.client();
    wait::until("the daemon answers", || nobody.try_send("GET", "/health", &[], b"").ok());
    let ready = nobody.get("/health/ready");
    assert_eq!(ready.status, 503, "{}", ready.text());
    till.post_keyed(SALES, "k", &one_line()).refused(507, "storage_full");
    let pay = json!({"method": "card", "amount": 2_220});
    till.post(&format!("{SALES}/{sale}/pay"), &pay).refused(507, "storage_full");
    assert_eq!(till.get(&format!("{SALES}/{sale}")).data(200)["state"], json!("open"));
    manager.get("/api/stock").data(200);
    store.stop();
    store.set("");
    store.start();
    till.post_keyed(SALES, "k", &one_line()).data(201);
    till.post(&format!("{SALES}/{sale}/pay"), &pay).data(200);
}
