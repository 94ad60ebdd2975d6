//! Reports of one day of one store. Every figure was computed by hand: 20 pieces came, 5 were sold, 1 was returned, 2
//! were stolen; a voided sale does not count.

use crate::office::finance::{adjustment, tells};
use crate::support::server::{Api, Server, stderr};
use crate::support::shop::Shop;
use crate::sync::kinds::{STAMP, effect, raw, record, returned, voided};
use crate::sync::records::{DAY, NOON, Sale, receiving};
use serde_json::{Value, json};

fn points(points: i64, reason: &str) -> Value {
    json!({"entry_id": format!("pts_{reason}"), "member_id": "mbr_1", "points": points, "reason": reason,
        "reference_id": "trx_S001_1", "balance_after": 0, "lots": [], "business_date": DAY, "user_id": "usr_1", "at": NOON})
}

fn sale(number: u64, qty: i64) -> Sale<'static> {
    Sale { store: "S001", number, shift: "shf_1", sku: "A", qty, price: 1000 }
}

/// Returns a sale of 3 pieces to a member with a promotion of 300: 2,700 and a tax of 297.
fn promoted() -> String {
    let mut whole: Value = serde_json::from_str(&sale(1, 3).record("evt_1")).unwrap();
    let paid = &mut whole["payload"];
    paid["points"] = json!([points(30, "earn")]);
    let sold = &mut paid["transaction"];
    sold["member_id"] = json!("mbr_1");
    for place in ["/items/0", ""] {
        let document = sold.pointer_mut(place).unwrap();
        (document["discount"], document["tax"]) = (json!(300), json!(297));
        document["total"] = json!(2_997);
    }
    sold["items"][0]["tax_code"] = json!("PPN11");
    sold["items"][0]["discounts"] =
        json!([{"source": "promotion", "promotion_id": "prm_1", "amount": 300, "reason": null}]);
    sold["payments"][0]["amount"] = json!(2_997);
    whole.to_string()
}

fn came_back() -> String {
    let document = returned("ret_1", "trx_S001_1", "posted");
    let payload = json!({"business_date": DAY, "document": document, "lines": [effect(1, 1, 10)],
        "points": [points(-10, "reverse")]});
    record("return.posted", "evt_ret", &payload)
}

fn void() -> String {
    let mut whole: Value = serde_json::from_str(&voided(3, 1)).unwrap();
    whole["payload"]["points"] = json!([]);
    whole.to_string()
}

async fn reported() -> (Server, Api) {
    let server = Server::start().await;
    let admin = server.admin().await;
    let csv = "sku,name,price,category,barcode,reorder_level\nA,Apple,1000,fruit,,\n";
    admin.csv("/api/products/import", csv).await.data();
    let mut shop = Shop::open(&server, "S001").await;
    let records = vec![
        receiving("S001", "A", 20, "evt_rcv"),
        promoted(),
        sale(2, 2).record("evt_2"),
        sale(3, 1).record("evt_3"),
        void(),
        came_back(),
        adjustment("evt_adj", "posted", -20),
    ];
    assert_eq!(tells(&mut shop, records).await["parked"], json!([]));
    (server, admin)
}

/// Returns the named figures of each row of a report.
async fn rows(api: &Api, query: &str, names: &str) -> Value {
    let report = api.get(&format!("/api/reports/{query}")).await.data().clone();
    let row = |row: &Value| names.split(' ').map(|name| row[name].clone()).collect::<Value>();
    report["items"].as_array().unwrap().iter().map(row).collect()
}

