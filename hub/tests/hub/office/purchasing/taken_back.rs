//! Reversals before settlement: an advance, and goods of a matched invoice.

use super::payables::{INVOICES, PAYMENTS, balance, bill, came, five_back, proven, supplier, tells};
use crate::office::finance_entries::text;
use crate::support::server::Server;
use crate::support::shop::Shop;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn an_advance_that_is_taken_back_leaves_the_days_before_it_was_allocated() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let tea = supplier(&admin, "TEA").await;
    let line = json!({"account": "6060", "qty": 1, "unit_cost": 50});
    let bill =
        json!({"supplier_id": tea, "invoice_no": "A-1", "invoice_date": "2023-11-01", "lines": [line]});
    let bill = admin.post(INVOICES, &bill).await.data().clone();
    for step in ["match", "approve"] {
        admin.post(&format!("{INVOICES}/{}/{step}", text(&bill, "invoice_id")), &json!({})).await.data();
    }
    let advance = json!({"supplier_id": tea, "date": "2023-11-02", "account": "1040", "amount": 50});
    let paid = admin.post(PAYMENTS, &advance).await.data().clone();
    let path = format!("{PAYMENTS}/{}", text(&paid, "payment_id"));
    let settles = json!({"allocations": [{"invoice_id": bill["invoice_id"], "amount": 50}]});
    admin.post(&format!("{path}/allocate"), &settles).await.data();
    let owed = async || {
        let list = admin.get("/api/finance/payables?as_of=2023-11-03&group_by=invoice").await.data().clone();
        let row = |row: &Value| row["total"].as_i64().unwrap();
        list["items"].as_array().unwrap().iter().map(row).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(owed().await, [-50, 50].into());
    admin.post(&format!("{path}/reverse"), &json!({"reason": "it came back"})).await.data();
    assert_eq!(owed().await, [50].into());
    proven(&admin).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn goods_that_go_back_before_their_invoice_is_approved_are_not_billed() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let tea = supplier(&admin, "TEA").await;
    tells(&mut shop, &came(&tea, "evt_1", 10)).await;
    let invoice = admin.post(INVOICES, &bill(&tea, "T-1", "rcv_evt_1", 10)).await.data().clone();
    let path = format!("{INVOICES}/{}", text(&invoice, "invoice_id"));
    let matching = format!("{path}/match");
    assert_eq!(admin.post(&matching, &json!({})).await.data()["state"], "matched");
    tells(&mut shop, &five_back(&tea)).await;
    let held = admin.get(&path).await.data().clone();
    let stops = held["exceptions"].as_array().unwrap().iter().find(|found| found["stops"] == true).unwrap();
    assert_eq!((&held["state"], &stops["type"]), (&json!("disputed"), &json!("qty_over")));
    assert_eq!(balance(&admin, "2020").await, -5_000);
    assert_eq!(
        admin.get("/api/exceptions?code=supplier_return_unallocated").await.data()["items"],
        json!([])
    );
    assert_eq!(admin.post(&matching, &json!({})).await.data()["state"], "disputed", "five are too many");
    admin.patch(&path, &bill(&tea, "T-1", "rcv_evt_1", 5)).await.data();
    assert_eq!(admin.post(&matching, &json!({})).await.data()["state"], "matched");
    admin.post(&format!("{path}/approve"), &json!({})).await.data();
    assert_eq!((balance(&admin, "2020").await, balance(&admin, "2010").await), (0, -5_550));
    proven(&admin).await;
    assert!(server.place.run(&["verify"], "").status.success());
}
