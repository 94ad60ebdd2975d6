//! The names in the contract: every object that it describes has all documented fields, and lists have their envelope.
//! Other programs depend on these names.

use crate::head_office::apply_feed;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use testkit::counter::{Counter, approved, basket, text};
use testkit::goods::{SKU, order};
use testkit::{Client, Store};

const TRANSACTION: &str = "transaction_id receipt_no state business_date occurred_at store_id register_id \
    shift_id cashier_id member_id items subtotal discount tax rounding total points_earned points_redeemed \
    payments amount_paid amount_due cash_due change refunded flags created_at paid_at voided_at void_reason note";
const LINE: &str = "line_no sku name qty price list_price discounts discount tax_rate_bp tax_code tax total \
    price_override returned_qty";
const DISCOUNT: &str = "source promotion_id amount reason";
const PAYMENT: &str = "payment_id method amount tendered change rounding reference state origin paid_at";
const HOLD: &str =
    "hold_id state transaction_id register_id note held_by held_at expires_at total item_count";
const RETURN: &str = "return_id receipt_no state transaction_id business_date items refund_total rounding tax \
    refunds points_reversed shift_id created_at";
const TILL_PRODUCT: &str = "sku name price tax_rate_bp category barcode on_hand updated_at";
const SHIFT: &str = "shift_id store_id register_id business_date overdue state opened_by opened_at \
    opening_float closed_by closed_at counted_cash expected_cash variance z_no note";
const SUMMARY: &str = "shift sales_count items_count gross_sales discounts tax net_sales returns_count \
    returns_total voids_count voids_total price_overrides by_method by_tax cash first_receipt last_receipt";
const METHOD: &str = "method sales_count sales refunds_count refunds net counted variance";
const CASH: &str = "opening_float sales refunds pay_in pay_out drops expected";
const STOCK: &str = "sku name on_hand reserved damaged available in_transit_in average_cost value \
    reorder_level updated_at";
const MOVEMENT: &str = "movement_id sku qty cost correction balance_after reason reference_type reference_id \
    unit_cost user_id at";
const MEMBER: &str =
    "member_id code name phone email birth_date tier state points_balance joined_at updated_at version";
const POINTS: &str = "member_id balance pending_sync lifetime_earned lifetime_redeemed entries next_cursor";
const ENTRY: &str = "at points reason reference_id balance_after";
const OPNAME_LINE: &str = "sku expected counted variance variance_value counted_by counted_at";
const HUB: &str = "configured state url last_success_at last_error next_attempt_at attempt";
const OUTBOX: &str = "pending oldest_pending_at last_seq acked_seq epoch head_hash parked fenced";
const ACTOR: &str = "name kind state restarts mailbox started_at last_failure children";

/// Asserts that every field is present, null or not.
#[track_caller]
fn has(what: &str, shown: &Value, names: &str) {
    let fields = shown.as_object().unwrap_or_else(|| panic!("{what}: no object: {shown}"));
    let known: BTreeSet<&str> = fields.keys().map(String::as_str).collect();
    let missing: Vec<&str> = names.split_whitespace().filter(|name| !known.contains(name)).collect();
    assert!(missing.is_empty(), "{what} has no {missing:?}: {shown}");
}

#[track_caller]
fn list(client: &mut Client, path: &str) -> Value {
    let page = client.get(path).data(200);
    assert_eq!(
        page.as_object().map(|fields| fields.contains_key("next_cursor")),
        Some(true),
        "{path}: {page}"
    );
    assert!(page["items"].is_array(), "{path}: {page}");
    page["items"][0].clone()
}