fn of(name: &str, group_by: &str) -> String {
    match name {
        "stock" | "points-liability" => format!("{name}?as_of={DAY}&group_by={group_by}"),
        _ => format!("{name}?from={DAY}&to={DAY}&group_by={group_by}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_figure_of_a_day_is_the_one_computed_by_hand() {
    let (server, api) = reported().await;
    let sums =
        "sales_count items_count gross_sales discounts tax total returns_count returns_total net_total";
    let day = [2, 5, 5_000, 300, 517, 5_217, 1, 1_110, 4_107];
    for (group, key, is) in [
        ("day", "business_date", DAY),
        ("hour", "hour", "2023-11-20T09:00"),
        ("register", "register_id", "main"),
        ("cashier", "cashier_id", "usr_1"),
        ("sku", "sku", "A"),
        ("category", "category", "fruit"),
    ] {
        let found = rows(&api, &of("sales", group), &format!("{key} {sums}")).await;
        let expected: Vec<Value> = [json!(is)].into_iter().chain(day.map(Value::from)).collect();
        assert_eq!(found, json!([expected]), "{group}");
    }
    for (query, names, expected) in [
        (
            of("sales", "promotion"),
            "promotion_id name uses discounts net_sales",
            json!([["prm_1", null, 1, 300, 2_700]]),
        ),
        (
            of("sales", "tax"),
            "tax_code tax_rate_bp base tax returns_base returns_tax",
            json!([[null, 1_100, 2_000, 220, 0, 0], ["PPN11", 1_100, 2_700, 297, 1_000, 110]]),
        ),
        (
            of("sales", "method"),
            "method sales_count total returns_total net_total",
            json!([["cash", 2, 5_217, 1_110, 4_107]]),
        ),
        (
            of("margin", "category"),
            "category items_count net_sales cost correction margin margin_bp",
            json!([["fruit", 5, 3_700, 40, 0, 3_660, 9_892]]),
        ),
        (
            of("members", "day"),
            "business_date sales_count total member_sales_count member_total points_earned points_redeemed points_reversed",
            json!([[DAY, 2, 5_217, 1, 2_997, 30, 0, 10]]),
        ),
        (
            of("shrinkage", "day"),
            "theft loss found transfer_loss pieces total sales_bp",
            json!([[20, 0, 0, 0, 2, 20, 54]]),
        ),
        (of("shrinkage", "sku"), "sku theft pieces total sales_bp", json!([["A", 20, 2, 20, 54]])),
        (of("shrinkage", "reason"), "reason total", json!([["theft", 20]])),
        (
            of("sell-through", "sku"),
            "sku opening_qty received_qty sold_qty returned_qty other_qty closing_qty sell_through_bp days_of_stock",
            json!([["A", 0, 20, 5, 1, -2, 14, 2_000, 4]]),
        ),
        (
            of("stock", "category"),
            "category on_hand value average_cost damaged damaged_value",
            json!([["fruit", 14, 140, 10, 0, 0]]),
        ),
        (
            of("points-liability", "month"),
            "month points value earned redeemed reversed expired adjusted",
            json!([["2023-11", 20, 20, 30, 0, 10, 0, 0]]),
        ),
        (
            of("payments", "cashier"),
            "cashier_id payments_count sales refunds net",
            json!([["usr_1", 2, 5_217, 1_110, 4_107]]),
        ),
        (of("cash", "shift"), "shift_id sales refunds", json!([["shf_1", 5_217, 1_110]])),
        (
            of("profit", "account"),
            "account gross_sales discounts returns net_sales result",
            json!([
                ["4010", 5_000, 0, 0, 5_000, 5_000],
                ["4020", 0, 300, 0, -300, -300],
                ["4030", 0, 0, 1_000, -1_000, -1_000],
                ["5010", 0, 0, 0, 0, -40],
                ["5110", 0, 0, 0, 0, -20],
                ["6040", 0, 0, 0, 0, -20]
            ]),
        ),
    ] {
        assert_eq!(rows(&api, &query, names).await, expected, "{query}");
    }
    let verified = server.place.run(&["verify"], "");
    assert!(verified.status.success(), "{}", stderr(&verified));
}

#[tokio::test(flavor = "multi_thread")]
async fn products_without_a_category_are_a_row_whose_category_is_null() {
    let (_server, admin) = reported().await;
    admin.patch("/api/products/A", &json!({"category": null})).await.data();
    for report in ["stock", "shrinkage"] {
        assert_eq!(rows(&admin, &of(report, "category"), "category").await, json!([[null]]), "{report}");
    }
}

const REPORTS: [(&str, &[&str]); 13] = [
    (
        "sales",
        &["day", "hour", "store", "register", "cashier", "sku", "category", "method", "tax", "promotion"],
    ),
    ("margin", &["day", "store", "sku", "category", "supplier"]),
    ("stock", &["store", "sku", "category"]),
    ("shrinkage", &["day", "store", "sku", "category", "reason"]),
    ("members", &["day", "store", "tier"]),
    ("payments", &["day", "store", "method", "cashier"]),
    ("cash", &["day", "store", "register", "cashier", "shift"]),
    ("profit", &["month", "store", "account"]),
    ("points-liability", &["month"]),
    ("exceptions", &["code", "store", "day"]),
    ("sell-through", &["sku", "category", "store", "supplier"]),
    ("purchases", &["supplier", "store", "sku", "month"]),
    ("settlements", &["day", "store", "method"]),
];

/// Asserts that a value has only fields of its schema, and each of these has its type.
#[track_caller]
fn fits(document: &Value, schema: &Value, value: &Value, place: &str) {
    let schema = schema["$ref"].as_str().map_or(schema, |path| document.pointer(&path[1..]).unwrap());
    let schema = if value.is_null() { schema } else { schema.pointer("/anyOf/0").unwrap_or(schema) };
    match value {
        Value::Object(fields) if schema.get("$ref").is_none() => {
            for (name, field) in fields {
                let property = &schema["properties"][name];
                assert!(!property.is_null(), "{place}: {name} is not in {schema:#}");
                fits(document, property, field, &format!("{place}.{name}"));
            }
            for name in schema["required"].as_array().into_iter().flatten() {
                assert!(fields.contains_key(name.as_str().unwrap()), "{place}: {name} is missing");
            }
        }
        Value::Object(_) => fits(document, schema, value, place),
        Value::Array(items) => items.iter().for_each(|item| fits(document, &schema["items"], item, place)),
        _ => {
            let kind = match value {
                Value::Null => "null",
                Value::String(_) => "string",
                Value::Number(_) => "integer",
                _ => "boolean",
            };
            let allowed = json!([schema["type"], schema["enum"], schema["anyOf"]]).to_string();
            assert!(allowed.contains(&format!("\"{kind}\"")), "{place} is {value}: {schema:#}");
            let values = schema["enum"].as_array();
            assert!(values.is_none_or(|values| values.contains(value)), "{place} is {value}: {schema:#}");
        }
    }
}

/// Asserts that a report is as the document describes this one.
#[track_caller]
fn is_documented(document: &Value, name: &str, report: &Value) {
    let answer = &document["paths"][format!("/api/reports/{name}")]["get"]["responses"]["200"];
    let schema = &answer["content"]["application/json"]["schema"]["properties"]["data"];
    assert!(schema["$ref"].is_string(), "{name}: {schema:#}");
    fits(document, schema, report, name);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_grouping_is_a_table_and_a_chart_and_adds_up() {
    let (server, api) = reported().await;
    let document: Value = serde_json::from_str(&cloud_hub::routes::text().unwrap()).unwrap();
    sqlx::query("UPDATE stores SET pending = 3").execute(server.hub.db.pool()).await.unwrap();
    for (name, groups) in REPORTS {
        for group in groups {
            let path = format!("/api/reports/{}", of(name, group));
            let report = api.get(&path).await.data().clone();
            is_documented(&document, name, &report);
            if !path.contains("as_of") {
                let of_books = api.get(&format!("{path}&dates=books")).await.data().clone();
                is_documented(&document, name, &of_books);
            }
            let items = report["items"].as_array().unwrap();
            let may_be_empty = ["exceptions", "settlements"].contains(&name);
            assert!(!items.is_empty() || may_be_empty, "{path}: {report}");
            assert_eq!(report["completeness"]["missing"][0]["pending"], json!(3), "{path}");
            let of_books = ["profit", "sell-through", "stock", "points-liability"].contains(&name);
            assert_eq!(report["dates"], if of_books { "books" } else { "business" }, "{path}");
            let (says, table) = api.headed(&path, "text/csv", "x-completeness").await;
            assert_eq!(says.as_deref(), Some("0/1; missing=S001"), "{path}");
            assert_eq!(table.matches("\r\n").count(), items.len() + 1, "{path}: {table}");
            // Only tables have the names of products.
            let of_table = |name: &&str| *name != "name" || items.iter().any(|row| row.get("name").is_some());
            let columns = table.split("\r\n").next().unwrap().split(',');
            let columns: Vec<&str> = columns.filter(of_table).collect();
            if let Some(row) = items.first() {
                let row = row.as_object().unwrap();
                assert!(
                    row.len() == columns.len() && columns.iter().all(|name| row.contains_key(*name)),
                    "{path}"
                );
            }
            let chart = api.text(&path, "image/svg+xml").await;
            assert!(chart.starts_with("<svg") && chart.contains("0/1; missing=S001"), "{path}: {chart}");
            // Figures of groups that do not overlap add up to the totals.
            for (figure, total) in report["totals"].as_object().unwrap() {
                let part = |row: &Value| row[figure].as_i64();
                let sum: Option<i64> = items.iter().map(part).sum();
                let follows =
                    figure.ends_with("_bp") || figure.ends_with("_cost") || figure == "days_of_stock";
                if let (Some(sum), false) = (sum, follows) {
                    assert_eq!(json!(sum), *total, "{path} {figure}");
                }
            }
        }
        let none =
            api.get(&format!("/api/reports/{}&store_id=S009", of(name, groups[0]))).await.data().clone();
        assert_eq!(none["items"], json!([]), "{name} of another store");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn members_are_new_on_the_day_and_in_the_store_that_registered_them() {
    let (server, api) = reported().await;
    let mut other = Shop::open(&server, "S002").await;
    let fields = json!({"name": {"value": "Ani", "at": STAMP, "base": ""}, "tier": {"value": "gold", "at": STAMP, "base": ""}});
    let changed = raw("member.changed", "evt_new", STAMP, &json!({"id": "mbr_9", "fields": fields}));
    assert_eq!(tells(&mut other, vec![changed]).await["parked"], json!([]));
    api.post("/api/members", &json!({"name": "Budi", "phone": "+6281234567890"})).await.data();
    let whole = "members?from=2023-01-01&to=2999-12-31&group_by";
    let stores = rows(&api, &format!("{whole}=store"), "store_id members_new sales_count").await;
    assert_eq!(stores, json!([["", 1, 0], ["S001", 0, 2], ["S002", 1, 0]]));
    let tiers = rows(&api, &of("members", "tier"), "tier members_new").await;
    assert!(tiers.as_array().unwrap().contains(&json!(["gold", 1])), "{tiers}");
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_parameters_of_reports_are_refused() {
    let (server, api) = reported().await;
    for query in [
        "",
        "?from=2023-11-20",
        "?from=2023-11-20&to=2023-11-19",
        "?from=2023-11-20&to=2023-11-31",
        "?from=2023-11-20&to=2023-11-20&group_by=moon",
        "?from=2023-11-20&to=2023-11-20&dates=lunar",
        "?from=2023-11-20&to=2023-11-20&colour=red",
        "?from=2023-11-20&to=2023-11-20&store_id=%00",
    ] {
        for (name, _) in REPORTS {
            assert_eq!(
                api.get(&format!("/api/reports/{name}{query}")).await.refusal(),
                "400 invalid_query",
                "{name}{query}"
            );
        }
    }
    for (query, missing) in [("sales?to=2023-11-20", "from"), ("stock", "as_of")] {
        let refused = api.get(&format!("/api/reports/{query}")).await.body;
        let field = &refused["error"]["details"]["fields"][0];
        assert_eq!((&field["path"], &field["problem"]), (&json!(missing), &json!("is missing")), "{refused}");
    }
    let many = |columns: &str, row: &str, rows: i64| {
        format!(
            "INSERT INTO {columns} WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) \
             SELECT {row} FROM n"
        )
    };
    let pool = server.hub.db.pool();
    // A sum that exceeds the database's range, and one that JSON readers can't represent: both are null, the others are
    // shown.
    let columns = "sales_days (store_id, business_date, entry_date, sales_count, items_count, gross, discount, tax, \
                   total, rounding, returns_count, returns_total, returns_tax, returns_rounding)";
    for (day, rows) in [("2024-01-01", 1_100), ("2024-01-02", 2)] {
        let row = format!("'S' || i, '{day}', '{day}', 1, 1, 1, 0, 0, 9007199254740991, 0, 0, 0, 0, 0");
        sqlx::query(sqlx::AssertSqlSafe(many(columns, &row, rows))).execute(pool).await.unwrap();
        let found = api.get(&format!("/api/reports/sales?from={day}&to={day}")).await;
        let totals = &found.data()["totals"];
        assert_eq!((&totals["total"], &totals["sales_count"]), (&json!(null), &json!(rows)), "{day}");
    }
    let columns = "sales_skus (store_id, business_date, entry_date, sku, category, sales_count, items_count, gross, \
                   discount, tax, total, cost, returns_count, returned_qty, refund, refund_tax, refund_cost)";
    let row = "'S001', '2024-01-03', '2024-01-03', 'sku_' || i, '', 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0";
    sqlx::query(sqlx::AssertSqlSafe(many(columns, row, 100_001))).execute(pool).await.unwrap();
    let found = api.get("/api/reports/sales?from=2024-01-03&to=2024-01-03&group_by=sku").await;
    assert_eq!(found.refusal(), "400 invalid_query");
    let fewer = api.get("/api/reports/sales?from=2024-01-03&to=2024-01-03&group_by=category").await;
    assert_eq!(fewer.data()["items"], json!([]), "rows without a product have no category");
    assert_eq!(rows(&api, &of("sales", "day"), "total").await, json!([[5_217]]), "the hub still works");
}

#[tokio::test(flavor = "multi_thread")]
async fn exceptions_are_counted_open_and_settled_and_one_without_a_day_on_that_of_its_finding() {
    let (server, api) = reported().await;
    let mut other = Shop::open(&server, "S002").await;
    let twice = sale(1, 1).record("evt_9").replace("\"S001\"", "\"S002\"");
    tells(&mut other, vec![twice]).await;
    let found = rows(&api, &of("exceptions", "code"), "code open settled").await;
    assert_eq!(found, json!([["receipt_number_of_another_store", 1, 0]]));
    let exception = api.get("/api/exceptions").await.data()["items"][0]["exception_id"].clone();
    let settle = format!("/api/exceptions/{}/settle", exception.as_str().unwrap());
    api.post(&settle, &json!({"note": "seen"})).await.data();
    assert_eq!(
        rows(&api, &of("exceptions", "store"), "store_id open settled").await,
        json!([["S002", 0, 1]])
    );
    sqlx::query("UPDATE events SET business_date = NULL").execute(server.hub.db.pool()).await.unwrap();
    assert_eq!(rows(&api, &of("exceptions", "store"), "store_id").await, json!([]));
    let today = api.get("/api/reports/exceptions?from=2024-01-01&to=2099-12-31").await.data().clone();
    assert_eq!((&today["totals"]["open"], &today["totals"]["settled"]), (&json!(0), &json!(1)));
}
