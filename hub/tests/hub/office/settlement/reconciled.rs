//! A bank's balance compared with the books, and statements for one settlement.

use crate::office::finance::tells;
use crate::office::settlement::resolved::exception;
use crate::office::settlement::story::{added, card_source, day, paid, sealed, settlement};
use crate::support::server::Server;
use crate::support::shop::Shop;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn a_banks_balance_is_explained_line_by_line_and_the_rest_is_reported() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let (mut shop, cards) = (Shop::open(&server, "S001").await, card_source(&admin).await);
    let bank = added(&admin, &json!({"name": "Bank", "kind": "bank", "methods": []})).await;
    let opening = json!({"date": day(18), "lines": [{"account": "1040", "debit": 1_000_000}]});
    admin.post("/api/finance/opening", &opening).await.data();
    let supplier = admin.post("/api/suppliers", &json!({"code": "TEA", "name": "Tea Ltd"})).await;
    let supplier = supplier.data()["supplier_id"].clone();
    for (amount, reference) in [(71_188, "TEA-778"), (5_000, "TEA-779")] {
        let payment = json!({"supplier_id": supplier, "date": day(19), "account": "1040", "amount": amount,
            "reference": reference});
        admin.post("/api/finance/payments", &payment).await.data();
    }
    // Two batches of cards: the bank reports the first one before its settlement is approved.
    let sold = vec![
        paid("S001", 18, 1, ("card", 10_000, "C-0001")),
        paid("S001", 18, 2, ("card", 20_000, "C-0002")),
        sealed("S001", 18),
    ];
    tells(&mut shop, sold).await;
    let line = |reference: &str, gross: i64, fee: i64, batch: &str| json!({"date": day(19), "reference": reference, "gross": gross, "fee": fee, "batch": batch});
    let reported = json!({"source_id": cards, "lines": [line("C-0001", 10_000, 150, "77"), line("C-0002", 20_000, 300, "78")]});
    admin.post("/api/statements", &reported).await.data();
    let line =
        |reference: &str, amount: i64| json!({"date": day(20), "reference": reference, "amount": amount});
    let lines = json!([line("TEA-778", -71_188), line("PAYOUT 77", 9_850), line("who knows", 7_000)]);
    let statement =
        json!({"source_id": bank, "opening_balance": 1_000_000, "closing_balance": 945_662, "lines": lines});
    admin.post("/api/statements", &statement).await.data();

    let path = format!("/api/statement-sources/{bank}/reconciliation");
    let read = async || admin.get(&path).await.data().clone();
    let view = read().await;
    assert_eq!((&view["closing_balance"], &view["ledger_balance"]), (&json!(945_662), &json!(923_812)));
    let of = |list: &Value, name: &str| -> Vec<String> {
        let rows = list.as_array().unwrap().iter();
        rows.map(|row| format!("{} {}", row[name].as_str().unwrap_or_default(), row["amount"])).collect()
    };
    let mut alone = of(&view["in_bank_only"], "reference");
    alone.sort();
    assert_eq!(alone, ["PAYOUT 77 9850", "who knows 7000"], "the settlement is not approved");
    assert_eq!(of(&view["in_books_only"], "type"), ["payment -5000"]);
    assert_eq!((&view["difference"], &view["in_books_only_total"]), (&json!(0), &json!(-5_000)));
    let id = settlement(&admin, "S001", 18).await["settlement_id"].as_str().unwrap().to_owned();
    admin.post(&format!("/api/settlements/{id}/approve"), &json!({})).await.data();
    let unknown = exception(&admin, "missing_in_store").await["exception_id"].as_str().unwrap().to_owned();
    let post = json!({"resolution": "post", "account": "7010", "reason": "a gift"});
    admin.post(&format!("/api/settlement-exceptions/{unknown}/resolve"), &post).await.data();
    let view = read().await;
    assert_eq!(view["in_bank_only"], json!([]));
    let mut books = of(&view["in_books_only"], "type");
    books.sort();
    assert_eq!(books, ["payment -5000", "payout 19700"], "batch 78 is in transit");
    assert_eq!((&view["difference"], &view["ledger_balance"]), (&json!(0), &json!(960_362)));

    // A statement whose opening balance differs from the last closing balance leaves an unexplained difference.
    let alarms = "SELECT COUNT(*) FROM alarms WHERE code = 'bank_differs'";
    assert_eq!(server.figure(alarms).await, 0);
    let odd = json!({"source_id": bank, "opening_balance": 945_663, "closing_balance": 965_363,
        "lines": [line("PAYOUT 78", 19_700)]});
    admin.post("/api/statements", &odd).await.data();
    assert_eq!(read().await["difference"], 1);
    assert_eq!(server.figure(alarms).await, 1);
    // Neither another day nor another bank without a difference clears the alarm.
    assert_eq!(admin.get(&format!("{path}?as_of={}", day(17))).await.data()["difference"], Value::Null);
    let account = json!({"account": "1041", "name": "Other bank", "type": "asset"});
    admin.post("/api/finance/accounts", &account).await.data();
    let other =
        added(&admin, &json!({"name": "Other", "kind": "bank", "methods": [], "account": "1041"})).await;
    let agrees = json!({"source_id": other, "opening_balance": 0, "closing_balance": 5, "lines": [line("who knows", 5)]});
    admin.post("/api/statements", &agrees).await.data();
    let beside = admin.get(&format!("/api/statement-sources/{other}/reconciliation")).await;
    assert_eq!((&beside.data()["difference"], server.figure(alarms).await), (&json!(0), 1));
    let twice = json!({"name": "Twice", "kind": "bank", "methods": []});
    assert_eq!(admin.post("/api/statement-sources", &twice).await.refusal(), "409 duplicate");
    let provider = admin.get(&format!("/api/statement-sources/{cards}/reconciliation")).await;
    assert_eq!(provider.refusal(), "422 validation_failed");
    assert_eq!(admin.get("/api/statement-sources/none/reconciliation").await.refusal(), "404 not_found");
}

