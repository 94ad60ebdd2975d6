//! Transfers: drafted, sent, cancelled, received with missing pieces, resolved.

use crate::head_office::apply_feed;
use serde_json::{Value, json};
use testkit::Store;
use testkit::audit::items;
use testkit::goods::{COST, OTHER, SKU, arrived, coming, stock, text};

const PATH: &str = "/api/transfers";

fn shop(extra: &str) -> Store {
    let store = Store::open_with(extra, 1);
    store.receive_all(10);
    store
}

fn to_the_other(qty: i64) -> Value {
    json!({"to_store_id": "S002", "lines": [{"sku": SKU, "qty": qty}]})
}

#[test]
fn goods_leave_at_once_or_when_a_draft_is_sent_and_come_back_when_called_off() {
    let mut store = shop("");
    let mut staff = store.login("warehouse");
    let mut draft = to_the_other(4);
    draft["draft"] = json!(true);
    let draft = staff.post(PATH, &draft).data(201);
    assert_eq!(draft["state"], json!("draft"));
    assert_eq!(stock(&mut staff, SKU).0, 10, "a draft moves no stock");
    let id = text(&draft, "transfer_id");
    let details =
        staff.post(&format!("{PATH}/{id}/receive"), &json!({"lines": []})).refused(404, "not_found");
    assert_eq!(details, json!({"what": "transfer"}), "the draft is not for this store");
    let sent = staff.post(&format!("{PATH}/{id}/send"), &json!({})).data(200);
    assert_eq!((&sent["state"], &sent["in_transit_value"]), (&json!("in_transit"), &json!(4 * COST)));
    assert_eq!(stock(&mut staff, SKU), (6, 6 * COST));
    staff.post(&format!("{PATH}/{id}/send"), &json!({})).refused(409, "invalid_state");
    let cancelled = staff.post(&format!("{PATH}/{id}/cancel"), &json!({})).data(200);
    assert_eq!(cancelled["state"], json!("cancelled"));
    assert_eq!(stock(&mut staff, SKU), (10, 10 * COST));
    staff.post(&format!("{PATH}/{id}/cancel"), &json!({})).refused(409, "invalid_state");
    staff.post(PATH, &to_the_other(1)).data(201);
    assert_eq!(items(&mut staff, &format!("{PATH}?direction=out&state=in_transit")).len(), 1);
    assert_eq!(items(&mut staff, &format!("{PATH}?direction=in")).len(), 0);
    assert_eq!(staff.get(&format!("{PATH}/{id}")).data(200), cancelled);
    store.stop();
    store.verify();
}

#[test]
fn a_carton_and_single_pieces_of_one_product_are_one_line() {
    let mut store = shop("");
    let barcodes = json!({"barcodes": [{"code": "8991234500164", "pack_qty": 1}, {"code": "8991234500171", "pack_qty": 6}]});
    let headers = [("Content-Type", "application/json")];
    let product = format!("/api/products/{SKU}");
    let mut admin = store.login("admin");
    admin.send("PATCH", &product, &headers, barcodes.to_string().as_bytes()).data(200);
    let mut staff = store.login("warehouse");
    let scans = json!([{"code": "8991234500171", "qty": 1}, {"sku": OTHER, "qty": 1},
        {"code": "8991234500164", "qty": 2}]);
    let sent = staff.post(PATH, &json!({"to_store_id": "S002", "lines": scans})).data(201);
    let lines: Vec<_> =
        sent["lines"].as_array().unwrap().iter().map(|line| (&line["sku"], &line["qty"])).collect();
    assert_eq!(lines, [(&json!(SKU), &json!(8)), (&json!(OTHER), &json!(1))]);
    assert_eq!(stock(&mut staff, SKU).0, 2);
    // Arriving goods are scanned in the same way.
    apply_feed(&mut store, &json!({"transfer": coming("trf_far", 8)}));
    let scans = json!([{"code": "8991234500164", "qty": 1}, {"code": "8991234500171", "qty": 1}]);
    let mut staff = store.login("warehouse");
    let came = staff.post(&format!("{PATH}/trf_far/receive"), &json!({"lines": scans})).data(200);
    assert_eq!(came["lines"][0]["received_qty"], json!(7), "{came}");
    assert_eq!(stock(&mut staff, SKU).0, 9);
}

