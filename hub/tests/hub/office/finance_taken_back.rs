//! Reversals use the accounts of the original entry, whatever is mapped since.

use crate::office::finance::{adjustment, balanced, lines, tells};
use crate::support::server::Server;
use crate::support::shop::Shop;
use crate::sync::kinds::{effect, moved_cash, record, returned, voided};
use crate::sync::records::{DAY, Sale};
use serde_json::{Value, json};

fn by_qris(number: u64) -> Value {
    let sale = Sale { store: "S001", number, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
    let record = sale.record(&format!("evt_{number}")).replace("\"method\":\"cash\"", "\"method\":\"qris\"");
    serde_json::from_str(&record).unwrap()
}

/// Returns a sale whose payment is corrected from QRIS to card.
fn corrected(number: u64) -> String {
    let mut sale = by_qris(number)["payload"]["transaction"].clone();
    let mut right = sale["payments"][0].clone();
    sale["payments"][0]["state"] = json!("reversed");
    (right["payment_id"], right["method"]) = (json!(format!("pay_right_{number}")), json!("card"));
    sale["payments"].as_array_mut().unwrap().push(right);
    let wrong = sale["payments"][0]["payment_id"].clone();
    let payload = json!({"business_date": DAY, "transaction": sale, "wrong": wrong,
        "right": [format!("pay_right_{number}")]});
    record("tender.corrected", &format!("evt_right_{number}"), &payload)
}

/// A return of the third sale.
fn back(kind: &str, event_id: &str, state: &str, sign: i64) -> String {
    let mut document = returned("ret_1", "trx_S001_3", state);
    document["refunds"][0]["method"] = json!("qris");
    let lines = json!([effect(1, sign, 10 * sign)]);
    record(kind, event_id, &json!({"business_date": DAY, "document": document, "lines": lines, "points": []}))
}

/// Returns a rent payment from the till, or its reversal.
fn rent(event_id: &str, amount: i64, reverses: Value) -> String {
    let mut whole: Value = serde_json::from_str(&moved_cash(event_id, "pay_out", amount)).unwrap();
    let movement = &mut whole["payload"]["movement"];
    (movement["reason_code"], movement["reverses"]) = (json!("rent"), reverses);
    whole.to_string()
}

/// Returns the lines with debit and credit swapped.
fn mirror(lines: &Value) -> Value {
    let one = |line: &Value| json!([line[0], line[2], line[1]]);
    lines.as_array().unwrap().iter().map(one).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reversal_uses_the_accounts_of_its_document_after_a_change_of_the_mapping() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let map = |of: &str, key: &str, account: &str| {
        let body = json!({"of": of, "key": key, "account": account, "from": DAY});
        let admin = admin.clone();
        async move { admin.post("/api/finance/mappings", &body).await.data().clone() }
    };
    for (account, kind) in [("1125", "asset"), ("1115", "asset"), ("6110", "expense"), ("5115", "expense")] {
        let body = json!({"account": account, "name": account, "type": kind});
        admin.post("/api/finance/accounts", &body).await.data();
    }
    map("cash_reason", "rent", "6110").await;
    let reported = vec![
        by_qris(1).to_string(),
        by_qris(2).to_string(),
        by_qris(3).to_string(),
        back("return.posted", "evt_back", "posted", 1),
        adjustment("evt_theft", "posted", -250),
        rent("csh_rent", 500, Value::Null),
    ];
    assert_eq!(tells(&mut shop, reported).await["parked"], json!([]));
    map("method", "qris", "1125").await;
    map("method", "card", "1115").await;
    map("adjustment_reason", "theft", "5115").await;
    let mut found: Value = serde_json::from_str(&adjustment("evt_theft", "reversed", -250)).unwrap();
    found["event_id"] = json!("evt_found");
    found["payload"]["lines"] = json!([effect(1, 25, 250)]);
    let void = voided(1, 1).replace("\"method\":\"cash\"", "\"method\":\"qris\"");
    let undone = vec![
        void,
        corrected(2),
        back("return.voided", "evt_forth", "voided", -1),
        found.to_string(),
        rent("csh_back", -500, json!("csh_rent")),
    ];
    assert_eq!(tells(&mut shop, undone).await["parked"], json!([]));
    for (event_id, by) in [
        ("evt_1", "evt_void_1"),
        ("evt_back", "evt_forth"),
        ("evt_theft", "evt_found"),
        ("csh_rent", "csh_back"),
    ] {
        let expected = mirror(&lines(&admin, "S001", event_id).await);
        assert_eq!(lines(&admin, "S001", by).await, expected, "{event_id}");
    }
    let right = json!([["1115", 1110, 0], ["1120", 0, 1110]]);
    assert_eq!(
        lines(&admin, "S001", "evt_right_2").await,
        right,
        "from the old account to the one mapped now"
    );
    let new = by_qris(4).to_string();
    // A sale and its void in one batch use the current mapping.
    let void = voided(4, 1).replace("\"method\":\"cash\"", "\"method\":\"qris\"");
    assert_eq!(tells(&mut shop, vec![new, void]).await["parked"], json!([]));
    let sold = lines(&admin, "S001", "evt_4").await;
    assert_eq!((&sold[0][0], mirror(&sold)), (&json!("1125"), lines(&admin, "S001", "evt_void_4").await));
    balanced(&server, &admin).await;
}
