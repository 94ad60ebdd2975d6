//! Suppliers, orders and transfers: documents that head office sends are received here, and the outcome is reported to
//! it.

use serde_json::{Value, json};
use testkit::audit::items;
use testkit::goods::{SKU, coming, stock};
use testkit::linked::Linked;
use testkit::simulated::Shop;
use testkit::{Client, wait};

const ORDERS: &str = "/api/purchase-orders";

/// Waits until head office's document is as expected, and returns it.
#[track_caller]
fn known(client: &mut Client, what: &str, path: &str, expected: impl Fn(&Value) -> bool) -> Value {
    wait::until(what, || {
        Some(client.get(path))
            .filter(|reply| reply.status == 200)
            .map(|reply| reply.data(200))
            .filter(&expected)
    })
}

#[test]
fn a_sent_order_is_received_here_and_head_office_learns_what_came() {
    let mut shop = Linked::open();
    let supplier = shop.made("/api/suppliers", &json!({"code": "TEA", "name": "Tea Traders"}));
    let order = json!({"supplier_id": supplier["supplier_id"], "store_id": "S001",
        "lines": [{"sku": SKU, "qty": 10, "unit_cost": 900}]});
    let order = shop.made(ORDERS, &order);
    let id = order["po_id"].as_str().unwrap().to_owned();
    let step = |shop: &mut Linked, step: &str| {
        shop.office.post(&format!("{ORDERS}/{id}/{step}"), &json!({})).data(200);
    };
    step(&mut shop, "approve");
    shop.synced();
    let mut staff = shop.store.login("warehouse");
    assert_eq!(items(&mut staff, ORDERS).len(), 0, "the store must not see an order that was not sent");
    step(&mut shop, "send");
    let listed = wait::until("the order is here", || items(&mut staff, ORDERS).pop());
    assert_eq!((&listed["po_id"], &listed["state"]), (&json!(id), &json!("sent")), "{listed}");
    assert_eq!(items(&mut staff, "/api/suppliers")[0]["name"], json!("Tea Traders"));

    // The order is stored in the store's rows, so receiving works without a connection.
    let before = stock(&mut staff, SKU);
    let mut hub_away = shop;
    hub_away.cut();
    let came = json!({"po_id": id, "lines": [{"sku": SKU, "qty": 4}]});
    let posted = staff.post("/api/receiving", &came).data(201);
    assert_eq!(posted["supplier_id"], supplier["supplier_id"]);
    assert_eq!(stock(&mut staff, SKU), (before.0 + 4, before.1 + 4 * 900), "at the order's cost");
    let over = json!({"po_id": id, "lines": [{"sku": SKU, "qty": 100}]});
    staff.post("/api/receiving", &over).refused(422, "over_receipt");
    let mut shop = hub_away;
    shop.hub.start();
    let path = format!("{ORDERS}/{id}");
    known(&mut shop.office, "head office has the receipt", &path, |order| {
        (&order["state"], &order["lines"][0]["received_qty"]) == (&json!("partially_received"), &json!(4))
    });
    step(&mut shop, "close");
    wait::until("the store no longer lists the order", || items(&mut staff, ORDERS).is_empty().then_some(()));
}

