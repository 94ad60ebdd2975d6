//! What a person says to what does not agree: lines that wait, terminals that get a name, money that did not arrive.

use crate::office::finance::tells;
use crate::office::settlement::items::balance;
use crate::office::settlement::story::{added, card_source, day, paid, sealed, settlement};
use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use serde_json::{Value, json};

/// The only open exception of a type.
pub async fn exception(api: &Api, kind: &str) -> Value {
    let path = format!("/api/settlement-exceptions?type={kind}&state=open");
    let open = api.get(&path).await.data()["items"].clone();
    assert_eq!(open.as_array().unwrap().len(), 1, "{kind}: {open}");
    open[0].clone()
}

/// Resolves the only open exception of a type.
pub async fn resolved(api: &Api, kind: &str, mut said: Value) -> Value {
    let id = exception(api, kind).await["exception_id"].as_str().unwrap().to_owned();
    said["reason"] = json!("a person knows");
    api.post(&format!("/api/settlement-exceptions/{id}/resolve"), &said).await.data().clone()
}

pub async fn told(api: &Api, source: &str, lines: Value) -> Value {
    api.post("/api/statements", &json!({"source_id": source, "lines": lines})).await.data().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_of_a_terminal_are_matched_once_somebody_says_whose_it_is() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    tells(&mut shop, vec![paid("S001", 18, 1, ("card", 70_000, "C-0001")), sealed("S001", 18)]).await;
    let source = card_source(&admin).await;
    let line = |reference: &str, amount: i64| json!({"date": day(19), "reference": reference, "gross": amount, "fee": amount * 15 / 1000, "store_ref": "T-9"});
    let first = told(&admin, &source, json!([line("C-0001", 70_000)])).await;
    assert_eq!((&first["matched"], &first["state"]), (&json!(0), &json!("discrepant")));
    resolved(&admin, "unknown_store", json!({"resolution": "store_id", "store_id": "S001"})).await;
    let statement = admin.get(&format!("/api/statements/{}", first["statement_id"].as_str().unwrap())).await;
    assert_eq!((&statement.data()["matched"], &statement.data()["state"]), (&json!(1), &json!("reconciled")));
    assert_eq!(settlement(&admin, "S001", 18).await["state"], "reconciled");
    // From now on it is known.
    let later = told(&admin, &source, json!([line("C-0002", 1_000)])).await;
    assert_eq!(exception(&admin, "missing_in_store").await["statement_id"], later["statement_id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_carried_line_is_matched_when_its_store_tells() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let source = card_source(&admin).await;
    let line = json!([{"date": day(19), "reference": "C-0001", "gross": 70_000, "fee": 1_050}]);
    let first = told(&admin, &source, line).await;
    resolved(&admin, "missing_in_store", json!({"resolution": "carry"})).await;
    let path = format!("/api/statements/{}", first["statement_id"].as_str().unwrap());
    assert_eq!(admin.get(&path).await.data()["state"], "reconciled", "nothing of it is left to do");
    assert_eq!(admin.post(&format!("{path}/approve"), &json!({})).await.data()["state"], "approved");
    tells(&mut shop, vec![paid("S001", 18, 1, ("card", 70_000, "C-0001")), sealed("S001", 18)]).await;
    let id = settlement(&admin, "S001", 18).await["settlement_id"].as_str().unwrap().to_owned();
    let matched = admin.post(&format!("/api/settlements/{id}/match"), &json!({})).await.data().clone();
    assert_eq!((&matched["state"], &matched["net"]), (&json!("reconciled"), &json!(68_950)));
    assert_eq!(admin.get(&path).await.data()["matched"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_bank_did_not_get_of_a_payout_is_posted_when_it_is_accepted() {
    let server = Server::start().await;
    let admin = server.admin().await;
    Shop::open(&server, "S001").await;
    let source = card_source(&admin).await;
    let bank = added(&admin, &json!({"name": "Bank", "kind": "bank", "methods": []})).await;
    let line =
        json!([{"date": day(19), "reference": "C-0001", "gross": 70_000, "fee": 1_000, "batch": "77"}]);
    told(&admin, &source, line).await;
    let payout =
        told(&admin, &bank, json!([{"date": day(20), "reference": "PAYOUT 77", "amount": 68_000}])).await;
    assert_eq!(payout["state"], "discrepant");
    let accepted = resolved(&admin, "payout_differs", json!({"resolution": "accept"})).await;
    assert_eq!((&accepted["amount"], &accepted["account"]), (&json!(1_000), &json!("6060")));
    let entry = admin.get(&format!("/api/finance/journal/{}", accepted["entry_id"].as_str().unwrap())).await;
    assert_eq!(entry.data()["entry_date"], json!(day(20)));
    assert_eq!((balance(&server, "6060").await, balance(&server, "1040").await), (1_000, -1_000));
    let path = format!("/api/statements/{}/approve", payout["statement_id"].as_str().unwrap());
    assert_eq!(admin.post(&path, &json!({})).await.data()["state"], "approved");
    assert_eq!(balance(&server, "6060").await, 1_000, "once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_that_one_source_missed_is_found_by_the_source_that_it_got_since() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    tells(&mut shop, vec![paid("S001", 18, 1, ("card", 70_000, "C-0001")), sealed("S001", 18)]).await;
    let other = json!([{"date": day(20), "reference": "X-0001", "gross": 5, "fee": 0}]);
    told(&admin, "src_default", other).await;
    exception(&admin, "missing_at_provider").await;
    let source = card_source(&admin).await;
    let line = json!([{"date": day(19), "reference": "C-0001", "gross": 70_000, "fee": 1_050}]);
    told(&admin, &source, line).await;
    let open = admin.get("/api/settlement-exceptions?type=missing_at_provider&state=open").await;
    assert_eq!(open.data()["items"], json!([]));
    assert_eq!(settlement(&admin, "S001", 18).await["state"], "reconciled");
}
