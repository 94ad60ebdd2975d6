//! Files as providers write them: a payout as a row of its batch, days in other time zones, a disputed payment with its
//! fee, and reserves.

use crate::office::finance::tells;
use crate::office::settlement::items::balance;
use crate::office::settlement::matches::proved;
use crate::office::settlement::resolved::{exception, reported, resolved};
use crate::office::settlement::story::{
    added, approved, card_source, day, of_story, paid, posted, refunded, sealed,
};
use crate::support::server::{Api, Server, stderr};
use crate::support::shop::Shop;
use serde_json::{Value, json};

/// A file with a row for each payment, and the payout itself.
const STRIPE: &str = include_str!("files/stripe-payout.csv");

async fn stripe(admin: &Api) -> String {
    let columns = json!({"date": "created_utc", "reference": "source_id", "type": "reporting_category",
        "batch": "automatic_payout_id"});
    let csv = json!({"decimal": ".", "date_format": "%Y-%m-%d %H:%M:%S", "columns": columns,
        "types": {"charge": "sale", "dispute": "chargeback", "dispute_reversal": "chargeback"}});
    let source = json!({"name": "Stripe", "kind": "provider", "methods": ["card"], "csv": csv});
    added(admin, &source).await
}

async fn sold(server: &Server) -> Shop {
    let mut shop = Shop::open(server, "S001").await;
    let records = vec![
        paid("S001", 20, 1, ("card", 155_400, "ch_A1")),
        paid("S001", 20, 2, ("card", 222_000, "ch_A2")),
        refunded("S001", 20, 2, ("card", 62_160, "re_A1")),
        sealed("S001", 20),
    ];
    tells(&mut shop, records).await;
    shop
}

