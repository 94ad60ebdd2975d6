//! Single documents of a store: the last report with its entries in the books, and days with their figures.

use crate::office::documents::filters::{back, deposited, shift, sold};
use crate::support::server::{Api, Server, stderr, stdout};
use crate::support::shop::Shop;
use crate::sync::kinds::{record, return_record, voided};
use crate::sync::records::{DAY, NOON};
use crate::sync::shared::tells;
use serde_json::{Value, json};

/// Returns a sale whose payment was corrected from cash to card.
fn corrected(number: u64) -> String {
    let reported: Value = serde_json::from_str(&sold("S001", number, |_| {})).unwrap();
    let mut sale = reported["payload"]["transaction"].clone();
    let mut right = sale["payments"][0].clone();
    sale["payments"][0]["state"] = json!("reversed");
    right["payment_id"] = json!("pay_right");
    right["method"] = json!("card");
    sale["payments"].as_array_mut().unwrap().push(right);
    let wrong = sale["payments"][0]["payment_id"].clone();
    let payload = json!({"business_date": DAY, "transaction": sale, "wrong": wrong, "right": ["pay_right"]});
    record("tender.corrected", &format!("evt_right_{number}"), &payload)
}

/// Returns the number of a document's entries, and asserts that each refers back to it.
async fn booked(api: &Api, document: &Value, id: &str, name: &str) -> usize {
    let entries = document["entries"].as_array().unwrap();
    let listed = api.get(&format!("/api/finance/journal?cause_id={id}")).await.data()["items"].clone();
    assert_eq!(listed.as_array().unwrap().len(), entries.len(), "{id}");
    for entry in entries {
        let path = format!("/api/finance/journal/{}", entry["entry_id"].as_str().unwrap());
        let whole = api.get(&path).await.data().clone();
        assert_eq!((&whole["cause"]["id"], &whole["entry_date"]), (&json!(id), &entry["entry_date"]));
        assert_eq!(whole["source"][name]["total"], document["total"], "{id}");
    }
    entries.len()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sale_is_read_as_last_reported_with_its_entries() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    for number in 1..=3 {
        tells(&mut shop, sold("S001", number, |_| {})).await;
    }
    for reported in [return_record("return.posted", "evt_ret", "posted", 1), corrected(2), voided(3, 1)] {
        assert_eq!(tells(&mut shop, reported).await["parked"], json!([]));
    }
    let admin = server.admin().await;
    let plain = admin.get("/api/transactions/trx_S001_1").await.data().clone();
    assert_eq!((&plain["state"], &plain["refunded"]), (&json!("paid"), &json!(1110)));
    assert_eq!((&plain["items"][0]["sku"], &plain["items"][0]["cost"]), (&json!("A"), &json!(10)));
    assert_eq!((&plain["event_id"], &plain["total"]), (&json!("evt_S001_1"), &json!(1110)));
    assert_eq!(booked(&admin, &plain, "trx_S001_1", "transaction").await, 1);
    let card = admin.get("/api/transactions/trx_S001_2").await.data().clone();
    assert_eq!(card["event_id"], "evt_right_2");
    assert_eq!(
        (&card["payments"][0]["state"], &card["payments"][1]["method"]),
        (&json!("reversed"), &json!("card"))
    );
    assert_eq!(booked(&admin, &card, "trx_S001_2", "transaction").await, 2);
    for (method, found) in [("card", json!(["trx_S001_2"])), ("cash", json!(["trx_S001_3", "trx_S001_1"]))] {
        let listed = admin.get(&format!("/api/transactions?method={method}")).await.data()["items"].clone();
        let ids: Value =
            listed.as_array().unwrap().iter().map(|item| item["transaction_id"].clone()).collect();
        assert_eq!(ids, found, "the current state");
    }
    // With `include` a page has the same parts as each single document.
    let listed = admin.get("/api/transactions?include=items,payments").await.data()["items"].clone();
    let [void, corrected, sold] = [0, 1, 2].map(|place| &listed[place]);
    assert_eq!(corrected["payments"][0]["method"], "card", "{corrected}");
    for (sale, document) in [(corrected, &card), (sold, &plain)] {
        for field in ["sku", "name", "qty", "discount", "tax", "tax_rate_bp", "total"] {
            assert_eq!(sale["items"][0][field], document["items"][0][field], "{field}");
        }
    }
    assert_eq!((sold["payments"][0]["amount"].clone(), &void["state"]), (json!(1110), &json!("voided")));
    let items = admin.get("/api/transactions?include=items&limit=1").await.data()["items"][0].clone();
    assert!(items.get("payments").is_none() && items["items"].as_array().unwrap().len() == 1, "{items}");
    assert_eq!(admin.get("/api/transactions?include=moon").await.refusal(), "400 invalid_query");
    let void = admin.get("/api/transactions/trx_S001_3").await.data().clone();
    assert_eq!((&void["state"], &void["event_id"]), (&json!("voided"), &json!("evt_void_3")));
    assert_eq!(booked(&admin, &void, "trx_S001_3", "transaction").await, 2);
    assert_eq!(admin.get("/api/transactions/trx_S001_1?store_id=S002").await.refusal(), "404 not_found");
    let back = admin.get("/api/returns/ret_1").await.data().clone();
    assert_eq!((&back["state"], &back["items"][0]["disposition"]), (&json!("posted"), &json!("restock")));
    assert_eq!(back["entries"].as_array().unwrap().len(), 1);
    tells(&mut shop, return_record("return.voided", "evt_ret_void", "voided", -1)).await;
    let back = admin.get("/api/returns/ret_1").await.data().clone();
    assert_eq!((&back["state"], &back["event_id"]), (&json!("voided"), &json!("evt_ret_void")));
    assert_eq!(back["entries"].as_array().unwrap().len(), 2);
    assert_eq!(admin.get("/api/returns").await.data()["items"][0]["state"], "voided");
    assert_eq!(admin.get("/api/transactions/trx_S001_1").await.data()["refunded"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_returns_has_their_lines_if_they_are_asked_for() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    tells(&mut shop, sold("S001", 1, |_| {})).await;
    tells(&mut shop, return_record("return.posted", "evt_ret", "posted", 1)).await;
    let admin = server.admin().await;
    let whole = admin.get("/api/returns/ret_1").await.data().clone();
    let listed = admin.get("/api/returns?include=items").await.data()["items"][0].clone();
    assert_eq!(listed["items"].as_array().unwrap().len(), 1, "{listed}");
    for field in ["sold_line_no", "sku", "qty", "tax", "refund", "disposition"] {
        assert_eq!(listed["items"][0][field], whole["items"][0][field], "{field}");
        assert!(!listed["items"][0][field].is_null(), "{field}");
    }
    assert_eq!(listed["items"][0]["tax_rate_bp"], 1_100, "{listed}");
    let plain = admin.get("/api/returns").await.data()["items"][0].clone();
    assert!(plain.get("items").is_none() && plain["return_id"] == "ret_1", "{plain}");
    assert_eq!(admin.get("/api/returns?include=moon").await.refusal(), "400 invalid_query");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_id_of_two_stores_is_read_from_either() {
    let server = Server::start().await;
    for store in ["S001", "S002"] {
        let mut shop = Shop::open(&server, store).await;
        tells(&mut shop, sold(store, 1, |sale| sale["transaction_id"] = json!("trx_same"))).await;
        tells(&mut shop, shift(store, "shf_same", DAY, Some(0))).await;
    }
    let admin = server.admin().await;
    for store in ["S001", "S002"] {
        for path in ["transactions/trx_same", "shifts/shf_same"] {
            let read = admin.get(&format!("/api/{path}?store_id={store}")).await.data().clone();
            assert_eq!(read["store_id"], store, "{path}");
            assert_eq!(read["entries"].as_array().unwrap().len(), 1, "{path}");
        }
    }
    admin.get("/api/transactions/trx_same").await.data();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shift_shows_its_drawer_as_the_store_reported_it() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let mut closed: Value = serde_json::from_str(&shift("S001", "shf_1", DAY, Some(-110))).unwrap();
    let reported = &mut closed["payload"]["shift"];
    reported["counts"] = json!({"card": 900});
    reported["totals"]["by_method"] = json!({
        "card": {"sales": 1000, "refunds": 0, "sales_count": 1, "refunds_count": 0},
        "cash": {"sales": 1110, "refunds": 0, "sales_count": 1, "refunds_count": 0}});
    tells(&mut shop, shift("S001", "shf_1", DAY, None)).await;
    let admin = server.admin().await;
    let open = admin.get("/api/shifts").await.data()["items"][0].clone();
    assert_eq!(
        (&open["state"], &open["variance"], &open["cash"]["expected"]),
        (&json!("open"), &Value::Null, &json!(50_000))
    );
    // It is shared by a second till, and suspended.
    let moved = |event_id: &str, registers: Value| {
        let mut moved: Value = serde_json::from_str(&shift("S001", "shf_1", DAY, None)).unwrap();
        (moved["type"], moved["event_id"]) = (json!("shift.moved"), json!(event_id));
        moved["payload"]["shift"]["moved_to"] = registers;
        moved.to_string()
    };
    for (event_id, registers) in [("evt_shared", json!(["main", "till-2"])), ("evt_suspended", json!([]))] {
        tells(&mut shop, moved(event_id, registers.clone())).await;
        let read = admin.get("/api/shifts/shf_1").await.data().clone();
        assert_eq!((&read["state"], &read["event_id"]), (&json!("open"), &json!(event_id)));
        assert_eq!(read["register_ids"], registers);
    }
    tells(&mut shop, closed.to_string()).await;
    // A repeated opening or a repeated move changes nothing.
    tells(&mut shop, moved("evt_late", json!(["till-9"]))).await;
    let again = shift("S001", "shf_1", DAY, None).replace("evt_S001_shf_1_false", "evt_again");
    tells(&mut shop, again).await;
    let listed = admin.get("/api/shifts").await.data()["items"][0].clone();
    let read = admin.get("/api/shifts/shf_1").await.data().clone();
    for shown in [&listed, &read] {
        assert_eq!((&shown["state"], &shown["variance"]), (&json!("closed"), &json!(-110)));
        assert_eq!(shown["event_id"], "evt_S001_shf_1_true");
        let card = &shown["by_method"][0];
        assert_eq!(
            (&card["method"], &card["net"], &card["variance"]),
            (&json!("card"), &json!(1000), &json!(-100))
        );
        assert_eq!((&shown["cash"]["sales"], &shown["cash"]["expected"]), (&json!(1110), &json!(51_110)));
    }
    assert_eq!(read["sales_count"], 0);
    let recount = json!({"before": 51_000, "counted_cash": 51_110, "variance": 0, "reason": "a note in the tray",
        "business_date": DAY, "user_id": "usr_1", "at": NOON});
    closed["type"] = json!("shift.recounted");
    closed["event_id"] = json!("evt_recount");
    closed["payload"]["shift"]["recounts"] = json!([recount]);
    tells(&mut shop, closed.to_string()).await;
    let read = admin.get("/api/shifts/shf_1").await.data().clone();
    assert_eq!((&read["variance"], &read["recounts"][0]["variance"]), (&json!(-110), &json!(0)));
    assert_eq!(admin.get("/api/shifts?variance_above=0").await.data()["items"], json!([]));
    assert!(read["entries"].as_array().unwrap().len() >= 3, "opening, close and recount");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_has_the_figures_of_the_report_and_says_whether_it_is_whole() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    for reported in [
        shift("S001", "shf_1", DAY, None),
        sold("S001", 1, |_| {}),
        sold("S001", 2, |_| {}),
        sold("S001", 3, |sale| sale["business_date"] = json!("2023-11-21")),
        voided(2, 1),
        back("evt_4", DAY, json!("trx_S001_1"), &["restock"]),
    ] {
        assert_eq!(tells(&mut shop, reported).await["parked"], json!([]));
    }
    let admin = server.admin().await;
    let path = format!("/api/days/S001/{DAY}");
    let day = admin.get(&path).await.data().clone();
    let report = format!("/api/reports/sales?from={DAY}&to={DAY}&store_id=S001");
    let report = admin.get(&report).await.data().clone();
    for (name, figure) in report["totals"].as_object().unwrap() {
        assert_eq!(day[name], *figure, "{name}");
    }
    assert_eq!((&day["sales_count"], &day["net_total"]), (&json!(1), &json!(0)));
    let whole = |of: &Value| {
        ["stores_expected", "stores_complete", "missing"].map(|name| of["completeness"][name].clone())
    };
    assert_eq!(whole(&day), whole(&report));
    assert_eq!((&day["shifts_open"], &day["shifts_closed"]), (&json!(1), &json!(0)));
    assert_eq!((&day["sealed_at"], &day["digest"]), (&Value::Null, &Value::Null));
    let seal = json!({"business_date": DAY, "shift_ids": ["shf_1"], "sealed_by": null, "sealed_at": NOON, "reason": null});
    tells(&mut shop, shift("S001", "shf_1", DAY, Some(0))).await;
    tells(&mut shop, record("day.sealed", "evt_seal", &seal)).await;
    // A later sale does not reopen the day.
    tells(&mut shop, sold("S001", 5, |_| {})).await;
    let at = shop.chain().records.len();
    let heads = json!([{"epoch": crate::support::shop::FIRST, "seq": at, "hash": shop.chain().hash_at(at)}]);
    let digest = json!({"business_date": DAY, "heads": heads, "types": {}});
    let compared = shop.speak().post("/api/sync/digest", &digest).await.data().clone();
    let day = admin.get(&path).await.data().clone();
    assert_eq!((&day["sealed_at"], &day["shifts_closed"]), (&json!(NOON), &json!(1)));
    assert_eq!(day["digest"]["result"], compared["result"]);
    let mut listed = admin.get("/api/days?to=2023-11-20").await.data()["items"].clone();
    listed[0]["completeness"]["as_of"] = day["completeness"]["as_of"].clone();
    assert_eq!(listed, json!([day]));
    let reopened = json!({"business_date": DAY, "reopened_by": null, "reopened_at": NOON, "open_until": DAY, "reason": null});
    tells(&mut shop, record("day.reopened", "evt_open", &reopened)).await;
    let day = admin.get(&path).await.data().clone();
    assert_eq!(day["sealed_at"], Value::Null);
    let reasons = day["completeness"]["missing"][0]["reasons"].as_array().unwrap();
    assert!(reasons.contains(&json!("day_reopened")), "{reasons:?}");
    let other = admin.get("/api/days/S001/2023-11-21").await.data().clone();
    assert_eq!((&other["sales_count"], &other["shifts_open"]), (&json!(1), &json!(0)));
    let early = admin.get("/api/days/S001/2023-11-19").await;
    assert_eq!(early.refusal(), "404 not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn verify_holds_what_lists_are_found_by_against_the_records() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    for reported in [
        sold("S001", 1, |_| {}),
        sold("S001", 2, |_| {}),
        corrected(2),
        back("evt_3", DAY, json!("trx_S001_1"), &["damaged"]),
        shift("S001", "shf_1", DAY, Some(0)),
        deposited("evt_4", DAY, 500, Value::Null),
    ] {
        assert_eq!(tells(&mut shop, reported).await["parked"], json!([]));
    }
    let place = &server.place;
    let verified = place.run(&["verify"], "");
    assert!(verified.status.success(), "{}{}", stdout(&verified), stderr(&verified));
    for (wrong, right, says) in [
        (
            "sale_lines SET business_date = '2023-11-21'",
            "sale_lines SET business_date = '2023-11-20'",
            "sold pieces",
        ),
        (
            "payments SET method = 'cash'",
            "payments SET method = 'card' WHERE payment_id = 'pay_right'",
            "paid 2023-11-20 card",
        ),
        (
            "return_lines SET disposition = 'vendor'",
            "return_lines SET disposition = 'damaged'",
            "returned pieces",
        ),
        ("sale_lines SET is_first = 0", "sale_lines SET is_first = 1", "sale_lines of evt_S001_1"),
        ("deposits SET amount = 501", "deposits SET amount = 500", "deposited 2023-11-20"),
        ("shifts SET event_id = 'evt_4'", "shifts SET event_id = 'evt_S001_shf_1_true'", "shift shf_1"),
        (
            "sales SET corrected_event = NULL, voided_event = 'evt_none' WHERE event_id = 'evt_S001_2'",
            "sales SET corrected_event = 'evt_right_2', voided_event = NULL WHERE event_id = 'evt_S001_2'",
            "sale trx_S001_2",
        ),
        ("store_days SET store_id = 'S009'", "store_days SET store_id = 'S001'", "deposit csh_4"),
    ] {
        let run = |sql: &str| {
            sqlx::query(sqlx::AssertSqlSafe(format!("UPDATE {sql}"))).execute(server.hub.db.pool())
        };
        run(wrong).await.unwrap();
        let found = place.run(&["verify"], "");
        let text = stdout(&found) + &stderr(&found);
        assert!(!found.status.success() && text.contains(says), "{wrong}: {text}");
        run(right).await.unwrap();
    }
    assert!(place.run(&["verify"], "").status.success());
}