#[test]
fn the_answers_to_a_till_have_the_documented_names() {
    let mut counter = Counter::open();
    let joined =
        counter.till.post("/api/members", &json!({"name": "Siti", "phone": "081234567890"})).data(201);
    has("member", &joined, MEMBER);
    let member = text(&joined, "member_id");
    let items = json!([{"sku": SKU, "qty": 3, "price": 1_900, "discount": 5}]);
    let body =
        json!({"items": items, "member_id": member, "discount": 7, "discount_reason": "dented", "note": "n"});
    let made = counter.till.post("/api/pos/transactions", &body).data(201);
    let paid =
        counter.act(&made, "pay", &json!({"method": "cash", "amount": made["total"], "tendered": 99_000}));
    let paid = paid.data(200);
    for sale in [&made, &paid, &counter.read(&made), &list(&mut counter.till, "/api/pos/transactions")] {
        has("transaction", sale, TRANSACTION);
        has("line", &sale["items"][0], LINE);
        assert!(sale["items"][0].get("cost").is_none(), "cashiers must not see this: {sale}");
    }
    paid["items"][0]["discounts"].as_array().unwrap().iter().for_each(|part| has("discount", part, DISCOUNT));
    has("payment", &paid["payments"][0], PAYMENT);
    let path = format!("/api/pos/transactions/{}", text(&made, "transaction_id"));
    let seen = counter.manager.get(&path).data(200);
    has("a manager's line", &seen["items"][0], &format!("{LINE} cost"));
    let hold = counter.till.post("/api/pos/holds", &basket(&[(SKU, 1)])).data(201);
    has("hold", &hold, HOLD);
    has("hold", &list(&mut counter.till, "/api/pos/holds"), HOLD);
    let recall = format!("/api/pos/holds/{}/recall", text(&hold, "hold_id"));
    let recalled = counter.till.post(&recall, &json!({})).data(200);
    has("recalled", &recalled, &format!("{TRANSACTION} changes"));
    let voided = counter.act(&recalled, "void", &json!({"reason": "left"})).data(200);
    has("voided", &voided, &format!("{TRANSACTION} refunds"));
    let back = json!({"transaction_id": paid["transaction_id"], "items": [{"sku": SKU, "qty": 1, "reason": "torn"}]});
    let returned = counter.till.post("/api/pos/returns", &back).data(201);
    has("return", &returned, RETURN);
    has("return", &list(&mut counter.till, "/api/pos/returns"), RETURN);
    has("product", &list(&mut counter.till, "/api/pos/products"), TILL_PRODUCT);
    has("products", &counter.till.get("/api/pos/products?limit=1").data(200), "items next_cursor as_of");
    let points = counter.till.get(&format!("/api/members/{member}/points")).data(200);
    has("points", &points, POINTS);
    has("points entry", &points["entries"][0], ENTRY);
    has("found", &list(&mut counter.till, "/api/members/search?q=siti"), MEMBER);
    has("register", &list(&mut counter.manager, "/api/registers"), "register_id name state");
    let shift = counter.till.get("/api/shifts/current").data(200);
    has("shift", &shift, SHIFT);
    has("shift", &list(&mut counter.till, "/api/shifts"), SHIFT);
    let summary = counter.summary();
    has("summary", &summary, SUMMARY);
    has("method", &summary["by_method"][0], METHOD);
    has("cash", &summary["cash"], CASH);
    let close = format!("/api/shifts/{}/close", counter.shift_id);
    has("closed", &counter.till.post(&close, &approved(json!({"counted_cash": 0}))).data(200), SUMMARY);
}

