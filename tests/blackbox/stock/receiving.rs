//! Receipts: against an order, reversed, returned to the supplier.

use crate::head_office::apply_feed;
use serde_json::{Value, json};
use testkit::Store;
use testkit::audit::items;
use testkit::goods::{COST, OTHER, SKU, order, stock, text};

const PATH: &str = "/api/receiving";

fn against(po_id: &str, lines: Value) -> Value {
    json!({"po_id": po_id, "lines": lines})
}

#[test]
fn an_order_is_received_in_parts_line_by_line() {
    let mut store = Store::open_with("receiving.over_tolerance_bp = 1000\n", 1);
    let mut staff = store.login("warehouse");
    let supplier = json!({"supplier_id": "sup_1", "code": "TEA", "name": "Tea Traders", "tax_id": null,
        "phone": null, "email": null, "address": null, "payment_terms_days": 30, "lead_time_days": 4,
        "state": "active", "updated_at": "2026-11-20T01:00:00.000Z"});
    apply_feed(
        &mut store,
        &json!({"supplier": supplier, "purchase_order": order("po_1", &[(SKU, 100, 900), (OTHER, 4, 50)])}),
    );
    assert_eq!(staff.get("/api/suppliers").data(200)["items"], json!([supplier]));
    let made =
        staff.post(PATH, &against("po_1", json!([{"sku": SKU, "qty": 60, "rejected_qty": 4}]))).data(201);
    assert_eq!((&made["po_id"], &made["supplier_id"]), (&json!("po_1"), &json!("sup_1")), "{made}");
    assert_eq!(
        (&made["lines"][0]["unit_cost"], &made["lines"][0]["cost_missing"]),
        (&json!(900), &json!(false))
    );
    assert_eq!(stock(&mut staff, SKU), (60, 54_000));
    let open = items(&mut staff, "/api/purchase-orders");
    assert_eq!(
        (&open[0]["state"], &open[0]["lines"][0]["received_qty"]),
        (&json!("partially_received"), &json!(60))
    );
    staff.post(PATH, &against("po_1", json!([{"sku": SKU, "qty": 50, "unit_cost": 1000}]))).data(201);
    let over = against("po_1", json!([{"sku": OTHER, "qty": 1}, {"sku": SKU, "qty": 1}]));
    let details = staff.post(PATH, &over).refused(422, "over_receipt");
    let expected = json!({"path": "lines[1].qty", "sku": SKU, "limit": 110, "received_qty": 110, "left": 0,
        "requested": 1});
    assert_eq!(details, expected);
    assert_eq!(stock(&mut staff, OTHER).0, 0, "nothing was received");
    // More of one line does not compensate for the other.
    assert_eq!(items(&mut staff, "/api/purchase-orders?supplier_id=sup_1").len(), 1);
    assert_eq!(items(&mut staff, "/api/purchase-orders?supplier_id=sup_2").len(), 0);
    let last = staff.post(PATH, &against("po_1", json!([{"sku": OTHER, "qty": 4}]))).data(201);
    assert_eq!(items(&mut staff, "/api/purchase-orders").len(), 0, "the order is complete");
    assert_eq!(items(&mut staff, &format!("{PATH}?po_id=po_1")).len(), 3);
    // A reversed receipt makes the order open again, also after a restart.
    let reverse = format!("{PATH}/{}/reverse", text(&last, "receiving_id"));
    store.login("manager").post(&reverse, &json!({})).data(200);
    store.kill9();
    store.start();
    let mut staff = store.login("warehouse");
    assert_eq!(items(&mut staff, "/api/purchase-orders")[0]["lines"][1]["received_qty"], json!(0));
    let over = against("po_1", json!([{"sku": OTHER, "qty": 5}]));
    assert_eq!(staff.post(PATH, &over).refused(422, "over_receipt")["limit"], json!(4));
    store.stop();
    store.verify();
}

