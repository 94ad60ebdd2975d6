//! Warehouses of head office: the hub writes their records, and treats them like those of a store.

use crate::office::finance_entries::{accountant, text};
use crate::office::head_office::hears;
use crate::support::server::{Api, PASSWORD, Server, stderr};
use crate::support::shop::Shop;
use crate::sync::kinds::raw;
use crate::sync::shared::tells;
use cloud_hub::office::warehouses::warehouse_inbox;
use domain::model::base::time::UtcMs;
use edge::clock;
use serde_json::{Value, json};

const RECEIVING: &str = "/api/receiving";
const TRANSFERS: &str = "/api/transfers";
const ADJUSTMENTS: &str = "/api/adjustments";
const OPNAME: &str = "/api/opname";

pub async fn made(api: &Api, path: &str, body: Value) -> Value {
    api.post(path, &body).await.data().clone()
}

/// Creates a warehouse, product A and a supplier.
pub async fn stocked(admin: &Api) -> String {
    let new =
        made(admin, "/api/stores", json!({"store_id": "W1", "name": "Depot", "kind": "warehouse"})).await;
    assert_eq!(new, json!({"store_id": "W1", "enrolment_token": null}));
    made(admin, "/api/products", json!({"sku": "A", "name": "Tea", "price": 15_000})).await;
    text(&made(admin, "/api/suppliers", json!({"code": "TEA", "name": "Tea Ltd"})).await, "supplier_id")
}

/// Logs in as purchasing.
pub async fn buyer(server: &Server, admin: &Api) -> Api {
    let person = json!({"username": "pur", "name": "Pur", "role": "ho_purchasing", "password": PASSWORD});
    made(admin, "/api/users", person).await;
    server.api().login("pur", PASSWORD).await
}

/// Returns the pieces of A in a place, and their value.
pub async fn stock(api: &Api, store_id: &str) -> (i64, i64) {
    let found = api.get(&format!("/api/stock?store_id={store_id}&sku=A")).await.data().clone();
    let row = &found["items"][0];
    (row["on_hand"].as_i64().unwrap(), row["value"].as_i64().unwrap())
}

/// Returns the balance of an account in the book of a place; debit is above zero.
async fn balance(api: &Api, store_id: &str, account: &str) -> i64 {
    let date = clock::now().timestamp().to_zoned(jiff::tz::TimeZone::UTC).date().tomorrow().unwrap();
    let found = api.get(&format!("/api/finance/trial-balance?date={date}&store_id={store_id}")).await;
    let rows = found.data()["items"].as_array().unwrap().clone();
    let row = rows.iter().find(|row| row["account"] == account);
    row.map_or(0, |row| row["debit"].as_i64().unwrap() - row["credit"].as_i64().unwrap())
}

/// Returns a store's record of a transfer.
fn reported(kind: &str, transfer: &Value, event_id: &str, moved: i64, cost: i64) -> String {
    let lines = json!([{"line_no": 1, "balance_after": moved, "cost": cost, "correction": 0, "qty": moved}]);
    let lines = if moved == 0 { json!([]) } else { lines };
    let payload = json!({"business_date": transfer["business_date"], "transfer": transfer, "lines": lines});
    raw(kind, event_id, "1700445994739-00000-S001", &payload)
}

/// Asserts that the books, the lists and the records agree.
pub async fn proven(server: &Server, finance: &Api) {
    let proofs = finance.post("/api/finance/proofs", &json!({})).await.data().clone();
    assert_eq!(proofs["ok"], true, "{proofs}");
    let done = server.place.run(&["verify"], "");
    assert!(done.status.success(), "{}", stderr(&done));
}

