//! Filters of the lists of purchasing and payables.

use crate::office::filters::finds;
use crate::office::finance_entries::{accountant, text};
use crate::office::purchasing::payables::{bill, came, expense, five_back, owed, supplier, tells};
use crate::support::server::Server;
use crate::support::shop::Shop;
use crate::sync::records::DAY;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn invoices_payments_credit_notes_and_open_receipts_are_found_by_supplier_number_and_age() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let (tea, milk) = (supplier(&admin, "TEA").await, supplier(&admin, "MILK").await);
    let finance = accountant(&server).await;
    tells(&mut shop, &came(&tea, "evt_1", 10)).await;
    let of_tea = owed(&finance, &bill(&tea, "T-1", "rcv_evt_1", 10)).await;
    let of_milk = owed(&finance, &expense(&milk, "M-1", 500)).await;
    tells(&mut shop, &five_back(&tea)).await;
    tells(&mut shop, &came(&milk, "evt_3", 2)).await;
    for (supplier_id, invoice) in [(&tea, &of_tea), (&milk, &of_milk)] {
        let payment = json!({"supplier_id": supplier_id, "date": DAY, "account": "1040", "amount": 100,
            "allocations": [{"invoice_id": invoice["invoice_id"], "amount": 100}]});
        finance.post("/api/finance/payments", &payment).await.data();
    }
    let number = |item: &Value| text(item, "invoice_no");
    let whose = |query: &str, supplier_id: &str| format!("{query}&supplier_id={supplier_id}");
    finds(
        &finance,
        "/api/finance/invoices",
        number,
        &[
            ("invoice_no=T-1", &["T-1"]),
            ("invoice_no=T", &[]),
            // Due after 30 days.
            ("due_to=2023-12-20", &["M-1", "T-1"]),
            ("due_to=2023-12-19", &[]),
        ],
    )
    .await;
    let (notes, total) = ("/api/finance/credit-notes", |item: &Value| item["total"].to_string());
    finds(&finance, notes, total, &[(&whose("state=expected", &tea), &["5550"])]).await;
    finds(&finance, notes, total, &[(&whose("state=expected", &milk), &[])]).await;
    let (payments, paid) = ("/api/finance/payments", |item: &Value| item["amount"].to_string());
    finds(&finance, payments, paid, &[("", &["100", "100"])]).await;
    finds(&finance, payments, paid, &[(&format!("supplier_id={tea}"), &["100"])]).await;
    let receipt = |item: &Value| text(item, "receiving_id");
    finds(
        &finance,
        "/api/finance/uninvoiced",
        receipt,
        &[("older_than_days=30", &["rcv_evt_3"]), ("older_than_days=36500", &[])],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_are_found_by_whether_they_wait_for_approval_and_are_late() {
    let server = Server::start().await;
    server.place.add_store("S001");
    let admin = server.admin().await;
    admin.post("/api/products", &json!({"sku": "A", "name": "Thing", "price": 1000})).await.data();
    let supplier_id = supplier(&admin, "TEA").await;
    for (note, expected_at, steps) in [
        ("draft", "2040-01-01", [].as_slice()),
        ("waiting", "2040-01-01", &["submit"]),
        ("late", "2020-01-01", &["approve", "send"]),
        ("in time", "2040-01-01", &["approve", "send"]),
    ] {
        let lines = json!([{"sku": "A", "qty": 4, "unit_cost": 9}]);
        let order = json!({"supplier_id": supplier_id, "store_id": "S001", "lines": lines, "note": note,
            "expected_at": expected_at});
        let made = admin.post("/api/purchase-orders", &order).await.data().clone();
        for step in steps {
            let path = format!("/api/purchase-orders/{}/{step}", text(&made, "po_id"));
            admin.post(&path, &json!({})).await.data();
        }
    }
    let note = |item: &Value| text(item, "note");
    finds(
        &admin,
        "/api/purchase-orders",
        note,
        &[
            ("submitted=true", &["waiting"]),
            ("submitted=false", &["draft", "in time", "late"]),
            ("late=true", &["late"]),
            ("late=false", &["draft", "in time", "late", "waiting"]),
        ],
    )
    .await;
}
