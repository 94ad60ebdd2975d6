//! Which accounts may be used for which purpose.

use crate::office::finance::{adjustment, shift, tells};
use crate::office::finance_entries::{entry, text};
use crate::office::settlement::items::balance;
use crate::office::settlement::story::{added, card_source, day, on, paid, sealed};
use crate::support::server::{Answer, Api, Server};
use crate::support::shop::Shop;
use crate::sync::kinds::moved_cash;
use reqwest::Method;
use serde_json::{Value, json};

mod anybody;

const MAPPINGS: &str = "/api/finance/mappings";

/// Returns the names of the proofs that fail.
async fn failed(admin: &Api) -> Vec<String> {
    let proofs = admin.post("/api/finance/proofs", &json!({})).await.data()["proofs"].clone();
    let failed = proofs.as_array().unwrap().iter().filter(|proof| proof["ok"] == false);
    failed.map(|proof| proof.to_string()).collect()
}

/// Returns the problem of a field.
fn problem(answer: &Answer) -> String {
    assert_eq!(answer.refusal(), "422 validation_failed", "{}", answer.body);
    let field = &answer.body["error"]["details"]["fields"][0];
    format!("{} {}", field["path"].as_str().unwrap(), field["problem"].as_str().unwrap())
}

async fn map(admin: &Api, of: &str, key: &str, account: &str, from: &str) -> Answer {
    let body = json!({"of": of, "key": key, "account": account, "from": from});
    admin.post(MAPPINGS, &body).await
}

async fn own(admin: &Api, account: &str, kind: &str) {
    let body = json!({"account": account, "name": account, "type": kind});
    admin.post("/api/finance/accounts", &body).await.data();
}

async fn withdraw(admin: &Api, mapping: &Value) -> Answer {
    admin.send(Method::DELETE, &format!("{MAPPINGS}/{}", text(mapping, "mapping_id")), &json!({})).await
}

/// Returns a sale without tax and cost that appears in all lists.
fn sale(number: u64, method: &str, amount: i64) -> String {
    let record = paid("S001", 18, number, (method, amount, &format!("R-{number:04}")));
    let mut whole: Value = serde_json::from_str(&record).unwrap();
    let sold = &mut whole["payload"]["transaction"];
    (sold["tax"], sold["total"]) = (json!(0), json!(amount));
    whole.to_string()
}

fn pay_out(event_id: &str, code: &str, amount: i64) -> String {
    let mut whole: Value = serde_json::from_str(&moved_cash(event_id, "pay_out", amount)).unwrap();
    whole["payload"]["movement"]["reason_code"] = json!(code);
    on("S001", 18, &whole.to_string())
}