#[test]
fn goods_received_before_a_cancellation_arrived_win_over_it() {
    let mut shop = Linked::open();
    let supplier = shop.made("/api/suppliers", &json!({"code": "TEA", "name": "Tea Traders"}));
    let order = json!({"supplier_id": supplier["supplier_id"], "store_id": "S001",
        "lines": [{"sku": SKU, "qty": 10, "unit_cost": 900}]});
    let id = shop.made(ORDERS, &order)["po_id"].as_str().unwrap().to_owned();
    let path = format!("{ORDERS}/{id}");
    for step in ["approve", "send"] {
        shop.office.post(&format!("{path}/{step}"), &json!({})).data(200);
    }
    let mut staff = shop.store.login("warehouse");
    wait::until("the order is here", || items(&mut staff, ORDERS).pop());
    shop.cut();
    staff.post("/api/receiving", &json!({"po_id": id, "lines": [{"sku": SKU, "qty": 4}]})).data(201);
    shop.store.kill9();
    shop.hub.start();
    shop.office.post(&format!("{path}/cancel"), &json!({"reason": "found it cheaper"})).data(200);
    shop.store.start();
    let order = known(&mut shop.office, "head office has the receipt", &path, |order| {
        order["lines"][0]["received_qty"] == json!(4)
    });
    assert_eq!(order["state"], json!("partially_received"), "{order}");
    let exceptions = items(&mut shop.office, "/api/exceptions?state=open");
    assert_eq!(exceptions[0]["code"], json!("order_cancelled_and_received"), "{exceptions:?}");
    // The order is open again in its store too, until head office closes it.
    let mut staff = shop.store.login("warehouse");
    wait::until("the order is open here", || {
        let order = items(&mut staff, ORDERS).pop()?;
        (order["state"] == json!("partially_received")).then_some(())
    });
    shop.office.post(&format!("{path}/close"), &json!({})).data(200);
    wait::until("the store no longer lists the order", || items(&mut staff, ORDERS).is_empty().then_some(()));
}

/// Returns the payload of a transfer's record, in which `moved` pieces are moved on its line.
pub(super) fn reported(transfer: &Value, moved: i64) -> Value {
    json!({"business_date": "2026-11-20", "transfer": transfer,
        "lines": [{"line_no": 1, "balance_after": 0, "cost": moved * 1_000, "correction": 0, "qty": moved}]})
}

#[test]
fn a_transfer_arrives_is_received_and_its_outcome_goes_back() {
    let mut shop = Linked::open();
    let mut far = Shop::open(&shop.hub, "S002");
    far.tells("transfer.sent", "evt_sent", &reported(&coming("trf_far", 8), -8));
    let path = "/api/transfers/trf_far";
    let mut staff = shop.store.login("warehouse");
    known(&mut staff, "the transfer is here", path, |transfer| transfer["state"] == json!("in_transit"));
    let before = stock(&mut staff, SKU);
    staff.post(&format!("{path}/receive"), &json!({"lines": [{"sku": SKU, "qty": 6}]})).data(200);
    assert_eq!(stock(&mut staff, SKU), (before.0 + 6, before.1 + 6_000));
    shop.synced();
    let heard = wait::until("the sending store learns of the receipt", || {
        let changes = far.hears("rest");
        changes.into_iter().rfind(|change| change["id"] == json!("trf_far"))
    });
    assert_eq!(
        (&heard["payload"]["state"], &heard["payload"]["lines"][0]["received_qty"]),
        (&json!("received"), &json!(6))
    );
    // Pieces that the sender resolves as found here are added to stock here.
    let mut settled = heard["payload"].clone();
    settled["lines"][0]["resolved"] = json!([{"resolution": "found_at_destination", "qty": 2, "cost": 2_000,
        "user_id": "usr_far", "at": "2026-11-20T04:00:00.000Z"}]);
    far.tells("transfer.resolved", "evt_resolved", &reported(&settled, 0));
    wait::until("the pieces are in stock", || (stock(&mut staff, SKU).0 == before.0 + 8).then_some(()));
}

/// Sends five pieces to the other store. Returns the ID of the transfer and its document as the other store receives
/// it.
fn sent(shop: &mut Linked, staff: &mut Client, far: &mut Shop) -> (String, Value) {
    shop.synced();
    let body = json!({"to_store_id": "S002", "lines": [{"sku": SKU, "qty": 5}]});
    let id = staff.post("/api/transfers", &body).data(201)["transfer_id"].as_str().unwrap().to_owned();
    shop.synced();
    let down = far.hears("rest").into_iter().rfind(|change| change["id"] == json!(id)).expect("the transfer");
    (id, down["payload"].clone())
}

