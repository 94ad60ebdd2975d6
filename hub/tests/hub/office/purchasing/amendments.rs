//! Invoices that are changed in part, and the accounts that payments are made from.

use crate::office::finance_entries::{accountant, text};
use crate::support::server::{Api, Server};
use crate::sync::records::DAY;
use serde_json::{Value, json};

const INVOICES: &str = "/api/finance/invoices";
const PAYMENTS: &str = "/api/finance/payments";

async fn supplier(admin: &Api) -> String {
    let supplier = json!({"code": "TEA", "name": "Tea", "payment_terms_days": 30});
    text(admin.post("/api/suppliers", &supplier).await.data(), "supplier_id")
}

fn expense(supplier_id: &str, invoice_no: &str, amount: i64) -> Value {
    json!({"supplier_id": supplier_id, "invoice_no": invoice_no, "invoice_date": DAY, "tax": 111,
        "lines": [{"account": "6060", "qty": 1, "unit_cost": amount, "tax_rate_bp": 1_100}]})
}

#[tokio::test(flavor = "multi_thread")]
async fn omitted_fields_of_a_changed_invoice_stay() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let supplier_id = supplier(&admin).await;
    let finance = accountant(&server).await;
    let made = finance.post(INVOICES, &expense(&supplier_id, "T-1", 1_000)).await.data().clone();
    let path = format!("{INVOICES}/{}", text(&made, "invoice_id"));
    let noted = finance.patch(&path, &json!({"note": "by e-mail"})).await.data().clone();
    let mut expected = made.clone();
    expected["note"] = json!("by e-mail");
    assert_eq!(noted, expected);
    let later = finance.patch(&path, &json!({"invoice_date": "2023-11-21"})).await.data().clone();
    assert_eq!((&later["due_date"], &later["total"]), (&json!("2023-12-21"), &made["total"]));
    let lines = json!({"lines": [{"account": "6060", "qty": 1, "unit_cost": 500}]});
    let cheaper = finance.patch(&path, &lines).await.data().clone();
    assert_eq!((&cheaper["total"], &cheaper["note"]), (&json!(500), &json!("by e-mail")));
    let unknown = finance.patch(&path, &json!({"nothing": 1})).await;
    assert_eq!(unknown.refusal(), "422 validation_failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn banks_and_safes_pay_and_credits_alone_may_settle_a_bill() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let supplier_id = supplier(&admin).await;
    let finance = accountant(&server).await;
    let own = json!({"account": "1045", "name": "Second bank", "type": "asset"});
    finance.post("/api/finance/accounts", &own).await.data();
    let pay = |account: &str, reference: &str| {
        json!({"supplier_id": supplier_id, "date": DAY, "account": account,
        "amount": 100, "reference": reference})
    };
    for account in ["6050", "3010", "1240", "1310"] {
        assert_eq!(
            finance.post(PAYMENTS, &pay(account, "x")).await.refusal(),
            "422 validation_failed",
            "{account}"
        );
        let proposed = finance.get(&format!("/api/finance/payment-proposal?account={account}")).await;
        assert_eq!(proposed.refusal(), "422 validation_failed", "{account}");
    }
    let proposed = finance.get("/api/finance/payment-proposal?account=1045").await;
    assert_eq!(proposed.data()["account"], "1045");
    assert_eq!(
        finance.post(PAYMENTS, &pay("1040", &"x".repeat(65))).await.refusal(),
        "422 validation_failed"
    );
    for account in ["1040", "1045"] {
        finance.post(PAYMENTS, &pay(account, &"x".repeat(64))).await.data();
    }
    let bill = finance.post(INVOICES, &expense(&supplier_id, "T-1", 1_000)).await.data().clone();
    let path = format!("{INVOICES}/{}", text(&bill, "invoice_id"));
    for step in ["match", "approve"] {
        finance.post(&format!("{path}/{step}"), &json!({})).await.data();
    }
    let note = json!({"supplier_id": supplier_id, "credit_note_no": "C-1", "date": DAY, "kind": "price",
        "invoice_id": bill["invoice_id"], "lines": [{"net": 1_000, "tax": 111}]});
    let note = finance.post("/api/finance/credit-notes", &note).await.data().clone();
    let step = format!("/api/finance/credit-notes/{}/approve", text(&note, "credit_note_id"));
    finance.post(&step, &json!({})).await.data();
    let mut settled = pay("1040", "C-1");
    settled["amount"] = json!(0);
    assert_eq!(
        finance.post(PAYMENTS, &settled).await.refusal(),
        "422 validation_failed",
        "nothing is settled"
    );
    settled["allocations"] = json!([{"invoice_id": bill["invoice_id"], "amount": 1_111}]);
    settled["credits"] = json!([{"credit_note_id": note["credit_note_id"], "invoice_id": bill["invoice_id"],
        "amount": 1_111}]);
    finance.post(PAYMENTS, &settled).await.data();
    let paid = finance.get(&path).await.data().clone();
    assert_eq!((&paid["state"], &paid["open"]), (&json!("paid"), &json!(0)));
    let items = finance.get("/api/settlement-items?method=supplier_payment").await.data()["items"].clone();
    assert_eq!(items.as_array().unwrap().len(), 2, "credit notes make no bank payments");
    let dates: Vec<_> = items.as_array().unwrap().iter().map(|item| &item["entry_date"]).collect();
    assert!(dates.iter().all(|date| date.is_string()), "posted in the book of the invoice: {dates:?}");
    let proofs = finance.post("/api/finance/proofs", &json!({})).await.data().clone();
    assert_eq!(proofs["ok"], true, "{proofs}");
    assert!(server.place.run(&["verify"], "").status.success());
}