/// Two banks: a line that was posted to the other bank's account is explained there, and a corrected opening is not one
/// of its movements. A payment stays with the bank that paid it.
#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_between_banks_and_a_corrected_opening_are_explained() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let bank = added(&admin, &json!({"name": "Bank", "kind": "bank", "methods": []})).await;
    let account = json!({"account": "1041", "name": "Other bank", "type": "asset"});
    admin.post("/api/finance/accounts", &account).await.data();
    let other =
        added(&admin, &json!({"name": "Other", "kind": "bank", "methods": [], "account": "1041"})).await;
    for (debit, is_wrong) in [(5_000, true), (1_500, false)] {
        let opening = json!({"date": day(18), "lines": [{"account": "1041", "debit": debit}]});
        let made = admin.post("/api/finance/opening", &opening).await.data().clone();
        let reverse = format!("/api/finance/journal/{}/reverse", made["entry_id"].as_str().unwrap());
        if is_wrong {
            admin.post(&reverse, &json!({"reason": "another figure"})).await.data();
        }
    }
    let statement = async |source: &str, opening: i64, amount: i64| {
        let line = json!({"date": day(19), "reference": "transfer", "amount": amount});
        let body = json!({"source_id": source, "opening_balance": opening, "closing_balance": opening + amount,
            "lines": [line]});
        admin.post("/api/statements", &body).await.data().clone()
    };
    let (paid, came) = (statement(&bank, 0, -250_000).await, statement(&other, 1_500, 250_000).await);
    let line = async |statement: &Value| {
        let path = format!("/api/statements/{}/lines", statement["statement_id"].as_str().unwrap());
        admin.get(&path).await.data()["items"][0]["line_id"].clone()
    };
    let (paid, came) = (line(&paid).await, line(&came).await);
    let found = admin.get("/api/settlement-exceptions").await.data()["items"].clone();
    let of = |line: &Value| {
        let is_of = |one: &&Value| one["line_ids"] == json!([line]);
        let one = found.as_array().unwrap().iter().find(is_of).unwrap();
        format!("/api/settlement-exceptions/{}/resolve", one["exception_id"].as_str().unwrap())
    };
    let post = json!({"resolution": "post", "account": "1041", "reason": "moved"});
    assert_eq!(admin.post(&of(&came), &post).await.refusal(), "422 validation_failed");
    admin.post(&of(&paid), &post).await.data();
    let view = admin.get(&format!("/api/statement-sources/{other}/reconciliation")).await.data().clone();
    let figures = ["ledger_balance", "in_bank_only_total", "in_books_only_total", "difference"];
    let figures = figures.map(|name| view[name].as_i64().unwrap());
    assert_eq!(figures, [251_500, 250_000, 250_000, 0]);

    let supplier = admin.post("/api/suppliers", &json!({"code": "TEA", "name": "Tea Ltd"})).await;
    let supplier = supplier.data()["supplier_id"].clone();
    let payment = json!({"supplier_id": supplier, "date": day(19), "account": "1040", "amount": 250_000});
    let mut nobody = payment.clone();
    nobody["supplier_id"] = json!("sup_nobody");
    assert_eq!(admin.post("/api/finance/payments", &nobody).await.refusal(), "422 validation_failed");
    let payment = admin.post("/api/finance/payments", &payment).await.data()["payment_id"].clone();
    statement(&other, 251_500, -250_000).await;
    let lines = admin.get("/api/settlement-exceptions?state=open").await.data()["items"].clone();
    let taken = |one: &&Value| one["amount"] == -250_000 && one["source_id"] == json!(other);
    let line_ids = lines.as_array().unwrap().iter().find(taken).unwrap()["line_ids"].clone();
    let matched =
        json!({"source_id": other, "line_ids": line_ids, "item_ids": [payment], "reason": "the same"});
    assert_eq!(admin.post("/api/settlement-matches", &matched).await.refusal(), "422 validation_failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn payments_that_a_settlements_own_statement_lacks_are_missing_at_once() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let (mut shop, cards) = (Shop::open(&server, "S001").await, card_source(&admin).await);
    let sold = vec![
        paid("S001", 20, 1, ("card", 10_000, "C-0001")),
        paid("S001", 20, 2, ("card", 20_000, "C-0002")),
        sealed("S001", 20),
    ];
    tells(&mut shop, sold).await;
    let id = settlement(&admin, "S001", 20).await["settlement_id"].as_str().unwrap().to_owned();
    let path = format!("/api/settlements/{id}/statements");
    // The statement is of the same day; one for all stores would move the last reported day.
    let line = |reference: &str, gross: i64, fee: i64| json!({"date": day(20), "reference": reference, "gross": gross, "fee": fee});
    let lines = json!({"source_id": cards, "lines": [line("C-0001", 10_000, 150), line("C-0009", 5, 0)]});
    let rehearsed = admin.post(&format!("{path}?dry_run=true"), &lines).await.data().clone();
    assert_eq!((&rehearsed["settlement_id"], &rehearsed["exceptions"]["open"]), (&json!(id), &json!(2)));
    assert_eq!(settlement(&admin, "S001", 20).await["state"], "open", "a dry run stores nothing");
    let reported = admin.post(&path, &lines).await;
    assert_eq!((reported.status.as_u16(), &reported.data()["state"]), (201, &json!("discrepant")));
    let missing = exception(&admin, "missing_at_provider").await;
    assert_eq!(
        (&missing["settlement_id"], &missing["method"], &missing["amount"]),
        (&json!(id), &json!("card"), &json!(20_000))
    );
    assert_eq!(
        exception(&admin, "missing_in_store").await["settlement_id"],
        json!(id),
        "the statement was for this day"
    );
    let count = async |query: &str| {
        let path = format!("/api/settlement-exceptions?{query}");
        admin.get(&path).await.data()["items"].as_array().unwrap().len()
    };
    assert_eq!([count(&format!("settlement_id={id}")).await, count("settlement_id=stl_none").await], [2, 0]);
    assert_eq!([count("method=card").await, count("method=qris").await], [1, 0]);
    assert_eq!(admin.post(&path, &lines).await.refusal(), "409 duplicate");
    assert_eq!(admin.post(&format!("{path}?store_id=S002"), &lines).await.refusal(), "422 validation_failed");
    assert_eq!(admin.post("/api/settlements/none/statements", &lines).await.refusal(), "404 not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_later_line_without_a_payment_holds_up_the_settlement_that_it_came_for() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let (mut shop, cards) = (Shop::open(&server, "S001").await, card_source(&admin).await);
    tells(&mut shop, vec![paid("S001", 18, 1, ("card", 10_000, "C-0001")), sealed("S001", 18)]).await;
    let id = settlement(&admin, "S001", 18).await["settlement_id"].as_str().unwrap().to_owned();
    let path = format!("/api/settlements/{id}/statements");
    let reported = async |reference: &str, gross: i64, fee: i64| {
        let line = json!({"date": day(19), "reference": reference, "gross": gross, "fee": fee});
        admin.post(&path, &json!({"source_id": cards, "lines": [line]})).await.data().clone()
    };
    assert_eq!(reported("C-0001", 10_000, 150).await["state"], "reconciled");
    assert_eq!(reported("C-0009", 5, 0).await["state"], "discrepant", "the line is of another day");
    assert_eq!(exception(&admin, "missing_in_store").await["settlement_id"], json!(id));
}