#[test]
fn goods_are_sent_only_to_stores_that_head_office_knows() {
    let mut shop = Linked::open();
    let mut far = Shop::open(&shop.hub, "S002");
    let mut staff = shop.store.login("warehouse");
    shop.synced();
    let before = stock(&mut staff, SKU);
    let to = |store: &str, draft: bool| json!({"to_store_id": store, "lines": [{"sku": SKU, "qty": 5}], "draft": draft});
    for draft in [false, true] {
        staff.post("/api/transfers", &to("S404", draft)).invalid_field("to_store_id");
    }
    assert_eq!(stock(&mut staff, SKU), before, "no pieces left the stock");
    staff.post("/api/transfers", &to("S002", false)).data(201);
    let draft = staff.post("/api/transfers", &to("S002", true)).data(201);
    shop.office.post("/api/stores/S002/disable", &json!({})).data(200);
    shop.synced();
    staff.post("/api/transfers", &to("S002", false)).invalid_field("to_store_id");
    let send = format!("/api/transfers/{}/send", draft["transfer_id"].as_str().unwrap());
    staff.post(&send, &json!({})).invalid_field("to_store_id");
    shop.office.post("/api/stores/S002/enable", &json!({})).data(200);
    shop.synced();
    staff.post(&send, &json!({})).data(200);
    // The store acted without knowing of the cancellation. Its action stays, and a conflict is reported.
    let mut nowhere = coming("trf_nowhere", 3);
    nowhere["to_store_id"] = json!("S404");
    far.tells("transfer.sent", "evt_nowhere", &reported(&nowhere, -3));
    let exceptions = items(&mut shop.office, "/api/exceptions?code=transfer_to_unknown_store");
    assert_eq!(exceptions[0]["details"]["to_store_id"], json!("S404"), "{exceptions:?}");
}

#[test]
fn a_document_names_only_suppliers_that_head_office_knows() {
    let mut shop = Linked::open();
    let mut staff = shop.store.login("warehouse");
    let lines = json!([{"sku": SKU, "qty": 2, "unit_cost": 900}]);
    let from = |supplier: &Value| json!({"supplier_id": supplier, "lines": lines});
    let back = |supplier: &Value| json!({"supplier_id": supplier, "lines": [{"sku": SKU, "qty": 1}]});
    staff.post("/api/receiving", &from(&json!("sup_own"))).data(201);
    let supplier = shop.made("/api/suppliers", &json!({"code": "TEA", "name": "Tea"}))["supplier_id"].clone();
    shop.synced();
    staff.post("/api/receiving", &from(&json!("sup_own"))).invalid_field("supplier_id");
    shop.manager.post("/api/supplier-returns", &back(&json!("sup_own"))).invalid_field("supplier_id");
    staff.post("/api/receiving", &from(&supplier)).data(201);
    shop.manager.post("/api/supplier-returns", &back(&supplier)).data(201);
    staff.post("/api/receiving", &json!({"lines": lines})).data(201);
}

