//! Resolutions of exceptions by a person: waiting lines, names for terminals, missing money.

use crate::office::finance::tells;
use crate::office::settlement::items::balance;
use crate::office::settlement::story::{added, card_source, day, paid, sealed, settlement};
use crate::support::server::{Api, Server, stderr};
use crate::support::shop::Shop;
use serde_json::{Value, json};

/// Returns the only open exception of a type.
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

pub async fn reported(api: &Api, source: &str, lines: Value) -> Value {
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
    let first = reported(&admin, &source, json!([line("C-0001", 70_000)])).await;
    assert_eq!((&first["matched"], &first["state"]), (&json!(0), &json!("discrepant")));
    resolved(&admin, "unknown_store", json!({"resolution": "store_id", "store_id": "S001"})).await;
    let statement = admin.get(&format!("/api/statements/{}", first["statement_id"].as_str().unwrap())).await;
    assert_eq!((&statement.data()["matched"], &statement.data()["state"]), (&json!(1), &json!("reconciled")));
    assert_eq!(settlement(&admin, "S001", 18).await["state"], "reconciled");
    // The terminal is known from now on.
    let later = reported(&admin, &source, json!([line("C-0002", 1_000)])).await;
    assert_eq!(exception(&admin, "missing_in_store").await["statement_id"], later["statement_id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_carried_line_is_matched_when_its_store_reports() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let source = card_source(&admin).await;
    let line = json!([{"date": day(19), "reference": "C-0001", "gross": 70_000, "fee": 1_050}]);
    let first = reported(&admin, &source, line).await;
    resolved(&admin, "missing_in_store", json!({"resolution": "carry"})).await;
    let path = format!("/api/statements/{}", first["statement_id"].as_str().unwrap());
    assert_eq!(admin.get(&path).await.data()["state"], "reconciled", "nothing is left to do");
    assert_eq!(admin.post(&format!("{path}/approve"), &json!({})).await.data()["state"], "approved");
    tells(&mut shop, vec![paid("S001", 18, 1, ("card", 70_000, "C-0001")), sealed("S001", 18)]).await;
    let id = settlement(&admin, "S001", 18).await["settlement_id"].as_str().unwrap().to_owned();
    let matched = admin.post(&format!("/api/settlements/{id}/match"), &json!({})).await.data().clone();
    assert_eq!((&matched["state"], &matched["net"]), (&json!("reconciled"), &json!(68_950)));
    assert_eq!(admin.get(&path).await.data()["matched"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shortfall_of_a_payout_is_posted_when_it_is_accepted() {
    let server = Server::start().await;
    let admin = server.admin().await;
    Shop::open(&server, "S001").await;
    let source = card_source(&admin).await;
    let bank = added(&admin, &json!({"name": "Bank", "kind": "bank", "methods": []})).await;
    let line =
        json!([{"date": day(19), "reference": "C-0001", "gross": 70_000, "fee": 1_000, "batch": "77"}]);
    reported(&admin, &source, line).await;
    let payout =
        reported(&admin, &bank, json!([{"date": day(20), "reference": "PAYOUT 77", "amount": 68_000}])).await;
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
    reported(&admin, "src_default", other).await;
    exception(&admin, "missing_at_provider").await;
    let source = card_source(&admin).await;
    let line = json!([{"date": day(19), "reference": "C-0001", "gross": 70_000, "fee": 1_050}]);
    reported(&admin, &source, line).await;
    let open = admin.get("/api/settlement-exceptions?type=missing_at_provider&state=open").await;
    assert_eq!(open.data()["items"], json!([]));
    assert_eq!(settlement(&admin, "S001", 18).await["state"], "reconciled");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_a_person_decided_about_is_posted_once_and_a_text_is_known_from_its_day_on() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let bank = added(&admin, &json!({"name": "Bank", "kind": "bank", "methods": []})).await;
    let first = json!([{"date": day(19), "reference": "ADMIN", "net": -10_000, "type": "fee"}]);
    let statement = reported(&admin, &bank, first).await["statement_id"].as_str().unwrap().to_owned();
    resolved(&admin, "missing_in_store", json!({"resolution": "post", "account": "6030"})).await;
    assert_eq!((balance(&server, "1040").await, balance(&server, "6030").await), (-10_000, 10_000));
    let path = format!("/api/statements/{statement}/approve");
    assert_eq!(admin.post(&path, &json!({})).await.data()["state"], "approved");
    assert_eq!((balance(&server, "1040").await, balance(&server, "6030").await), (-10_000, 10_000));
    // A store's own statement is posted in its book.
    Shop::open(&server, "S001").await;
    let fee = json!({"lines": [{"date": day(19), "reference": "SEWA", "fee": 700, "type": "fee"}]});
    let own = admin.post("/api/statements?store_id=S001", &fee).await.data().clone();
    let path = format!("/api/statements/{}/approve", own["statement_id"].as_str().unwrap());
    admin.post(&path, &json!({})).await.data();
    let of_store = "SELECT CAST(SUM(debit - credit) AS BIGINT) FROM ledger_days WHERE account = '6030' AND store_id = 'S001'";
    assert_eq!(server.figure(of_store).await, 700);
    // The account of parking applies from the 20th on, so a bank line of the 19th is unknown.
    for (account, from) in [("6050", 20), ("6040", 21)] {
        let mapping = json!({"of": "bank_text", "key": "parkir", "account": account, "from": day(from)});
        admin.post("/api/finance/mappings", &mapping).await.data();
    }
    let line = |of: i8, amount: i64| json!({"date": day(of), "reference": "PARKIR", "amount": amount});
    let reported = reported(&admin, &bank, json!([line(19, -100), line(20, -200), line(21, -400)])).await;
    assert_eq!((&reported["matched"], &reported["exceptions"]), (&json!(2), &json!(1)));
    assert_eq!(exception(&admin, "missing_in_store").await["amount"], -100);
    resolved(&admin, "missing_in_store", json!({"resolution": "carry"})).await;
    let path = format!("/api/statements/{}/approve", reported["statement_id"].as_str().unwrap());
    assert_eq!(admin.post(&path, &json!({})).await.data()["state"], "approved");
    assert_eq!((balance(&server, "6050").await, balance(&server, "6040").await), (200, 400));
    assert!(server.place.run(&["verify"], "").status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rest_that_was_left_twice_is_still_a_part_of_its_item() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let other = paid("S001", 18, 2, ("card", 5_000, "C-0002"));
    tells(&mut shop, vec![paid("S001", 18, 1, ("card", 70_000, "C-0001")), other, sealed("S001", 18)]).await;
    let source = card_source(&admin).await;
    for amount in [60_000, 9_000] {
        let line = json!([{"date": day(19), "reference": "C-0001", "gross": amount, "fee": 0}]);
        reported(&admin, &source, line).await;
        resolved(&admin, "amount_differs", json!({"resolution": "carry"})).await;
        let matches = "UPDATE settlement_items SET item_id = 'pay_1#rest2' WHERE item_id = 'pay_1#rest'";
        sqlx::query(matches).execute(server.hub.db.pool()).await.unwrap();
    }
    let done = server.place.run(&["verify"], "");
    assert!(done.status.success(), "{}", stderr(&done));
    // Two items that are wrong by the same amount are both reported, although their sum is right.
    let swapped = "UPDATE settlement_items SET amount = amount + CASE item_id WHEN 'pay_2' THEN 7 ELSE -7 END \
                   WHERE item_id IN ('pay_2', 'pay_1')";
    sqlx::query(swapped).execute(server.hub.db.pool()).await.unwrap();
    let reported = stderr(&server.place.run(&["verify"], ""));
    for (item, found, right) in [("pay_1", 69_993, 70_000), ("pay_2", 5_007, 5_000)] {
        let of = format!("payment card 1110 {} C-000", day(18));
        assert!(reported.contains(&format!("S001: item {item} is {found} {of}")), "{reported}");
        assert!(reported.contains(&format!("its record gives {right} {of}")), "{reported}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_its_sale_and_its_refusal_say_where_the_settlement_is() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let sale = paid("S001", 18, 1, ("card", 70_000, "C-0001"));
    let told_sale: Value = serde_json::from_str(&sale).unwrap();
    tells(&mut shop, vec![sale, sealed("S001", 18)]).await;
    let source = card_source(&admin).await;
    reported(&admin, &source, json!([{"date": day(20), "reference": "X-0001", "gross": 5, "fee": 0}])).await;
    let missing = exception(&admin, "missing_at_provider").await;
    let of_day = settlement(&admin, "S001", 18).await;
    let path = format!("/api/settlements/{}/approve", of_day["settlement_id"].as_str().unwrap());
    let refused = admin.post(&path, &json!({})).await;
    assert_eq!(refused.refusal(), "409 invalid_state");
    let details = &refused.body["error"]["details"];
    let expected =
        json!([{"exception_id": missing["exception_id"], "type": "missing_at_provider", "amount": 70_000}]);
    assert_eq!((&details["state"], &details["exceptions"]), (&json!("discrepant"), &expected));
    let days = admin.get(&format!("/api/finance/days?store_id=S001&from={0}&to={0}", day(18))).await;
    assert_eq!(days.data()["items"][0]["settlement_state"], "discrepant");
    let id = told_sale["payload"]["transaction"]["transaction_id"].as_str().unwrap();
    let whole = admin.get(&format!("/api/transactions/{id}")).await.data().clone();
    let item = &whole["settlement_items"][0];
    assert_eq!(
        (&item["item_id"], &item["amount"], &item["state"]),
        (&json!("pay_1"), &json!(70_000), &json!("open"))
    );
    let items = admin.get("/api/settlement-items?store_id=S001").await.data().clone();
    assert_eq!((&items["items"][0], &items["completeness"]["stores_expected"]), (item, &json!(1)));
    // A day that is not over can't be locked, even if it has nothing to settle.
    let early = json!({"store_id": "S001", "business_date": server.hub.today(edge::clock::now()), "force": true,
        "reason": "the shop closes for good"});
    let early =
        admin.post("/api/settlements", &early).await.data()["settlement_id"].as_str().unwrap().to_owned();
    let refused = admin.post(&format!("/api/settlements/{early}/approve"), &json!({})).await;
    assert_eq!(refused.refusal(), "422 validation_failed");
    // A source's terms can be removed, and may cover ten years.
    let path = format!("/api/statement-sources/{source}");
    let change = json!({"fee_rate_bp": null, "window_days": 3_650, "lag_days": 3_650});
    let changed = admin.patch(&path, &change).await.data().clone();
    let terms = json!([changed["fee_rate_bp"], changed["window_days"], changed["lag_days"]]);
    assert_eq!(terms, json!([null, 3_650, 3_650]));
    let kept = admin.patch(&path, &json!({"fee_rate_bp": 150})).await.data()["window_days"].clone();
    assert_eq!(kept, 3_650);
    assert_eq!(
        admin.patch(&path, &json!({"name": "C"})).await.data()["fee_rate_bp"],
        150,
        "a field that is left out is unchanged"
    );
    assert_eq!(admin.patch(&path, &json!({"lag_days": 3_651})).await.refusal(), "422 validation_failed");
}
