//! Suppliers: which of them a product is ordered from.

use crate::office::finance_entries::text;
use crate::support::server::Server;
use crate::support::shop::Shop;
use serde_json::json;

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
