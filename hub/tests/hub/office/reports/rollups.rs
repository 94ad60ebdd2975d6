//! Rollups: by both dates, compared with the records, and rebuilt.

use crate::office::finance::tells;
use crate::office::finance_entries::accountant;
use crate::support::server::{Api, Server, stderr};
use crate::support::shop::Shop;
use crate::sync::kinds::{return_record, voided};
use crate::sync::records::{DAY, Sale};
use serde_json::{Value, json};

async fn sells(shop: &mut Shop, day: &str) {
    let number = shop.chain().records.len() + 1;
    let store = shop.id.clone();
    let sale = Sale { store: &store, number: number as u64, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
    shop.chain().append(sale.record(&format!("evt_{store}_{number}")).replace(DAY, day));
    shop.push(&shop.batch(number, number)).await.data();
}

async fn sales(api: &Api, query: &str) -> Value {
    api.get(&format!("/api/reports/sales?{query}")).await.data().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_record_belongs_to_its_own_day_and_to_a_later_one_in_the_books() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    let mut shop = Shop::open(&server, "S001").await;
    sells(&mut shop, DAY).await;
    let force = json!({"force": true, "reason": "sales follow", "store_ids": ["S001"]});
    finance.post(&format!("/api/finance/days/{DAY}/lock"), &force).await.data();
    let day = format!("from={DAY}&to={DAY}");
    let before = sales(&finance, &format!("{day}&dates=books")).await["items"].clone();
    sells(&mut shop, DAY).await;
    let of = |report: &Value| {
        [&report["totals"]["sales_count"], &report["totals"]["total"], &report["late"]].map(Value::clone)
    };
    let own = sales(&finance, &day).await;
    assert_eq!(of(&own), [json!(2), json!(2_220), json!({"count": 1, "total": 1_110})]);
    let books = sales(&finance, &format!("{day}&dates=books")).await;
    assert_eq!(of(&books), [json!(1), json!(1_110), json!({"count": 1, "total": 1_110})]);
    assert_eq!(
        (&books["items"], &books["items"][0]["entry_date"]),
        (&before, &json!(DAY)),
        "the rollup is unchanged"
    );
    let next = sales(&finance, "from=2023-11-21&to=2023-11-21&dates=books").await;
    assert_eq!(of(&next), [json!(1), json!(1_110), json!({"count": 1, "total": -1_110})]);
    let both = sales(&finance, &format!("from={DAY}&to=2023-11-21&dates=books")).await;
    assert_eq!(of(&both), [json!(2), json!(2_220), json!({"count": 0, "total": 0})]);
    let verified = server.place.run(&["verify"], "");
    assert!(verified.status.success(), "{}", stderr(&verified));
}

#[tokio::test(flavor = "multi_thread")]
async fn sums_read_by_months_and_days_equal_the_sums_of_the_days() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    let mut shop = Shop::open(&server, "S001").await;
    for day in ["2023-09-30", "2023-10-01", "2023-10-31", "2023-11-01", DAY, "2023-12-01"] {
        sells(&mut shop, day).await;
    }
    let force = json!({"force": true, "reason": "sales follow", "store_ids": ["S001"]});
    finance.post("/api/finance/days/2023-12-01/lock", &force).await.data();
    // A sale of October that the books have in December.
    sells(&mut shop, "2023-10-05").await;
    for (from, to, business, books) in [
        ("2023-10-01", "2023-11-30", 5, 4),
        ("2023-09-30", "2023-11-30", 6, 5),
        ("2023-10-02", "2023-12-01", 5, 4),
        ("2023-10-31", "2023-11-01", 2, 2),
        ("2023-10-05", "2023-10-31", 2, 1),
        ("2023-12-01", "2023-12-31", 1, 2),
        ("2023-09-01", "2023-12-31", 7, 7),
    ] {
        for (dates, sold) in [("business", business), ("books", books)] {
            let range = format!("from={from}&to={to}&dates={dates}&group_by=sku");
            let report = sales(&finance, &range).await;
            let row = &report["items"][0];
            assert_eq!(
                (&row["items_count"], &row["total"]),
                (&json!(sold), &report["totals"]["total"]),
                "{range}"
            );
            let margin = finance.get(&format!("/api/reports/margin?{range}")).await.data().clone();
            let of = |row: &Value| json!([row["items_count"], row["net_sales"], row["cost"], row["margin"]]);
            assert_eq!(of(&margin["items"][0]), of(&margin["totals"]), "{range}");
            assert_eq!(margin["totals"]["items_count"], json!(sold), "{range}");
        }
    }
    let verified = server.place.run(&["verify"], "");
    assert!(verified.status.success(), "{}", stderr(&verified));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_sum_is_found_and_made_anew() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    (1..=3).for_each(|number| {
        let sale = Sale { store: "S001", number, shift: "shf_1", sku: "A", qty: 2, price: 990 };
        shop.chain().append(sale.record(&format!("evt_{number}")));
    });
    shop.chain().append(voided(2, 2));
    shop.push(&shop.batch(1, 4)).await.data();
    for (wrong, named) in [
        ("UPDATE sales_days SET total = total + 1", "sales_days S001 2023-11-20 2023-11-20 total"),
        ("DELETE FROM sales_cashiers", "sales_cashiers S001 2023-11-20 2023-11-20"),
        ("UPDATE sales_sku_months SET cost = 7", "sales_sku_months S001 2023-11 2023-11 A"),
        ("UPDATE sales_skus SET entry_date = '2023-11-21'", "sales_skus S001 2023-11-20 2023-11-21 A"),
        ("DELETE FROM stock_months", "stock_months S001 2023-11 A sale qty is 0"),
        ("UPDATE cash_days SET sales = 0", "cash_days S001"),
    ] {
        sqlx::query(wrong).execute(server.hub.db.pool()).await.unwrap();
        let found = server.place.run(&["verify"], "");
        assert!(!found.status.success() && stderr(&found).contains(named), "{wrong}: {}", stderr(&found));
        let mended = server.place.run(&["verify", "--rebuild", "rollups"], "");
        assert!(mended.status.success(), "{wrong}: {}", stderr(&mended));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sale_counts_for_the_tier_of_its_time_and_its_void_for_the_same() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let ani =
        admin.post("/api/members", &json!({"name": "Ani", "phone": "+62811000111"})).await.data().clone();
    let (id, mut shop) = (ani["member_id"].as_str().unwrap(), Shop::open(&server, "S001").await);
    let becomes = async |tier: &str| {
        admin.patch(&format!("/api/members/{id}"), &json!({"tier": tier})).await.data();
    };
    let sold = |number: u64| {
        let sale = Sale { store: "S001", number, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
        let text = sale.record(&format!("evt_{number}"));
        text.replace("\"member_id\":null", &format!("\"member_id\":\"{id}\""))
    };
    let voids = |number: u64| {
        let mut whole: Value = serde_json::from_str(&voided(number, 1)).unwrap();
        whole["payload"]["transaction"]["member_id"] = json!(id);
        whole["payload"]["points"] = json!([]);
        whole.to_string()
    };
    let tiers = async || {
        let report = admin.get(&format!("/api/reports/members?from={DAY}&to={DAY}&group_by=tier")).await;
        let row = |row: &Value| json!([row["tier"], row["sales_count"], row["member_sales_count"]]);
        let mut rows: Vec<Value> = report.data()["items"].as_array().unwrap().iter().map(row).collect();
        rows.sort_by_key(Value::to_string);
        json!(rows)
    };
    becomes("gold").await;
    let nobodys = Sale { store: "S001", number: 5, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
    tells(&mut shop, vec![sold(1), sold(2), nobodys.record("evt_5")]).await;
    assert_eq!(tiers().await, json!([["gold", 2, 2], [null, 1, 0]]));
    becomes("silver").await;
    // One sale is voided at once; the other was to a member of the tier at that time.
    tells(&mut shop, vec![sold(3), sold(4), voids(4), voids(2)]).await;
    assert_eq!(tiers().await, json!([["gold", 1, 1], ["silver", 1, 1], [null, 1, 0]]));
    becomes("bronze").await;
    tells(&mut shop, vec![voids(3)]).await;
    assert_eq!(tiers().await, json!([["gold", 1, 1], [null, 1, 0]]));
    let verified = server.place.run(&["verify"], "");
    assert!(verified.status.success(), "{}", stderr(&verified));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_keeps_its_category_until_categories_are_made_anew() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let csv = "sku,name,price,category,barcode,reorder_level\nA,Apple,1000,fruit,,\n";
    admin.csv("/api/products/import", csv).await.data();
    let mut shop = Shop::open(&server, "S001").await;
    let day = format!("from={DAY}&to={DAY}&group_by=category");
    sells(&mut shop, DAY).await;
    admin.patch("/api/products/A", &json!({"category": "food"})).await.data();
    sells(&mut shop, DAY).await;
    let categories = |report: Value| {
        let row = |row: &Value| json!([row["category"], row["items_count"]]);
        report["items"].as_array().unwrap().iter().map(row).collect::<Value>()
    };
    assert_eq!(categories(sales(&admin, &day).await), json!([["food", 1], ["fruit", 1]]));
    assert!(server.place.run(&["verify"], "").status.success());
    let rebuilt = server.place.run(&["verify", "--rebuild", "categories"], "");
    assert!(rebuilt.status.success(), "{}", stderr(&rebuilt));
    assert_eq!(categories(sales(&admin, &day).await), json!([["food", 2]]));
}

/// Returns a record with changes at places of its payload.
fn changed(record: &str, changes: &[(&str, Value)]) -> String {
    let mut whole: Value = serde_json::from_str(record).unwrap();
    for (place, value) in changes {
        *whole["payload"].pointer_mut(place).unwrap() = value.clone();
    }
    whole.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_void_of_what_an_exchange_paid_gives_the_money_back_by_the_method_it_came_from() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let sale = |number| Sale { store: "S001", number, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
    let none = ("/points", json!([]));
    let back = [
        none.clone(),
        ("/document/refunds/0/method", json!("exchange")),
        ("/document/refunds/0/origin", json!("cash")),
    ];
    let paid = [
        ("/transaction/payments/0/method", json!("exchange")),
        ("/transaction/payments/0/origin", json!("cash")),
    ];
    let given = [&paid[..], &[none, ("/refunds/0/exchange", json!(true))]].concat();
    let records = vec![
        sale(1).record("evt_1"),
        changed(&return_record("return.posted", "evt_ret", "posted", 1), &back),
        changed(&sale(2).record("evt_2"), &paid),
        changed(&voided(2, 1), &given),
    ];
    assert_eq!(tells(&mut shop, records).await["parked"], json!([]));
    let balance = admin.get(&format!("/api/finance/trial-balance?date={DAY}")).await.data()["items"].clone();
    let moved = |account| balance.as_array().unwrap().iter().find(|row| row["account"] == account).cloned();
    assert!(
        ["1010", "1150"].into_iter().filter_map(moved).all(|row| row["debit"] == row["credit"]),
        "{balance}"
    );
    let report =
        |name: &str, group: &str| format!("/api/reports/{name}?from={DAY}&to={DAY}&group_by={group}");
    let methods = admin.get(&report("payments", "method")).await.data()["items"].clone();
    let row = |row: &Value| json!([row["method"], row["sales"], row["refunds"], row["net"]]);
    let methods: Value = methods.as_array().unwrap().iter().map(row).collect();
    assert_eq!(methods, json!([["cash", 1_110, 1_110, 0]]));
    let cash = admin.get(&report("cash", "shift")).await.data()["items"][0].clone();
    assert_eq!((&cash["sales"], &cash["refunds"]), (&json!(1_110), &json!(1_110)));
    let verified = server.place.run(&["verify"], "");
    assert!(verified.status.success(), "{}", stderr(&verified));
}
