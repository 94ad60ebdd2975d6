//! Stock documents of stores at head office, and differences from orders.

use crate::office::filters::finds;
use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use crate::sync::kinds::{effect, record};
use crate::sync::records::{DAY, NOON, receiving};
use crate::sync::shared::tells;
use serde_json::{Value, json};

pub const EARLIER: &str = "2023-11-19";

/// Returns a receipt of product A at a cost of 10, with some changes.
pub fn came(store: &str, number: u32, qty: i64, change: impl FnOnce(&mut Value)) -> String {
    let mut reported: Value =
        serde_json::from_str(&receiving(store, "A", qty, &format!("evt_{number}"))).unwrap();
    change(&mut reported["payload"]["receiving"]);
    reported["payload"]["business_date"] = reported["payload"]["receiving"]["business_date"].clone();
    reported.to_string()
}

pub fn adjusted(number: u32, state: &str, reason: &str, qty: i64) -> String {
    let moves = matches!(state, "posted" | "reversed");
    let sign = if state == "reversed" { -1 } else { 1 };
    let lines = if moves { json!([effect(1, qty * sign, qty * sign * 10)]) } else { json!([]) };
    let adjustment = json!({"adjustment_id": format!("adj_{number}"), "state": state, "store_id": "S001",
        "reason": reason, "bucket": "on_hand", "lines": [{"line_no": 1, "sku": "A", "name": "Thing", "qty": qty,
        "cost": qty * 10, "correction": 0, "balance_after": 7}], "value": qty * 10, "note": null,
        "business_date": DAY, "created_by": "usr_1", "created_at": NOON, "decided_by": "usr_2", "decided_at": NOON});
    let payload = json!({"business_date": DAY, "adjustment": adjustment, "lines": lines});
    record("adjustment.posted", &format!("evt_adj_{number}_{state}"), &payload)
}

pub fn sent_back(number: u32, supplier_id: &str, day: &str) -> String {
    let document = json!({"supplier_return_id": format!("srt_{number}"), "store_id": "S001",
        "supplier_id": supplier_id, "reference": null, "bucket": "on_hand", "lines": [{"line_no": 1, "sku": "A",
        "name": "Thing", "qty": 2, "claim": 25, "stock_cost": 20, "balance_after": 5}], "claim": 25, "stock_cost": 20,
        "note": null, "business_date": day, "created_by": "usr_1", "created_at": NOON});
    record(
        "supplier_return.posted",
        &format!("evt_srt_{number}"),
        &json!({"business_date": day, "document": document}),
    )
}

/// Returns one part of a count in several parts, in which product A is one piece short.
pub fn counted(part: u32) -> String {
    let opname = json!({"opname_id": "opn_1", "state": "posted", "store_id": "S001", "scope": "all", "category": null,
        "skus": [], "categories": [], "reopened": null, "blind": true, "lines_total": 2, "lines_counted": 2, "variance_value": -10,
        "note": null, "business_date": DAY, "created_by": "usr_1", "created_at": NOON, "ended_by": "usr_2",
        "ended_at": NOON});
    let short = part == 1;
    let line = json!({"opname_id": "opn_1", "sku": if short { "A" } else { "B" }, "name": "Thing",
        "zones": {"": {"qty": 4, "moves": 1, "user_id": "usr_1", "at": NOON}}, "expected": if short { 5 } else { 4 },
        "counted_by": "usr_1", "counted_at": NOON, "accepted": false, "variance_value": short.then_some(-10),
        "correction": 0, "balance_after": short.then_some(4), "movement_id": short.then_some("mov_1")});
    let payload = json!({"business_date": DAY, "opname": opname, "part": part, "parts": 2, "lines": [line]});
    record("opname.posted", &format!("evt_opn_{part}"), &payload)
}

pub fn transferred(kind: &str, event_id: &str, state: &str, qty: i64) -> String {
    let came = (state == "received").then_some(3);
    let transfer = json!({"transfer_id": "trf_1", "state": state, "from_store_id": "S001", "to_store_id": "S002",
        "lines": [{"line_no": 1, "sku": "A", "name": "Thing", "qty": 3, "cost": 30, "received_qty": came,
            "in_cost": 30, "resolved": []}],
        "note": null, "business_date": DAY, "created_by": "usr_1", "created_at": NOON, "sent_at": NOON,
        "received_by": null, "received_at": null, "cancelled_at": null, "cancel_lost": false});
    record(
        kind,
        event_id,
        &json!({"business_date": DAY, "transfer": transfer, "lines": [effect(1, qty, qty * 10)]}),
    )
}

