//! Contradicting records are applied and make an exception; data of other stores stays unchanged.

use crate::support::server::Server;
use crate::support::shop::{Shop, sums};
use crate::sync::kinds::{STAMP, raw};
use crate::sync::records::{DAY, NOON, Sale, receiving, shift_closed};
use domain::model::people::user::FieldTimes;
use serde_json::{Value, json};

fn sale(number: u64) -> Sale<'static> {
    Sale { store: "S001", number, shift: "shf_1", sku: "A", qty: 1, price: 1000 }
}

async fn tells(shop: &mut Shop, records: Vec<String>) -> Value {
    let from = shop.chain().records.len() + 1;
    for record in records {
        shop.chain().append(record);
    }
    let to = shop.chain().records.len();
    shop.push(&shop.batch(from, to)).await.data().clone()
}

/// Returns the codes of the exceptions of a store.
async fn found(server: &Server, store: &str) -> Vec<String> {
    let sql = "SELECT code FROM exceptions WHERE store_id = $1 ORDER BY code, event_id";
    sqlx::query_scalar(sql).bind(store).fetch_all(server.hub.db.pool()).await.unwrap()
}

/// Repairs a stored record, as an upgrade would by reading it again, and retries all parked records.
async fn mended(server: &Server, store: &str, event_id: &str, record: &str) {
    let sql = "UPDATE records SET record = $3 WHERE store_id = $1 AND seq = (SELECT seq FROM parked \
               WHERE store_id = $1 AND event_id = $2)";
    let query = sqlx::query(sql).bind(store).bind(event_id).bind(record);
    query.execute(server.hub.db.pool()).await.unwrap();
    let admin = server.admin().await;
    let list = admin.get(&format!("/api/parked?store_id={store}")).await.data()["items"].clone();
    let items = list.as_array().unwrap();
    let id = items.iter().find(|item| item["event_id"] == event_id).unwrap()["parked_id"].as_str().unwrap();
    admin.post(&format!("/api/parked/{id}/replay"), &json!({})).await.data();
}

