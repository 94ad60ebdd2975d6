//! Expected items: once for each payment, and cleared together with their reversal.

use crate::office::finance::tells;
use crate::office::settlement::matches::proved;
use crate::office::settlement::resolved::resolved;
use crate::office::settlement::story::{added, approved, day, on, paid, sealed, settlement};
use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use crate::sync::kinds::{effect, record};
use crate::sync::records::DAY;
use serde_json::{Value, json};

/// Returns the void of a sale by [`paid`] on a day. `complete`: the sale had a receipt.
fn voided(sale: &str, of: i8, number: u64, complete: bool) -> String {
    let whole: Value = serde_json::from_str(sale).unwrap();
    let mut transaction = whole["payload"]["transaction"].clone();
    transaction["state"] = json!("voided");
    if !complete {
        (transaction["receipt_no"], transaction["paid_at"]) = (Value::Null, Value::Null);
    }
    let payment = transaction["payments"][0].clone();
    let refund = json!({"payment_id": payment["payment_id"], "method": payment["method"],
        "amount": payment["amount"], "rounding": 0, "exchange": false});
    let lines = if complete { json!([effect(1, 1, 0)]) } else { json!([]) };
    let payload = json!({"business_date": DAY, "transaction": transaction, "lines": lines, "refunds": [refund],
        "points": []});
    on("S001", of, &record("transaction.voided", &format!("evt_void_{number}"), &payload))
}

/// Returns the balance of an account in all books, debit above 0.
pub async fn balance(server: &Server, account: &str) -> i64 {
    let sql = "SELECT CAST(COALESCE(SUM(debit - credit), 0) AS BIGINT) FROM ledger_days WHERE account = $1";
    sqlx::query_scalar(sql).bind(account.to_owned()).fetch_one(server.hub.db.pool()).await.unwrap()
}

/// Returns amounts and settlement dates of items that are not posted.
async fn unposted(api: &Api) -> Vec<(i64, Value)> {
    let items = api.get("/api/settlement-items?unposted=true").await.data()["items"].clone();
    let item = |item: &Value| (item["amount"].as_i64().unwrap(), item["settlement_date"].clone());
    items.as_array().unwrap().iter().map(item).collect()
}

async fn verified(server: &Server) {
    let done = server.place.run(&["verify"], "");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}

