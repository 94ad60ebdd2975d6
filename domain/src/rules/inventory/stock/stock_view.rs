//! A product's stock as the interface shows it.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::Sku;
use crate::model::base::time::UtcMs;
use crate::model::inventory::product::{Product, ProductState};
use crate::model::inventory::stock::Stock;
use schemars::JsonSchema;
use serde::Serialize;

/// Stock of a product.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Stock")]
pub struct StockView<'a> {
    /// Product code (SKU).
    sku: &'a str,
    /// Name of the product.
    name: &'a str,
    /// Whether the product is in the catalogue. False for a product that only has stock.
    in_catalogue: bool,
    /// Pieces on hand; may be negative.
    on_hand: Quantity,
    /// Pieces that are reserved and can't be sold.
    reserved: Quantity,
    /// Pieces that can't be sold.
    damaged: Quantity,
    /// Pieces that can be sold: `on_hand` − `reserved`.
    available: Quantity,
    /// Pieces in transit to this store.
    in_transit_in: Quantity,
    /// Average cost of one piece in minor currency units: the unit cost that was last used.
    average_cost: Money,
    /// Value of the stock on hand in minor currency units.
    value: Money,
    /// On-hand quantity at or below which the product should be ordered. Null if there is no such level.
    reorder_level: Option<Quantity>,
    /// Place in the store where the product is kept, as the store recorded it. Null if none is recorded.
    shelf_place: Option<String>,
    /// When the stock last moved. Null if it never did.
    updated_at: Option<UtcMs>,
}

/// The product that is shown for goods with stock that are not in the catalogue: only their code is known.
pub fn out_of_catalogue(sku: Sku) -> Product {
    let name = sku.0.clone();
    Product { state: ProductState::Inactive, ..Product::new(sku, name, Money::ZERO, UtcMs(0)) }
}

/// The stock of `product`, with `in_transit_in` pieces on their way to this store. Without a row of
/// stock, the figures are 0.
pub fn view<'a>(
    product: &'a Product,
    in_catalogue: bool,
    stock: Option<&Stock>,
    in_transit_in: Quantity,
    shelf_place: Option<String>,
) -> StockView<'a> {
    let seed = Stock::seed(product);
    let row = stock.unwrap_or(&seed);
    StockView {
        sku: product.sku.as_str(),
        name: &product.name,
        in_catalogue,
        on_hand: row.qty,
        reserved: row.reserved,
        damaged: row.damaged,
        available: row.qty.saturating_sub(row.reserved),
        in_transit_in,
        average_cost: row.last_cost,
        value: row.value,
        reorder_level: product.reorder_level,
        shelf_place,
        updated_at: stock.map(|row| row.updated_at),
    }
}