/// Reports records one by one, and asserts that none is parked.
pub async fn all(shop: &mut Shop, records: Vec<String>) {
    for reported in records {
        assert_eq!(tells(shop, reported.clone()).await["parked"], json!([]), "{reported}");
    }
}

fn reversed(reported: &str) -> String {
    let mut reported: Value = serde_json::from_str(reported).unwrap();
    let qty = reported["payload"]["receiving"]["lines"][0]["qty"].as_i64().unwrap();
    reported["type"] = json!("receiving.reversed");
    reported["event_id"] = json!(format!("{}_back", reported["event_id"].as_str().unwrap()));
    reported["payload"]["receiving"]["state"] = json!("reversed");
    reported["payload"]["lines"] = json!([effect(1, -qty, -qty * 10)]);
    reported.to_string()
}

pub fn id(name: &'static str) -> fn(&Value) -> String {
    match name {
        "receiving_id" => |item| item["receiving_id"].as_str().unwrap().replace("rcv_evt_", ""),
        "adjustment_id" => |item| item["adjustment_id"].as_str().unwrap().to_owned(),
        "supplier_return_id" => |item| item["supplier_return_id"].as_str().unwrap().to_owned(),
        "kind" => |item| format!("{} {}", item["kind"].as_str().unwrap(), item["value"]),
        "reason" => |item| format!("{} {}", item["reason"].as_str().unwrap(), item["qty"]),
        _ => |item| item["transfer_id"].as_str().unwrap().to_owned(),
    }
}