/// Returns the record as a newer program would have written it.
fn newer(record: &str) -> String {
    let mut value: Value = serde_json::from_str(record).unwrap();
    value["schema"] = json!(2);
    value.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_can_not_change_users_of_another_store() {
    let server = Server::start().await;
    let _one = Shop::open(&server, "S001").await;
    let mut two = Shop::open(&server, "S002").await;
    let admin = server.admin().await;
    let new = json!({"username": "ani", "name": "Ani", "role": "cashier", "store_id": "S001", "password": "right horse 9"});
    let id = admin.post("/api/users", &new).await.data()["id"].as_str().unwrap().to_owned();
    admin.patch(&format!("/api/users/{id}"), &json!({"disabled": true})).await.data();
    let listed = admin.get("/api/users?store_id=S001").await.data().clone();
    let payload = json!({"user_id": id, "username": "ani", "name": "Mallory", "role": "admin", "store_id": "S002",
        "disabled": false, "token_version": 1, "times": FieldTimes::all(NOON), "created_at": NOON,
        "updated_at": NOON});
    let reported = tells(&mut two, vec![raw("user.changed", "evt_1", STAMP, &payload)]).await;
    assert_eq!(reported["parked"], json!([]), "nothing is parked because of it");
    assert_eq!(admin.get("/api/users?store_id=S001").await.data(), &listed, "a store can't lift a denial");
    let kept =
        "SELECT COUNT(*) FROM staff WHERE password_hash IS NOT NULL AND grants = 1 AND token_version = 2";
    assert_eq!(server.figure(kept).await, 1);
    assert_eq!(found(&server, "S002").await, ["user_of_another_store"]);
}

fn transfer(kind: &str, event_id: &str, from: &str, to: &str, state: &str, moved: i64) -> String {
    let transfer = json!({"transfer_id": "trf_1", "state": state, "from_store_id": from, "to_store_id": to,
        "lines": [{"line_no": 1, "sku": "A", "name": "Thing", "qty": 10, "cost": 100, "received_qty": null,
            "in_cost": 0, "resolved": []}],
        "note": null, "business_date": DAY, "created_by": "usr_1", "created_at": NOON, "sent_at": NOON,
        "received_by": null, "received_at": null, "cancelled_at": null, "cancel_lost": false});
    let lines =
        json!([{"line_no": 1, "balance_after": 0, "cost": moved * 10, "correction": 0, "qty": moved}]);
    raw(kind, event_id, STAMP, &json!({"business_date": DAY, "transfer": transfer, "lines": lines}))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_can_not_report_a_transfer_of_other_stores() {
    let server = Server::start().await;
    let mut one = Shop::open(&server, "S001").await;
    let mut two = Shop::open(&server, "S002").await;
    let mut three = Shop::open(&server, "S003").await;
    tells(&mut one, vec![transfer("transfer.sent", "evt_1", "S001", "S002", "in_transit", -10)]).await;
    let before = two.speak().get("/api/sync/pull?lane=rest").await.data()["changes"].clone();
    tells(&mut three, vec![transfer("transfer.cancelled", "evt_3", "S003", "S002", "cancelled", 10)]).await;
    assert_eq!(server.figure("SELECT COUNT(*) FROM transfers WHERE state = 'in_transit'").await, 1);
    assert_eq!(two.speak().get("/api/sync/pull?lane=rest").await.data()["changes"], before);
    assert_eq!(
        server.figure("SELECT qty FROM stock WHERE store_id = 'S003'").await,
        10,
        "the movement counts"
    );
    assert_eq!(found(&server, "S003").await, ["transfer_of_other_stores"]);
    tells(&mut two, vec![transfer("transfer.received", "evt_2", "S001", "S002", "received", 10)]).await;
    assert_eq!(server.figure("SELECT COUNT(*) FROM parked").await, 0, "the transfer continues");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_text_of_an_event_does_not_block_other_records() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    tells(&mut shop, vec![sale(1).record("evt_1")]).await;
    let reused = tells(&mut shop, vec![sale(2).record("evt_1")]).await;
    assert_eq!(reused["parked"][0]["code"], "event_id_reused");
    let later = tells(&mut shop, vec![sale(2).record("evt_2")]).await;
    assert_eq!(later["parked"], json!([]), "as in one batch");
    assert_eq!(sums(&server, "S001").await["sales_count"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_shift_stays_closed_when_its_opening_is_tried_again() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let closed = shift_closed("S001", "shf_1", "evt_z");
    let mut opened: Value = serde_json::from_str(&closed).unwrap();
    opened["event_id"] = json!("evt_o");
    opened["type"] = json!("shift.opened");
    opened["payload"]["shift"]["state"] = json!("open");
    opened["payload"]["shift"]["closed_at"] = Value::Null;
    let opened = opened.to_string();
    tells(&mut shop, vec![newer(&opened), closed]).await;
    mended(&server, "S001", "evt_o", &opened).await;
    assert_eq!(server.figure("SELECT COUNT(*) FROM parked").await, 0);
    let sql = "SELECT COUNT(*) FROM shifts WHERE state = 'closed' AND closed_at IS NOT NULL";
    assert_eq!(server.figure(sql).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reversal_is_applied_when_its_receipt_is() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let posted = receiving("S001", "A", 4, "evt_1");
    let mut back: Value = serde_json::from_str(&posted).unwrap();
    back["event_id"] = json!("evt_2");
    back["type"] = json!("receiving.reversed");
    back["payload"]["lines"] =
        json!([{"line_no": 1, "balance_after": 0, "cost": -40, "correction": 0, "qty": -4}]);
    tells(&mut shop, vec![newer(&posted), back.to_string()]).await;
    assert_eq!(server.figure("SELECT COUNT(*) FROM parked").await, 2);
    mended(&server, "S001", "evt_1", &posted).await;
    assert_eq!(server.figure("SELECT COUNT(*) FROM parked").await, 0, "both records are retried together");
    assert_eq!(server.figure("SELECT qty FROM stock WHERE sku = 'A'").await, 0);
    // A reversal before its receipt is parked, and blocks no other record.
    let early = receiving("S001", "A", 5, "evt_3");
    back["event_id"] = json!("evt_4");
    back["payload"]["receiving"]["receiving_id"] = json!("rcv_evt_3");
    back["about"]["aggregate"] = json!("receiving:rcv_evt_3");
    let reported = tells(&mut shop, vec![back.to_string()]).await;
    assert_eq!(reported["parked"][0]["code"], "waits_for_predecessor");
    tells(&mut shop, vec![early]).await;
    assert_eq!(server.figure("SELECT COUNT(*) FROM parked").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_applies_waiting_records_of_another_store() {
    let server = Server::start().await;
    let mut one = Shop::open(&server, "S001").await;
    let mut two = Shop::open(&server, "S002").await;
    let sent = transfer("transfer.sent", "evt_1", "S001", "S002", "in_transit", -10);
    tells(&mut one, vec![newer(&sent)]).await;
    tells(&mut two, vec![transfer("transfer.received", "evt_2", "S001", "S002", "received", 10)]).await;
    assert_eq!(server.figure("SELECT COUNT(*) FROM parked").await, 2);
    mended(&server, "S001", "evt_1", &sent).await;
    assert_eq!(server.figure("SELECT COUNT(*) FROM parked").await, 0, "not only a minute later");
    assert_eq!(server.figure("SELECT qty FROM stock WHERE store_id = 'S002'").await, 10);
}

fn points(event_id: &str, reason: &str, points: i64) -> String {
    let entry = json!({"entry_id": format!("{event_id}:{reason}"), "member_id": "mbr_1", "points": points,
        "reason": reason, "reference_id": event_id, "balance_after": 0, "lots": [], "business_date": DAY,
        "user_id": "usr_1", "at": NOON});
    raw("points.adjusted", event_id, STAMP, &json!({"business_date": DAY, "entry": entry, "reason": "r"}))
}

#[tokio::test(flavor = "multi_thread")]
async fn points_that_two_stores_redeem_at_once_make_an_exception() {
    let server = Server::start().await;
    let mut one = Shop::open(&server, "S001").await;
    let mut two = Shop::open(&server, "S002").await;
    tells(&mut one, vec![points("evt_1", "adjust", 10), points("evt_2", "redeem", -8)]).await;
    assert_eq!(found(&server, "S001").await, Vec::<String>::new());
    tells(&mut two, vec![points("evt_3", "redeem", -8)]).await;
    assert_eq!(server.figure("SELECT balance FROM points").await, -6, "no entry is rewritten");
    assert_eq!(found(&server, "S002").await, ["points_overdrawn"]);
    tells(&mut two, vec![points("evt_4", "reverse", -1)]).await;
    assert_eq!(found(&server, "S002").await.len(), 1, "a reversal is not a redemption");
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_points_are_reported_in_every_kind_of_batch() {
    for in_one_batch in [true, false] {
        let server = Server::start().await;
        let mut shop = Shop::open(&server, "S001").await;
        let records = vec![points("evt_1", "redeem", -50), points("evt_2", "adjust", 60)];
        if in_one_batch {
            tells(&mut shop, records).await;
        } else {
            for record in records {
                tells(&mut shop, vec![record]).await;
            }
        }
        assert_eq!(found(&server, "S001").await, ["points_overdrawn"], "in one batch: {in_one_batch}");
        assert_eq!(server.figure("SELECT balance FROM points").await, 10);
        tells(&mut shop, vec![points("evt_3", "redeem", -10), points("evt_4", "adjust", -5)]).await;
        assert_eq!(found(&server, "S001").await.len(), 1, "the points were there when they were redeemed");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_balance_names_what_is_parked_of_its_own_member_however_much_is_parked() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let parked = newer(&points("evt_mine", "adjust", 7));
    let others = |number: usize| {
        let text = newer(&points(&format!("evt_{number}"), "adjust", 1));
        text.replace("mbr_1", &format!("mbr_other_{number}"))
    };
    for chunk in (0..1_200).collect::<Vec<_>>().chunks(400) {
        tells(&mut shop, chunk.iter().copied().map(others).collect()).await;
    }
    tells(&mut shop, vec![parked]).await;
    // The other store moves the member's points, because its own records would wait behind the parked one.
    let mut two = Shop::open(&server, "S002").await;
    tells(&mut two, vec![points("evt_far", "adjust", 5)]).await;
    tells(&mut two, vec![points("evt_far_2", "adjust", 5)]).await;
    let page = shop.speak().get("/api/sync/pull?lane=members&limit=500").await.data().clone();
    let last = &page["changes"].as_array().unwrap().last().unwrap()["payload"];
    assert_eq!((&last["balance"], &page["missing"]), (&json!(10), &json!(["evt_mine"])), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn records_of_a_closed_shift_count_and_are_reported() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let closed = shift_closed("S001", "shf_1", "evt_z");
    tells(&mut shop, vec![sale(1).record("evt_1"), closed, sale(2).record("evt_2")]).await;
    tells(&mut shop, vec![sale(3).record("evt_3")]).await;
    assert_eq!(sums(&server, "S001").await["sales_count"], 3);
    assert_eq!(found(&server, "S001").await, ["shift_was_closed", "shift_was_closed"]);
    let other = Sale { shift: "shf_2", ..sale(4) };
    tells(&mut shop, vec![other.record("evt_4")]).await;
    assert_eq!(found(&server, "S001").await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn goods_beyond_an_order_or_of_another_stores_order_come_in_and_are_reported() {
    let server = Server::start().await;
    let mut one = Shop::open(&server, "S001").await;
    let mut two = Shop::open(&server, "S002").await;
    let admin = server.admin().await;
    admin.post("/api/products", &json!({"sku": "A", "name": "Thing", "price": 1})).await.data();
    let supplier = admin.post("/api/suppliers", &json!({"code": "T", "name": "T"})).await.data().clone();
    let lines = json!([{"sku": "A", "qty": 10, "unit_cost": 9}]);
    let new = json!({"supplier_id": supplier["supplier_id"], "store_id": "S001", "lines": lines});
    let po_id = admin.post("/api/purchase-orders", &new).await.data()["po_id"].clone();
    for step in ["approve", "send"] {
        let path = format!("/api/purchase-orders/{}/{step}", po_id.as_str().unwrap());
        admin.post(&path, &json!({})).await.data();
    }
    let came = |store: &str, event_id: &str, qty: i64| {
        let mut came: Value = serde_json::from_str(&receiving(store, "A", qty, event_id)).unwrap();
        came["payload"]["receiving"]["po_id"] = po_id.clone();
        came.to_string()
    };
    tells(&mut one, vec![came("S001", "evt_1", 10)]).await;
    assert_eq!(found(&server, "S001").await, Vec::<String>::new());
    // The receipt that exceeds the order is named, not the last one of its batch.
    let mut back: Value = serde_json::from_str(&came("S001", "evt_2", 1)).unwrap();
    let reversed = |back: &mut Value, event_id: &str| {
        back["event_id"] = json!(event_id);
        back["type"] = json!("receiving.reversed");
        back["payload"]["lines"] =
            json!([{"line_no": 1, "balance_after": 0, "cost": -10, "correction": 0, "qty": -1}]);
        back.to_string()
    };
    tells(&mut one, vec![came("S001", "evt_2", 1), reversed(&mut back, "evt_2b")]).await;
    assert_eq!(found(&server, "S001").await, ["order_over_receipt"]);
    let named = "SELECT COUNT(*) FROM exceptions WHERE store_id = 'S001' AND event_id = 'evt_2'";
    assert_eq!(server.figure(named).await, 1);
    // Each receipt against another store's order is reported, however many a batch has. Reversals are not.
    let mut back: Value = serde_json::from_str(&came("S002", "evt_3", 1)).unwrap();
    let records = vec![came("S002", "evt_3", 1), came("S002", "evt_4", 1), reversed(&mut back, "evt_3b")];
    tells(&mut two, records).await;
    assert_eq!(found(&server, "S002").await, ["order_of_another_store", "order_of_another_store"]);
    assert_eq!(server.figure("SELECT COUNT(*) FROM exceptions WHERE event_id = 'evt_3b'").await, 0);
    assert_eq!(server.figure("SELECT COUNT(*) FROM parked").await, 0);
    assert_eq!(server.figure("SELECT qty FROM stock WHERE store_id = 'S001'").await, 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn received_goods_win_over_a_cancelled_order() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    admin.post("/api/products", &json!({"sku": "A", "name": "Thing", "price": 1})).await.data();
    let supplier = admin.post("/api/suppliers", &json!({"code": "T", "name": "T"})).await.data().clone();
    let lines = json!([{"sku": "A", "qty": 10, "unit_cost": 9}]);
    let new = json!({"supplier_id": supplier["supplier_id"], "store_id": "S001", "lines": lines});
    let order = admin.post("/api/purchase-orders", &new).await.data().clone();
    let path = format!("/api/purchase-orders/{}", order["po_id"].as_str().unwrap());
    for step in ["approve", "send"] {
        admin.post(&format!("{path}/{step}"), &json!({})).await.data();
    }
    admin.post(&format!("{path}/cancel"), &json!({"reason": "found it cheaper"})).await.data();
    let cancelled = admin.get(&path).await.data().clone();
    assert_eq!(cancelled["state"], "cancelled");
    assert!(cancelled["cancel_requested_at"].is_string(), "{cancelled}");
    // The store did not know of the cancellation.
    let came = |event_id: &str, qty: i64| {
        let mut came: Value = serde_json::from_str(&receiving("S001", "A", qty, event_id)).unwrap();
        came["payload"]["receiving"]["po_id"] = order["po_id"].clone();
        came
    };
    tells(&mut shop, vec![came("evt_1", 4).to_string()]).await;
    let now = admin.get(&path).await.data().clone();
    let received = |order: &Value| (order["state"].clone(), order["lines"][0]["received_qty"].clone());
    assert_eq!(received(&now), (json!("partially_received"), json!(4)));
    assert_eq!(now["cancel_requested_at"], cancelled["cancel_requested_at"]);
    assert_eq!(found(&server, "S001").await, ["order_cancelled_and_received"]);
    let reported = crate::office::head_office::hears(&shop, "rest", "purchase_order").await;
    assert_eq!(reported.last().unwrap()["payload"]["state"], "partially_received", "its store gets it");
    // After the reversal of the receipt nothing contradicts the cancellation.
    let mut back = came("evt_1b", 4);
    back["type"] = json!("receiving.reversed");
    back["payload"]["lines"] =
        json!([{"line_no": 1, "balance_after": 0, "cost": -40, "correction": 0, "qty": -4}]);
    back["payload"]["receiving"]["receiving_id"] =
        came("evt_1", 4)["payload"]["receiving"]["receiving_id"].clone();
    tells(&mut shop, vec![back.to_string()]).await;
    assert_eq!(received(admin.get(&path).await.data()), (json!("cancelled"), json!(0)));
    // An order that a person closed stays closed, and later receipts are reported.
    let closed = admin.post("/api/purchase-orders", &new).await.data().clone();
    let path = format!("/api/purchase-orders/{}", closed["po_id"].as_str().unwrap());
    for step in ["approve", "send"] {
        admin.post(&format!("{path}/{step}"), &json!({})).await.data();
    }
    let against = |event_id: &str, qty: i64| {
        let mut came = came(event_id, qty);
        came["payload"]["receiving"]["po_id"] = closed["po_id"].clone();
        came["payload"]["receiving"]["receiving_id"] = json!(format!("rcv_{event_id}"));
        came.to_string()
    };
    tells(&mut shop, vec![against("evt_2", 4)]).await;
    admin.post(&format!("{path}/close"), &json!({})).await.data();
    tells(&mut shop, vec![against("evt_3", 2)]).await;
    assert_eq!(received(admin.get(&path).await.data()), (json!("closed"), json!(6)));
    assert_eq!(found(&server, "S001").await, ["order_cancelled_and_received", "order_over_receipt"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_return_with_the_number_of_a_sale_is_reported() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    tells(
        &mut shop,
        vec![sale(1).record("evt_1"), crate::sync::kinds::returned_at("evt_r", "S001-main-00000001")],
    )
    .await;
    assert_eq!(sums(&server, "S001").await["returns_count"], 1);
    assert_eq!(found(&server, "S001").await, ["receipt_number_twice"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_that_is_silent_for_a_day_is_no_problem_any_more() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 1).await;
    let copy = shop.clone();
    shop.chains.push(crate::support::shop::Chain::new("2-00000000000000bb"));
    shop.hello().await.data();
    assert_eq!(copy.hello().await.data()["directive"], "fenced");
    let admin = server.admin().await;
    let problems = |status: &Value| status["problems"].as_array().unwrap().len();
    let path = "/api/stores/S001/status";
    let problem = admin.get(path).await.data()["problems"][0].clone();
    assert_eq!(problem["code"], "fenced");
    let message = problem["message"].as_str().unwrap();
    let whole = "it is at 127.0.0.1 and was fenced, the store itself was last at 127.0.0.1";
    assert!(message.ends_with(whole), "{message}");
    let sql = "UPDATE alarms SET last_at = last_at - 86500000, since = since - 86500000";
    sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    assert_eq!(problems(admin.get(path).await.data()), 0);
    assert_eq!(copy.hello().await.data()["directive"], "fenced");
    assert_eq!(problems(admin.get(path).await.data()), 1, "the copy has connected again");
}
