//! Months: closed in order once the books are proven; the end of a year; tax by the books.

use crate::office::finance::tells;
use crate::office::finance_entries::{accountant, entry, text};
use crate::office::settlement::items::is_first_row;
use crate::office::settlement::story::paid;
use crate::support::server::{Api, Server, stderr};
use crate::support::shop::Shop;
use crate::sync::kinds::{return_record, voided};
use crate::sync::records::{DAY, NOON, Sale};
use edge::clock;
use serde_json::{Value, json};

const JOURNAL: &str = "/api/finance/journal";

async fn close(api: &Api, month: &str) -> crate::support::server::Answer {
    api.post(&format!("/api/finance/periods/{month}/close"), &json!({})).await
}

fn problems(refused: &crate::support::server::Answer) -> Vec<String> {
    assert_eq!(refused.refusal(), "409 not_ready", "{refused:?}");
    let problems = refused.body["error"]["details"]["problems"].as_array().unwrap();
    problems.iter().map(|problem| text(problem, "code")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn months_close_in_order_and_a_year_ends_with_its_last() {
    let server = Server::start().await;
    let (finance, admin) = (accountant(&server).await, server.admin().await);
    let this = server.hub.today(clock::now()).strftime("%Y-%m").to_string();
    assert_eq!(close(&finance, &this).await.refusal(), "422 validation_failed", "the month has not ended");
    assert_eq!(close(&finance, "2023-13").await.refusal(), "404 not_found");
    let body = entry("2023-11-10", &[("", "1040", 1000), ("", "7010", -1000)]);
    finance.post(JOURNAL, &body).await.data();
    finance.post(JOURNAL, &entry("2023-12-31", &[("", "6050", 300), ("", "1040", -300)])).await.data();
    assert_eq!(finance.get("/api/finance/status").await.data()["open_month"], "2023-11");
    let suspended = finance.post(JOURNAL, &entry("2023-11-11", &[("", "9990", 5), ("", "1040", -5)])).await;
    assert_eq!(problems(&close(&finance, "2023-11").await), ["suspense"]);
    let reverse = format!("{JOURNAL}/{}/reverse", text(suspended.data(), "entry_id"));
    finance.post(&reverse, &json!({"reason": "explained"})).await.data();
    let closed = close(&finance, "2023-11").await.data().clone();
    assert_eq!((&closed["state"], &closed["result"]), (&json!("closed"), &json!(1000)));
    let again = close(&finance, "2023-11").await;
    assert_eq!(again.refusal(), "409 duplicate");
    assert_eq!(again.body["error"]["details"], json!({"what": "period", "id": "2023-11"}));
    let refused = close(&finance, "2024-01").await;
    assert_eq!(refused.refusal(), "409 invalid_state");
    assert_eq!(refused.body["error"]["details"]["allowed"], json!(["2023-12"]));
    let refused = finance.post(JOURNAL, &body).await;
    assert_eq!(refused.refusal(), "409 day_locked");
    assert_eq!(refused.body["error"]["details"]["next_open_date"], "2023-12-01");
    let unlock = json!({"store_id": "", "reason": "x"});
    assert_eq!(
        admin.post("/api/finance/days/2023-11-10/unlock", &unlock).await.refusal(),
        "409 invalid_state"
    );

    close(&finance, "2023-12").await.data();
    let ends = finance.get(&format!("{JOURNAL}?kind=year_end")).await.data()["items"].clone();
    assert_eq!((ends.as_array().unwrap().len(), &ends[0]["cause_key"]), (1, &json!("2023-12:year_end")));
    let end = finance.get(&format!("{JOURNAL}/{}", text(&ends[0], "entry_id"))).await.data().clone();
    let line = |line: &Value| json!([line["account"], line["debit"], line["credit"]]);
    let lines: Vec<Value> = end["lines"].as_array().unwrap().iter().map(line).collect();
    assert_eq!(json!(lines), json!([["6050", 0, 300], ["7010", 1000, 0], ["3020", 0, 700]]));
    let results = |year: i32| {
        let (finance, path) = (finance.clone(), format!("/api/finance/periods?year={year}"));
        async move {
            let months = finance.get(&path).await.data()["items"].as_array().unwrap().clone();
            months
                .iter()
                .map(|month| json!([month["month"], month["state"], month["result"]]))
                .collect::<Vec<_>>()
        }
    };
    let both = json!([["2023-12", "closed", -300], ["2023-11", "closed", 1000]]);
    assert_eq!(json!(results(2023).await), both, "the result excludes the entry at the end of the year");
    assert_eq!(results(2022).await, Vec::<Value>::new());
    let balance = finance.get("/api/finance/trial-balance?date=2023-12-31").await.data()["items"].clone();
    assert_eq!(
        json!([balance[0]["account"], balance[1]["account"], balance[1]["credit"]]),
        json!(["1040", "3020", 700])
    );

    let reopen = |month: &str| format!("/api/finance/periods/{month}/reopen");
    let why = json!({"reason": "a bill"});
    assert_eq!(finance.post(&reopen("2023-12"), &why).await.refusal(), "403 insufficient_role");
    let refused = admin.post(&reopen("2023-11"), &why).await;
    assert_eq!(refused.refusal(), "409 invalid_state");
    assert_eq!(refused.body["error"]["details"]["allowed"], json!(["2023-12"]));
    assert_eq!(admin.post(&reopen("2023-12"), &why).await.data()["state"], "open");
    let balance = finance.get("/api/finance/trial-balance?date=2023-12-31").await.data()["items"].clone();
    assert_eq!(balance.as_array().unwrap().len(), 3, "the entry at the end of the year was reversed");
    close(&finance, "2023-12").await.data();
    assert_eq!(json!(results(2023).await), both);

    // Records for a closed month from a store that is added later are late.
    let _later = Shop::sold(&server, "S009", 1).await;
    let late = finance.get(&format!("{JOURNAL}?late=true")).await.data()["items"][0].clone();
    assert_eq!((&late["entry_date"], &late["reference_date"]), (&json!("2024-01-01"), &json!(DAY)));
    let verified = server.place.run(&["verify"], "");
    assert!(verified.status.success(), "{}", stderr(&verified));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_month_that_is_closed_takes_all_before_it_with_it() {
    let server = Server::start().await;
    let (finance, admin) = (accountant(&server).await, server.admin().await);
    finance.post(JOURNAL, &entry("2023-09-10", &[("", "1040", 700), ("", "7010", -700)])).await.data();
    close(&finance, "2023-11").await.data();
    server.place.add_store("S009");
    let months = || {
        let finance = finance.clone();
        async move {
            let answer = finance.get("/api/finance/periods?year=2023").await.data().clone();
            assert_eq!(
                answer["completeness"]["missing"][0]["store_id"], "S009",
                "the store was never connected"
            );
            let list = answer["items"].clone();
            let months = list.as_array().unwrap().iter().map(|month| json!([month["month"], month["state"]]));
            json!(months.collect::<Vec<_>>())
        }
    };
    let all = |earlier: &str| {
        json!([["2023-12", "open"], ["2023-11", earlier], ["2023-10", earlier], ["2023-09", earlier]])
    };
    assert_eq!(months().await, all("closed"));
    assert_eq!(close(&finance, "2023-09").await.refusal(), "409 duplicate");
    let day = finance.get("/api/finance/days?to=2023-10-01").await.data()["items"][0].clone();
    assert_eq!((&day["business_date"], &day["state"]), (&json!("2023-09-10"), &json!("locked")));
    assert!(!day["locked_at"].is_null(), "{day}");
    let why = json!({"reason": "a bill"});
    admin.post("/api/finance/periods/2023-11/reopen", &why).await.data();
    assert_eq!(months().await, all("open"));
    close(&finance, "2023-10").await.data();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_month_whose_books_differ_from_their_lists_stays_open() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    assert_eq!(finance.post("/api/finance/proofs", &json!({})).await.data()["ok"], true);
    // Cash of a shift without an opening.
    let mut shop = Shop::open(&server, "S001").await;
    shop.sell(1);
    let mut batch = shop.batch(1, 1);
    batch["backlog"]["pending"] = json!(0);
    shop.push(&batch).await.data();
    let sealed = "UPDATE store_days SET sealed = 1, stamp = 'x' WHERE store_id = 'S001'";
    sqlx::query(sealed).execute(server.hub.db.pool()).await.unwrap();
    assert_eq!(problems(&close(&finance, "2023-11").await), ["proof_failed"]);
    assert_eq!(server.figure("SELECT COUNT(*) FROM day_locks").await, 0, "nothing is half done");
    let proofs = finance.post("/api/finance/proofs", &json!({})).await.data().clone();
    let failed: Vec<&Value> =
        proofs["proofs"].as_array().unwrap().iter().filter(|one| one["ok"] == false).collect();
    assert_eq!((failed.len(), &failed[0]["name"]), (1, &json!("cash_in_tills")));
    assert_eq!(failed[0]["details"], json!([{"store_id": "S001", "left": 1110, "right": 0}]));
    let status = finance.get("/api/finance/status").await.data()["last_proof"].clone();
    assert_eq!((&status["ok"], &status["problems"]), (&json!(false), &json!(1)));
    assert_eq!(server.figure("SELECT COUNT(*) FROM alarms WHERE code = 'proof_failed'").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn records_that_arrive_while_a_month_is_closed_are_proven_with_it() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    let mut write = server.hub.db.write().await.unwrap();
    for sql in [
        "UPDATE books_turn SET turn = turn + 1 WHERE singleton = 1",
        "INSERT INTO damaged (store_id, sku, qty, value) VALUES ('S001', 'A', 1, 11)",
    ] {
        sqlx::query(sql).execute(&mut **write).await.unwrap();
    }
    let ask = || {
        let finance = finance.clone();
        let path = "/api/finance/periods/2023-11/close";
        tokio::spawn(async move { finance.keyed(path, "close-november", &json!({})).await })
    };
    // Of two requests with one key the second is refused at once. By then the first waits for its turn to write.
    let (mut one, mut two) = (ask(), ask());
    let (reported, waits) = tokio::select! {
        reported = &mut one => (reported, two),
        reported = &mut two => (reported, one),
    };
    assert_eq!(reported.unwrap().refusal(), "409 request_in_progress");
    write.commit().await.unwrap();
    assert_eq!(problems(&waits.await.unwrap()), ["proof_failed"]);
    assert_eq!(server.figure("SELECT COUNT(*) FROM day_locks").await, 0, "nothing is half done");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_list_beside_the_books_is_proven() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    let mut shop = Shop::open(&server, "S001").await;
    let account = json!({"account": "1125", "name": "Cards of another bank", "type": "asset"});
    finance.post("/api/finance/accounts", &account).await.data();
    let by_hand = json!({"date": DAY, "memo": "m", "lines": [{"account": "1125", "debit": 7, "credit": 0},
        {"account": "1040", "debit": 0, "credit": 7}]});
    finance.post("/api/finance/journal", &by_hand).await.data();
    let mapping = json!({"of": "method", "key": "card", "account": "1125", "from": DAY});
    finance.post("/api/finance/mappings", &mapping).await.data();
    let mut sale: Value = serde_json::from_str(&paid("S001", 22, 1, ("card", 70_000, "C-0001"))).unwrap();
    let whole = &mut sale["payload"]["transaction"];
    (whole["tax"], whole["total"]) = (json!(0), json!(70_000));
    tells(&mut shop, vec![sale.to_string()]).await;
    let proven = async || finance.post("/api/finance/proofs", &json!({})).await.data()["proofs"].clone();
    let failed = async || -> Vec<(String, i64)> {
        let proofs = proven().await;
        let failed = proofs.as_array().unwrap().iter().filter(|proof| proof["ok"] == false);
        let differs = |proof: &Value| proof["left"].as_i64().unwrap() - proof["right"].as_i64().unwrap();
        failed.map(|proof| (text(proof, "name"), differs(proof))).collect()
    };
    assert_eq!(failed().await, Vec::<(String, i64)>::new());
    let sold = proven().await.as_array().unwrap().iter().find(|proof| proof["name"] == "rollups").cloned();
    assert_eq!(sold.unwrap()["right"], 70_001, "the sale and its piece");
    let transit = "INSERT INTO in_transit (store_id, transfer_id, value, settled, arrived) VALUES ('S001', 'trf_1', 5, $1, 1)";
    let found = json!([[1, {"resolution": "found_at_destination", "qty": 1, "cost": 30, "user_id": "u", "at": NOON}]]);
    sqlx::query(transit).bind(found.to_string()).execute(server.hub.db.pool()).await.unwrap();
    for damage in [
        "INSERT INTO damaged (store_id, sku, qty, value) VALUES ('S001', 'A', 1, 11)",
        "UPDATE points_pool SET points = 3, value = 3",
        "UPDATE settlement_items SET amount = amount - 2",
        "UPDATE sales_hours SET total = total + 9",
    ] {
        sqlx::query(damage).execute(server.hub.db.pool()).await.unwrap();
    }
    let expected = [
        ("clearing", 2),
        ("damaged", -11),
        ("in_transit", -5),
        ("between_stores", -30),
        ("points", -3),
        ("rollups", 9),
    ];
    assert_eq!(failed().await, expected.map(|(name, differs)| (name.to_owned(), differs)));
    let metrics = server.api().text("/metrics", "*/*").await;
    for line in [
        "hub_proof_failed{proof=\"rollups\"} 1",
        "hub_proof_failed{proof=\"inventory\"} 0",
        "hub_items_unposted{method=\"card\"} 1",
        "hub_late_entries_total ",
        "hub_entries_total{kind=\"event\"} ",
        "hub_build_info{version=\"",
        "hub_stores{state=\"",
        "hub_store_backups{state=\"never\"} ",
        "hub_pending_records 0",
        "hub_oldest_pending_seconds 0",
        "# HELP hub_parked_records Parked records, by reason",
        "hub_database_connections ",
        "hub_database_connections_idle ",
        "hub_database_writers_waiting 0",
        "hub_last_backup_timestamp_seconds 0",
        "hub_backup_drill_ok 0",
        "hub_backup_drill_success_timestamp_seconds 0",
    ] {
        assert!(metrics.lines().any(|known| known.starts_with(line)), "{line}: {metrics}");
    }
    for kind in metrics.lines().filter_map(|line| line.strip_prefix("# TYPE hub_")) {
        let name = kind.split(' ').next().unwrap();
        assert!(metrics.contains(&format!("# HELP hub_{name} ")), "{name} has no help");
    }
    let names: Vec<String> =
        proven().await.as_array().unwrap().iter().map(|proof| text(proof, "name")).collect();
    let reported = |name: &String| metrics.contains(&format!("hub_proof_failed{{proof=\"{name}\"}}"));
    assert!(names.iter().all(reported) && metrics.matches("hub_proof_failed{").count() == names.len());
    let clearing =
        proven().await.as_array().unwrap().iter().find(|proof| proof["name"] == "clearing").cloned();
    let expected = json!([{"store_id": "S001 1125", "left": 70_000, "right": 69_998}]);
    assert_eq!(clearing.unwrap()["details"], expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn tax_is_reported_by_the_day_in_the_books_and_agrees_with_the_account() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    let mut shop = Shop::open(&server, "S001").await;
    let sale = |number, qty| Sale { store: "S001", number, shift: "shf_1", sku: "A", qty, price: 1000 };
    let records = [
        sale(1, 3).record("evt_1"),
        sale(2, 2).record("evt_2"),
        voided(2, 2),
        return_record("return.posted", "evt_ret", "posted", 1),
    ];
    records.into_iter().for_each(|record| shop.chain().append(record));
    assert_eq!(shop.push(&shop.batch(1, 4)).await.data()["parked"], json!([]));
    let lock = json!({"force": true, "reason": "x", "store_ids": ["S001"]});
    finance.post(&format!("/api/finance/days/{DAY}/lock"), &lock).await.data();
    shop.chain().append(sale(3, 1).record("evt_3"));
    shop.push(&shop.batch(5, 5)).await.data();
    let tax = |query: &str| {
        let (finance, path) = (finance.clone(), format!("/api/finance/tax?{query}"));
        async move { finance.get(&path).await.data().clone() }
    };
    let day = tax(&format!("from={DAY}&to={DAY}")).await;
    assert_eq!(
        day["output"],
        json!([{"entry_date": null, "store_id": null, "tax_code": null, "tax_rate_bp": 1100, "sales_base": 3000,
            "sales_tax": 330, "returns_base": 1000, "returns_tax": 110, "base": 2000, "tax": 220, "base_11_12": 1833}])
    );
    let table = finance.text(&format!("/api/finance/tax?from={DAY}&to={DAY}"), "text/csv").await;
    let mut row = day["output"][0].clone();
    row["list"] = json!("output");
    is_first_row(&table, &row);
    assert_eq!(day["ledger"], json!({"output_tax": 220, "input_tax": 0, "agrees": true}));
    assert_eq!((&day["late"], &day["input"], &day["payable"]), (&json!([]), &json!([]), &json!(220)));
    let both = tax(&format!("from={DAY}&to=2023-11-30&group_by=day")).await;
    let rows = both["output"].as_array().unwrap();
    let row = |row: &Value| json!([row["entry_date"], row["tax"]]);
    assert_eq!(rows.iter().map(row).collect::<Vec<_>>(), [json!([DAY, 220]), json!(["2023-11-21", 110])]);
    let late = json!([{"store_id": "S001", "reference_date": DAY, "entry_date": "2023-11-21", "tax": 110}]);
    assert_eq!((&both["late"], &both["ledger"]["agrees"]), (&late, &json!(true)));
    let by_store = tax(&format!("from={DAY}&to=2023-11-30&group_by=store&store_id=S001")).await;
    assert_eq!((&by_store["output"][0]["store_id"], &by_store["output_tax"]), (&json!("S001"), &json!(330)));
    // Sums and documents state which stores have not reported everything about these days.
    for query in ["", "&store_id=S001", "&group_by=document"] {
        let reported = tax(&format!("from={DAY}&to={DAY}{query}")).await["completeness"].clone();
        assert_eq!(reported["missing"][0]["reasons"], json!(["not_sealed"]), "{query}: {reported}");
    }
    // A difference raises an alarm until the figures agree again.
    for (sql, agrees) in
        [("UPDATE sale_lines SET tax = tax + 1", false), ("UPDATE sale_lines SET tax = tax - 1", true)]
    {
        sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
        let asked = tax(&format!("from={DAY}&to={DAY}")).await;
        assert_eq!(asked["ledger"]["agrees"], agrees);
        let alarms = server.figure("SELECT COUNT(*) FROM alarms WHERE code = 'tax_differs'").await;
        assert_eq!(alarms, i64::from(!agrees));
    }
    for query in [
        "",
        "from=2023-11-20",
        "from=2023-11-20&to=2023-11-19",
        "from=2023-01-01&to=2024-01-02",
        "from=2023-11-20&to=2023-11-20&group_by=moon",
    ] {
        assert_eq!(
            finance.get(&format!("/api/finance/tax?{query}")).await.refusal(),
            "400 invalid_query",
            "{query}"
        );
    }
}
