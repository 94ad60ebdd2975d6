//! Reports of the part of the accountant's story that stores report. Every figure was computed by hand.

use crate::office::finance::tells;
use crate::office::finance_story::{pots, tea};
use crate::support::server::{Api, Server, stderr};
use crate::support::shop::Shop;
use crate::sync::kinds::effect;
use crate::sync::records::{DAY, receiving};
use serde_json::{Value, json};

async fn reported() -> (Server, Api) {
    let server = Server::start().await;
    let (mut one, mut two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    assert_eq!(tells(&mut one, tea()).await["parked"], json!([]));
    assert_eq!(tells(&mut two, pots()).await["parked"], json!([]));
    let admin = server.admin().await;
    (server, admin)
}

/// Returns the named figures of each row of a report, with its first key.
async fn rows(api: &Api, query: &str, names: &[&str]) -> Value {
    let path = format!("/api/reports/{query}");
    let report = api.get(&path).await.data().clone();
    let row = |row: &Value| names.iter().map(|name| row[name].clone()).collect::<Value>();
    report["items"].as_array().unwrap().iter().map(row).collect()
}

const DAYS: &str = "from=2026-11-18&to=2026-11-20";

#[tokio::test(flavor = "multi_thread")]
async fn margin_and_profit_are_those_of_the_story() {
    let (server, api) = reported().await;
    let figures = ["store_id", "net_sales", "cost", "correction", "margin", "margin_bp"];
    assert_eq!(
        rows(&api, &format!("margin?{DAYS}&group_by=store"), &figures).await,
        json!([["S001", 654_000, 391_448, 0, 262_552, 4_015], ["S002", 770_000, 640_000, 0, 130_000, 1_688]])
    );
    assert_eq!(
        rows(&api, &format!("margin?{DAYS}&store_id=S001"), &["business_date", "net_sales"]).await,
        json!([["2026-11-18", 185_000], ["2026-11-19", 319_000], ["2026-11-20", 150_000]])
    );
    let figures = [
        "store_id",
        "gross_sales",
        "discounts",
        "returns",
        "net_sales",
        "cost_of_goods",
        "gross_profit",
        "expenses",
        "result",
    ];
    assert_eq!(
        rows(&api, &format!("profit?{DAYS}&group_by=store"), &figures).await,
        json!([
            ["S001", 720_000, 10_000, 56_000, 654_000, 391_448, 262_552, 950, 261_602],
            ["S002", 900_000, 30_000, 100_000, 770_000, 640_000, 130_000, 14_700, 115_300]
        ])
    );
    let months = api.get(&format!("/api/reports/profit?{DAYS}")).await.data().clone();
    assert_eq!(
        (&months["items"][0]["month"], &months["totals"]["result"]),
        (&json!("2026-11"), &json!(376_902))
    );
    assert_eq!(months["items"].as_array().unwrap().len(), 1);
    assert!(server.place.run(&["verify"], "").status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn stock_at_the_end_of_a_day_is_what_the_books_have_of_it() {
    let (_server, api) = reported().await;
    let figures = ["store_id", "on_hand", "value", "damaged", "damaged_value"];
    for (day, expected) in [
        ("2026-11-17", json!([])),
        ("2026-11-18", json!([["S001", 114, 916_345, 0, 0], ["S002", 48, 3_760_000, 0, 0]])),
        ("2026-11-20", json!([["S001", 115, 640_552, 0, 0], ["S002", 45, 3_280_000, 1, 80_000]])),
        ("2026-12-31", json!([["S001", 115, 640_552, 0, 0], ["S002", 45, 3_280_000, 1, 80_000]])),
    ] {
        assert_eq!(rows(&api, &format!("stock?as_of={day}"), &figures).await, expected, "{day}");
        let balance = api.get(&format!("/api/finance/trial-balance?date={day}")).await.data().clone();
        let goods = balance["items"].as_array().unwrap().iter().find(|row| row["account"] == "1210");
        let report = api.get(&format!("/api/reports/stock?as_of={day}&group_by=sku")).await.data().clone();
        assert_eq!(report["totals"]["value"], goods.map_or(json!(0), |row| row["debit"].clone()), "{day}");
    }
    for name in ["stock", "points-liability"] {
        let missing = api.get(&format!("/api/reports/{name}")).await;
        assert_eq!(missing.refusal(), "400 invalid_query", "{name}");
    }
    let points = api.get("/api/reports/points-liability?as_of=2026-11-20").await.data().clone();
    assert_eq!((&points["items"], &points["totals"]["value"]), (&json!([]), &json!(0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn cash_payments_and_tax_are_those_of_the_story() {
    let (_server, api) = reported().await;
    let figures = [
        "store_id",
        "shifts",
        "opening_float",
        "sales",
        "pay_out",
        "drops",
        "expected",
        "counted",
        "variance",
        "deposited",
    ];
    assert_eq!(
        rows(&api, &format!("cash?{DAYS}&group_by=store"), &figures).await,
        json!([
            ["S001", 3, 600_000, 216_500, 0, 0, 816_500, 815_500, -1_000, 250_000],
            ["S002", 3, 600_000, 410_700, 15_000, 200_000, 795_700, 796_000, 300, 0]
        ])
    );
    let figures = ["method", "payments_count", "sales", "refunds", "net"];
    assert_eq!(
        rows(&api, &format!("payments?{DAYS}&group_by=method"), &figures).await,
        json!([
            ["card", 5, 1_015_650, 62_160, 953_490],
            ["cash", 4, 627_200, 0, 627_200],
            ["qris", 1, 111_000, 111_000, 0]
        ])
    );
    let figures = ["tax_code", "tax_rate_bp", "base", "tax", "returns_base", "returns_tax"];
    assert_eq!(
        rows(&api, &format!("sales?{DAYS}&group_by=tax"), &figures).await,
        json!([[null, 1_100, 1_580_000, 173_800, 156_000, 17_160]])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_is_also_a_table_and_a_chart_that_say_who_is_missing() {
    let (server, api) = reported().await;
    server.place.add_store("S003");
    let path = format!("/api/reports/margin?{DAYS}&group_by=store");
    let (completeness, table) = api.headed(&path, "text/csv", "x-completeness").await;
    let completeness = completeness.unwrap();
    assert!(completeness.ends_with("S003") && completeness.contains("/3; missing="), "{completeness}");
    let first = "store_id,items_count,net_sales,cost,correction,margin,margin_bp\r\n";
    assert!(table.starts_with(first) && table.contains("\r\nS002,"), "{table}");
    let (kind, chart) = api.headed(&path, "image/svg+xml", "content-type").await;
    assert_eq!(kind.as_deref(), Some("image/svg+xml"));
    assert!(chart.starts_with("<svg") && chart.contains(&completeness), "{chart}");
    for name in [
        "sales",
        "margin",
        "shrinkage",
        "members",
        "payments",
        "cash",
        "profit",
        "exceptions",
        "sell-through",
    ] {
        let report = api.get(&format!("/api/reports/{name}?{DAYS}")).await.data().clone();
        assert!(
            report["completeness"]["as_of"].is_string() && report["totals"].is_object(),
            "{name}: {report}"
        );
        let wrong = api.get(&format!("/api/reports/{name}?{DAYS}&group_by=moon")).await;
        assert_eq!(wrong.refusal(), "400 invalid_query", "{name}");
        let (_, chart) =
            api.headed(&format!("/api/reports/{name}?{DAYS}"), "image/svg+xml", "content-type").await;
        assert!(chart.starts_with("<svg"), "{name}");
    }
    let verified = server.place.run(&["verify"], "");
    assert!(verified.status.success(), "{}", stderr(&verified));
}

#[tokio::test(flavor = "multi_thread")]
async fn late_purchases_are_reported_for_both_days() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    tells(&mut shop, vec![receiving("S001", "A", 20, "evt_1")]).await;
    let lock = json!({"force": true, "reason": "x", "store_ids": ["S001"]});
    admin.post(&format!("/api/finance/days/{DAY}/lock"), &lock).await.data();
    tells(&mut shop, vec![receiving("S001", "A", 5, "evt_2")]).await;
    for (query, received, late) in [
        (format!("from={DAY}&to={DAY}"), 25, json!({"count": 1, "total": 5})),
        (format!("from={DAY}&to={DAY}&dates=books"), 20, json!({"count": 1, "total": 5})),
        ("from=2023-11-21&to=2023-11-21&dates=books".to_owned(), 5, json!({"count": 1, "total": -5})),
        (format!("from={DAY}&to=2023-11-21"), 25, json!({"count": 0, "total": 0})),
    ] {
        let found = admin.get(&format!("/api/reports/purchases?{query}")).await.data().clone();
        assert_eq!((&found["totals"]["received"], &found["late"]), (&json!(received), &late), "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receipt_stays_on_its_day_and_what_takes_it_back_is_below_0_on_its_own() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let reported = receiving("S001", "A", 20, "evt_1");
    let mut back: Value = serde_json::from_str(&reported.replace(DAY, "2023-11-22")).unwrap();
    (back["type"], back["event_id"]) = (json!("receiving.reversed"), json!("evt_1_back"));
    back["payload"]["receiving"]["state"] = json!("reversed");
    back["payload"]["lines"] = json!([effect(1, -20, -200)]);
    let other = receiving("S001", "B", 5, "evt_2");
    tells(&mut shop, vec![reported]).await;
    let figures = async |query: String| {
        let path = format!("/api/reports/purchases?{query}&dates=books");
        let found = admin.get(&path).await.data()["totals"].clone();
        (found["received"].clone(), found["receipts"].clone())
    };
    let day = format!("from={DAY}&to={DAY}");
    assert_eq!(figures(day.clone()).await, (json!(20), json!(1)));
    tells(&mut shop, vec![other, back.to_string()]).await;
    for group in ["supplier", "sku"] {
        assert_eq!(figures(format!("{day}&group_by={group}")).await, (json!(25), json!(2)), "{group}");
    }
    assert_eq!(figures("from=2023-11-22&to=2023-11-22".to_owned()).await, (json!(-20), json!(-1)));
    assert_eq!(figures(format!("from={DAY}&to=2023-11-22")).await, (json!(5), json!(1)));
    // The list uses the original day of the receipt.
    let listed = admin.get(&format!("/api/receiving?to={DAY}&state=reversed")).await.data()["items"].clone();
    assert_eq!((&listed[0]["receiving_id"], &listed[0]["business_date"]), (&json!("rcv_evt_1"), &json!(DAY)));
}