#[test]
fn goods_outside_the_catalogue_are_in_every_stock_list_and_reported_to_head_office() {
    let mut shop = Linked::open();
    let mut far = Shop::open(&shop.hub, "S002");
    let mut staff = shop.store.login("warehouse");
    let figures = |shop: &mut Linked| {
        let report = shop.manager.get("/api/reports/stock").data(200);
        let valuation = shop.manager.get("/api/stock/valuation").data(200);
        assert_eq!(report["totals"]["value"], valuation["total_value"], "{report} {valuation}");
        (report["totals"]["on_hand"].as_i64().unwrap(), report["totals"]["value"].as_i64().unwrap())
    };
    let before = figures(&mut shop);
    let mut strange = coming("trf_strange", 8);
    (strange["lines"][0]["sku"], strange["lines"][0]["name"]) = (json!("8995555"), json!("Lamp"));
    far.tells("transfer.sent", "evt_strange", &reported(&strange, -8));
    let exceptions = items(&mut shop.office, "/api/exceptions?code=transfer_of_unknown_products");
    assert_eq!(exceptions[0]["details"]["skus"], json!(["8995555"]), "{exceptions:?}");
    let path = "/api/transfers/trf_strange";
    known(&mut staff, "the transfer is here", path, |transfer| transfer["state"] == json!("in_transit"));
    staff.post(&format!("{path}/receive"), &json!({"lines": [{"sku": "8995555", "qty": 8}]})).data(200);
    let listed = |staff: &mut Client| {
        let all = items(staff, "/api/stock");
        let found = all.iter().find(|item| item["sku"] == json!("8995555")).cloned();
        let found = found.unwrap_or_else(|| panic!("the product is not listed: {all:?}"));
        assert_eq!(staff.get("/api/stock/8995555").data(200), found);
        found
    };
    let seen = listed(&mut staff);
    assert_eq!((&seen["on_hand"], &seen["value"]), (&json!(8), &json!(8_000)), "{seen}");
    assert_eq!(seen["in_catalogue"], json!(false), "{seen}");
    assert_eq!(items(&mut staff, "/api/stock/8995555/movements").len(), 1);
    assert_eq!(figures(&mut shop), (before.0 + 8, before.1 + 8_000));
    // Once head office has the product, it is treated like any other.
    shop.made("/api/products", &json!({"sku": "8995555", "name": "Lamp", "price": 5_000}));
    shop.priced("8995555", 5_000);
    let seen = listed(&mut staff);
    assert_eq!((&seen["name"], &seen["in_catalogue"]), (&json!("Lamp"), &json!(true)), "{seen}");
    assert_eq!(figures(&mut shop), (before.0 + 8, before.1 + 8_000));
}

#[test]
fn the_receipt_of_another_store_reaches_the_sender() {
    let mut shop = Linked::open();
    let mut far = Shop::open(&shop.hub, "S002");
    let mut staff = shop.store.login("warehouse");
    let (id, mut there) = sent(&mut shop, &mut staff, &mut far);
    there["state"] = json!("received");
    (there["received_by"], there["received_at"]) = (json!("usr_far"), json!("2026-11-20T03:00:00.000Z"));
    there["lines"][0]["received_qty"] = json!(3);
    there["lines"][0]["in_cost"] = json!(3_600);
    far.tells("transfer.received", "evt_received", &reported(&there, 3));
    let path = format!("/api/transfers/{id}");
    let seen =
        known(&mut staff, "the sender sees it", &path, |transfer| transfer["state"] == json!("received"));
    assert_eq!(seen["discrepancies"][0]["qty"], json!(2), "{seen}");
}

#[test]
fn an_invalid_record_is_listed_and_does_not_block_others() {
    let mut shop = Linked::open();
    let mut far = Shop::open(&shop.hub, "S002");
    // The other store reports more pieces than were sent, which the sender can't apply.
    let mut staff = shop.store.login("warehouse");
    let (id, mut there) = sent(&mut shop, &mut staff, &mut far);
    (there["state"], there["lines"][0]["received_qty"]) = (json!("received"), json!(50));
    (there["received_by"], there["received_at"]) = (json!("usr_far"), json!("2026-11-20T03:00:00.000Z"));
    far.tells("transfer.received", "evt_over", &reported(&there, 50));
    let status = shop
        .seen("it is named", "/api/sync/status", |status| status["inbound"]["untaken"]["total"] == json!(1));
    let record = &status["inbound"]["untaken"]["records"][0];
    assert_eq!((&record["kind"], &record["id"]), (&json!("transfer"), &json!(id)), "{status}");
    assert_eq!(staff.get(&format!("/api/transfers/{id}")).data(200)["state"], json!("in_transit"));
    // The feed continues after this record.
    shop.made("/api/suppliers", &json!({"code": "NEXT", "name": "Next"}));
    wait::until("the next record", || (!items(&mut staff, "/api/suppliers").is_empty()).then_some(()));
}
