//! Reports: their sums are those of the pushed records.

use crate::support::server::Server;
use crate::support::shop::Shop;
use crate::sync::records::{DAY, Sale};
use domain::model::base::business_date::day_end;
use serde_json::{Value, json};

async fn report(server: &Server, query: &str) -> Value {
    let path = format!("/api/reports/sales?from={DAY}&to={DAY}{query}");
    server.admin().await.get(&path).await.data().clone()
}

fn sum(report: &Value, figure: &str) -> i64 {
    report["items"].as_array().unwrap().iter().map(|row| row[figure].as_i64().unwrap()).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_grouping_adds_up_to_what_was_pushed() {
    let server = Server::start().await;
    let csv = "sku,name,price,category,barcode,reorder_level\nA,Apple,1000,fruit,,\nB,Nail,10,iron,,\n";
    server.admin().await.csv("/api/products/import", csv).await.data();
    let (mut total, mut tax, mut pieces) = (0, 0, 0);
    for store in ["S001", "S002"] {
        let mut shop = Shop::open(&server, store).await;
        for number in 1..=20 {
            let sku = if number % 2 == 0 { "A" } else { "B" };
            let sale = Sale { store, number, shift: "shf_1", sku, qty: number as i64, price: 990 };
            (total, tax, pieces) = (total + sale.total(), tax + sale.tax(), pieces + sale.qty);
            shop.chain().append(sale.record(&format!("evt_{number}")));
        }
        shop.push(&shop.batch(1, 20)).await.data();
    }
    for (group_by, key, rows) in [
        ("day", "business_date", 1),
        ("hour", "hour", 1),
        ("store", "store_id", 2),
        ("cashier", "cashier_id", 1),
        ("sku", "sku", 2),
        ("category", "category", 2),
    ] {
        let report = report(&server, &format!("&group_by={group_by}")).await;
        assert_eq!(report["items"].as_array().unwrap().len(), rows, "{group_by}");
        assert!(report["items"][0][key].is_string(), "{report}");
        for (figure, expected) in [
            ("sales_count", 40),
            ("items_count", pieces),
            ("total", total),
            ("tax", tax),
            ("net_total", total),
        ] {
            assert_eq!(sum(&report, figure), expected, "{group_by} {figure}");
        }
    }
    // A receipt with both products counts for each of them, and once in the totals.
    let mut shop = Shop::open(&server, "S003").await;
    let sale = Sale { store: "S003", number: 1, shift: "shf_1", sku: "A", qty: 2, price: 990 };
    let mut record: Value = serde_json::from_str(&sale.record("evt_1")).unwrap();
    let two = &mut record["payload"]["transaction"]["items"];
    let mut line = two[0].clone();
    (line["line_no"], line["sku"]) = (json!(2), json!("B"));
    two.as_array_mut().unwrap().push(line);
    shop.chain().append(record.to_string());
    shop.push(&shop.batch(1, 1)).await.data();
    for (group_by, rows) in [("sku", 2), ("category", 2), ("day", 1), ("method", 1)] {
        let report = report(&server, &format!("&store_id=S003&group_by={group_by}")).await;
        assert_eq!((sum(&report, "sales_count"), &report["totals"]["sales_count"]), (rows, &json!(1)));
    }
    let methods = report(&server, "&group_by=method&store_id=S001").await;
    let row = &methods["items"][0];
    assert!(row["tax"].is_null() && row["gross_sales"].is_null() && row["rounding"] == json!(0), "{row}");
    assert!(methods["totals"]["tax"].as_i64() > Some(0));
    let methods = report(&server, "&group_by=method").await;
    let total = total + sale.total();
    assert_eq!((sum(&methods, "total"), &methods["items"][0]["method"]), (total, &json!("cash")));
    let hour = report(&server, "&group_by=hour").await;
    assert_eq!(hour["items"][0]["hour"], "2023-11-20T09:00", "in the store's time zone");
    let one = report(&server, "&store_id=S001").await;
    assert_eq!(sum(&one, "sales_count"), 20);
    let none = server.admin().await.get("/api/reports/sales?from=2020-01-01&to=2020-01-01").await;
    assert_eq!(none.data()["items"], json!([]));
    let text = server
        .admin()
        .await
        .text(&format!("/api/reports/sales?from={DAY}&to={DAY}&group_by=store"), "text/csv")
        .await;
    assert!(text.starts_with("store_id,sales_count,") && text.lines().count() == 4, "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_says_how_complete_it_is() {
    let server = Server::start().await;
    let _heard = Shop::sold(&server, "S001", 1).await;
    server.place.add_store("S002");
    let behind = Shop::open(&server, "S003").await;
    let mut hello = behind.hello_body();
    hello["backlog"]["pending"] = json!(4);
    behind.say_hello(&hello).await.data();
    let complete = report(&server, "").await["completeness"].clone();
    assert_eq!(
        (&complete["missing"][0]["store_id"], &complete["missing"][0]["reasons"]),
        (&json!("S001"), &json!(["not_sealed"]))
    );
    let earlier = server.admin().await.get("/api/reports/sales?from=2023-11-19&to=2023-11-19").await;
    assert_eq!(earlier.data()["completeness"]["stores_complete"], 1, "the day has no records");
    sqlx::query("UPDATE store_days SET sealed = 1, stamp = 'x'").execute(server.hub.db.pool()).await.unwrap();
    let complete = report(&server, "").await["completeness"].clone();
    assert_eq!((&complete["stores_expected"], &complete["stores_complete"]), (&json!(3), &json!(1)));
    let missing: Vec<_> =
        complete["missing"].as_array().unwrap().iter().map(|row| row["store_id"].clone()).collect();
    assert_eq!(missing, ["S002", "S003"]);
    assert!(complete["missing"][0]["last_seen"].is_null() && complete["missing"][1]["last_seen"].is_string());
    assert!(server.place.run(&["store", "disable", "S002"], "").status.success());
    assert_eq!(report(&server, "").await["completeness"]["stores_expected"], 2);
    // A disabled store with sales is listed in reports of its days until it has reported everything.
    assert!(server.place.run(&["store", "disable", "S003"], "").status.success());
    let complete = report(&server, "").await["completeness"].clone();
    assert_eq!(
        (&complete["stores_expected"], &complete["missing"][0]["store_id"]),
        (&json!(2), &json!("S003"))
    );
    assert_eq!(complete["missing"][0]["reasons"], json!(["pending"]));
    let later = server.admin().await.get("/api/reports/sales?from=2099-01-01&to=2099-01-01").await;
    assert_eq!(later.data()["completeness"]["stores_expected"], 1, "the store was disabled before that day");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_is_over_when_the_stores_next_one_starts() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    let (zone, midnight) = (jiff::tz::TimeZone::get("Asia/Jakarta").unwrap(), jiff::civil::Time::midnight());
    let day: jiff::civil::Date = DAY.parse().unwrap();
    let heard = day_end(day, &zone, midnight).0;
    let mut hello = shop.hello_body();
    // The day start that the store itself reports applies, and an unknown time zone is ignored.
    for (day_start, zone, over) in [
        ("00:00", None, true),
        ("23:59", None, false),
        ("00:00", Some("America/New_York"), false),
        ("00:00", Some("Mars/Olympus"), false),
        ("00:00", Some("Asia/Jakarta"), true),
    ] {
        (hello["day_start"], hello["timezone"]) = (json!(day_start), json!(zone));
        shop.say_hello(&hello).await.data();
        // The store was last connected at midnight.
        let query = sqlx::query("UPDATE stores SET last_seen_at = $1").bind(heard);
        query.execute(server.hub.db.pool()).await.unwrap();
        let complete = report(&server, "").await["completeness"].clone();
        assert_eq!(complete["stores_complete"] == json!(1), over, "{day_start} {zone:?}: {complete}");
    }
    hello["timezone"] = json!("Z".repeat(65));
    assert_eq!(shop.say_hello(&hello).await.refusal(), "422 validation_failed");
    hello["timezone"] = json!("Asia/Jakarta");
    hello["day_start"] = json!("4 o'clock");
    assert_eq!(shop.say_hello(&hello).await.refusal(), "422 validation_failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_malformed_query_is_refused() {
    let server = Server::start().await;
    let admin = server.admin().await;
    for query in [
        "",
        "from=2026-11-20",
        "from=x&to=y",
        "from=2026-11-21&to=2026-11-20",
        "from=2026-11-20&to=2026-11-20&group_by=moon",
    ] {
        assert_eq!(
            admin.get(&format!("/api/reports/sales?{query}")).await.refusal(),
            "400 invalid_query",
            "{query}"
        );
    }
}
