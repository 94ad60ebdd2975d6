//! Suppliers: their terms, and the supplier from which a product is ordered.

use crate::office::finance_entries::text;
use crate::support::server::Server;
use crate::support::shop::Shop;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn terms_of_a_supplier_can_be_removed_again() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let terms = json!({"tax_id": "01.2", "phone": "021", "email": "a@b.c", "address": "Jl. 1", "payment_terms_days": 30,
        "lead_time_days": 7, "discount_days": 10, "discount_bp": 200, "min_order_total": 5, "price_tolerance_bp": 100,
        "price_tolerance_amount": 5, "default_tax_rate_bp": 1_100, "bank_account": "123"});
    let mut new = terms.clone();
    (new["code"], new["name"]) = (json!("TEA"), json!("Tea"));
    let made = admin.post("/api/suppliers", &new).await.data().clone();
    let path = format!("/api/suppliers/{}", text(&made, "supplier_id"));
    let kept = admin.patch(&path, &json!({"name": "Tea house"})).await.data().clone();
    let none: Value = terms.as_object().unwrap().keys().map(|name| (name.clone(), Value::Null)).collect();
    let cleared = admin.patch(&path, &none).await.data().clone();
    for (name, term) in terms.as_object().unwrap() {
        assert_eq!((&made[name], &kept[name], &cleared[name]), (term, term, &Value::Null), "{name}");
    }
    assert_eq!(cleared["name"], "Tea house");

    admin.post("/api/products", &json!({"sku": "A", "name": "A", "price": 20})).await.data();
    let list = format!("{path}/products");
    let row =
        json!({"sku": "A", "unit_cost": 9, "supplier_sku": "GT", "to": "2020-01-01", "lead_time_days": 3});
    let row = admin.post(&list, &row).await.data().clone();
    let none = json!({"supplier_sku": null, "to": null, "lead_time_days": null});
    let row = admin.patch(&format!("{list}/{}", text(&row, "row_id")), &none).await.data().clone();
    assert_eq!(
        ["supplier_sku", "to", "lead_time_days"].map(|name| row[name].clone()),
        [(); 3].map(|()| Value::Null)
    );
    let counts = admin.get(&format!("{list}?on=2026-11-20")).await.data()["items"].clone();
    assert_eq!(counts.as_array().unwrap().len(), 1, "the price stays in effect");
    // A file does not change fields for which it has no column.
    let packed = json!({"sku": "A", "unit_cost": 9, "min_qty": 5, "pack_qty": 12, "lead_time_days": 3, "preferred": true});
    admin.post(&list, &packed).await.data();
    let imports = async |file: &str| {
        admin.csv(&format!("{list}/import"), file).await.data();
        let rows = admin.get(&list).await.data()["items"].as_array().unwrap().clone();
        let row = rows.into_iter().find(|row| row["min_qty"] == 5).unwrap();
        ["unit_cost", "pack_qty", "lead_time_days", "preferred"].map(|name| row[name].clone())
    };
    assert_eq!(imports("sku,unit_cost,min_qty\nA,8,5\n").await, [json!(8), json!(12), json!(3), json!(true)]);
    let emptied = imports("sku,unit_cost,min_qty,pack_qty,lead_time_days,preferred\nA,8,5,,,\n").await;
    assert_eq!(emptied, [json!(8), json!(1), Value::Null, json!(false)]);
    for unknown in ["/api/suppliers/sup_none/products", "/api/products/NONE/suppliers"] {
        assert_eq!(admin.get(unknown).await.refusal(), "404 not_found");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_product_is_ordered_from_its_preferred_supplier_at_any_quantity() {
    let server = Server::start().await;
    let admin = server.admin().await;
    Shop::open(&server, "S001").await;
    admin
        .post("/api/products", &json!({"sku": "A", "name": "A", "price": 20, "reorder_level": 60}))
        .await
        .data();
    let mut suppliers = Vec::new();
    for (code, rows) in [
        (
            "TEA",
            vec![
                json!({"sku": "A", "unit_cost": 9, "preferred": true}),
                json!({"sku": "A", "unit_cost": 8, "min_qty": 50}),
            ],
        ),
        ("CHEAP", vec![json!({"sku": "A", "unit_cost": 1})]),
    ] {
        let made = admin.post("/api/suppliers", &json!({"code": code, "name": code})).await.data().clone();
        for row in rows {
            admin.post(&format!("/api/suppliers/{}/products", text(&made, "supplier_id")), &row).await.data();
        }
        suppliers.push(made["supplier_id"].clone());
    }
    let found = admin.get("/api/purchase-orders/suggestions?store_id=S001").await.data()["items"][0].clone();
    assert_eq!(
        (&found["supplier_id"], &found["qty"], &found["unit_cost"]),
        (&suppliers[0], &json!(60), &json!(8))
    );
}