#[test]
fn arrived_goods_are_received_once_and_the_rest_stays_with_the_sender() {
    let mut store = shop("");
    let mut staff = store.login("warehouse");
    apply_feed(&mut store, &json!({"transfer": coming("trf_far", 8)}));
    assert_eq!(staff.get(&format!("/api/stock/{SKU}")).data(200)["in_transit_in"], json!(8));
    let listed = items(&mut staff, &format!("/api/stock?q={SKU}"));
    assert_eq!(listed[0]["in_transit_in"], json!(8));
    assert_eq!(items(&mut staff, &format!("{PATH}?direction=in&state=in_transit")).len(), 1);
    let receive = format!("{PATH}/trf_far/receive");
    let lines = |sku: &str, qty: i64| json!({"lines": [{"sku": sku, "qty": qty}]});
    let details = staff.post(&receive, &lines(SKU, 9)).refused(422, "over_receipt");
    let expected = json!({"path": "lines[0].qty", "sku": SKU, "limit": 8, "received_qty": 0, "left": 8,
        "requested": 9});
    assert_eq!(details, expected);
    staff.post(&receive, &lines(OTHER, 1)).invalid_field("lines[0].sku");
    staff.post(&receive, &lines(SKU, -1)).invalid_field("lines[0].qty");
    staff.post(&format!("{PATH}/trf_far/cancel"), &json!({})).invalid_field("transfer_id");
    let received = staff.post(&receive, &lines(SKU, 6)).data(200);
    assert_eq!(received["state"], json!("received"));
    let missing = json!([{"sku": SKU, "qty": 2, "resolution": "pending", "resolved_at": null}]);
    assert_eq!(received["discrepancies"], missing);
    assert_eq!(stock(&mut staff, SKU), (16, 10 * COST + 6_000));
    assert_eq!(staff.get(&format!("/api/stock/{SKU}")).data(200)["in_transit_in"], json!(0));
    staff.post(&receive, &lines(SKU, 2)).refused(409, "invalid_state");
    // The sender's manager resolves a piece as found here: it is added to stock once, when the record of head office
    // comes.
    let mut settled = coming("trf_far", 8);
    settled["state"] = json!("received");
    settled["lines"][0]["received_qty"] = json!(6);
    settled["lines"][0]["in_cost"] = json!(6_000);
    settled["lines"][0]["resolved"] = json!([{"resolution": "found_at_destination", "qty": 1, "cost": 1_000,
        "user_id": "usr_far", "at": "2026-11-20T04:00:00.000Z"}]);
    for _ in 0..2 {
        apply_feed(&mut store, &json!({"transfer": settled}));
        assert_eq!(stock(&mut staff, SKU), (17, 10 * COST + 7_000));
    }
    store.stop();
    store.verify();
}

#[test]
fn one_that_the_sender_called_off_is_received_no_more() {
    let mut store = shop("");
    let mut staff = store.login("warehouse");
    apply_feed(&mut store, &json!({"transfer": coming("trf_far", 8)}));
    let mut cancelled = coming("trf_far", 8);
    cancelled["state"] = json!("cancelled");
    cancelled["cancelled_at"] = json!("2026-11-20T03:00:00.000Z");
    apply_feed(&mut store, &json!({"transfer": cancelled}));
    let body = json!({"lines": [{"sku": SKU, "qty": 8}]});
    let details = staff.post(&format!("{PATH}/trf_far/receive"), &body).refused(409, "invalid_state");
    assert_eq!(details["state"], json!("cancelled"));
    // An older record changes nothing.
    apply_feed(&mut store, &json!({"transfer": coming("trf_far", 8)}));
    assert_eq!(staff.get(&format!("{PATH}/trf_far")).data(200)["state"], json!("cancelled"));
    assert_eq!(stock(&mut staff, SKU).0, 10);
}

