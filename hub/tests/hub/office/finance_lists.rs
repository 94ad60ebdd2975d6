//! Lists of the books: pages, filters, and permitted roles.

use crate::office::finance_entries::{accountant, entry};
use crate::office::purchasing::payables;
use crate::support::server::Server;
use crate::support::shop::Shop;
use crate::sync::records::DAY;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn the_journal_is_read_in_pages_and_by_filters_and_by_those_who_may() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let _shops = [Shop::sold(&server, "S001", 5).await, Shop::sold(&server, "S002", 4).await];
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = admin.get(&format!("/api/finance/journal?limit=2{cursor}")).await.data().clone();
        for entry in page["items"].as_array().unwrap() {
            found.push((entry["store_id"].as_str().unwrap().to_owned(), entry["entry_no"].as_i64().unwrap()));
        }
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    let of = |book: &str, count: i64| (1..=count).rev().map(|no| (book.to_owned(), no)).collect::<Vec<_>>();
    assert_eq!(found, [of("S002", 4), of("S001", 5)].concat(), "newest first");
    for (filter, count) in [
        ("store_id=S001", 5),
        ("head_office=true", 0),
        ("head_office=false", 9),
        ("from=2023-11-21", 0),
        ("to=2023-11-19", 0),
        ("account=1010", 9),
        ("account=1110", 0),
        ("kind=event", 9),
        ("cause_id=trx_S002_3", 1),
        ("late=true", 0),
        ("late=false", 9),
    ] {
        let journal = admin.get(&format!("/api/finance/journal?{filter}")).await.data().clone();
        assert_eq!(journal["items"].as_array().unwrap().len(), count, "{filter}");
    }
    let (mut balances, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("/api/finance/accounts/1010/entries?from={DAY}&store_id=S001&limit=2{cursor}");
        let page = admin.get(&path).await.data().clone();
        assert_eq!((&page["opening_balance"], &page["closing_balance"]), (&json!(0), &json!(5550)));
        balances.extend(page["items"].as_array().unwrap().iter().map(|entry| entry["balance"].clone()));
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(json!(balances), json!([1110, 2220, 3330, 4440, 5550]), "oldest first");
    let later = admin.get("/api/finance/accounts/1010/entries?from=2023-11-21").await.data().clone();
    assert_eq!((&later["opening_balance"], &later["items"]), (&json!(9990), &json!([])));
    let before = admin.get("/api/finance/accounts/1010/entries?to=2023-11-19").await.data().clone();
    assert_eq!(before["closing_balance"], 0);
    assert_eq!(admin.get("/api/finance/accounts/1234/entries").await.refusal(), "404 not_found");
    for query in [
        "journal?moon=1",
        "journal?kind=moon",
        "accounts?type=moon",
        "accounts/1010/entries?moon=1",
        "trial-balance",
        "trial-balance?date=x",
        "trial-balance?date=2023-11-20&from=2023-11-21",
        "journal?from=2023-11-21&to=2023-11-20",
        "accounts/1010/entries?from=2023-11-21&to=2023-11-20",
        "trial-balance?date=2023-11-20&store_id=S001&head_office=true",
    ] {
        assert_eq!(
            admin.get(&format!("/api/finance/{query}")).await.refusal(),
            "400 invalid_query",
            "{query}"
        );
    }
    assert_eq!(admin.get("/api/finance/journal?cursor=x").await.refusal(), "400 invalid_cursor");
    // A cursor of one account's entries is not valid for another account, other days or another book.
    let page = admin.get("/api/finance/accounts/1010/entries?limit=1").await.data().clone();
    let cursor = page["next_cursor"].as_str().unwrap();
    for other in ["1210/entries?limit=1", "1010/entries?from=2023-11-20", "1010/entries?store_id=S001"] {
        let path = format!("/api/finance/accounts/{other}&cursor={cursor}");
        assert_eq!(admin.get(&path).await.refusal(), "400 invalid_cursor", "{other}");
    }
    for (list, others) in [
        ("journal", ["late=false", "store_id=S001", "kind=event"]),
        ("days", ["state=open", "store_id=S001", "to=2023-11-20"]),
    ] {
        let page = admin.get(&format!("/api/finance/{list}?limit=1")).await.data().clone();
        let cursor = page["next_cursor"].as_str().unwrap();
        for other in others {
            let path = format!("/api/finance/{list}?{other}&cursor={cursor}");
            assert_eq!(admin.get(&path).await.refusal(), "400 invalid_cursor", "{list} {other}");
        }
        admin.get(&format!("/api/finance/{list}?limit=2&cursor={cursor}")).await.data();
    }
    let own = admin.get("/api/finance/accounts/1010/entries?store_id=").await.data().clone();
    assert_eq!(own["items"], json!([]), "head office's own book");
    let own = admin.get(&format!("/api/finance/trial-balance?date={DAY}&store_id=")).await.data().clone();
    assert_eq!((&own["items"], &own["completeness"]["stores_expected"]), (&json!([]), &json!(0)));
    let entry = admin.get("/api/finance/journal?limit=1").await.data()["items"][0].clone();
    for field in ["group_id", "reverses", "reversed_by", "created_by", "reference_date"] {
        assert_eq!(entry.get(field), Some(&json!(null)), "{field}");
    }
    // The balance of an account has all days until then, for example a shift that is still open on an earlier day.
    let sql = "UPDATE stores SET disabled = 1, disabled_at = 1700500000000 WHERE store_id = 'S001'";
    sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    let late = admin.get("/api/finance/trial-balance?date=2023-12-24").await.data()["completeness"].clone();
    assert_eq!(late["stores_expected"], 2, "the balance has entries of the disabled store");
    // Sums that exceed the largest figure.
    let sql = "UPDATE ledger_days SET debit = 9007199254740991 WHERE account = '1010'";
    sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    let hides = async |path: &str| {
        let found = admin.get(&format!("/api/finance/{path}")).await;
        assert!(found.data().to_string().contains("null"), "{path}");
    };
    hides("trial-balance?date=2023-12-24").await;
    hides("accounts/1010/entries").await;
    let sql = "INSERT INTO ledger_days (store_id, entry_date, account, debit, credit) \
               WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100) \
               SELECT 'S001', '1' || (1000 + i), '1010', 9007199254740991, 0 FROM n";
    sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    for path in ["trial-balance?date=2023-12-24", "accounts/1010/entries"] {
        hides(path).await;
    }
    assert_eq!(admin.get("/api/finance/journal/jrn_1").await.refusal(), "404 not_found");
    let accounts = admin.get("/api/finance/accounts?limit=500").await.data()["items"].clone();
    let of_type = |kind: &str| accounts.as_array().unwrap().iter().filter(|row| row["type"] == kind).count();
    assert_eq!(["asset", "liability", "equity", "income", "expense"].map(of_type), [16, 4, 2, 5, 15]);
    assert_eq!(
        admin.get("/api/finance/accounts?type=equity").await.data()["items"].as_array().unwrap().len(),
        2
    );
    assert_eq!(admin.get("/api/finance/accounts?state=closed").await.data()["items"], json!([]));
    for (role, status) in [("ho_finance", None), ("ho_purchasing", Some("403 insufficient_role"))] {
        let user = ["user", "add", "--username", role, "--name", "X", "--role", role, "--password-stdin"];
        assert!(server.place.run(&user, "another-horse-9\n").status.success());
        let api = server.api().login(role, "another-horse-9").await;
        for path in
            ["accounts", "accounts/1010/entries", "journal", "journal/jrn_1", "trial-balance?date=2023-11-20"]
        {
            let answer = api.get(&format!("/api/finance/{path}")).await;
            match status {
                Some(refusal) => assert_eq!(answer.refusal(), refusal, "{path}"),
                None => assert_ne!(answer.status.as_u16(), 403, "{path}"),
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_with_two_lines_on_an_account_continues_on_the_next_page() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    let lines = [("", "1040", 100), ("", "6050", 50), ("", "1040", 200), ("", "7010", -350)];
    finance.post("/api/finance/journal", &entry("2023-11-02", &lines)).await.data();
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("/api/finance/accounts/1040/entries?limit=1{cursor}");
        let page = finance.get(&path).await.data().clone();
        let item = &page["items"][0];
        seen.push(json!([item["line_no"], item["debit"], item["balance"]]));
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(json!(seen), json!([[1, 100, 100], [3, 200, 300]]));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_list_of_money_says_how_complete_it_is() {
    let server = Server::start().await;
    let _shop = Shop::sold(&server, "S001", 1).await;
    let finance = accountant(&server).await;
    for list in [
        "transactions",
        "returns",
        "shifts",
        "deposits",
        "finance/journal",
        "finance/accounts/1010/entries",
        "finance/invoices",
        "finance/credit-notes",
        "finance/payments",
    ] {
        let reported = async |days: &str| {
            finance.get(&format!("/api/{list}?{days}")).await.data()["completeness"].clone()
        };
        let all = reported("").await;
        assert_eq!(all["missing"][0]["reasons"], json!(["not_sealed"]), "{list}: {all}");
        let before = reported("from=2023-11-19&to=2023-11-19").await;
        let (expected, complete) = (&before["stores_expected"], &before["stores_complete"]);
        assert_eq!((expected, complete), (&json!(1), &json!(1)), "{list}: {before}");
    }
    for own in ["journal?head_office=true", "accounts/1010/entries?store_id="] {
        let reported = finance.get(&format!("/api/finance/{own}")).await.data()["completeness"].clone();
        assert_eq!(reported["stores_expected"], 0, "{own}: no store reports to head office's own book");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_reads_each_entry_of_a_book_once_with_its_lines() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::sold(&server, "S001", 5).await;
    let _other = Shop::sold(&server, "S002", 2).await;
    // One request for a day returns the lines of each entry.
    let listed = admin.get("/api/finance/journal?include=lines").await.data()["items"].clone();
    assert_eq!(listed.as_array().unwrap().len(), 7);
    for entry in listed.as_array().unwrap() {
        let whole = admin.get(&format!("/api/finance/journal/{}", entry["entry_id"].as_str().unwrap())).await;
        assert_eq!(entry["lines"], whole.data()["lines"]);
        assert!(entry["lines"].as_array().unwrap().len() >= 2, "{entry}");
    }
    let without = admin.get("/api/finance/journal").await.data()["items"][0].clone();
    assert!(without.get("lines").is_none(), "{without}");
    // Entries by number, page by page, and new entries from there on.
    let path = "/api/finance/journal?store_id=S001&limit=2&after_no";
    let numbers = |page: &serde_json::Value| -> Vec<i64> {
        page["items"].as_array().unwrap().iter().map(|entry| entry["entry_no"].as_i64().unwrap()).collect()
    };
    let first = admin.get(&format!("{path}=1")).await.data().clone();
    assert_eq!(numbers(&first), [2, 3]);
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = admin.get(&format!("{path}=1&cursor={cursor}")).await.data().clone();
    assert_eq!((numbers(&second), &second["next_cursor"]), (vec![4, 5], &json!(null)));
    assert_eq!(numbers(admin.get(&format!("{path}=5")).await.data()), Vec::<i64>::new());
    // A cursor that a restored hub does not have, or has for another entry, is refused; otherwise entries would be left
    // out.
    let id = |index: usize| second["items"][index]["entry_id"].as_str().unwrap();
    assert_eq!(numbers(admin.get(&format!("{path}=4&after_id={}", id(0))).await.data()), [5]);
    for place in [format!("=5&after_id={}", id(0)), "=6".to_owned(), format!("=0&after_id={}", id(0))] {
        assert_eq!(admin.get(&format!("{path}{place}")).await.refusal(), "400 invalid_query", "{place}");
    }
    shop.sell(1);
    shop.push(&shop.batch(6, 6)).await.data();
    assert_eq!(numbers(admin.get(&format!("{path}=5")).await.data()), [6]);
    for query in ["after_no=1", "after_no=-1&store_id=S001", "after_no=x&store_id=S001", "include=moon"] {
        let refused = admin.get(&format!("/api/finance/journal?{query}")).await;
        assert_eq!(refused.refusal(), "400 invalid_query", "{query}");
    }
    // In CSV each line of an entry is a row.
    let table = async |cursor: &str| {
        let path = format!("{path}=0&separator=%3B{cursor}");
        let (next, text) = admin.headed(&path, "text/csv", "x-next-cursor").await;
        let cells = |line: &str| line.split(';').map(str::to_owned).collect::<Vec<_>>();
        (next.unwrap(), text.trim_start_matches('\u{feff}').lines().map(cells).collect::<Vec<_>>())
    };
    let (next, rows) = table("").await;
    assert_eq!(rows[0][..7], ["store_id", "entry_no", "entry_date", "line_no", "account", "debit", "credit"]);
    let sum = |column: usize| rows[1..].iter().map(|row| row[column].parse::<i64>().unwrap()).sum::<i64>();
    assert!(sum(5) > 0 && sum(5) == sum(6), "{rows:?}");
    assert!(
        rows[1..].iter().all(|row| row[0] == "S001" && ["1", "2"].contains(&row[1].as_str())),
        "{rows:?}"
    );
    let (_, rest) = table(&format!("&cursor={next}")).await;
    assert_eq!(rest[1][1], "3", "{rest:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn balances_and_payables_are_read_as_csv_with_the_same_figures() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let _shop = Shop::sold(&server, "S001", 3).await;
    let supplier_id = payables::supplier(&admin, "TEA").await;
    let bill = json!({"supplier_id": supplier_id, "invoice_no": "T-1", "invoice_date": DAY,
        "lines": [{"account": "6060", "store_id": "S001", "qty": 1, "unit_cost": 5_000}]});
    payables::owed(&admin, &bill).await;
    for path in [format!("trial-balance?date={DAY}&from={DAY}"), "payables?group_by=invoice".to_owned()] {
        let path = format!("/api/finance/{path}");
        let items = admin.get(&path).await.data()["items"].as_array().unwrap().clone();
        let (complete, text) =
            admin.headed(&format!("{path}&separator=tab"), "text/csv", "x-completeness").await;
        assert!(complete.unwrap().contains('/'), "{path}");
        let text = text.trim_start_matches('\u{feff}');
        let mut table = csv::ReaderBuilder::new().delimiter(b'\t').from_reader(text.as_bytes());
        let head = table.headers().unwrap().clone();
        let rows: Vec<_> = table.records().map(Result::unwrap).collect();
        assert!(!rows.is_empty() && rows.len() == items.len(), "{path}");
        for (row, item) in rows.iter().zip(&items) {
            for (name, cell) in head.iter().zip(row) {
                let shown = match &item[name] {
                    serde_json::Value::Null => String::new(),
                    serde_json::Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                assert_eq!(cell, shown, "{path} {name}");
            }
            assert_eq!(head.len(), item.as_object().unwrap().len(), "{path} has every field");
        }
    }
}
