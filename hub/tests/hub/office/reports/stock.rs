//! Stock of all stores.

use crate::office::finance::{balanced, lines, tells, transfer};
use crate::support::server::{Server, stderr};
use crate::support::shop::Shop;
use crate::sync::kinds::effect;
use crate::sync::records::{DAY, NOON, receiving};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn stock_of_all_stores_is_listed_by_product_and_store() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let csv = "sku,name,price,category,barcode,reorder_level\nA,Apple,1000,fruit,042100005264,50\nB,Nail,10,iron,,5\n";
    admin.csv("/api/products/import", csv).await.data();
    for (store, pieces) in [("S001", 40), ("S002", 60)] {
        let mut shop = Shop::open(&server, store).await;
        for (number, sku) in [(1, "A"), (2, "B")] {
            let event_id = format!("evt_{store}_{number}");
            shop.chain().append(receiving(store, sku, pieces, &event_id));
        }
        let mut batch = shop.batch(1, 2);
        if store == "S001" {
            batch["backlog"] = json!({"pending": 3, "oldest_pending_at": NOON});
        }
        shop.push(&batch).await.data();
    }
    let places = |list: &Value| {
        let row = |row: &Value| {
            json!([row["sku"], row["store_id"], row["on_hand"], row["value"], row["average_cost"]])
        };
        list["items"].as_array().unwrap().iter().map(row).collect::<Value>()
    };
    let all = admin.get("/api/stock").await.data().clone();
    assert_eq!(
        places(&all),
        json!([
            ["A", "S001", 40, 400, 10],
            ["A", "S002", 60, 600, 10],
            ["B", "S001", 40, 400, 10],
            ["B", "S002", 60, 600, 10]
        ])
    );
    let noon = json!(NOON);
    assert_eq!(all["items"][0]["as_of"], noon, "later records of the store have not arrived");
    assert!(all["items"][1]["as_of"].as_str() > noon.as_str(), "{all}");
    assert_eq!((&all["items"][0]["name"], &all["items"][0]["reorder_level"]), (&json!("Apple"), &json!(50)));
    for (filter, count) in [
        ("below_reorder=true", 1),
        ("store_id=S002", 2),
        ("category=iron", 2),
        ("q=App", 2),
        ("q=04252614", 2),
        ("q=00526", 2),
        ("sku=A&store_id=S001", 1),
        ("negative=true", 0),
        ("damaged=true", 0),
    ] {
        let found = admin.get(&format!("/api/stock?{filter}")).await.data()["items"].clone();
        assert_eq!(found.as_array().unwrap().len(), count, "{filter}");
    }
    // The pages together are the same list.
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = admin.get(&format!("/api/stock?limit=3{cursor}")).await.data().clone();
        seen.extend(places(&page).as_array().unwrap().clone());
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(json!(seen), places(&all));
    let one = admin.get("/api/stock/A").await.data().clone();
    assert_eq!((one["items"].as_array().unwrap().len(), &one["totals"]["on_hand"]), (2, &json!(100)));
    assert_eq!(admin.get("/api/stock/Z").await.refusal(), "404 not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_never_had_a_product_is_listed_with_what_comes_and_what_is_damaged() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let (mut one, _two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    let sent = transfer("transfer.sent", "evt_sent", -10, &json!([]));
    tells(&mut one, vec![receiving("S001", "A", 20, "evt_rcv"), receiving("S001", "B", 1, "evt_b"), sent])
        .await;
    let sql =
        "INSERT INTO damaged (store_id, sku, qty, value) VALUES ('S002', 'B', 2, 20), ('S002', 'C', 0, 0)";
    sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    let rows = |list: &Value| {
        let names = ["sku", "store_id", "on_hand", "in_transit_in", "damaged"];
        let row = |row: &Value| names.iter().map(|name| row[name].clone()).collect::<Value>();
        list["items"].as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    let all = [
        json!(["A", "S001", 10, 0, 0]),
        json!(["A", "S002", 0, 10, 0]),
        json!(["B", "S001", 1, 0, 0]),
        json!(["B", "S002", 0, 0, 2]),
    ];
    let list = admin.get("/api/stock").await.data().clone();
    assert_eq!((rows(&list), &list["items"][1]["last_moved_at"]), (all.to_vec(), &Value::Null));
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = admin.get(&format!("/api/stock?limit=1{cursor}")).await.data().clone();
        seen.extend(rows(&page));
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(seen, all, "the pages together are the same list");
    for (filter, found) in
        [("store_id=S002", &[1, 3][..]), ("damaged=true", &[3]), ("sku=A&store_id=S002", &[1])]
    {
        let found: Vec<Value> = found.iter().map(|place: &usize| all[*place].clone()).collect();
        assert_eq!(rows(&admin.get(&format!("/api/stock?{filter}")).await.data().clone()), found, "{filter}");
    }
    let one = admin.get("/api/stock/A").await.data().clone();
    assert_eq!((rows(&one), &one["totals"]["in_transit_in"]), (all[..2].to_vec(), &json!(10)));
}

#[tokio::test(flavor = "multi_thread")]
async fn goods_on_their_way_are_their_senders_until_the_day_that_they_arrive_or_are_lost() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let csv = "sku,name,price,category,barcode,reorder_level\nA,Apple,1000,fruit,,\n";
    admin.csv("/api/products/import", csv).await.data();
    let (mut one, mut two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    let next = "2023-11-21";
    let lost = json!([{"resolution": "lost", "qty": 1, "cost": 10, "user_id": "usr_1", "at": NOON}]);
    let of_next = |record: String| record.replace(DAY, next);
    let sent = transfer("transfer.sent", "evt_sent", -10, &json!([]));
    tells(&mut one, vec![receiving("S001", "A", 20, "evt_rcv"), sent]).await;
    tells(&mut two, vec![of_next(transfer("transfer.received", "evt_arrived", 7, &json!([])))]).await;
    tells(&mut one, vec![of_next(transfer("transfer.resolved", "evt_lost", 0, &lost))]).await;
    for (day, group, expected) in [
        (DAY, "store&store_id=S001", json!([["S001", 10, 100, 10, 100]])),
        (next, "store", json!([["S001", 10, 100, 2, 20], ["S002", 7, 70, 0, 0]])),
        (DAY, "sku", json!([["A", 10, 100, 10, 100]])),
        (next, "sku", json!([["A", 17, 170, 2, 20]])),
        (next, "category", json!([["fruit", 17, 170, 2, 20]])),
    ] {
        let path = format!("/api/reports/stock?as_of={day}&group_by={group}");
        let report = admin.get(&path).await.data().clone();
        let figures = |row: &Value| {
            ["on_hand", "value", "in_transit", "in_transit_value"].map(|name| row[name].clone())
        };
        let key = group.split('&').next().unwrap().replace("store", "store_id");
        let row = |row: &Value| json!([&[row[&key].clone()], &figures(row)[..]].concat());
        assert_eq!(
            report["items"].as_array().unwrap().iter().map(row).collect::<Value>(),
            expected,
            "{path}"
        );
        let books =
            admin.get(&format!("/api/finance/trial-balance?date={day}")).await.data()["items"].clone();
        let on_the_way = books.as_array().unwrap().iter().find(|row| row["account"] == "1220").unwrap();
        assert_eq!(report["totals"]["in_transit_value"], on_the_way["debit"], "{path}");
    }
    let table = admin.text(&format!("/api/reports/stock?as_of={next}&group_by=sku"), "text/csv").await;
    let lines = [
        "sku,on_hand,value,average_cost,in_transit,in_transit_value,damaged,damaged_value,name",
        "A,17,170,10,2,20,0,0,Apple",
    ];
    assert_eq!(table.lines().collect::<Vec<_>>(), lines);
    balanced(&server, &admin).await;
    for sql in ["UPDATE transit_days SET value = 99 WHERE value = 100", "UPDATE transit SET qty = qty + 1"] {
        sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    }
    let reported = stderr(&server.place.run(&["verify"], ""));
    for problem in [
        "S001 2023-11-20: 1220 moved by 100, but its products in transit by 99",
        "S001 A: 3 are in transit, but 2 according to its days; the value differs by 1",
    ] {
        assert!(reported.contains(problem), "{problem}: {reported}");
    }
}

/// Returns the record with a second line, of product B, that moves this many pieces of this value.
fn with_second(record: &str, (qty, value): (i64, i64)) -> String {
    let mut record: Value = serde_json::from_str(record).unwrap();
    let lines = &mut record["payload"]["transfer"]["lines"];
    let mut second = lines[0].clone();
    (second["line_no"], second["sku"], second["resolved"]) = (json!(2), json!("B"), json!([]));
    lines.as_array_mut().unwrap().push(second);
    if qty != 0 {
        record["payload"]["lines"].as_array_mut().unwrap().push(effect(2, qty, value));
    }
    record.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rest_is_taken_off_the_line_that_has_it() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let (mut one, mut two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    let lost = json!([{"resolution": "lost", "qty": 1, "cost": 10, "user_id": "usr_1", "at": NOON}]);
    let goods = ["A", "B"].map(|sku| receiving("S001", sku, 20, &format!("evt_rcv_{sku}")));
    let sent = with_second(&transfer("transfer.sent", "evt_sent", -10, &json!([])), (-10, -100));
    tells(&mut one, [&goods[..], &[sent]].concat()).await;
    // The receiver takes 7 pieces of B at 68; the sender's document has 70.
    let arrived = with_second(&transfer("transfer.received", "evt_arrived", 7, &json!([])), (7, 68));
    tells(&mut two, vec![arrived]).await;
    tells(&mut one, vec![with_second(&transfer("transfer.resolved", "evt_lost", 0, &lost), (0, 0))]).await;
    let report = admin.get(&format!("/api/reports/stock?as_of={DAY}&group_by=sku")).await.data().clone();
    let row = |row: &Value| json!([row["sku"], row["in_transit"], row["in_transit_value"]]);
    let rows: Value = report["items"].as_array().unwrap().iter().map(row).collect();
    assert_eq!(rows, json!([["A", 2, 20], ["B", 3, 30]]));
    let lost = json!([["1220", 0, 12], ["5140", 12, 0]]);
    assert_eq!(lines(&admin, "S001", "evt_lost").await, lost);
    balanced(&server, &admin).await;
}