#[test]
fn the_answers_to_the_stock_room_have_the_documented_names() {
    let mut store = Store::open();
    let mut staff = store.login("warehouse");
    let mut manager = store.login("manager");
    let received = json!({"lines": [{"sku": SKU, "qty": 9, "unit_cost": 1_000}]});
    let received = staff.post("/api/receiving", &received).data(201);
    has("receiving", &received, "receiving_id state po_id supplier_id delivery_note_no reference lines note");
    has("stock", &staff.get(&format!("/api/stock/{SKU}")).data(200), STOCK);
    has("stock", &list(&mut staff, "/api/stock"), STOCK);
    has("movement", &list(&mut staff, &format!("/api/stock/{SKU}/movements")), MOVEMENT);
    let sent = json!({"to_store_id": "S002", "lines": [{"sku": SKU, "qty": 2}]});
    has(
        "transfer",
        &staff.post("/api/transfers", &sent).data(201),
        "transfer_id state to_store_id lines note",
    );
    has(
        "transfer",
        &list(&mut staff, "/api/transfers?direction=out&state=in_transit"),
        "transfer_id state lines",
    );
    let lost = json!({"reason": "loss", "lines": [{"sku": SKU, "qty": -1}]});
    has(
        "adjustment",
        &staff.post("/api/adjustments", &lost).data(201),
        "adjustment_id state reason lines note",
    );
    let counting = staff.post("/api/opname", &json!({"scope": "skus", "skus": [SKU]})).data(201);
    has("opname", &counting, "opname_id state scope blind lines_total note");
    let path = format!("/api/opname/{}", text(&counting, "opname_id"));
    staff
        .post(&format!("{path}/counts"), &json!({"counts": [{"sku": SKU, "qty": 5, "zone": "shelf"}]}))
        .data(200);
    has("count", &manager.get(&path).data(200)["lines"][0], OPNAME_LINE);
    let supplier = json!({"supplier_id": "sup_1", "code": "A", "name": "A", "tax_id": null, "phone": null,
        "email": null, "address": null, "payment_terms_days": 30, "lead_time_days": 2, "state": "active", "updated_at": "2026-11-20T01:00:00.000Z"});
    let order = order("po_1", &[(SKU, 5, 1_000)]);
    apply_feed(&mut store, &json!({"supplier": supplier, "purchase_order": order}));
    has("supplier", &list(&mut staff, "/api/suppliers"), "supplier_id code name state");
    has("order", &list(&mut staff, "/api/purchase-orders"), "po_id supplier_id state lines");
    let one = staff.get("/api/purchase-orders/po_1").data(200);
    assert_eq!(one["supplier_name"], json!("A"));
    let line = &one["lines"][0];
    assert_eq!(
        (&line["name"], &line["limit_qty"], &line["left_qty"]),
        (&json!("Product 8990001"), &json!(5), &json!(5)),
        "{line}"
    );
    let part = json!({"po_id": "po_1", "lines": [{"sku": SKU, "qty": 3}]});
    staff.post("/api/receiving", &part).data(201);
    let line = &staff.get("/api/purchase-orders/po_1").data(200)["lines"][0];
    assert_eq!((&line["received_qty"], &line["left_qty"]), (&json!(3), &json!(2)), "{line}");
}

#[test]
fn the_answers_about_operation_have_the_documented_names() {
    let store = Store::open();
    let mut manager = store.login("manager");
    let health = store.client().get("/health").data(200);
    has("health", &health, "status component version store_id uptime_seconds hub actors");
    has("health.actors", &health["actors"], "running restarting");
    let reported = [&health["component"], &health["store_id"], &health["hub"], &health["status"]];
    assert_eq!(reported, ["store-router", "S001", "not_configured", "ok"], "{health}");
    let status = manager.get("/api/sync/status").data(200);
    has("sync", &status, "hub outbox inbound conflicts clock_skew_ms");
    has("sync.hub", &status["hub"], HUB);
    has("sync.outbox", &status["outbox"], OUTBOX);
    has("sync.inbound", &status["inbound"], "cursor last_change_at");
    has("sync.conflicts", &status["conflicts"], "total recent");
    let forced = manager.post("/api/sync/force", &json!({})).data(200);
    has("forced", &forced, "pushed acked_seq pulled completed error");
    let root = manager.get("/api/admin/actors").data(200)["root"].clone();
    let mut names = BTreeSet::new();
    actors(&root, &mut names);
    assert!(
        ["ledger", "outbox", "hub_connection", "members"].iter().all(|name| names.contains(*name)),
        "{names:?}"
    );
    has("me", &manager.get("/api/auth/me").data(200)["user"], "id name role store_id");
    let metrics = store.client().get("/metrics");
    assert!(
        metrics.status == 200
            && metrics.header("content-type").is_some_and(|kind| kind.starts_with("text/plain"))
    );
    let page = store.client().get("/docs");
    let outside = ["http://", "https://", "//cdn"].iter().any(|start| {
        page.text().contains(&format!("src=\"{start}")) || page.text().contains(&format!("href=\"{start}"))
    });
    assert!(page.status == 200 && !outside, "no external resources");
    let document = store.client().get("/api/openapi.json").json();
    assert!(
        document["openapi"].as_str().is_some_and(|version| version.starts_with("3.1")),
        "{}",
        document["openapi"]
    );
}

/// Asserts that every actor of the tree has its fields and a unique name.
fn actors(actor: &Value, names: &mut BTreeSet<String>) {
    has("actor", actor, ACTOR);
    assert!(names.insert(text(actor, "name")), "a duplicate name: {actor}");
    actor["children"].as_array().unwrap().iter().for_each(|child| actors(child, names));
}