#[test]
fn an_order_that_is_not_open_here_is_refused() {
    let mut store = Store::open();
    let mut staff = store.login("warehouse");
    let line = || json!([{"sku": SKU, "qty": 1}]);
    staff.post(PATH, &against("po_1", line())).invalid_field("po_id");
    let mut other = order("po_far", &[(SKU, 5, 900)]);
    other["store_id"] = json!("S002");
    apply_feed(&mut store, &json!({"purchase_order": other}));
    staff.post(PATH, &against("po_far", line())).invalid_field("po_id");
    apply_feed(&mut store, &json!({"purchase_order": order("po_1", &[(SKU, 5, 900)])}));
    staff.post(PATH, &against("po_1", json!([{"sku": OTHER, "qty": 1}]))).invalid_field("lines[0].sku");
    let mut wrong = against("po_1", line());
    wrong["supplier_id"] = json!("sup_2");
    staff.post(PATH, &wrong).invalid_field("supplier_id");
    assert_eq!(stock(&mut staff, SKU).0, 0);
    staff.get("/api/purchase-orders?cursor=x").refused(400, "invalid_cursor");
    staff.get("/api/suppliers?limit=0").refused(400, "invalid_query");
}

#[test]
fn goods_that_nobody_waits_for_any_more_are_taken_in_all_the_same() {
    let mut store = Store::open();
    let mut staff = store.login("warehouse");
    let mut sent = order("po_1", &[(SKU, 5, 900), (OTHER, 4, 100)]);
    sent["lines"][0]["closed"] = json!(true);
    apply_feed(&mut store, &json!({"purchase_order": sent}));
    // A closed line has no limit; an open one keeps its own.
    let came = staff.post(PATH, &against("po_1", json!([{"sku": SKU, "qty": 7}]))).data(201);
    assert_eq!((&came["po_id"], &came["lines"][0]["unit_cost"]), (&json!("po_1"), &json!(900)));
    staff.post(PATH, &against("po_1", json!([{"sku": OTHER, "qty": 5}]))).refused(422, "over_receipt");
    for (place, state) in ["closed", "cancelled"].into_iter().enumerate() {
        let mut over = order("po_1", &[(SKU, 5, 900), (OTHER, 4, 100)]);
        over["state"] = json!(state);
        over["revision"] = json!(place + 1);
        apply_feed(&mut store, &json!({"purchase_order": over}));
        staff.post(PATH, &against("po_1", json!([{"sku": OTHER, "qty": 5}]))).data(201);
    }
    assert_eq!((stock(&mut staff, SKU).0, stock(&mut staff, OTHER).0), (7, 10));
    assert_eq!(items(&mut staff, "/api/purchase-orders"), Vec::<Value>::new(), "no order is open");
    store.stop();
    store.verify();
}

#[test]
fn a_receipt_taken_back_frees_its_delivery_note() {
    let mut store = Store::open();
    let (mut staff, mut manager) = (store.login("warehouse"), store.login("manager"));
    let body = |cost: i64| {
        json!({"supplier_id": "sup_1", "delivery_note_no": "DN-1",
            "lines": [{"sku": SKU, "qty": 5, "unit_cost": cost, "rejected_qty": 1}]})
    };
    store.receive_all(5);
    let made = staff.post(PATH, &body(1_400)).data(201);
    assert_eq!(stock(&mut staff, SKU), (10, 5 * COST + 7_000));
    staff.post(PATH, &body(1_400)).refused(409, "duplicate");
    let reverse = format!("{PATH}/{}/reverse", text(&made, "receiving_id"));
    staff.post(&reverse, &json!({})).refused(403, "insufficient_role");
    assert_eq!(manager.post(&reverse, &json!({})).data(200)["state"], json!("reversed"));
    assert_eq!(stock(&mut staff, SKU), (5, 6_500), "goods leave at their average cost");
    manager.post(&reverse, &json!({})).refused(409, "invalid_state");
    manager.post(&format!("{PATH}/rcv_nope/reverse"), &json!({})).refused(404, "not_found");
    staff.post(PATH, &body(1_400)).data(201);
    let listed = items(&mut staff, &format!("{PATH}?supplier_id=sup_1"));
    let states: Vec<_> = listed.iter().map(|receipt| receipt["state"].clone()).collect();
    assert_eq!(states, ["posted", "reversed"]);
    store.stop();
    store.verify();
}