/// Reads a document, and asserts that it has caused this many entries.
async fn read(api: &Api, path: &str, id: &str, entries: usize) -> Value {
    let found = api.get(&format!("/api/{path}/{id}")).await.data().clone();
    assert_eq!(found["entries"].as_array().unwrap().len(), entries, "{path} {found}");
    for entry in found["entries"].as_array().unwrap() {
        let entry = format!("/api/finance/journal/{}", entry["entry_id"].as_str().unwrap());
        assert_eq!(api.get(&entry).await.data()["cause"]["id"], id, "{path}");
    }
    assert_eq!(api.get(&format!("/api/{path}/none")).await.refusal(), "404 not_found");
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn receipts_of_all_stores_are_found_and_say_what_is_billed_of_them() {
    let server = Server::start().await;
    let (mut one, mut two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    let admin = server.admin().await;
    let supplier = admin.post("/api/suppliers", &json!({"code": "TEA", "name": "Tea"})).await.data().clone();
    let supplier_id = supplier["supplier_id"].as_str().unwrap();
    let of_supplier = |note: &'static str| {
        let supplier_id = supplier_id.to_owned();
        move |receipt: &mut Value| {
            receipt["supplier_id"] = json!(supplier_id);
            receipt["delivery_note_no"] = json!(note);
        }
    };
    let second = came("S001", 2, 5, |receipt| receipt["business_date"] = json!(EARLIER));
    all(&mut one, vec![came("S001", 1, 10, of_supplier("DN-1")), second.clone(), reversed(&second)]).await;
    let exceptions = "/api/exceptions?code=delivery_note_twice";
    assert_eq!(admin.get(exceptions).await.data()["items"], json!([]));
    all(&mut two, vec![came("S002", 3, 7, of_supplier("dn 1")), came("S002", 4, 7, of_supplier("DN-2"))])
        .await;
    let twice = admin.get(exceptions).await.data()["items"].clone();
    assert_eq!(twice.as_array().unwrap().len(), 1, "{twice}");
    assert_eq!(twice[0]["details"]["other_receiving_id"], "rcv_evt_1");
    let of_tea = format!("supplier_id={supplier_id}");
    let posted_of_tea = format!("state=posted&supplier_id={supplier_id}");
    finds(
        &admin,
        "/api/receiving",
        id("receiving_id"),
        &[
            ("", &["1", "2", "3", "4"]),
            ("store_id=S001", &["1", "2"]),
            (&format!("from={DAY}"), &["1", "3", "4"]),
            (&format!("to={EARLIER}"), &["2"]),
            ("state=reversed", &["2"]),
            ("delivery_note_no=DN-1", &["1", "3"]),
            ("delivery_note_no=dn1", &["1", "3"]),
            ("delivery_note_no=DN-1&store_id=S002", &["3"]),
            ("po_id=po_none", &[]),
            (&of_tea, &["1", "3", "4"]),
            (&posted_of_tea, &["1", "3", "4"]),
        ],
    )
    .await;
    let newest = admin.get("/api/receiving").await.data()["items"][3]["receiving_id"].clone();
    assert_eq!(newest, "rcv_evt_2", "the oldest is the last");
    let invoice = json!({"supplier_id": supplier_id, "invoice_no": "T-1", "invoice_date": "2023-11-22",
        "lines": [{"receiving_id": "rcv_evt_1", "receiving_line_no": 1, "qty": 4, "unit_cost": 10}]});
    let made = admin.post("/api/finance/invoices", &invoice).await.data().clone();
    let path = format!("/api/finance/invoices/{}", made["invoice_id"].as_str().unwrap());
    for step in ["match", "approve"] {
        admin.post(&format!("{path}/{step}"), &json!({})).await.data();
    }
    // Goods that were not billed on a day, by the books: 24 pieces came, 4 of them were billed two days later.
    let uninvoiced = async |query: &str| {
        let found = admin.get(&format!("/api/finance/uninvoiced{query}")).await.data()["items"].clone();
        let sum = |name: &str| {
            found.as_array().unwrap().iter().map(|line| line[name].as_i64().unwrap()).sum::<i64>()
        };
        (sum("open_qty"), sum("open_value"))
    };
    assert_eq!(uninvoiced(&format!("?as_of={EARLIER}")).await, (0, 0), "the receipt was reversed");
    assert_eq!(uninvoiced("?as_of=2023-11-21").await, (24, 240));
    assert_eq!(uninvoiced("?as_of=2023-11-22").await, (20, 200));
    assert_eq!(uninvoiced("").await, (20, 200));
    assert_eq!(
        admin.get("/api/finance/uninvoiced?as_of=2999-01-01").await.refusal(),
        "422 validation_failed"
    );
    let whole = read(&admin, "receiving", "rcv_evt_1", 1).await;
    let line = &whole["lines"][0];
    assert_eq!(
        (&line["invoiced_qty"], &line["open_value"], &line["qty"]),
        (&json!(4), &json!(60), &json!(10))
    );
    let listed = admin.get("/api/receiving?store_id=S001").await.data()["items"][0].clone();
    assert_eq!((&listed["lines"], &listed["event_id"]), (&whole["lines"], &json!("evt_1")));
    let back = read(&admin, "receiving", "rcv_evt_2", 2).await;
    assert_eq!((&back["state"], &back["event_id"]), (&json!("reversed"), &json!("evt_2_back")));
    assert_eq!(admin.get("/api/receiving/rcv_evt_1?store_id=S002").await.refusal(), "404 not_found");
    // If two records of one batch repeat a number, the later one is reported.
    for number in [6, 7] {
        two.chain().append(came("S002", number, 1, of_supplier("DN-9")));
    }
    let last = two.chain().records.len();
    assert_eq!(two.push(&two.batch(last - 1, last)).await.data()["parked"], json!([]));
    assert_eq!(admin.get(exceptions).await.data()["items"].as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn received_goods_are_compared_with_their_order_line_by_line() {
    let server = Server::start().await;
    let mut one = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    for sku in ["A", "B"] {
        admin.post("/api/products", &json!({"sku": sku, "name": sku, "price": 100})).await.data();
    }
    let supplier = admin.post("/api/suppliers", &json!({"code": "TEA", "name": "Tea"})).await.data().clone();
    let supplier_id = supplier["supplier_id"].as_str().unwrap().to_owned();
    let mut orders = Vec::new();
    for qty in [10, 4, 20] {
        let new = json!({"supplier_id": supplier_id, "store_id": "S001", "lines": [{"sku": "A", "qty": qty, "unit_cost": 10}]});
        let order = admin.post("/api/purchase-orders", &new).await.data().clone();
        let path = format!("/api/purchase-orders/{}", order["po_id"].as_str().unwrap());
        for step in ["approve", "send"] {
            admin.post(&format!("{path}/{step}"), &json!({})).await.data();
        }
        orders.push((order["po_id"].as_str().unwrap().to_owned(), path));
    }
    let against = |place: usize, change: fn(&mut Value)| {
        let (po_id, supplier_id) = (orders[place].0.clone(), supplier_id.clone());
        move |receipt: &mut Value| {
            receipt["po_id"] = json!(po_id);
            receipt["supplier_id"] = json!(supplier_id);
            change(receipt);
        }
    };
    let refused = |receipt: &mut Value| receipt["lines"][0]["rejected_qty"] = json!(2);
    let dearer = |receipt: &mut Value| {
        receipt["lines"][0]["unit_cost"] = json!(12);
        receipt["lines"][0]["cost"] = json!(36);
    };
    let other = |receipt: &mut Value| receipt["lines"][0]["sku"] = json!("B");
    let unknown = |receipt: &mut Value| receipt["lines"][0]["cost_missing"] = json!(true);
    all(
        &mut one,
        vec![
            came("S001", 1, 5, against(0, refused)),
            came("S001", 2, 3, against(0, dearer)),
            came("S001", 3, 6, against(1, |_| {})),
            came("S001", 4, 2, against(2, other)),
            came("S001", 5, 1, unknown),
        ],
    )
    .await;
    let of = |name: &str| format!("kind={name}");
    let (by_supplier, rejected, short) = (format!("supplier_id={supplier_id}"), of("rejected"), of("short"));
    let still_open = ["cost_missing 10", "over 20", "price 6", "rejected 20", "unordered 10", "unordered 20"];
    finds(
        &admin,
        "/api/receiving/discrepancies",
        id("kind"),
        &[
            ("", &still_open),
            (&by_supplier, &["over 20", "price 6", "rejected 20", "unordered 20"]),
            (&rejected, &["rejected 20"]),
            (&short, &[]),
            ("store_id=S002", &[]),
            (&format!("to={EARLIER}"), &[]),
        ],
    )
    .await;
    // 2 of 10 pieces are missing. This is reported once the order is closed, at its last receipt.
    admin.post(&format!("{}/close", orders[0].1), &json!({"reason": "enough"})).await.data();
    server.place.add_store("S009");
    let answer = admin.get(&format!("/api/receiving/discrepancies?{short}")).await.data().clone();
    assert_eq!(answer["completeness"]["missing"][0]["store_id"], "S009", "the store was never connected");
    let missing = answer["items"].clone();
    let figures = ["receiving_id", "ordered_qty", "received_qty", "order_cost", "value"]
        .map(|name| missing[0][name].clone());
    assert_eq!(json!(figures), json!(["rcv_evt_2", 10, 8, 10, -20]), "{missing}");
    assert_eq!(missing.as_array().unwrap().len(), 1);
    assert_eq!(admin.get("/api/receiving/discrepancies?kind=none").await.refusal(), "400 invalid_query");
    // The same in figures: 34 pieces were ordered on the day of the test, 17 arrived on the day of the story.
    let path = format!("/api/reports/purchases?from={DAY}&to=2999-12-31&group_by=supplier");
    let rows = admin.get(&path).await.data()["items"].clone();
    let row = |row: &Value| {
        let names = [
            "supplier_id",
            "ordered",
            "received",
            "rejected",
            "returned",
            "invoiced",
            "receipts",
            "on_time_bp",
            "open_qty",
        ];
        names.map(|name| row[name].clone()).to_vec()
    };
    assert_eq!(row(&rows[0]), json!(["", 0, 1, 0, 0, 0, 1, null, 0]).as_array().unwrap().clone(), "{rows}");
    let of_tea = json!([supplier_id, 34, 16, 2, 0, 0, 4, null, 20]);
    assert_eq!(row(&rows[1]), of_tea.as_array().unwrap().clone(), "{rows}");
    let products =
        admin.get(&format!("{path}&group_by=sku").replace("&group_by=supplier", "")).await.data().clone();
    let received: Vec<&Value> =
        products["items"].as_array().unwrap().iter().map(|row| &row["received"]).collect();
    assert_eq!((received, &products["totals"]["receipts"]), (vec![&json!(15), &json!(2)], &json!(5)));
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_of_goods_are_listed_as_they_are_now_with_their_entries() {
    let server = Server::start().await;
    let (mut one, mut two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    all(
        &mut one,
        vec![
            came("S001", 1, 20, |_| {}),
            adjusted(1, "pending", "theft", -1).replace(DAY, EARLIER),
            adjusted(1, "posted", "theft", -1),
            adjusted(2, "posted", "found", 2),
            adjusted(2, "reversed", "found", 2),
            sent_back(1, "sup_1", DAY),
            sent_back(2, "sup_2", EARLIER),
            counted(1),
            counted(2),
            transferred("transfer.sent", "evt_sent", "in_transit", -3),
        ],
    )
    .await;
    all(&mut two, vec![transferred("transfer.received", "evt_got", "received", 3)]).await;
    let admin = server.admin().await;
    finds(
        &admin,
        "/api/adjustments",
        id("adjustment_id"),
        &[
            ("", &["adj_1", "adj_2"]),
            ("state=pending", &[]),
            ("state=posted", &["adj_1"]),
            ("state=reversed&reason=found", &["adj_2"]),
            ("reason=theft", &["adj_1"]),
            ("store_id=S002", &[]),
            (&format!("from={DAY}"), &["adj_1", "adj_2"]),
        ],
    )
    .await;
    finds(
        &admin,
        "/api/supplier-returns",
        id("supplier_return_id"),
        &[("", &["srt_1", "srt_2"]), ("supplier_id=sup_2", &["srt_2"]), (&format!("from={DAY}"), &["srt_1"])],
    )
    .await;
    finds(
        &admin,
        "/api/transfers",
        id("transfer_id"),
        &[
            ("", &["trf_1"]),
            ("state=received", &["trf_1"]),
            ("state=in_transit", &[]),
            ("store_id=S002", &["trf_1"]),
            ("store_id=S002&direction=in", &["trf_1"]),
            ("store_id=S002&direction=out", &[]),
            (&format!("to={EARLIER}"), &[]),
        ],
    )
    .await;
    let adjustment = read(&admin, "adjustments", "adj_2", 2).await;
    assert_eq!(
        (&adjustment["state"], &adjustment["event_id"]),
        (&json!("reversed"), &json!("evt_adj_2_reversed"))
    );
    let back = read(&admin, "supplier-returns", "srt_1", 1).await;
    assert_eq!((&back["claim"], &back["store_id"]), (&json!(25), &json!("S001")));
    let transfer = read(&admin, "transfers", "trf_1", 3).await;
    assert_eq!((&transfer["in_transit_value"], &transfer["discrepancies"]), (&json!(0), &json!([])));
    let opname = read(&admin, "opname", "opn_1", 1).await;
    let lines: Vec<(&Value, &Value)> =
        opname["lines"].as_array().unwrap().iter().map(|line| (&line["sku"], &line["variance"])).collect();
    assert_eq!(lines, [(&json!("A"), &json!(-1)), (&json!("B"), &json!(0))], "of both parts");
    let listed = admin.get("/api/opname").await.data()["items"].clone();
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["variance_value"]), (1, &json!(-10)));
    let stock = admin.get("/api/stock?store_id=S001").await.data()["items"][0].clone();
    assert_eq!((&stock["on_hand"], &stock["last_moved_at"]), (&json!(11), &json!(NOON)));
    for role in ["ho_finance", "ho_purchasing"] {
        let new = json!({"username": role, "name": role, "role": role, "password": "right horse 9"});
        admin.post("/api/users", &new).await.data();
        let person = server.api().login(role, "right horse 9").await;
        for path in [
            "receiving",
            "receiving/discrepancies",
            "supplier-returns",
            "transfers",
            "adjustments",
            "opname",
            "stock/A/movements",
        ] {
            assert!(person.get(&format!("/api/{path}")).await.status.is_success(), "{role} {path}");
            assert_eq!(server.api().get(&format!("/api/{path}")).await.status.as_u16(), 401, "{path}");
        }
    }
}
