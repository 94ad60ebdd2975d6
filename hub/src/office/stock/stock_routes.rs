//! Stock of all stores.

use crate::http::bound_page::{after, cut};
use crate::http::change::one_more;
use crate::http::{Answered, Request};
use crate::office::stock::stock_row::{self, StockQuery, Totals, View};
use edge::{ApiError, Doc, Reply};
use schemars::JsonSchema;
use serde::Serialize;

const ROW: &str = r#"{"store_id": "S001", "sku": "8991234567890", "name": "Green Tea 100 g", "on_hand": 118,
    "damaged": 2, "available": 118, "in_transit_in": 0, "in_transit_out": 0, "on_order": 24, "average_cost": 10000,
    "value": 1180000, "damaged_value": 20000, "reorder_level": 24, "as_of": "2026-11-20T02:06:34.739Z"}"#;
const PRODUCT_EXAMPLE: &str = r#"{"sku": "8991234567890", "items": [{"store_id": "S001", "sku": "8991234567890",
    "name": "Green Tea 100 g", "on_hand": 118, "damaged": 2, "available": 118, "in_transit_in": 0,
    "in_transit_out": 0, "on_order": 24, "average_cost": 10000, "value": 1180000, "damaged_value": 20000,
    "reorder_level": 24, "as_of": "2026-11-20T02:06:34.739Z"}], "totals": {"on_hand": 118, "damaged": 2,
    "available": 118, "in_transit_in": 0, "in_transit_out": 0, "on_order": 24, "value": 1180000,
    "damaged_value": 20000}}"#;

/// `GET /api/stock`
pub const LIST: Doc =
    Doc::of("Stock", "List products of all stores with what lies there, by product and store")
        .query::<StockQuery>()
        .lists::<View>(ROW);
/// `GET /api/stock/:sku`
pub const READ: Doc = Doc::of("Stock", "Read a product in every store").answers::<OfProduct>(PRODUCT_EXAMPLE);

/// A product in every store.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProductStock")]
pub struct OfProduct {
    sku: String,
    items: Vec<View>,
    /// Of all stores.
    totals: Totals,
}

/// `GET /api/stock`
pub async fn list(request: Request) -> Answered {
    let ask: StockQuery = request.query()?;
    let mut read = request.state.db.read().await?;
    let items = stock_row::list(&mut read, &ask, after(&ask)?, one_more(ask.limit)).await?;
    Ok(Reply::ok(&cut(&ask, items, stock_row::place)))
}

/// `GET /api/stock/:sku`
pub async fn read(request: Request) -> Answered {
    let sku = request.param("sku").to_owned();
    let ask = StockQuery { sku: Some(sku.clone()), ..StockQuery::default() };
    let mut read = request.state.db.read().await?;
    let items = stock_row::list(&mut read, &ask, None, i64::MAX).await?;
    if items.is_empty() {
        return Err(ApiError::not_found("stock of the product").into());
    }
    let totals = Totals::of(&items);
    Ok(Reply::ok(&OfProduct { sku, items, totals }))
}