/// Returns account and amount of each line that a resolution would post, credit below 0.
async fn shown(admin: &Api, kind: &str, said: &Value) -> Vec<String> {
    let id = exception(admin, kind).await["exception_id"].as_str().unwrap().to_owned();
    let mut said = said.clone();
    said["reason"] = json!("a person knows");
    let path = format!("/api/settlement-exceptions/{id}/resolve?preview=true");
    let posting = admin.post(&path, &said).await.data()["posting"].clone();
    let lines = posting[0]["lines"].as_array().unwrap().clone();
    let amount = |line: &Value| line["debit"].as_i64().unwrap() - line["credit"].as_i64().unwrap();
    lines.iter().map(|line| format!("{} {}", line["account"].as_str().unwrap(), amount(line))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payout_is_no_payment_and_its_batch_is_what_the_bank_gets() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let _shop = sold(&server).await;
    let source = stripe(&admin).await;
    let provider =
        admin.csv(&format!("/api/statements?source_id={source}"), &of_story(STRIPE)).await.data().clone();
    assert_eq!((&provider["matched"], &provider["exceptions"]), (&json!(3), &json!(1)), "{provider}");
    // The disputed amount, and the provider's fee for the dispute.
    assert_eq!(exception(&admin, "chargeback").await["amount"], -83_250);
    let accept = json!({"resolution": "accept"});
    let posting = ["1040 -98250", "6030 15000", "6060 83250"];
    assert_eq!(shown(&admin, "chargeback", &accept).await, posting);
    resolved(&admin, "chargeback", accept).await;
    assert_eq!((balance(&server, "6060").await, balance(&server, "6030").await), (83_250, 15_000));
    let bank = added(&admin, &json!({"name": "Bank", "kind": "bank", "methods": []})).await;
    let path = format!("/api/statements?source_id={bank}&opening_balance=0&closing_balance=205668");
    let line = of_story(include_str!("files/stripe-bank-line.csv"));
    let banked = admin.csv(&path, &line).await.data().clone();
    assert_eq!((&banked["matched"], &banked["exceptions"]), (&json!(1), &json!(0)), "{banked}");
    assert_eq!(server.figure("SELECT COUNT(*) FROM settlement_matches WHERE rule = 'payout'").await, 1);
    assert_eq!(approved(&admin, "S001", 20).await["state"], "approved");
    for statement in [&provider, &banked] {
        let path = format!("/api/statements/{}/approve", statement["statement_id"].as_str().unwrap());
        assert_eq!(admin.post(&path, &json!({})).await.data()["state"], "approved");
    }
    assert_eq!((balance(&server, "1040").await, balance(&server, "1110").await), (205_668, 0));
    let path = format!("/api/statement-sources/{bank}/reconciliation");
    let view = admin.get(&path).await.data().clone();
    assert_eq!((&view["difference"], &view["ledger_balance"]), (&json!(0), &json!(205_668)));
    assert_eq!((&view["in_bank_only"], &view["in_books_only"]), (&json!([]), &json!([])));
    proved(&admin).await;
    let done = server.place.run(&["verify"], "");
    assert!(done.status.success(), "{}", stderr(&done));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payout_without_a_batch_is_known_by_its_amount() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let cards = card_source(&admin).await;
    let payout = json!([{"date": day(19), "reference": "8A", "gross": -831, "fee": 0, "type": "payout"}]);
    assert_eq!(reported(&admin, &cards, payout).await["state"], "reconciled");
    let bank = added(&admin, &json!({"name": "Bank", "kind": "bank", "methods": []})).await;
    let banked =
        reported(&admin, &bank, json!([{"date": day(20), "reference": "WALLET", "amount": 831}])).await;
    assert_eq!((&banked["matched"], &banked["exceptions"]), (&json!(1), &json!(0)));
    // The payout counts only once.
    let again =
        reported(&admin, &bank, json!([{"date": day(20), "reference": "OTHER", "amount": 831}])).await;
    assert_eq!((&again["matched"], &again["exceptions"]), (&json!(0), &json!(1)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reserve_of_a_provider_is_posted_to_an_account_and_returns_from_it() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let cards = card_source(&admin).await;
    for (of, amount, account) in [(19, -5_000, 5_000), (20, 5_000, 0)] {
        let line =
            json!([{"date": day(of), "reference": "RSV", "gross": amount, "fee": 0, "type": "reserve"}]);
        reported(&admin, &cards, line).await;
        let post = json!({"resolution": "post", "account": "7010"});
        assert_eq!(shown(&admin, "not_a_payment", &post).await.len(), 2);
        resolved(&admin, "not_a_payment", post).await;
        assert_eq!((balance(&server, "7010").await, balance(&server, "1040").await), (account, -account));
    }
    assert_eq!(
        server.figure("SELECT COUNT(*) FROM settlement_exceptions WHERE kind = 'missing_in_store'").await,
        0
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charge_that_no_store_knows_of_and_its_refund_settle_each_other_and_leave_the_fee() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let cards = card_source(&admin).await;
    let lines = json!([{"date": day(19), "reference": "C-9", "gross": 50_000, "fee": 750},
        {"date": day(20), "reference": "C-9", "gross": -50_000, "fee": 0}]);
    let statement = reported(&admin, &cards, lines).await;
    let id = statement["statement_id"].as_str().unwrap();
    let of = admin.get(&format!("/api/statements/{id}/lines")).await.data()["items"].clone();
    let made = json!({"source_id": cards, "line_ids": [of[0]["line_id"], of[1]["line_id"]], "item_ids": [],
        "reason": "cancelled at the terminal"});
    let mut one = made.clone();
    one["line_ids"].as_array_mut().unwrap().pop();
    assert_eq!(admin.post("/api/settlement-matches", &one).await.refusal(), "422 validation_failed");
    let made = admin.post("/api/settlement-matches", &made).await.data().clone();
    assert_eq!((&made["rule"], &made["fee"], &made["net"]), (&json!("contra"), &json!(750), &json!(-750)));
    let approved = admin.post(&format!("/api/statements/{id}/approve"), &json!({})).await.data().clone();
    assert_eq!(approved["state"], "approved");
    assert_eq!((balance(&server, "6030").await, balance(&server, "1040").await), (750, -750));
    assert_eq!(admin.get("/api/settlement-exceptions?state=open").await.data()["items"], json!([]));
    proved(&admin).await;
    let done = server.place.run(&["verify"], "");
    assert!(done.status.success(), "{}", stderr(&done));
}

/// Makes sales of the 19th by QRIS, which a bank pays out as one amount for each store.
async fn sold_by_qris(server: &Server, store: &str, first: u64, amounts: [i64; 2]) -> Shop {
    let mut shop = Shop::open(server, store).await;
    let sale = |(number, amount)| paid(store, 19, number, ("qris", amount, ""));
    let sales = (first..).zip(amounts).map(sale);
    tells(&mut shop, sales.chain([sealed(store, 19)]).collect()).await;
    shop
}

#[tokio::test(flavor = "multi_thread")]
async fn a_banks_text_says_whose_payments_it_pays_out_and_at_which_fee() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let _first = sold_by_qris(&server, "S001", 1, [400_000, 600_000]).await;
    let _second = sold_by_qris(&server, "S002", 3, [250_000, 750_000]).await;
    let source = json!({"name": "Bank", "kind": "bank", "methods": ["qris"], "fee_rate_bp": 70,
        "csv": {"pattern": "MID : {mid} {*} QR : {gross} DDR: {fee}"}, "store_refs": [
            {"ref": "885004776763", "store_id": "S001"}, {"ref": "885004776764", "store_id": "S002"}]});
    let source = added(&admin, &source).await;
    let file = of_story(include_str!("../../../data/statements/bca-qris-narrative.csv"));
    let read = admin.csv(&format!("/api/statements?source_id={source}"), &file).await.data().clone();
    assert_eq!((&read["matched"], &read["exceptions"]), (&json!(2), &json!(0)), "{read}");
    for store in ["S001", "S002"] {
        assert_eq!(approved(&admin, store, 19).await["state"], "approved");
        assert_eq!(posted(&admin, store).await, ["1040 993000, 1120 -1000000, 6030 7000"], "{store}");
    }
    proved(&admin).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn figures_in_pairs_of_columns_are_matched_by_the_reference_of_each_payment() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let records = vec![
        paid("S001", 20, 1, ("card", 155_400, "C1001AAAAAAAAAAA")),
        paid("S001", 20, 2, ("card", 222_000, "C1002AAAAAAAAAAA")),
        refunded("S001", 20, 1, ("card", 62_160, "R1001AAAAAAAAAAA")),
        sealed("S001", 20),
    ];
    tells(&mut shop, records).await;
    let columns = json!({"date": "Creation Date", "zone": "TimeZone", "reference": "Modification Reference",
        "batch": "Batch Number", "gross_debit": "Gross Debit (GC)", "gross_credit": "Gross Credit (GC)",
        "net_debit": "Net Debit (NC)", "net_credit": "Net Credit (NC)",
        "fee": ["Commission (NC)", "Markup (NC)", "Scheme Fees (NC)", "Interchange (NC)"]});
    let csv = json!({"date_format": "%Y-%m-%d %H:%M:%S", "columns": columns});
    let cards = json!({"name": "Cards", "kind": "provider", "methods": ["card"], "csv": csv});
    let cards = added(&admin, &cards).await;
    let file = of_story(include_str!("../../../data/statements/adyen-settlement-detail.csv"));
    let read = admin.csv(&format!("/api/statements?source_id={cards}"), &file).await.data().clone();
    assert_eq!((&read["matched"], &read["exceptions"]), (&json!(3), &json!(0)), "{read}");
    let bank = added(&admin, &json!({"name": "Bank", "kind": "bank", "methods": []})).await;
    let line = json!([{"date": day(21), "reference": "TX-77", "amount": 300_918}]);
    let banked = reported(&admin, &bank, line).await;
    assert_eq!((&banked["matched"], &banked["exceptions"]), (&json!(1), &json!(0)), "{banked}");
    assert_eq!(approved(&admin, "S001", 20).await["state"], "approved");
    for statement in [&read, &banked] {
        let path = format!("/api/statements/{}/approve", statement["statement_id"].as_str().unwrap());
        assert_eq!(admin.post(&path, &json!({})).await.data()["state"], "approved");
    }
    // 4,662 + 6,660 for the payments, 3,000 for the month.
    let accounts = ["1040", "1110", "6030"];
    let mut balances = Vec::new();
    for account in accounts {
        balances.push(balance(&server, account).await);
    }
    assert_eq!(balances, [300_918, 0, 14_322]);
    proved(&admin).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_of_another_clock_is_matched_by_its_reference_and_may_be_of_tomorrow() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    // 09:00 on the 20th in Auckland is 20:00 on the 19th for the provider.
    let records = vec![paid("S001", 20, 1, ("card", 155_400, "C-1001")), sealed("S001", 20)];
    tells(&mut shop, records).await;
    let cards = card_source(&admin).await;
    let line = json!([{"date": day(19), "reference": "C-1001", "gross": 155_400, "fee": 2_331}]);
    let read = reported(&admin, &cards, line).await;
    assert_eq!((&read["matched"], &read["exceptions"]), (&json!(1), &json!(0)), "{read}");
    // At 00:30 in Jayapura it is still the day before at head office.
    let bank = added(&admin, &json!({"name": "Bank", "kind": "bank", "methods": []})).await;
    let line = json!([{"date": day(24), "reference": "", "description": "BIAYA ADM", "amount": -5_000}]);
    assert_eq!(reported(&admin, &bank, line).await["lines_new"], 1);
}