#[tokio::test(flavor = "multi_thread")]
async fn goods_of_a_warehouse_are_received_and_sent_to_a_store_with_their_entries() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let supplier_id = stocked(&admin).await;
    let (buyer, finance) = (buyer(&server, &admin).await, accountant(&server).await);
    let lines = json!([{"sku": "A", "qty": 100, "unit_cost": 9_000}]);
    let order = json!({"supplier_id": supplier_id, "store_id": "W1", "lines": lines});
    let po_id = text(&made(&buyer, "/api/purchase-orders", order).await, "po_id");
    for step in ["approve", "send"] {
        made(&buyer, &format!("/api/purchase-orders/{po_id}/{step}"), json!({})).await;
    }
    let receipt = |store_id: &str, qty: i64| {
        json!({"store_id": store_id, "po_id": po_id, "delivery_note_no": "DN-1",
            "lines": [{"sku": "A", "qty": qty, "rejected_qty": 4}]})
    };
    let store = buyer.post(RECEIVING, &receipt("S001", 96)).await;
    assert_eq!(store.refusal(), "422 validation_failed");
    assert_eq!(store.body["error"]["details"]["fields"][0]["path"], "store_id");
    assert_eq!(buyer.post(RECEIVING, &receipt("W1", 101)).await.refusal(), "422 over_receipt");
    assert_eq!(finance.post(RECEIVING, &receipt("W1", 96)).await.refusal(), "403 insufficient_role");
    let came = made(&buyer, RECEIVING, receipt("W1", 96)).await;
    assert_eq!((&came["total_cost"], &came["supplier_id"]), (&json!(864_000), &json!(supplier_id)));
    assert_eq!(buyer.post(RECEIVING, &receipt("W1", 1)).await.refusal(), "409 duplicate");
    let order = buyer.get(&format!("/api/purchase-orders/{po_id}")).await.data().clone();
    assert_eq!(
        (&order["state"], &order["lines"][0]["rejected_qty"]),
        (&json!("partially_received"), &json!(4))
    );
    assert_eq!((stock(&buyer, "W1").await, balance(&finance, "W1", "2020").await), ((96, 864_000), -864_000));

    // Ten leave for the store and eight arrive; one is lost, one never left.
    let sent = made(
        &buyer,
        TRANSFERS,
        json!({"store_id": "W1", "to_store_id": "S001", "lines": [{"sku": "A", "qty": 10}]}),
    )
    .await;
    let path = format!("{TRANSFERS}/{}", text(&sent, "transfer_id"));
    let mut transfer = hears(&shop, "rest", "transfer").await[0]["payload"].clone();
    assert_eq!((&transfer["state"], &transfer["lines"][0]["cost"]), (&json!("in_transit"), &json!(90_000)));
    assert_eq!(
        buyer.post(&format!("{path}/receive"), &json!({"lines": []})).await.refusal(),
        "409 invalid_state"
    );
    (transfer["state"], transfer["received_by"]) = (json!("received"), json!("usr_9"));
    (transfer["lines"][0]["received_qty"], transfer["lines"][0]["in_cost"]) = (json!(8), json!(72_000));
    tells(&mut shop, reported("transfer.received", &transfer, "evt_1", 8, 72_000)).await;
    let parts = json!({"lines": [{"sku": "A", "qty": 1, "resolution": "lost"},
        {"sku": "A", "qty": 1, "resolution": "found_at_source"}]});
    let settled = made(&buyer, &format!("{path}/resolve"), parts).await;
    assert_eq!((&settled["in_transit_value"], &settled["state"]), (&json!(0), &json!("received")));
    assert_eq!((stock(&buyer, "W1").await, stock(&buyer, "S001").await), ((87, 783_000), (8, 72_000)));
    let books = async |account| balance(&finance, "W1", account).await;
    assert_eq!([books("1220").await, books("1290").await, books("5140").await], [0, 72_000, 9_000]);

    // Purchasing may make adjustments up to the limit.
    let limit = json!({"approval.adjustment_value": 100_000});
    admin.patch("/api/stores/W1/settings", &limit).await.data();
    let loss = |qty: i64, waits: bool| json!({"store_id": "W1", "reason": "loss", "lines": [{"sku": "A", "qty": -qty}], "request_approval": waits});
    made(&buyer, ADJUSTMENTS, loss(2, false)).await;
    let much = buyer.post(ADJUSTMENTS, &loss(20, false)).await;
    assert_eq!(
        (much.refusal().as_str(), &much.body["error"]["details"]["limit"]),
        ("403 approval_required", &json!(100_000))
    );
    let waits = made(&buyer, ADJUSTMENTS, loss(20, true)).await;
    assert_eq!((&waits["state"], stock(&buyer, "W1").await), (&json!("pending"), (85, 765_000)));
    let listed = buyer.get(&format!("{ADJUSTMENTS}?state=pending")).await.data().clone();
    assert_eq!(listed["items"][0]["adjustment_id"], waits["adjustment_id"]);
    let path = format!("{ADJUSTMENTS}/{}", text(&waits, "adjustment_id"));
    assert_eq!(buyer.post(&format!("{path}/approve"), &json!({})).await.refusal(), "403 approval_required");
    made(&admin, &format!("{path}/approve"), json!({})).await;
    assert_eq!((stock(&buyer, "W1").await, books("5110").await), ((65, 585_000), 198_000));
    made(&buyer, &format!("{path}/reverse"), json!({})).await;
    assert_eq!(buyer.post(&format!("{path}/reverse"), &json!({})).await.refusal(), "409 invalid_state");

    // The count finds one piece missing. Then the received goods are returned as far as they are there.
    let count = made(&buyer, OPNAME, json!({"store_id": "W1", "scope": "all"})).await;
    let path = format!("{OPNAME}/{}", text(&count, "opname_id"));
    let other = buyer.post(OPNAME, &json!({"store_id": "W1", "scope": "skus", "skus": ["A"]})).await;
    assert_eq!(other.refusal(), "409 duplicate");
    let counted = made(
        &buyer,
        &format!("{path}/counts"),
        json!({"counts": [{"sku": "A", "qty": 80}, {"sku": "A", "qty": 4, "zone": "back"}]}),
    )
    .await;
    assert_eq!(
        (&counted["lines"][0]["variance"], &counted["lines"][0]["variance_value"]),
        (&json!(-1), &json!(-9_000))
    );
    assert_eq!(
        buyer.get(&format!("{OPNAME}?state=counting")).await.data()["items"][0]["opname_id"],
        count["opname_id"]
    );
    let differs = buyer.get(&format!("{path}/differences?limit=1")).await.data().clone();
    let figures = ["lines_count", "moved_count", "missing", "found", "missing_value", "found_value"];
    assert_eq!(
        figures.map(|figure| differs[figure].as_i64().unwrap()),
        [1, 0, -1, 0, -9_000, 0],
        "{differs}"
    );
    assert_eq!((&differs["items"][0], &differs["next_cursor"]), (&counted["lines"][0], &json!(null)));
    made(&buyer, &format!("{path}/submit"), json!({})).await;
    let read = buyer.get(&path).await.data()["lines"][0].clone();
    assert_eq!((&read["counted"], &read["variance_value"]), (&json!(84), &json!(-9_000)));
    let posted = made(&buyer, &format!("{path}/post"), json!({})).await;
    assert_eq!((&posted["variance_value"], stock(&buyer, "W1").await), (&json!(-9_000), (84, 756_000)));
    assert_eq!(buyer.get(&format!("{path}/differences")).await.refusal(), "409 invalid_state");
    assert_eq!(buyer.post(&format!("{path}/cancel"), &json!({})).await.refusal(), "409 invalid_state");
    let back = json!({"store_id": "W1", "supplier_id": supplier_id, "lines": [{"sku": "A", "qty": 1, "unit_cost": 9_100}]});
    assert_eq!(made(&buyer, "/api/supplier-returns", back).await["claim"], 9_100);
    assert_eq!((stock(&buyer, "W1").await, books("1210").await), ((83, 747_000), 747_000));
    let report = finance
        .get(&format!("/api/reports/stock?as_of={}&group_by=store", text(&posted, "business_date")))
        .await;
    assert_eq!(report.data()["items"][1]["value"], 747_000);
    assert_eq!(report.data()["completeness"]["missing"], json!([]));
    proven(&server, &finance).await;

    // The warehouse's day is sealed once the next one has begun.
    let unsealed = "SELECT COUNT(*) FROM store_days WHERE store_id = 'W1' AND sealed = 0";
    assert_eq!(server.figure(unsealed).await, 1);
    warehouse_inbox::keep(&server.hub, UtcMs(clock::now().0 + 86_400_000)).await;
    assert_eq!(server.figure(unsealed).await, 0);
    let reversed =
        made(&admin, &format!("{RECEIVING}/{}/reverse", text(&came, "receiving_id")), json!({})).await;
    assert_eq!((&reversed["state"], stock(&buyer, "W1").await.0), (&json!("reversed"), -13));
    proven(&server, &finance).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_warehouse_takes_in_what_the_other_end_of_a_transfer_says() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    stocked(&admin).await;
    let finance = accountant(&server).await;
    let found = json!({"store_id": "W1", "lines": [{"sku": "A", "qty": 10, "unit_cost": 100}]});
    made(&admin, RECEIVING, found).await;
    // A draft is not sent to the store. A sent transfer is cancelled after the store has received it.
    let new =
        json!({"store_id": "W1", "to_store_id": "S001", "lines": [{"sku": "A", "qty": 4}], "draft": true});
    let draft = made(&admin, TRANSFERS, new).await;
    assert_eq!((&draft["state"], hears(&shop, "rest", "transfer").await.len()), (&json!("draft"), 0));
    let path = format!("{TRANSFERS}/{}", text(&draft, "transfer_id"));
    // The transfer keeps its date in the lists, and a damaged row does not block others.
    for sql in [
        "UPDATE transfers SET business_date = '2020-01-01'",
        "INSERT INTO warehouse_transfers (store_id, transfer_id, remote) VALUES ('W1', 'trf_0', 'torn')",
    ] {
        sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    }
    made(&admin, &format!("{path}/send"), json!({})).await;
    let listed = "SELECT COUNT(*) FROM transfers WHERE business_date = '2020-01-01' AND sent = 1";
    assert_eq!(server.figure(listed).await, 1);
    let mut transfer = hears(&shop, "rest", "transfer").await[0]["payload"].clone();
    made(&admin, &format!("{path}/cancel"), json!({})).await;
    assert_eq!(stock(&admin, "W1").await, (10, 1_000));
    (transfer["state"], transfer["received_by"]) = (json!("received"), json!("usr_9"));
    (transfer["lines"][0]["received_qty"], transfer["lines"][0]["in_cost"]) = (json!(4), json!(400));
    tells(&mut shop, reported("transfer.received", &transfer, "evt_1", 4, 400)).await;
    let read = admin.get(&path).await.data().clone();
    assert_eq!((&read["state"], &read["cancel_lost"]), (&json!("received"), &json!(true)));
    assert_eq!((stock(&admin, "W1").await, stock(&admin, "S001").await), ((6, 600), (4, 400)));

    // The reverse direction: three of the store's ten pieces arrive later than the others.
    transfer["transfer_id"] = json!("trf_back");
    (transfer["from_store_id"], transfer["to_store_id"]) = (json!("S001"), json!("W1"));
    (transfer["state"], transfer["received_by"]) = (json!("in_transit"), Value::Null);
    (transfer["lines"][0]["received_qty"], transfer["lines"][0]["in_cost"]) = (Value::Null, json!(0));
    tells(&mut shop, reported("transfer.sent", &transfer, "evt_2", -4, -400)).await;
    let path = format!("{TRANSFERS}/trf_back");
    let over = admin.post(&format!("{path}/receive"), &json!({"lines": [{"sku": "A", "qty": 5}]})).await;
    assert_eq!(over.refusal(), "422 over_receipt");
    made(&admin, &format!("{path}/receive"), json!({"lines": [{"sku": "A", "qty": 1}]})).await;
    assert_eq!(
        admin.post(&format!("{path}/resolve"), &json!({"lines": []})).await.refusal(),
        "409 invalid_state"
    );
    let mut settled = hears(&shop, "rest", "transfer").await.last().unwrap()["payload"].clone();
    assert_eq!(settled["lines"][0]["received_qty"], 1);
    settled["lines"][0]["resolved"] = json!([{"resolution": "found_at_destination", "qty": 3, "cost": 300, "user_id": "usr_9", "at": transfer["sent_at"]}]);
    tells(&mut shop, reported("transfer.resolved", &settled, "evt_3", 0, 0)).await;
    assert_eq!((stock(&admin, "W1").await, stock(&admin, "S001").await), ((10, 1_000), (0, 0)));
    let waiting = "SELECT COUNT(*) FROM warehouse_transfers WHERE remote IS NOT NULL";
    assert_eq!(server.figure(waiting).await, 1);
    // A row that can't be applied does not block the other waiting rows.
    let again = "UPDATE warehouse_transfers SET remote = document WHERE transfer_id = 'trf_back'";
    sqlx::query(again).execute(server.hub.db.pool()).await.unwrap();
    warehouse_inbox::keep(&server.hub, clock::now()).await;
    assert_eq!(server.figure(waiting).await, 1);

    // An approval checks the current value of the goods, not their value at the time of the request.
    let buyer = buyer(&server, &admin).await;
    admin.patch("/api/stores/W1/settings", &json!({"approval.adjustment_value": 400})).await.data();
    let loss = json!({"store_id": "W1", "reason": "loss", "lines": [{"sku": "A", "qty": -3}], "request_approval": true});
    let path =
        format!("{ADJUSTMENTS}/{}/approve", text(&made(&buyer, ADJUSTMENTS, loss).await, "adjustment_id"));
    let dearer = json!({"store_id": "W1", "lines": [{"sku": "A", "qty": 10, "unit_cost": 300}]});
    made(&admin, RECEIVING, dearer).await;
    assert_eq!(buyer.post(&path, &json!({})).await.refusal(), "403 approval_required");
    proven(&server, &finance).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_warehouse_enrols_nobody_and_a_store_is_left_to_itself() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    stocked(&admin).await;
    let token = server.place.run(&["store", "add", "W1", "--new-token"], "");
    assert_eq!(token.status.code(), Some(1), "{}", stderr(&token));
    let again = admin.post("/api/stores", &json!({"store_id": "W1", "kind": "warehouse"})).await;
    assert_eq!(again.refusal(), "409 duplicate");
    tells(&mut shop, crate::sync::records::receiving("S001", "A", 4, "evt_1")).await;
    let stores = admin.post(&format!("{RECEIVING}/rcv_evt_1/reverse"), &json!({})).await;
    assert_eq!(stores.refusal(), "409 invalid_state");
    for (path, body) in [
        (RECEIVING, json!({"store_id": "W1", "lines": []})),
        (RECEIVING, json!({"store_id": "W1", "supplier_id": "sup_none", "lines": [{"sku": "A", "qty": 1}]})),
        (RECEIVING, json!({"store_id": "W1", "lines": [{"sku": "A", "qty": 1}], "colour": 1})),
        (RECEIVING, json!({"lines": [{"sku": "A", "qty": 1}]})),
        (TRANSFERS, json!({"store_id": "W1", "to_store_id": "S9", "lines": [{"sku": "A", "qty": 1}]})),
        (OPNAME, json!({"store_id": "none", "scope": "all"})),
        (
            RECEIVING,
            json!({"store_id": "W1", "lines": [{"sku": "A", "qty": 1_000_000, "unit_cost": 1_000_000_000_000_i64}]}),
        ),
    ] {
        assert_eq!(admin.post(path, &body).await.refusal(), "422 validation_failed", "{path} {body}");
    }
    let unknown = json!({"store_id": "W1", "lines": [{"sku": "none", "qty": 1}]});
    assert_eq!(admin.post(RECEIVING, &unknown).await.refusal(), "422 unknown_sku");
    let gone = json!({"store_id": "W1", "reason": "loss", "lines": [{"sku": "A", "qty": -1}]});
    assert_eq!(admin.post(ADJUSTMENTS, &gone).await.refusal(), "409 insufficient_stock");
    let key = admin
        .keyed(RECEIVING, "k", &json!({"store_id": "W1", "lines": [{"sku": "A", "qty": 1, "unit_cost": 5}]}))
        .await;
    assert_eq!(key.status.as_u16(), 201);
    admin.post("/api/stores/W1/disable", &json!({})).await.data();
    assert_eq!(admin.post(ADJUSTMENTS, &gone).await.refusal(), "403 store_disabled");
    let listed = admin.get("/api/stores").await.data()["items"].as_array().unwrap().clone();
    let kinds: Vec<&Value> = listed.iter().map(|store| &store["kind"]).collect();
    assert_eq!(kinds, [&json!("store"), &json!("warehouse")]);
}

