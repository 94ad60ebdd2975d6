//! Sums that no figure holds are refused wherever they are added up, and the hub goes on.

use crate::office::finance_entries::accountant;
use crate::support::server::Server;
use crate::sync::records::DAY;
use serde_json::json;

/// Rows of the largest figure, of numbers from one to another.
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
async fn a_sum_above_the_largest_figure_is_refused_wherever_it_is_added_up() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    // What no reader of JSON can tell, and what the database can't add.
    for numbers in [(1, 2), (3, 1_100)] {
        filled(&server, numbers).await;
        for path in [
            format!("tax?from={DAY}&to={DAY}"),
            "payables".to_owned(),
            "payables?group_by=invoice".to_owned(),
            "periods?year=2023".to_owned(),
            format!("trial-balance?date={DAY}"),
            format!("trial-balance?date=2023-12-31&from={DAY}"),
            "accounts/7010/entries".to_owned(),
        ] {
            let found = finance.get(&format!("/api/finance/{path}")).await;
            assert_eq!(found.refusal(), "422 validation_failed", "{path} {numbers:?}");
        }
        let profit = finance.get(&format!("/api/reports/profit?from={DAY}&to={DAY}")).await;
        assert_eq!(profit.refusal(), "422 validation_failed", "{numbers:?}");
        let proven = finance.post("/api/finance/proofs", &json!({})).await;
        assert_eq!(proven.refusal(), "422 validation_failed", "{numbers:?}");
        assert_eq!(server.figure("SELECT COUNT(*) FROM proofs").await, 0, "nothing is half done");
    }
    assert_eq!(finance.get("/api/finance/status").await.data()["open_month"], "2023-11");
}