fn opened() -> String {
    on("S001", 18, &shift("shift.opened", "evt_open"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_method_is_mapped_to_an_account_that_nothing_else_is_posted_to() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    for (account, kind) in [("1041", "asset"), ("1136", "asset"), ("1137", "asset"), ("2136", "liability")] {
        own(&admin, account, kind).await;
    }
    own(&admin, "6136", "expense").await;
    let opening = json!({"store_id": "", "date": day(17).to_string(), "lines": [{"account": "1040", "debit": 50_000_000},
        {"account": "1137", "debit": 500}]});
    admin.post("/api/finance/opening", &opening).await.data();
    tells(&mut shop, vec![opened(), pay_out("csh_1", "petrol", 5_000)]).await;
    let from = day(17).to_string();
    for account in ["1040", "6050", "6136", "1137", "1030", "2030", "3010"] {
        let refused = map(&admin, "method", "voucher", account, &from).await;
        assert!(problem(&refused).starts_with("account "), "{account}");
        let method = json!({"method": "dana", "name": "Dana", "account": account});
        assert_eq!(admin.post("/api/payment-methods", &method).await.refusal(), "422 validation_failed");
    }
    // An account of a source, and an account of a reason.
    added(&admin, &json!({"name": "Bank 2", "kind": "bank", "methods": [], "account": "1041"})).await;
    assert!(problem(&map(&admin, "method", "voucher", "1041", &from).await).contains("Bank 2"));
    map(&admin, "cash_reason", "rent", "2136", &from).await.data();
    assert!(problem(&map(&admin, "method", "voucher", "2136", &from).await).contains("cash_reason rent"));
    for (of, account) in [
        ("bank_text", "1110"),
        ("bank_text", "1030"),
        ("cash_reason", "2030"),
        ("cash_reason", "1030"),
        ("adjustment_reason", "2030"),
    ] {
        problem(&map(&admin, of, "theft", account, &from).await);
    }
    for account in ["1010", "1020", "1030", "1110", "1210", "1290", "1310", "9990", "2136", "6136"] {
        for kind in ["bank", "provider"] {
            let source = json!({"name": "S", "kind": kind, "methods": [], "account": account});
            problem(&admin.post("/api/statement-sources", &source).await);
        }
    }
    let by_hand = entry(&from, &[("", "1030", 5), ("", "1040", -5)]);
    problem(&admin.post("/api/finance/journal", &by_hand).await);
    // An account of its own is proven separately, whatever people posted to it before.
    let by_hand = entry(&from, &[("", "1136", 7), ("", "1040", -7)]);
    admin.post("/api/finance/journal", &by_hand).await.data();
    map(&admin, "method", "ovo", "1136", &from).await.data();
    tells(&mut shop, vec![sale(1, "ovo", 70_000)]).await;
    assert_eq!(balance(&server, "1136").await, 70_007);
    for (of, key) in [("cash_reason", "rent"), ("bank_text", "parkir"), ("adjustment_reason", "theft")] {
        problem(&map(&admin, of, key, "1136", &day(20).to_string()).await);
    }
    let source = json!({"name": "S", "kind": "bank", "methods": [], "account": "1136"});
    problem(&admin.post("/api/statement-sources", &source).await);
    assert_eq!(failed(&admin).await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mapping_is_withdrawn_while_nothing_was_posted_by_it() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    own(&admin, "1136", "asset").await;
    own(&admin, "6136", "expense").await;
    let from = day(17).to_string();
    let wrong = map(&admin, "method", "ovo", "1136", &from).await.data().clone();
    assert_eq!(map(&admin, "method", "ovo", "1120", &from).await.refusal(), "409 duplicate");
    let by_hand = entry(&from, &[("", "1136", 7), ("", "1040", -7)]);
    problem(&admin.post("/api/finance/journal", &by_hand).await);
    assert_eq!(withdraw(&admin, &wrong).await.data()["account"], "1136");
    assert_eq!(withdraw(&admin, &wrong).await.refusal(), "404 not_found");
    assert_eq!(admin.get(MAPPINGS).await.data()["items"], json!([]));
    admin.post("/api/finance/journal", &by_hand).await.data();
    let ovo = map(&admin, "method", "ovo", "1136", &from).await.data().clone();
    let rent = map(&admin, "cash_reason", "rent", "6136", &from).await.data().clone();
    let taxi = map(&admin, "cash_reason", "taxi", "6136", &from).await.data().clone();
    let theft = map(&admin, "adjustment_reason", "theft", "6136", &from).await.data().clone();
    let text_of = map(&admin, "bank_text", "PARKIR", "6136", &from).await.data().clone();
    let stolen = on("S001", 18, &adjustment("evt_theft", "posted", -250));
    let reported = vec![opened(), sale(1, "ovo", 70_000), pay_out("csh_1", "rent", 500), stolen];
    assert_eq!(tells(&mut shop, reported).await["parked"], json!([]));
    let bank = added(&admin, &json!({"name": "Bank", "kind": "bank", "methods": []})).await;
    let line = json!([{"date": day(19), "reference": "PARKIR PASAR", "amount": -5_000}]);
    admin.post("/api/statements", &json!({"source_id": bank, "lines": line})).await.data();
    for (what, used) in [("ovo", &ovo), ("rent", &rent), ("theft", &theft), ("parkir", &text_of)] {
        let refused = withdraw(&admin, used).await;
        assert_eq!(refused.refusal(), "409 invalid_state", "{what}");
        assert_eq!(refused.body["error"]["details"]["state"], "used", "{what}");
    }
    // The other reason with the same account posted nothing.
    withdraw(&admin, &taxi).await.data();
    let path = "/api/payment-methods";
    admin.post(path, &json!({"method": "gopay", "name": "GoPay", "account": "1120"})).await.data();
    admin.patch(&format!("{path}/gopay"), &json!({"account": "1130"})).await.data();
    let again = admin.patch(&format!("{path}/gopay"), &json!({"account": "1136"})).await;
    assert_eq!(again.data()["account"], "1136", "a mistake can be corrected on the same day");
    assert_eq!(failed(&admin).await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_is_asked_about_again_when_it_is_posted_to() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    own(&admin, "1136", "asset").await;
    own(&admin, "6136", "expense").await;
    let from = day(17).to_string();
    let supplier = admin.post("/api/suppliers", &json!({"code": "TEA", "name": "Tea"})).await.data().clone();
    let mut paths = Vec::new();
    for (number, account) in ["1136", "6136"].into_iter().enumerate() {
        let invoice = json!({"supplier_id": supplier["supplier_id"], "invoice_no": format!("T-{number}"),
            "invoice_date": from, "lines": [{"account": account, "qty": 1, "unit_cost": 100 + 150 * number}]});
        let made = admin.post("/api/finance/invoices", &invoice).await.data().clone();
        let path = format!("/api/finance/invoices/{}", text(&made, "invoice_id"));
        admin.post(&format!("{path}/match"), &json!({})).await.data();
        paths.push(path);
    }
    tells(&mut shop, vec![sale(1, "card", 70_000), sealed("S001", 18)]).await;
    let cards = card_source(&admin).await;
    let line = json!([{"date": day(19), "reference": "R-0001", "gross": 69_000, "fee": 1_035}]);
    admin.post("/api/statements", &json!({"source_id": cards, "lines": line})).await.data();
    let differs =
        admin.get("/api/settlement-exceptions?type=amount_differs").await.data()["items"][0].clone();
    let accept = json!({"resolution": "accept", "account": "1136", "reason": "r"});
    let resolve = format!("/api/settlement-exceptions/{}/resolve", text(&differs, "exception_id"));
    admin.post(&resolve, &accept).await.data();
    let mapped = map(&admin, "method", "ovo", "1136", &from).await.data().clone();
    admin.patch("/api/finance/accounts/6136", &json!({"state": "closed"})).await.data();
    let day_of = format!("/api/settlements?store_id=S001&from={}&to={}", day(18), day(18));
    let settlement = text(&admin.get(&day_of).await.data()["items"][0], "settlement_id");
    let approve = format!("/api/settlements/{settlement}/approve");
    assert!(problem(&admin.post(&approve, &json!({})).await).contains("1136 is a control account"));
    for (path, says) in paths.iter().zip(["1136 is a control account", "6136 is closed"]) {
        let refused = admin.post(&format!("{path}/approve"), &json!({})).await;
        assert!(problem(&refused).contains(says), "{}", refused.body);
    }
    assert_eq!(failed(&admin).await, Vec::<String>::new());
    withdraw(&admin, &mapped).await.data();
    admin.patch("/api/finance/accounts/6136", &json!({"state": "active"})).await.data();
    admin.post(&approve, &json!({})).await.data();
    for path in &paths {
        admin.post(&format!("{path}/approve"), &json!({})).await.data();
    }
    assert_eq!(failed(&admin).await, Vec::<String>::new());
}
