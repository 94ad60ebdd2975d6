//! A product's stock as the interface shows it.

use super::Stock;
use crate::product::Product;
use serde_json::{Value, json};

/// The stock of `product`; one that never moved has 0.
pub fn view(product: &Product, stock: Option<&Stock>) -> Value {
    let seed = Stock::seed(product);
    let row = stock.unwrap_or(&seed);
    json!({
        "sku": product.sku,
        "name": product.name,
        "on_hand": row.qty,
        "reserved": row.reserved,
        "damaged": row.damaged,
        "available": row.qty.saturating_sub(row.reserved),
        "in_transit_in": 0,
        "average_cost": row.last_cost,
        "value": row.value,
        "reorder_level": product.reorder_level,
        "updated_at": stock.map(|row| row.updated_at),
    })
}
