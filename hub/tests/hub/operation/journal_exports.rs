//! Exports of the journal: each entry is in one export, and all exports together are the books.

use crate::office::finance_entries::{accountant, entry};
use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const EXPORTS: &str = "/api/finance/exports";

/// Rows of a file without its header.
fn rows(file: &str) -> Vec<csv::StringRecord> {
    csv::Reader::from_reader(file.as_bytes()).records().map(Result::unwrap).collect()
}

async fn file(finance: &Api, export: &Value) -> String {
    let path = format!("{EXPORTS}/{}/file", export["export_id"].as_str().unwrap());
    finance.text(&path, "text/csv").await
}

/// Debits less credits by account, of the trial balance.
async fn balances(finance: &Api) -> BTreeMap<String, i64> {
    let balance = finance.get("/api/finance/trial-balance?date=2100-01-01").await;
    let items = balance.data()["items"].as_array().unwrap();
    let figure = |item: &Value, side: &str| item[side].as_i64().unwrap();
    let balance = |item: &Value| figure(item, "debit") - figure(item, "credit");
    let all = items.iter().map(|item| (item["account"].as_str().unwrap().to_owned(), balance(item)));
    all.filter(|(_, balance)| *balance != 0).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn exports_in_pieces_across_a_restart_are_the_books_without_a_gap() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    let _shops = (Shop::sold(&server, "S001", 5).await, Shop::sold(&server, "S002", 4).await);
    for amount in 1..=6 {
        let lines = [("", "6050", amount), ("", "1040", -amount)];
        finance.post("/api/finance/journal", &entry("2026-11-02", &lines)).await.data();
    }
    let server = Server::on(server.stop().await).await;
    let finance = server.api().login("fin", "another-horse-9").await;
    let (mut sums, mut next_no, mut lines) = (BTreeMap::<String, i64>::new(), BTreeMap::new(), 0);
    for round in 1.. {
        let body = json!({"format": "csv", "lines_max": 2 + round % 7});
        let (one, other) = tokio::join!(finance.post(EXPORTS, &body), finance.post(EXPORTS, &body));
        let mut made = [one.data(), other.data()].map(|next| next["export"].clone());
        made.sort_by_key(|export| export["export_no"].as_i64());
        for export in made.iter().filter(|export| !export.is_null()) {
            let text = file(&finance, export).await;
            assert_eq!(text, file(&finance, export).await);
            for row in rows(&text) {
                let next = next_no.entry(row[0].to_owned()).or_insert(0);
                let entry_no: i64 = row[1].parse().unwrap();
                assert!(entry_no == *next || entry_no == *next + 1 && &row[3] == "1", "{row:?} after {next}");
                *next = entry_no;
                let figure = |cell: usize| row[cell].parse::<i64>().unwrap();
                *sums.entry(row[4].to_owned()).or_default() += figure(7) - figure(8);
                lines += 1;
            }
        }
        if made.iter().all(Value::is_null) {
            break;
        }
    }
    sums.retain(|_, sum| *sum != 0);
    assert_eq!(sums, balances(&finance).await);
    assert_eq!(lines, server.figure("SELECT COUNT(*) FROM journal_lines").await);
    let listed = finance.get(&format!("{EXPORTS}?limit=500")).await.data()["items"].clone();
    let numbers: Vec<i64> =
        listed.as_array().unwrap().iter().map(|item| item["export_no"].as_i64().unwrap()).collect();
    assert!(numbers.iter().rev().copied().eq(1..=i64::try_from(numbers.len()).unwrap()), "{numbers:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_sent_again_gets_the_same_export() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    let lines = [("", "6050", 700), ("", "1040", -700)];
    finance.post("/api/finance/journal", &entry("2026-11-02", &lines)).await.data();
    let body = json!({"format": "csv"});
    let first = finance.keyed(EXPORTS, "night-1", &body).await;
    let again = finance.keyed(EXPORTS, "night-1", &body).await;
    assert_eq!((first.data(), again.replayed), (again.data(), true));
    assert_eq!(first.data()["export"]["books"], json!([{"store_id": "", "from_no": 1, "to_no": 1}]));
    assert_eq!(finance.post(EXPORTS, &body).await.data(), &json!({"export": null, "more": false}));
}

#[tokio::test(flavor = "multi_thread")]
async fn quickbooks_and_xero_get_their_columns_dates_and_accounts() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    for (account, code) in [("6050", "Petty cash expenses"), ("1040", "  ")] {
        let path = format!("/api/finance/accounts/{account}");
        finance.patch(&path, &json!({"export_code": code})).await.data();
    }
    let lines = [("", "6050", 700), ("", "1040", -700)];
    let export = async |body: Value| {
        finance.post("/api/finance/journal", &entry("2026-11-02", &lines)).await.data();
        let export = finance.post(EXPORTS, &body).await.data()["export"].clone();
        file(&finance, &export).await
    };
    assert_eq!(
        export(json!({"format": "quickbooks"})).await,
        "Journal No.,Journal Date,Account Name,Debits,Credits,Description\r\n\
         HO-1,11/02/2026,Petty cash expenses,700,,by hand\r\nHO-1,11/02/2026,Bank,,700,by hand\r\n"
    );
    assert_eq!(
        export(json!({"format": "xero", "tax_rate_name": "Tax Exempt"})).await,
        "*Narration,*Date,Description,*AccountCode,*TaxRate,*Amount\r\n\
         HO-2,02/11/2026,by hand,Petty cash expenses,Tax Exempt,700\r\nHO-2,02/11/2026,by hand,1040,Tax Exempt,-700\r\n"
    );
    // A later name or code does not change a file that was handed out.
    let first = finance.get(EXPORTS).await.data()["items"][1].clone();
    let before = file(&finance, &first).await;
    let change = json!({"name": "Bank of the company", "export_code": "1"});
    finance.send(Method::PATCH, "/api/finance/accounts/1040", &change).await.data();
    assert_eq!(file(&finance, &first).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_that_its_program_could_not_read_is_refused() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    for body in [
        json!({"format": "xero"}),
        json!({"format": "xero", "tax_rate_name": " "}),
        json!({"format": "csv", "tax_rate_name": "Tax Exempt"}),
        json!({"format": "xero", "tax_rate_name": "Tax Exempt", "lines_max": 301}),
        json!({"format": "csv", "lines_max": 1}),
        json!({"format": "csv", "store_ids": []}),
    ] {
        assert_eq!(finance.post(EXPORTS, &body).await.refusal(), "422 validation_failed", "{body}");
    }
    assert_eq!(finance.get(&format!("{EXPORTS}/jex_1/file")).await.refusal(), "404 not_found");
}