#[test]
fn a_store_that_keeps_nothing_below_zero_takes_no_receipt_back_that_was_sold() {
    let store = Store::open_with("stock.negative = \"reject\"\n", 1);
    let mut manager = store.login("manager");
    let body = json!({"lines": [{"sku": SKU, "qty": 5, "unit_cost": 100}]});
    let made = manager.post(PATH, &body).data(201);
    let gone = json!({"reason": "sample", "lines": [{"sku": SKU, "qty": -1}]});
    manager.post("/api/adjustments", &gone).data(201);
    let reverse = format!("{PATH}/{}/reverse", text(&made, "receiving_id"));
    let details = manager.post(&reverse, &json!({})).refused(409, "insufficient_stock");
    assert_eq!(details["items"], json!([{"sku": SKU, "on_hand": 4, "requested": 5}]));
}

#[test]
fn goods_go_back_to_their_supplier_at_the_average() {
    let mut store = Store::open_with("stock.negative = \"reject\"\n", 1);
    store.receive_all(10);
    let mut staff = store.login("warehouse");
    const BACK: &str = "/api/supplier-returns";
    let body =
        |qty: i64| json!({"supplier_id": "sup_1", "lines": [{"sku": SKU, "qty": qty, "unit_cost": 1_500}]});
    let made = staff.post(BACK, &body(4)).data(201);
    assert_eq!((&made["claim"], &made["stock_cost"]), (&json!(6_000), &json!(4 * COST)));
    assert_eq!(stock(&mut staff, SKU), (6, 6 * COST));
    staff.post(BACK, &body(7)).refused(409, "insufficient_stock");
    staff.post(BACK, &body(0)).invalid_field("lines[0].qty");
    let unknown = json!({"supplier_id": "sup_1", "lines": [{"sku": "nope", "qty": 1}]});
    staff.post(BACK, &unknown).refused(422, "unknown_sku");
    let id = text(&made, "supplier_return_id");
    assert_eq!(staff.get(&format!("{BACK}/{id}")).data(200), made);
    assert_eq!(items(&mut staff, BACK), [made]);
    staff.get(&format!("{BACK}/srt_nope")).refused(404, "not_found");
    store.login("till-1").post(BACK, &body(1)).refused(403, "insufficient_role");
    store.stop();
    store.verify();
}

#[test]
fn a_delivery_that_is_typed_again_is_seen_however_its_note_is_spelt() {
    let store = Store::open_with("", 1);
    let mut staff = store.login("warehouse");
    let typed = |note: Option<&str>, supplier: Option<&str>| {
        json!({"supplier_id": supplier, "delivery_note_no": note,
            "lines": [{"sku": SKU, "qty": 12, "line_total": 100_000}]})
    };
    let first = staff.post(PATH, &typed(Some("SJ-001"), Some("sup_1"))).data(201);
    assert_eq!(first["warnings"], json!([]), "{first}");
    for note in ["sj 001", "SJ/001", " Sj.0-01", "SJ\u{2013}001", "sj_001", "#SJ001", "\u{ff33}\u{ff2a}001"] {
        let known = staff.post(PATH, &typed(Some(note.trim()), Some("sup_1"))).refused(409, "duplicate");
        assert_eq!(known["id"], first["receiving_id"], "{note}");
    }
    let again = staff.post(PATH, &typed(None, Some("sup_1"))).data(201);
    let warning = &again["warnings"][0];
    assert_eq!(
        (&warning["code"], &warning["document_id"]),
        (&json!("repeats_receipt"), &first["receiving_id"])
    );
    // Another delivery of the supplier, with its own delivery note.
    let other = staff.post(PATH, &typed(Some("SJ-002"), Some("sup_1"))).data(201);
    assert_eq!(
        other["warnings"][0]["document_id"], again["receiving_id"],
        "the receipt without a delivery note"
    );
    // The goods are valued at the price paid.
    assert_eq!(stock(&mut staff, SKU), (36, 300_000));
}