/// Makes each change of a warehouse once.
pub async fn change(supplier_id: &str, admin: &Api) {
    made(admin, "/api/stores", json!({"store_id": "W9", "kind": "warehouse"})).await;
    let lines = json!([{"sku": "A", "qty": 9, "unit_cost": 7}]);
    let came = made(admin, RECEIVING, json!({"store_id": "W9", "lines": lines})).await;
    let path = format!("{RECEIVING}/{}/reverse", text(&came, "receiving_id"));
    made(admin, RECEIVING, json!({"store_id": "W9", "lines": lines})).await;
    made(admin, &path, json!({})).await;
    let one = json!([{"sku": "A", "qty": 1}]);
    made(admin, "/api/supplier-returns", json!({"store_id": "W9", "supplier_id": supplier_id, "lines": one}))
        .await;
    let transfer = async |to: &str, from: &str, draft: bool| {
        let new = json!({"store_id": from, "to_store_id": to, "lines": one, "draft": draft});
        format!("{TRANSFERS}/{}", text(&made(admin, TRANSFERS, new).await, "transfer_id"))
    };
    made(admin, "/api/stores", json!({"store_id": "W8", "kind": "warehouse"})).await;
    let path = transfer("W8", "W9", true).await;
    made(admin, &format!("{path}/send"), json!({})).await;
    made(admin, &format!("{path}/receive"), json!({"lines": []})).await;
    let lost = json!({"lines": [{"sku": "A", "qty": 1, "resolution": "lost"}]});
    made(admin, &format!("{path}/resolve"), lost).await;
    let path = transfer("W8", "W9", false).await;
    made(admin, &format!("{path}/cancel"), json!({})).await;
    for steps in [vec!["approve", "reverse"], vec!["reject"]] {
        let loss = json!({"store_id": "W9", "reason": "loss", "lines": [{"sku": "A", "qty": -1}], "request_approval": true});
        let path = format!("{ADJUSTMENTS}/{}", text(&made(admin, ADJUSTMENTS, loss).await, "adjustment_id"));
        for step in steps {
            made(admin, &format!("{path}/{step}"), json!({})).await;
        }
    }
    for end in ["post", "cancel"] {
        let new = json!({"store_id": "W9", "scope": "skus", "skus": ["A"]});
        let path = format!("{OPNAME}/{}", text(&made(admin, OPNAME, new).await, "opname_id"));
        made(admin, &format!("{path}/counts"), json!({"counts": [{"sku": "A", "qty": 7}]})).await;
        made(admin, &format!("{path}/submit"), json!({})).await;
        made(admin, &format!("{path}/recount"), json!({"skus": ["A"]})).await;
        made(admin, &format!("{path}/{end}"), json!({})).await;
    }
}
