//! Every change of orders, price lists, invoices and payments, once each.

use crate::office::audit::tells;
use crate::office::finance_entries::text;
use crate::support::server::Api;
use crate::support::shop::Shop;
use crate::sync::records::{DAY, NOON, receiving};
use serde_json::{Value, json};

/// Changes price lists and orders.
pub async fn buy(supplier: &str, admin: &Api) {
    let list = format!("/api/suppliers/{supplier}/products");
    let row = admin.post(&list, &json!({"sku": "A", "unit_cost": 9})).await.data().clone();
    let path = format!("{list}/{}", text(&row, "row_id"));
    admin.patch(&path, &json!({"unit_cost": 8})).await.data();
    admin.csv(&format!("{list}/import"), "sku,unit_cost\nB,7\n").await.data();
    admin.post("/api/purchase-orders/suggestions", &json!({"store_id": "S001"})).await.data();
    let lines = json!([{"sku": "A", "qty": 4}, {"sku": "B", "qty": 4}]);
    let order = json!({"supplier_id": supplier, "store_id": "S001", "lines": lines});
    let made = admin.post("/api/purchase-orders", &order).await.data().clone();
    let path = format!("/api/purchase-orders/{}", text(&made, "po_id"));
    let lines = json!([{"line_no": 1, "sku": "A", "qty": 2, "unit_cost": 8},
        {"line_no": 2, "sku": "B", "qty": 4, "unit_cost": 7}]);
    let reason = json!({"reason": "too many"});
    for (step, body) in [
        ("submit", json!({})),
        ("reject", reason.clone()),
        ("approve", json!({})),
        ("send", json!({})),
        ("revise", json!({"revision": 0, "lines": lines, "reason": "half is enough"})),
        ("lines/1/close", reason),
        ("lines/1/open", json!({})),
    ] {
        admin.post(&format!("{path}/{step}"), &body).await.data();
    }
}

/// Enters invoices for expenses, and pays them.
pub async fn owe(supplier: &str, admin: &Api) {
    let bill = |invoice_no: &str| {
        json!({"supplier_id": supplier, "invoice_no": invoice_no, "invoice_date": "2023-11-01",
            "lines": [{"account": "6060", "qty": 1, "unit_cost": 50}]})
    };
    let mut paths = Vec::new();
    for invoice_no in ["T-1", "T-2"] {
        let made = admin.post("/api/finance/invoices", &bill(invoice_no)).await.data().clone();
        paths.push((
            text(&made, "invoice_id"),
            format!("/api/finance/invoices/{}", text(&made, "invoice_id")),
        ));
    }
    let reason = json!({"reason": "not ours"});
    admin.patch(&paths[0].1, &bill("T-3")).await.data();
    for step in ["dispute", "cancel"] {
        admin.post(&format!("{}/{step}", paths[0].1), &reason).await.data();
    }
    for step in ["match", "approve"] {
        admin.post(&format!("{}/{step}", paths[1].1), &json!({})).await.data();
    }
    let payment = json!({"supplier_id": supplier, "date": "2023-11-02", "account": "1040", "amount": 50});
    let paid = admin.post("/api/finance/payments", &payment).await.data().clone();
    let path = format!("/api/finance/payments/{}", text(&paid, "payment_id"));
    let settled = json!({"allocations": [{"invoice_id": paths[1].0, "amount": 50}]});
    admin.post(&format!("{path}/allocate"), &settled).await.data();
    admin.post(&format!("{path}/reverse"), &reason).await.data();
}

/// Enters credit notes: one for goods that were returned after billing, two for prices.
pub async fn credit(supplier: &str, shop: &mut Shop, admin: &Api) {
    let mut came: Value = serde_json::from_str(&receiving("S001", "B", 2, "evt_b1")).unwrap();
    came["payload"]["receiving"]["supplier_id"] = json!(supplier);
    let mut back = came.clone();
    (back["event_id"], back["type"]) = (json!("evt_b2"), json!("supplier_return.posted"));
    let line = json!({"line_no": 1, "sku": "B", "name": "Thing", "qty": 1, "claim": 10, "stock_cost": 10,
        "balance_after": 1});
    back["payload"] = json!({"business_date": DAY, "document": {"supplier_return_id": "srt_1", "store_id": "S001",
        "supplier_id": supplier, "reference": null, "bucket": "on_hand", "lines": [line], "claim": 10,
        "stock_cost": 10, "note": null, "business_date": DAY, "created_by": "usr_1", "created_at": NOON}});
    let bill = json!({"supplier_id": supplier, "invoice_no": "T-9", "invoice_date": DAY,
        "lines": [{"receiving_id": "rcv_evt_b1", "receiving_line_no": 1, "qty": 2, "unit_cost": 10}]});
    tells(shop, came.to_string()).await;
    let invoice = text(admin.post("/api/finance/invoices", &bill).await.data(), "invoice_id");
    for step in ["match", "approve"] {
        admin.post(&format!("/api/finance/invoices/{invoice}/{step}"), &json!({})).await.data();
    }
    tells(shop, back.to_string()).await;
    let notes = "/api/finance/credit-notes";
    let expected = admin.get(&format!("{notes}?state=expected")).await.data()["items"][0].clone();
    let paper = json!({"credit_note_no": "C-1", "date": DAY, "net": 10, "tax": 0});
    let path = format!("{notes}/{}", text(&expected, "credit_note_id"));
    admin.post(&format!("{path}/confirm"), &paper).await.data();
    let price = |number: &str| {
        json!({"supplier_id": supplier, "credit_note_no": number, "date": DAY, "kind": "price",
            "invoice_id": invoice, "lines": [{"net": 3}]})
    };
    let path = format!("{notes}/{}", text(admin.post(notes, &price("C-2")).await.data(), "credit_note_id"));
    admin.post(&format!("{path}/approve"), &json!({})).await.data();
    let settled = json!({"allocations": [{"invoice_id": invoice, "amount": 3}]});
    admin.post(&format!("{path}/apply"), &settled).await.data();
    let path = format!("{notes}/{}", text(admin.post(notes, &price("C-3")).await.data(), "credit_note_id"));
    admin.post(&format!("{path}/cancel"), &json!({"reason": "twice"})).await.data();
}
