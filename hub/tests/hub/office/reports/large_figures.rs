//! A sum that exceeds the largest figure is null wherever it is computed, and the rest of the answer is complete.

use crate::office::finance_entries::accountant;
use crate::support::server::Server;
use crate::support::shop::{Shop, sums};
use crate::sync::kinds::moved_cash;
use crate::sync::records::{DAY, Sale, receiving};
use serde_json::json;

/// Inserts rows with the largest figure, numbered from `first` to `last`.
async fn filled(server: &Server, (first, last): (i64, i64)) {
    for (columns, row) in [
        (
            "ledger_days (store_id, entry_date, account, debit, credit)",
            "'S' || i, '{DAY}', '1210', {MOST}, 0",
        ),
        (
            "ledger_days (store_id, entry_date, account, debit, credit)",
            "'S' || i, '{DAY}', '7010', 0, {MOST}",
        ),
        (
            "payable_moves (cause_key, document_id, store_id, cause_id, supplier_id, entry_date, amount)",
            "'k' || i, 'inv_1', '', 'inv_1', 'sup_1', '{DAY}', {MOST}",
        ),
        (
            "journal (store_id, entry_no, entry_id, entry_date, kind, cause_type, cause_id, cause_store_id, cause_key, \
             debit_total, credit_total, created_at)",
            "'S1', i, 'jrn_' || i, '{DAY}', 'credit_note', 'credit_note', 'crn_' || i, '', 'crn_' || i || ':approve', \
             {MOST}, {MOST}, 1",
        ),
        (
            "journal_lines (store_id, entry_no, line_no, account, debit, credit)",
            "'S1', i, 1, '1310', {MOST}, 0",
        ),
    ] {
        let row = row.replace("{DAY}", DAY).replace("{MOST}", "9007199254740991");
        let sql = format!(
            "INSERT INTO {columns} WITH RECURSIVE n(i) AS (SELECT {first} UNION ALL SELECT i + 1 FROM n WHERE i < {last}) \
             SELECT {row} FROM n"
        );
        sqlx::query(sqlx::AssertSqlSafe(sql)).execute(server.hub.db.pool()).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sum_above_the_largest_figure_is_null_and_the_rest_is_reported() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    // Sums that no JSON reader can represent, and sums that the database can't compute.
    for numbers in [(1, 2), (3, 1_100)] {
        filled(&server, numbers).await;
        for path in [
            "periods?year=2023".to_owned(),
            format!("trial-balance?date={DAY}"),
            format!("trial-balance?date=2023-12-31&from={DAY}"),
            "accounts/7010/entries".to_owned(),
        ] {
            let found = finance.get(&format!("/api/finance/{path}")).await;
            assert!(found.data().to_string().contains("null"), "{path} {numbers:?}");
        }
        finance.get(&format!("/api/finance/tax?from={DAY}&to={DAY}")).await.data();
        let balance = finance.get(&format!("/api/finance/trial-balance?date={DAY}")).await.data().clone();
        assert_eq!(balance["items"][0]["account"], "1210");
        assert!(balance["items"][0]["debit"].is_null() && balance["total_debit"].is_null(), "{balance}");
        let profit = finance.get(&format!("/api/reports/profit?from={DAY}&to={DAY}")).await.data().clone();
        assert!(
            profit["totals"]["other_income"].is_null() && profit["totals"]["result"].is_null(),
            "{profit}"
        );
        assert_eq!(profit["totals"]["gross_sales"], 0, "the other figures of the row");
        let one =
            finance.get(&format!("/api/reports/profit?from={DAY}&to={DAY}&store_id=S1")).await.data().clone();
        assert_eq!(one["totals"]["other_income"], 9_007_199_254_740_991_i64, "a single store");
        let proven = finance.post("/api/finance/proofs", &json!({})).await.data().clone();
        assert_eq!(proven["proofs"].as_array().unwrap().len(), 15);
    }
    assert_eq!(server.figure("SELECT COUNT(*) FROM proofs").await, 1);
    assert_eq!(finance.get("/api/finance/status").await.data()["open_month"], "2023-11");
}

/// Records that a stolen key could send, and records of a till.
#[tokio::test(flavor = "multi_thread")]
async fn records_beyond_the_bounds_of_commands_are_parked_with_an_alarm_and_reports_continue() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    let mut shop = Shop::open(&server, "S001").await;
    shop.chain().append(moved_cash("csh_1", "pay_in", 8_900_000_000_000_000));
    shop.chain().append(moved_cash("csh_2", "pay_in", 8_900_000_000_000_000));
    shop.chain().append(receiving("S001", "A", 1_000_001, "evt_rcv"));
    shop.chain().append(moved_cash("csh_3", "pay_in", 1_000_000_000_000));
    let dear = |store, number| {
        let (qty, price) = (8_000, 1_000_000_000_000);
        Sale { store, number, shift: "shf_1", sku: "A", qty, price }.record(&format!("evt_{store}"))
    };
    shop.chain().append(dear("S001", 1));
    let mut other = Shop::open(&server, "S002").await;
    other.chain().append(dear("S002", 1));
    assert_eq!(other.push(&other.batch(1, 1)).await.data()["parked"], json!([]));
    let answer = shop.push(&shop.batch(1, 5)).await.data().clone();
    let parked: Vec<_> =
        answer["parked"].as_array().unwrap().iter().map(|one| (&one["seq"], &one["code"])).collect();
    let beyond = json!("out_of_bounds");
    assert_eq!(parked, [(&json!(1), &beyond), (&json!(2), &beyond), (&json!(3), &beyond)]);
    assert_eq!(server.figure("SELECT COUNT(*) FROM alarms WHERE code = 'record_out_of_bounds'").await, 1);
    let admin = server.admin().await;
    admin.get(&format!("/api/reports/stock?as_of={DAY}")).await.data();
    for report in ["cash", "profit", "sales", "margin"] {
        admin.get(&format!("/api/reports/{report}?from={DAY}&to={DAY}")).await.data();
    }
    let sales = admin.get(&format!("/api/reports/sales?from={DAY}&to={DAY}")).await.data().clone();
    assert_eq!((&sales["totals"]["total"], &sales["totals"]["sales_count"]), (&json!(null), &json!(2)));
    assert_eq!(sums(&server, "S001").await["sales_count"], 1, "the store's status is shown");
    finance.get(&format!("/api/finance/trial-balance?date={DAY}")).await.data();
    finance.post("/api/finance/proofs", &json!({})).await.data();
}
