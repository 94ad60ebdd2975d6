//! Credit notes for prices and for reversed receipts, and goods that arrive after their invoice.

use crate::office::finance_entries::{accountant, text};
use crate::office::purchasing::payables::{
    INVOICES, NOTES, PAYMENTS, balance, bill, came, expense, owed, proven, supplier, tells,
};
use crate::support::server::Server;
use crate::support::shop::Shop;
use crate::sync::records::DAY;
use serde_json::{Value, json};

const DAY_BEFORE: &str = "2023-11-19";

/// Returns the reversal of a receipt.
fn taken_back(mut receipt: Value, event_id: &str) -> Value {
    (receipt["type"], receipt["event_id"]) = (json!("receiving.reversed"), json!(event_id));
    receipt["payload"]["receiving"]["state"] = json!("reversed");
    receipt
}

/// The goods arrive after the date of their invoice, so on that date the supplier owes them.
#[tokio::test(flavor = "multi_thread")]
async fn a_day_between_an_invoice_and_its_goods_shows_what_account_2020_holds() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let supplier_id = supplier(&server.admin().await, "TEA").await;
    let finance = accountant(&server).await;
    tells(&mut shop, &came(&supplier_id, "evt_1", 4)).await;
    let mut early = bill(&supplier_id, "T-1", "rcv_evt_1", 4);
    early["invoice_date"] = json!(DAY_BEFORE);
    owed(&finance, &early).await;
    let open = async |as_of: &str| {
        let items =
            finance.get(&format!("/api/finance/uninvoiced?as_of={as_of}")).await.data()["items"].clone();
        items.as_array().unwrap().iter().map(|item| item["open_value"].as_i64().unwrap()).sum::<i64>()
    };
    let held = async |date: &str| {
        let path = format!("/api/finance/trial-balance?date={date}&store_id=S001");
        let rows = finance.get(&path).await.data()["items"].clone();
        let row = rows.as_array().unwrap().iter().find(|row| row["account"] == "2020").cloned();
        row.map_or(0, |row| row["credit"].as_i64().unwrap() - row["debit"].as_i64().unwrap())
    };
    assert_eq!((open(DAY_BEFORE).await, held(DAY_BEFORE).await), (-4_000, -4_000));
    assert_eq!((open(DAY).await, held(DAY).await), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receipt_taken_back_after_it_was_billed_is_claimed_by_a_credit_note() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let supplier_id = supplier(&admin, "TEA").await;
    let finance = accountant(&server).await;
    tells(&mut shop, &came(&supplier_id, "evt_1", 4)).await;
    let invoice = owed(&finance, &bill(&supplier_id, "T-1", "rcv_evt_1", 4)).await;
    // The invoice of another receipt is matched but not approved. It becomes disputed, and no part of it is claimed.
    tells(&mut shop, &came(&supplier_id, "evt_3", 7)).await;
    let waits = finance.post(INVOICES, &bill(&supplier_id, "T-2", "rcv_evt_3", 7)).await.data().clone();
    let waits = format!("{INVOICES}/{}", text(&waits, "invoice_id"));
    assert_eq!(finance.post(&format!("{waits}/match"), &json!({})).await.data()["state"], "matched");
    tells(&mut shop, &taken_back(came(&supplier_id, "evt_3", 7), "evt_4")).await;
    assert_eq!(finance.get(&waits).await.data()["state"], "disputed");
    assert_eq!(finance.post(&format!("{waits}/approve"), &json!({})).await.refusal(), "409 invalid_state");
    let found = finance.get("/api/exceptions").await.data().clone();
    assert!(!found.to_string().contains("receipt_reversed_after_invoice"), "{found}");
    tells(&mut shop, &taken_back(came(&supplier_id, "evt_1", 4), "evt_2")).await;
    let found = finance.get("/api/exceptions").await.data().clone();
    assert!(found.to_string().contains("receipt_reversed_after_invoice"), "{found}");
    let claim = finance.get("/api/finance/uninvoiced").await.data()["items"][0].clone();
    assert_eq!(claim["open_value"], -4_000);
    let note = |number: &str, net: i64| {
        json!({"supplier_id": supplier_id, "credit_note_no": number, "date": DAY, "kind": "receipt_reversed",
            "lines": [{"receiving_id": "rcv_evt_1", "receiving_line_no": 1, "net": net, "tax": net * 11 / 100}]})
    };
    let above = finance.post(NOTES, &note("C-1", 5_000)).await.data().clone();
    let path = format!("{NOTES}/{}", text(&above, "credit_note_id"));
    assert_eq!(finance.post(&format!("{path}/approve"), &json!({})).await.refusal(), "422 validation_failed");
    assert_eq!(finance.post(NOTES, &note("c 1", 4_000)).await.refusal(), "409 duplicate");
    finance.post(&format!("{path}/cancel"), &json!({"reason": "too much"})).await.data();
    let made = finance.post(NOTES, &note("c 1", 4_000)).await.data().clone();
    let path = format!("{NOTES}/{}", text(&made, "credit_note_id"));
    finance.post(&format!("{path}/approve"), &json!({})).await.data();
    assert_eq!(finance.get("/api/finance/uninvoiced").await.data()["items"], json!([]));
    assert_eq!((balance(&finance, "2020").await, balance(&finance, "2010").await), (0, 0));
    // A price that was too high. The debt of the invoice is in S001's book.
    let price = json!({"supplier_id": supplier_id, "credit_note_no": "C-2", "date": DAY, "kind": "price",
        "invoice_id": invoice["invoice_id"], "lines": [{"net": 40, "tax": 4}]});
    for (name, wrong) in [("date", json!(DAY_BEFORE)), ("lines", json!([{"net": 4_001, "tax": 0}]))] {
        let mut note = price.clone();
        note[name] = wrong;
        assert_eq!(finance.post(NOTES, &note).await.refusal(), "422 validation_failed", "{name}");
    }
    let made = finance.post(NOTES, &price).await.data().clone();
    assert_eq!(made["lines"][0]["store_id"], "S001");
    let path = format!("{NOTES}/{}", text(&made, "credit_note_id"));
    finance.post(&format!("{path}/approve"), &json!({})).await.data();
    assert_eq!(balance(&finance, "2010").await, 44);
    // Another note exceeds the rest; one for an expense is posted to the expense.
    let mut more = price.clone();
    (more["credit_note_no"], more["lines"]) = (json!("C-3"), json!([{"net": 3_961, "tax": 0}]));
    assert_eq!(finance.post(NOTES, &more).await.refusal(), "422 validation_failed");
    let cleaning = owed(&finance, &expense(&supplier_id, "E-1", 5_000)).await;
    let back = json!({"supplier_id": supplier_id, "credit_note_no": "C-4", "date": DAY, "kind": "price",
        "invoice_id": cleaning["invoice_id"], "lines": [{"invoice_line_no": 1, "net": 2_000, "tax": 0}]});
    let back = finance.post(NOTES, &back).await.data().clone();
    finance.post(&format!("{NOTES}/{}/approve", text(&back, "credit_note_id")), &json!({})).await.data();
    assert_eq!((balance(&finance, "6060").await, balance(&finance, "2010").await), (3_000, 44 - 3_000));
    // The invoice is paid with money and with that note.
    let pay = json!({"supplier_id": supplier_id, "date": DAY, "account": "1040", "amount": 4_396,
        "allocations": [{"invoice_id": invoice["invoice_id"], "amount": 4_440}],
        "credits": [{"credit_note_id": made["credit_note_id"], "invoice_id": invoice["invoice_id"], "amount": 44}]});
    let paid = finance.post(PAYMENTS, &pay).await.data().clone();
    assert_eq!(balance(&finance, "2010").await, 4_440 - 3_000);
    proven(&finance).await;
    let path = format!("{PAYMENTS}/{}/reverse", text(&paid, "payment_id"));
    finance.post(&path, &json!({"reason": "the bank sent it back"})).await.data();
    assert_eq!(balance(&finance, "2010").await, 44 - 3_000);
    proven(&finance).await;
}