/// Asserts that the first row of a table has the fields of an item, and the same values.
#[track_caller]
pub fn is_first_row(table: &str, item: &Value) {
    let mut lines = table.trim_start_matches('\u{feff}').split("\r\n").map(|line| line.split(','));
    let columns: Vec<&str> = lines.next().unwrap().collect();
    let fields = item.as_object().unwrap();
    assert!(fields.keys().all(|name| columns.contains(&name.as_str())), "{columns:?} of {item}");
    for (column, cell) in columns.iter().zip(lines.next().unwrap()) {
        let expected = match &item[column] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        assert_eq!(cell, expected, "{column}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_owe_is_a_table_with_the_fields_of_the_list_page_by_page() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let sales =
        vec![paid("S001", 18, 1, ("card", 100_000, "C-1")), paid("S001", 18, 2, ("card", 60_000, "C-2"))];
    assert_eq!(tells(&mut shop, sales).await["parked"], json!([]));
    let list = "/api/settlement-items?unposted=true&limit=1";
    let mut path = list.to_owned();
    for last in [false, true] {
        let page = admin.get(&path).await.data().clone();
        let (next, table) = admin.headed(&path, "text/csv", "x-next-cursor").await;
        is_first_row(&table, &page["items"][0]);
        assert_eq!(table.matches("\r\n").count(), 2, "{table}");
        let next = next.unwrap();
        assert_eq!(
            (next.is_empty(), next.as_str()),
            (last, page["next_cursor"].as_str().unwrap_or_default())
        );
        path = format!("{list}&cursor={next}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_is_expected_once_and_only_of_a_sale_that_was_complete() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    // The sale was voided before it had a receipt, so nothing was ever expected.
    let never = voided(&paid("S001", 18, 1, ("card", 40_000, "C-1")), 18, 1, false);
    assert_eq!(tells(&mut shop, vec![never]).await["parked"], json!([]));
    assert_eq!(unposted(&admin).await, []);
    // Two events report one payment, in one batch and again in another.
    let first = paid("S001", 18, 2, ("card", 100_000, "C-2"));
    let again = |number: u64| {
        let other = paid("S001", 18, number, ("card", 100_000, "C-2"));
        other.replace(&format!("\"pay_{number}\""), "\"pay_2\"")
    };
    assert_eq!(tells(&mut shop, vec![first, again(3)]).await["parked"], json!([]));
    assert_eq!(tells(&mut shop, vec![again(4)]).await["parked"], json!([]));
    assert_eq!(unposted(&admin).await, [(100_000, json!(day(18)))]);
    assert_eq!(balance(&server, "1110").await, 100_000, "the expected amount");
    assert_eq!(balance(&server, "9990").await, 200_000, "the amount to be explained");
    let reported = admin.get("/api/exceptions?code=entry_unbalanced").await.data()["items"].clone();
    assert_eq!(reported.as_array().unwrap().len(), 2, "{reported}");
    proved(&admin).await;
    verified(&server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_and_what_takes_it_back_are_cleared_together_over_two_days() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let sale = paid("S001", 18, 2, ("card", 60_000, ""));
    tells(&mut shop, vec![sale.clone(), sealed("S001", 18)]).await;
    tells(&mut shop, vec![voided(&sale, 19, 2, true), sealed("S001", 19)]).await;
    let id = settlement(&admin, "S001", 18).await["settlement_id"].as_str().unwrap().to_owned();
    let matched = admin.post(&format!("/api/settlements/{id}/match"), &json!({})).await;
    assert_eq!(matched.data()["state"], "reconciled");
    assert_eq!(approved(&admin, "S001", 18).await["state"], "approved");
    // Neither of the two waits for the other's day.
    assert_eq!((unposted(&admin).await, balance(&server, "1110").await), (Vec::new(), 0));
    proved(&admin).await;
    assert_eq!(approved(&admin, "S001", 19).await["state"], "approved");
    verified(&server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_settlement_says_by_method_what_came_and_what_was_kept() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let reported = vec![
        paid("S001", 17, 1, ("card", 100_000, "")),
        paid("S001", 17, 2, ("qris", 50_000, "")),
        sealed("S001", 17),
        paid("S001", 18, 3, ("qris", 50_000, "Q-0001")),
        paid("S001", 18, 4, ("qris", 7_000, "Q-0002")),
        sealed("S001", 18),
    ];
    assert_eq!(tells(&mut shop, reported).await["parked"], json!([]));
    let both = json!({"name": "Both", "kind": "provider", "methods": ["card", "qris"], "fee_rate_bp": 100});
    let source = added(&admin, &both).await;
    let whole_day = json!({"date": day(18), "reference": "", "gross": 150_000, "fee": 1_500});
    let short = json!({"date": day(19), "reference": "Q-0001", "gross": 49_000, "fee": 490});
    let body = json!({"source_id": source, "lines": [whole_day, short]});
    assert_eq!(admin.post("/api/statements", &body).await.data()["matched"], 2);
    resolved(&admin, "amount_differs", json!({"resolution": "accept"})).await;
    resolved(&admin, "missing_at_provider", json!({"resolution": "carry"})).await;
    let method = |method: &str, figures: [i64; 6]| {
        let [sales, matched, fee, net, difference, open] = figures;
        json!({"method": method, "sales": sales, "refunds": 0, "expected": sales, "matched": matched, "fee": fee,
            "net": net, "difference": difference, "open": open, "carried_in": 0, "carried_out": open, "late": 0})
    };
    // One match of two methods: each gets its share of the fee.
    let halves = [
        method("card", [100_000, 100_000, 1_000, 99_000, 0, 0]),
        method("qris", [50_000, 50_000, 500, 49_500, 0, 0]),
    ];
    assert_eq!(settlement(&admin, "S001", 17).await["by_method"], json!(halves));
    let expected = json!([method("qris", [57_000, 50_000, 490, 48_510, 1_000, 7_000])]);
    assert_eq!(settlement(&admin, "S001", 18).await["by_method"], expected);
    // The settlement keeps these figures when the open items move to another day.
    assert_eq!(approved(&admin, "S001", 17).await["by_method"], json!(halves));
    assert_eq!(approved(&admin, "S001", 18).await["by_method"], expected);
    let fees = async |report: &str, figures: [&str; 2]| {
        let path = format!("/api/reports/{report}?from={}&to={}&group_by=method", day(17), day(18));
        let rows = admin.get(&path).await.data()["items"].clone();
        let row = |row: &Value| json!([row["method"], row[figures[0]], row[figures[1]]]);
        rows.as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    let by_method = [json!(["card", 1_000, 99_000]), json!(["qris", 990, 98_010])];
    assert_eq!(fees("settlements", ["fee", "net"]).await, by_method);
    let by_method = [json!(["card", 1_000, 100_000]), json!(["qris", 990, 100_000])];
    assert_eq!(fees("payments", ["fees", "settled"]).await, by_method);
    verified(&server).await;
    assert_eq!(unposted(&admin).await, [(7_000, json!(day(19)))]);
    tells(&mut shop, vec![sealed("S001", 19)]).await;
    let next = settlement(&admin, "S001", 19).await["by_method"].clone();
    assert_eq!((&next[0]["carried_in"], &next[0]["expected"]), (&json!(7_000), &json!(7_000)));
}