#[test]
fn the_sender_settles_what_is_missing() {
    let mut store = shop("");
    let (mut staff, mut manager) = (store.login("warehouse"), store.login("manager"));
    let sent = staff.post(PATH, &to_the_other(5)).data(201);
    let resolve = format!("{PATH}/{}/resolve", text(&sent, "transfer_id"));
    let lines =
        |resolution: &str, qty: i64| json!({"lines": [{"sku": SKU, "qty": qty, "resolution": resolution}]});
    manager.post(&resolve, &lines("lost", 1)).refused(409, "invalid_state");
    apply_feed(&mut store, &json!({"transfer": arrived(&sent, 2)}));
    staff.post(&resolve, &lines("lost", 1)).refused(403, "insufficient_role");
    manager.post(&resolve, &lines("lost", 4)).invalid_field("lines[0].qty");
    manager.post(&resolve, &lines("eaten", 1)).refused(422, "validation_failed");
    manager.post(&resolve, &lines("lost", 1)).data(200);
    let settled = manager.post(&resolve, &lines("found_at_source", 2)).data(200);
    let resolutions: Vec<_> =
        settled["discrepancies"].as_array().unwrap().iter().map(|part| part["resolution"].clone()).collect();
    assert_eq!(resolutions, ["lost", "found_at_source"]);
    assert_eq!(settled["in_transit_value"], json!(0));
    assert_eq!(stock(&mut staff, SKU), (7, 7 * COST));
    manager.post(&resolve, &lines("lost", 1)).invalid_field("lines[0].qty");
    store.stop();
    store.verify();
}

#[test]
fn a_cancellation_that_meets_a_receipt_loses() {
    let mut store = shop("");
    let mut staff = store.login("warehouse");
    let sent = staff.post(PATH, &to_the_other(5)).data(201);
    let path = format!("{PATH}/{}", text(&sent, "transfer_id"));
    staff.post(&format!("{path}/cancel"), &json!({})).data(200);
    assert_eq!(stock(&mut staff, SKU).0, 10);
    for _ in 0..2 {
        apply_feed(&mut store, &json!({"transfer": arrived(&sent, 5)}));
        let met = staff.get(&path).data(200);
        assert_eq!((&met["state"], &met["cancel_lost"]), (&json!("received"), &json!(true)));
        assert_eq!(stock(&mut staff, SKU), (5, 5 * COST), "the goods are at the other store");
    }
    store.stop();
    store.verify();
}

#[test]
fn invalid_documents_are_refused() {
    let store = shop("stock.negative = \"reject\"\n");
    let mut staff = store.login("warehouse");
    let own = json!({"to_store_id": "S001", "lines": [{"sku": SKU, "qty": 1}]});
    staff.post(PATH, &own).invalid_field("to_store_id");
    staff.post(PATH, &to_the_other(0)).invalid_field("lines[0].qty");
    let twice = json!({"to_store_id": "S002", "lines": [{"sku": SKU, "qty": 1}, {"sku": SKU, "qty": 1}]});
    staff.post(PATH, &twice).invalid_field("lines[1].sku");
    let unknown = json!({"to_store_id": "S002", "lines": [{"sku": "nope", "qty": 1}]});
    staff.post(PATH, &unknown).refused(422, "unknown_sku");
    let details = staff.post(PATH, &to_the_other(11)).refused(409, "insufficient_stock");
    assert_eq!(details["items"], json!([{"sku": SKU, "on_hand": 10, "requested": 11}]));
    for (step, body) in [("send", json!({})), ("receive", json!({"lines": []})), ("cancel", json!({}))] {
        staff.post(&format!("{PATH}/trf_nope/{step}"), &body).refused(404, "not_found");
    }
    let body = json!({"lines": [{"sku": SKU, "qty": 1, "resolution": "lost"}]});
    store.login("manager").post(&format!("{PATH}/trf_nope/resolve"), &body).refused(404, "not_found");
    staff.get(&format!("{PATH}/trf_nope")).refused(404, "not_found");
    staff.get(&format!("{PATH}?direction=up")).refused(400, "invalid_query");
    store.login("till-1").get(PATH).refused(403, "insufficient_role");
    assert_eq!(stock(&mut staff, SKU).0, 10);
}
