//! Exceptions that were carried or contested, the filters of exceptions, and the parts of statements that are refused
//! or set aside.

use crate::office::finance::tells;
use crate::office::settlement::resolved::{exception, reported, resolved};
use crate::office::settlement::story::{added, card_source, day, paid, sealed, settlement};
use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use cloud_hub::night::jobs;
use domain::model::base::time::UtcMs;
use jiff::ToSpan;
use serde_json::{Value, json};

/// Returns the types of the exceptions that a query finds, in alphabetical order.
async fn kinds(api: &Api, query: &str) -> Vec<String> {
    let found = api.get(&format!("/api/settlement-exceptions?{query}")).await.data()["items"].clone();
    let kind = |one: &Value| one["type"].as_str().unwrap().to_owned();
    let mut kinds: Vec<String> = found.as_array().unwrap().iter().map(kind).collect();
    kinds.sort();
    kinds
}

/// Runs the nightly job as if this many days had passed, and returns the open exceptions.
async fn open_after(server: &Server, admin: &Api, days: i32) -> Vec<String> {
    let today = server.hub.today(edge::clock::now());
    let at = today.checked_add(days.days()).unwrap().at(23, 59, 0, 0);
    let at = at.to_zoned(server.hub.zone.clone()).unwrap().timestamp().as_millisecond();
    assert!(jobs::run(&server.hub, UtcMs(at)).await.contains(&"settlement"), "{days}");
    kinds(admin, "state=open").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_ends_today_at_the_latest_and_its_unknown_types_are_set_aside() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let source = card_source(&admin).await;
    let today = server.hub.today(edge::clock::now());
    let ask = |to| json!({"source_id": source, "to": to, "lines": [{"date": day(19), "reference": "A-0001", "gross": 5, "fee": 0}]});
    let refused = admin.post("/api/statements", &ask(today.checked_add(1.day()).unwrap())).await;
    assert_eq!(refused.refusal(), "422 validation_failed");
    assert_eq!(refused.body["error"]["details"]["fields"][0]["path"], "to");
    assert_eq!(admin.post("/api/statements", &ask(today)).await.data()["to"], json!(today));
    server.place.add_store("S009");
    let list = admin.get("/api/statements").await.data().clone();
    assert_eq!(
        list["completeness"]["missing"][0]["store_id"], "S009",
        "the store's payments may not be matched yet"
    );
    let wallet = added(&admin, &json!({"name": "Wallet", "kind": "provider", "methods": ["qris"]})).await;
    let file = format!("date,reference,amount,type\n{0},A-0002,5,sale\n{0},A-0003,5,chargebck\n", day(19));
    let reported = admin.csv(&format!("/api/statements?source_id={wallet}"), &file).await.data().clone();
    let aside = &reported["rows_set_aside"][0];
    assert_eq!(
        (&reported["lines_new"], &aside["row_no"], &aside["field"]),
        (&json!(1), &json!(3), &json!("type"))
    );
    assert_eq!(server.figure("SELECT COUNT(*) FROM statement_lines").await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_exception_without_a_settlement_is_found_by_the_day_of_its_line_or_statement() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let bank = added(&admin, &json!({"name": "Bank", "kind": "bank", "methods": []})).await;
    for (of, opening) in [(18, 0), (20, 90)] {
        let line = json!({"date": day(of), "reference": "WHO KNOWS", "amount": 100});
        let statement = json!({"source_id": bank, "opening_balance": opening, "closing_balance": opening + 100, "lines": [line]});
        admin.post("/api/statements", &statement).await.data();
    }
    for (from, to, expected) in [
        (18, 18, vec!["missing_in_store"]),
        (19, 19, vec![]),
        (20, 20, vec!["balance_differs", "missing_in_store"]),
        (18, 20, vec!["balance_differs", "missing_in_store", "missing_in_store"]),
    ] {
        let found = kinds(&admin, &format!("from={}&to={}", day(from), day(to))).await;
        assert_eq!(found, expected, "{from} {to}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contested_chargeback_waits_and_is_not_raised_again() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    tells(&mut shop, vec![paid("S001", 18, 1, ("card", 70_000, "C-0001")), sealed("S001", 18)]).await;
    let source = card_source(&admin).await;
    let line = |reference: &str, gross: i64, fee: i64| json!([{"date": day(20), "reference": reference, "gross": gross, "fee": fee}]);
    reported(&admin, &source, line("C-0001", 70_000, 1_050)).await;
    let back = reported(&admin, &source, line("C-0001", -70_000, 0)).await;
    let path = format!("/api/statements/{}", back["statement_id"].as_str().unwrap());
    assert_eq!(
        (&back["state"], &exception(&admin, "chargeback").await["amount"]),
        (&json!("discrepant"), &json!(-70_000))
    );
    let contested = resolved(&admin, "chargeback", json!({"resolution": "contest"})).await;
    assert_eq!((&contested["entry_id"], &contested["account"]), (&Value::Null, &Value::Null));
    let carried = "SELECT COUNT(*) FROM statement_lines WHERE state = 'carried'";
    assert_eq!(server.figure(carried).await, 1);
    // Later statements match all open lines again.
    reported(&admin, &source, line("C-0009", 5, 0)).await;
    let id = settlement(&admin, "S001", 18).await["settlement_id"].as_str().unwrap().to_owned();
    admin.post(&format!("/api/settlements/{id}/match"), &json!({})).await.data();
    assert_eq!(kinds(&admin, "state=open").await, ["missing_in_store"]);
    assert_eq!(
        (server.figure(carried).await, &admin.get(&path).await.data()["state"]),
        (1, &json!("reconciled"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_carried_exception_is_raised_again_after_its_days() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    tells(&mut shop, vec![paid("S001", 18, 1, ("card", 70_000, "C-0001")), sealed("S001", 18)]).await;
    let source = card_source(&admin).await;
    let line = |reference: &str, gross: i64, kind: &str| json!({"date": day(20), "reference": reference, "gross": gross, "fee": 0, "type": kind});
    let lines = json!([line("X-0009", 5, "sale"), line("BACK", -9, "chargeback")]);
    let statement = reported(&admin, &source, lines).await["statement_id"].as_str().unwrap().to_owned();
    let carried =
        [("chargeback", "contest"), ("missing_at_provider", "carry"), ("missing_in_store", "carry")];
    for (kind, resolution) in carried {
        resolved(&admin, kind, json!({"resolution": resolution})).await;
    }
    let id = settlement(&admin, "S001", 18).await["settlement_id"].as_str().unwrap().to_owned();
    admin.post(&format!("/api/settlements/{id}/approve"), &json!({})).await.data();
    let path = format!("/api/statements/{statement}");
    assert_eq!(admin.post(&format!("{path}/approve"), &json!({})).await.data()["state"], "approved");
    let night = async |days: i32| open_after(&server, &admin, days).await;
    assert_eq!(night(30).await, Vec::<String>::new(), "settlement.carry_days");
    assert_eq!(night(31).await, carried.map(|(kind, _)| kind.to_owned()));
    let missing = exception(&admin, "missing_at_provider").await;
    assert_eq!(missing["business_date"], json!(day(19)), "the settlement of its day was approved");
    for name in ["resolution", "reason", "resolved_by", "resolved_at"] {
        assert_eq!(missing[name], Value::Null, "{name}");
    }
    assert_eq!(admin.get(&path).await.data()["state"], "discrepant");
    assert_eq!(night(32).await.len(), 3, "each once");
    assert!(server.place.run(&["verify"], "").status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_exceptions_of_a_line_only_the_last_one_is_raised_again() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let source = card_source(&admin).await;
    let line =
        |gross: i64, fee: i64| json!([{"date": day(20), "reference": "C-0001", "gross": gross, "fee": fee}]);
    // Reversed before its sale was reported, the payment is unknown.
    reported(&admin, &source, line(-70_000, 0)).await;
    resolved(&admin, "missing_in_store", json!({"resolution": "carry"})).await;
    tells(&mut shop, vec![paid("S001", 18, 1, ("card", 70_000, "C-0001")), sealed("S001", 18)]).await;
    reported(&admin, &source, line(70_000, 1_050)).await;
    resolved(&admin, "chargeback", json!({"resolution": "contest"})).await;
    assert_eq!(
        open_after(&server, &admin, 32).await,
        ["chargeback"],
        "two open exceptions would post the amount twice"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_carried_exception_of_an_inactive_source_is_raised_again() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let source = card_source(&admin).await;
    let line = json!([{"date": day(20), "reference": "X-0009", "gross": 5, "fee": 0}]);
    let statement = reported(&admin, &source, line).await["statement_id"].as_str().unwrap().to_owned();
    resolved(&admin, "missing_in_store", json!({"resolution": "carry"})).await;
    admin.patch(&format!("/api/statement-sources/{source}"), &json!({"state": "inactive"})).await.data();
    assert_eq!(open_after(&server, &admin, 30).await, Vec::<String>::new());
    assert_eq!(open_after(&server, &admin, 31).await, ["missing_in_store"]);
    let path = format!("/api/statements/{statement}");
    assert_eq!(admin.get(&path).await.data()["state"], "discrepant");
    resolved(&admin, "missing_in_store", json!({"resolution": "post", "account": "6060"})).await;
    assert_eq!(admin.get(&path).await.data()["state"], "reconciled");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chargeback_is_posted_in_the_store_that_took_the_payment_and_at_head_office_if_nobody_knows_it() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    tells(&mut shop, vec![paid("S001", 18, 1, ("card", 70_000, "C-0001")), sealed("S001", 18)]).await;
    let source = card_source(&admin).await;
    let line = |reference: &str, gross: i64, kind: &str| json!([{"date": day(20), "reference": reference, "gross": gross, "fee": 0, "type": kind}]);
    reported(&admin, &source, line("C-0001", 70_000, "sale")).await;
    for (reference, store) in [("0c0001", "S001"), ("ELSEWHERE", "")] {
        reported(&admin, &source, line(reference, -70_000, "chargeback")).await;
        let accepted = resolved(&admin, "chargeback", json!({"resolution": "accept"})).await;
        let path = format!("/api/finance/journal/{}", accepted["entry_id"].as_str().unwrap());
        assert_eq!(admin.get(&path).await.data()["store_id"], store, "{reference}");
    }
}
