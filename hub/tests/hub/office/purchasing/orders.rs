//! Orders with their steps and price lists, and the invoices and payments that follow.

use crate::office::finance_entries::{accountant, text};
use crate::support::server::{Api, PASSWORD, Place, Server};
use crate::support::shop::Shop;
use crate::sync::records::receiving;
use serde_json::{Value, json};

const ORDERS: &str = "/api/purchase-orders";
const INVOICES: &str = "/api/finance/invoices";
const PAYMENTS: &str = "/api/finance/payments";

/// Creates a supplier with terms, and product A.
async fn supplied(admin: &Api) -> String {
    let product = json!({"sku": "A", "name": "Tea", "price": 15_000});
    admin.post("/api/products", &product).await.data();
    let supplier = json!({"code": "TEA", "name": "Tea <b>Ltd</b>", "payment_terms_days": 30, "discount_days": 10,
        "discount_bp": 200, "price_tolerance_bp": 200, "min_order_total": 1_000_000});
    text(admin.post("/api/suppliers", &supplier).await.data(), "supplier_id")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_takes_its_price_from_the_list_and_is_revised_line_by_line() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let supplier_id = supplied(&admin).await;
    let list = format!("/api/suppliers/{supplier_id}/products");
    let wrong = admin.csv(&format!("{list}/import"), "sku,unit_cost\nA,9000\nB,1.5\n").await;
    assert_eq!(wrong.refusal(), "422 validation_failed");
    let read = admin
        .csv(&format!("{list}/import"), "sku;unit_cost;supplier_sku;pack_qty\r\nA;9.000;GT-<1>;24\r\n")
        .await;
    assert_eq!(read.data(), &json!({"rows": 1, "changed": 1}));
    let twice = admin.post(&list, &json!({"sku": "A", "unit_cost": 1})).await;
    assert_eq!(twice.refusal(), "409 duplicate");
    let new = json!({"supplier_id": supplier_id, "store_id": "S001", "lines": [{"sku": "A", "qty": 100}]});
    let order = admin.post(ORDERS, &new).await.data().clone();
    assert_eq!((&order["po_no"].as_str().unwrap()[..3], &order["total"]), ("PO-", &json!(900_000)));
    let codes: Vec<&Value> = order["warnings"].as_array().unwrap().iter().map(|one| &one["code"]).collect();
    assert_eq!(codes, ["not_a_pack", "below_min_order_total"]);
    let path = format!("{ORDERS}/{}", text(&order, "po_id"));
    for step in ["submit", "approve", "send"] {
        admin.post(&format!("{path}/{step}"), &json!({})).await.data();
    }
    let page = admin.text(&format!("{path}/document"), "text/html").await;
    assert!(page.contains("Tea &lt;b&gt;Ltd&lt;/b&gt;") && page.contains("GT-&lt;1&gt;"), "{page}");
    assert!(admin.text(&format!("{path}/document"), "text/plain").await.contains("Tea <b>Ltd</b>"));
    let page = admin.text(&format!("{path}/document?language=id"), "text/html").await;
    assert!(page.contains("<html lang=\"id\">") && page.contains("<th>Jumlah</th>"), "{page}");
    let text = admin.text(&format!("{path}/document?language=id"), "text/plain").await;
    assert!(text.starts_with("Pesanan pembelian PO-") && text.contains("Kirim ke: "), "{text}");
    let unknown = admin.get(&format!("{path}/document?language=fr")).await;
    assert_eq!(unknown.refusal(), "400 invalid_query");
    let revise = |revision: u32, qty: i64| {
        let lines = json!([{"line_no": 1, "sku": "A", "qty": qty}]);
        json!({"revision": revision, "lines": lines, "reason": "half is enough"})
    };
    let mut unlisted = revise(0, 50);
    unlisted["lines"] = json!([{"line_no": 1, "sku": "A", "qty": 50}, {"sku": "B", "qty": 1}]);
    let unlisted = admin.post(&format!("{path}/revise"), &unlisted).await;
    assert_eq!(unlisted.refusal(), "422 validation_failed", "the price list does not contain B");
    assert_eq!(unlisted.body["error"]["details"]["fields"][0]["path"], "lines[1].unit_cost");
    let stale = admin.post(&format!("{path}/revise"), &revise(7, 50)).await;
    assert_eq!(
        (stale.refusal().as_str(), &stale.body["error"]["details"]["revision"]),
        ("409 invalid_state", &json!(0))
    );
    let revised = admin.post(&format!("{path}/revise"), &revise(0, 50)).await.data().clone();
    assert_eq!((&revised["revision"], &revised["total"]), (&json!(1), &json!(450_000)));
    let kept = admin.get(&format!("{path}/revisions")).await.data().clone();
    assert_eq!(kept["items"][0]["order"]["total"], 900_000);
    let bare = admin.post(&format!("{path}/lines/1/close"), &json!({})).await;
    assert_eq!(bare.refusal(), "422 validation_failed");
    let closed = admin.post(&format!("{path}/lines/1/close"), &json!({"reason": "supplier is out"})).await;
    assert_eq!(
        (&closed.data()["state"], &closed.data()["lines"][0]["state"]),
        (&json!("received"), &json!("closed"))
    );
    let found = admin.get(&format!("{ORDERS}?sku=A&state=received")).await.data().clone();
    assert_eq!(found["items"].as_array().unwrap().len(), 1);
    drop(shop);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invoice_is_matched_approved_and_paid_and_2020_is_empty() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let supplier_id = supplied(&admin).await;
    let mut came: Value = serde_json::from_str(&receiving("S001", "A", 96, "evt_1")).unwrap();
    came["payload"]["receiving"]["supplier_id"] = json!(supplier_id);
    let (line, business_date) = (
        came["payload"]["receiving"]["lines"][0].clone(),
        text(&came["payload"]["receiving"], "business_date"),
    );
    let (cost, unit_cost) = (line["cost"].as_i64().unwrap(), line["unit_cost"].as_i64().unwrap());
    shop.chain().append(came.to_string());
    shop.push(&shop.batch(1, 1)).await.data();
    let finance = accountant(&server).await;
    let open = finance.get("/api/finance/uninvoiced").await.data().clone();
    assert_eq!((&open["items"][0]["open_qty"], &open["items"][0]["open_value"]), (&json!(96), &json!(cost)));
    let new = json!({"supplier_id": supplier_id, "invoice_no": "TEA-778", "invoice_date": business_date,
        "lines": [{"receiving_id": open["items"][0]["receiving_id"], "receiving_line_no": 1, "qty": 96,
            "unit_cost": unit_cost * 2, "tax_rate_bp": 1_100}]});
    let made = finance.post(INVOICES, &new).await.data().clone();
    let path = format!("{INVOICES}/{}", text(&made, "invoice_id"));
    let again = finance
        .post(
            INVOICES,
            &json!({"invoice_no": "tea 778", "supplier_id": supplier_id,
        "invoice_date": business_date, "lines": new["lines"]}),
        )
        .await;
    assert_eq!(again.refusal(), "409 duplicate");
    let disputed = finance.post(&format!("{path}/match"), &json!({})).await.data().clone();
    assert_eq!(disputed["state"], "disputed");
    assert_eq!(finance.post(&format!("{path}/approve"), &json!({})).await.refusal(), "409 invalid_state");
    let accept = json!({"accept": [{"line_no": 1, "type": "price_over", "reason": "price list of 15 Nov"}]});
    let matched = finance.post(&format!("{path}/match"), &accept).await.data().clone();
    assert_eq!(matched["state"], "matched");
    let approved = finance.post(&format!("{path}/approve"), &json!({})).await.data().clone();
    assert_eq!((&approved["state"], &approved["open"]), (&json!("approved"), &approved["total"]));
    assert_eq!(approved["lines"][0]["receipt_value"], cost);
    let left = finance.get("/api/finance/uninvoiced").await.data().clone();
    assert_eq!(left["items"], json!([]));
    let total = approved["total"].as_i64().unwrap();
    let pay = |amount: i64| {
        json!({"supplier_id": supplier_id, "date": business_date, "account": "1040",
        "amount": amount, "allocations": [{"invoice_id": approved["invoice_id"], "amount": total}]})
    };
    assert_eq!(finance.post(PAYMENTS, &pay(total - 1)).await.refusal(), "422 payment_mismatch");
    let paid = finance.post(PAYMENTS, &pay(total)).await.data().clone();
    let back = format!("{PAYMENTS}/{}/reverse", text(&paid, "payment_id"));
    finance.post(&back, &json!({"reason": "the bank sent it back"})).await.data();
    let again = finance.get(&path).await.data().clone();
    assert_eq!((&again["state"], &again["open"]), (&json!("approved"), &json!(total)));
    assert_eq!(finance.post(&back, &json!({"reason": "twice"})).await.refusal(), "409 invalid_state");
    finance.post(PAYMENTS, &pay(total)).await.data();
    assert_eq!(finance.get(&path).await.data()["state"], "paid");
    assert_eq!(finance.post(PAYMENTS, &pay(total)).await.refusal(), "422 payment_mismatch");
    assert_eq!(finance.get("/api/finance/payables").await.data()["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn low_stock_is_suggested_and_a_large_order_waits_for_an_administrator() {
    let place = Place::initialised().await;
    let config = std::fs::read_to_string(&place.config).unwrap();
    let set = "\n[purchasing]\napproval_limit = 95\nfour_eyes = true\n";
    std::fs::write(&place.config, config + set).unwrap();
    let server = Server::on(place).await;
    let _shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let person =
        |name: &str| json!({"username": name, "name": name, "role": "ho_purchasing", "password": PASSWORD});
    for name in ["ann", "ben"] {
        admin.post("/api/users", &person(name)).await.data();
    }
    let (ann, ben) = (server.api().login("ann", PASSWORD).await, server.api().login("ben", PASSWORD).await);
    for (sku, level) in [("A", json!(10)), ("B", json!(10)), ("C", json!(null))] {
        let product = json!({"sku": sku, "name": sku, "price": 20, "reorder_level": level});
        admin.post("/api/products", &product).await.data();
    }
    let supplier = ann.post("/api/suppliers", &json!({"code": "TEA", "name": "Tea"})).await.data().clone();
    let list = format!("/api/suppliers/{}/products", text(&supplier, "supplier_id"));
    ann.post(&list, &json!({"sku": "A", "unit_cost": 8, "pack_qty": 12})).await.data();
    let suggested = async || {
        let found = ann.get(&format!("{ORDERS}/suggestions?store_id=S001")).await.data().clone();
        let each = found["items"].as_array().unwrap().iter();
        let each = each.map(|one| json!([one["sku"], one["qty"], one["total"], one["problem"]]));
        each.collect::<Vec<Value>>()
    };
    assert_eq!(suggested().await, [json!(["B", 10, null, "no_supplier"]), json!(["A", 12, 96, null])]);
    let drafts =
        ann.post(&format!("{ORDERS}/suggestions"), &json!({"store_id": "S001"})).await.data().clone();
    assert_eq!(drafts["items"][0]["total"], 96);
    assert_eq!(suggested().await, [json!(["B", 10, null, "no_supplier"])], "there is a draft of it");
    let path = format!("{ORDERS}/{}", text(&drafts["items"][0], "po_id"));
    ann.post(&format!("{path}/submit"), &json!({})).await.data();
    let approve = format!("{path}/approve");
    assert_eq!(ben.post(&approve, &json!({})).await.refusal(), "403 approval_required", "above the limit");
    let less = json!({"lines": [{"sku": "A", "qty": 10}]});
    admin.post(&format!("{path}/reject"), &json!({"reason": "less"})).await.data();
    ann.patch(&path, &less).await.data();
    assert_eq!(
        ann.post(&approve, &json!({})).await.refusal(),
        "403 approval_required",
        "she wrote it herself"
    );
    let approved = ben.post(&approve, &json!({})).await.data().clone();
    assert_eq!((&approved["state"], &approved["approved_total"]), (&json!("approved"), &json!(80)));
    // Reopening a closed line raises the total of the order, so it needs an approval.
    ann.post(&format!("{path}/send"), &json!({})).await.data();
    let other =
        json!({"revision": 0, "reason": "another", "lines": [{"sku": "B", "qty": 8, "unit_cost": 10}]});
    assert_eq!(ann.post(&format!("{path}/revise"), &other).await.data()["total"], 80);
    let open = format!("{path}/lines/1/open");
    assert_eq!(ben.post(&open, &json!({})).await.refusal(), "403 approval_required");
    let both = admin.post(&open, &json!({})).await.data().clone();
    assert_eq!((&both["total"], &both["approved_total"]), (&json!(160), &json!(160)));
    let less = ben.post(&format!("{path}/lines/2/close"), &json!({"reason": "after all not"})).await;
    assert_eq!(less.data()["total"], 80);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_is_final_once_its_store_has_gone_past_it() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let supplier_id = supplied(&admin).await;
    let new = json!({"supplier_id": supplier_id, "store_id": "S001", "lines": [{"sku": "A", "qty": 10, "unit_cost": 10}]});
    let order = admin.post(ORDERS, &new).await.data().clone();
    let path = format!("{ORDERS}/{}", text(&order, "po_id"));
    for step in ["approve", "send"] {
        admin.post(&format!("{path}/{step}"), &json!({})).await.data();
    }
    let pulls = async |shop: &Shop, cursor: &str| {
        let path = format!("/api/sync/pull?lane=rest{cursor}");
        let page = shop.speak().get(&path).await.data().clone();
        format!("&cursor={}", page["next_cursor"].as_str().unwrap())
    };
    let sent = pulls(&shop, "").await;
    admin.post(&format!("{path}/cancel"), &json!({"reason": "too late"})).await.data();
    let cancelled = pulls(&shop, &sent).await;
    assert_eq!(
        admin.get(&path).await.data()["cancel_final"],
        false,
        "the order was sent, and the store may not have applied it"
    );
    pulls(&shop, &cancelled).await;
    assert_eq!(admin.get(&path).await.data()["cancel_final"], true);
    let mut came: Value = serde_json::from_str(&receiving("S001", "A", 4, "evt_1")).unwrap();
    came["payload"]["receiving"]["po_id"] = order["po_id"].clone();
    shop.chain().append(came.to_string());
    assert_eq!(shop.push(&shop.batch(1, 1)).await.data()["parked"], json!([]));
    let after = admin.get(&path).await.data().clone();
    assert_eq!((&after["state"], &after["lines"][0]["received_qty"]), (&json!("cancelled"), &json!(0)));
    let found = admin.get("/api/exceptions?code=order_cancelled_and_received").await.data()["items"].clone();
    assert_eq!((found.as_array().unwrap().len(), &found[0]["event_id"]), (1, &json!("evt_1")));
    assert_eq!(server.figure("SELECT qty FROM stock WHERE sku = 'A'").await, 4, "the goods are in stock");
}
