//! Stock of all stores.

use crate::http::change::one_more;
use crate::http::filtered_list::FilteredList;
use crate::http::route::{GOODS, answers};
use crate::http::{Answered, Request};
use crate::office::stock::movement::{self, MovementsQuery};
use crate::office::stock::stock_row::{self, StockQuery, Totals, View};
use crate::state::hub::Hub;
use edge::{ApiError, Doc, Reply, Route};
use schemars::JsonSchema;
use serde::Serialize;

pub const ROUTES: &[Route<Hub>] = &[
    Route::get("/api/stock", GOODS, LIST, answers!(list)),
    Route::get("/api/stock/:sku", GOODS, READ, answers!(read)),
    Route::get("/api/stock/:sku/movements", GOODS, MOVEMENTS, answers!(movements)),
];

const ROW: &str = r#"{"store_id": "S001", "sku": "8991234567890", "name": "Green Tea 100 g", "on_hand": 118,
    "damaged": 2, "available": 118, "in_transit_in": 0, "in_transit_out": 0, "on_order": 24, "average_cost": 10000,
    "value": 1180000, "damaged_value": 20000, "reorder_level": 24, "last_moved_at": "2026-11-20T02:06:34.739Z",
    "as_of": "2026-11-20T02:06:34.739Z"}"#;
const MOVEMENT: &str = r#"{"movement_id": "mov_evt_019aa0c2d2c5_1", "store_id": "S001", "sku": "8991234567890", "qty": -2,
    "cost": -20000, "correction": 0, "balance_after": 118, "reason": "sale", "reference_type": "transaction",
    "reference_id": "trx_019aa0c2d0f37c0f8a8a5d3c54a1b2c3", "unit_cost": 10000, "user_id": "usr_019a9f00a1b2",
    "at": "2026-11-20T02:06:34.739Z", "business_date": "2026-11-20", "event_id": "evt_019aa0c2d2c5",
    "entry_date": "2026-11-20", "entry_id": "jrn_0c9f1b6a2d3e4f5a6b7c8d9e0f1a2b3c"}"#;
const PRODUCT_EXAMPLE: &str = r#"{"sku": "8991234567890", "items": [{"store_id": "S001", "sku": "8991234567890",
    "name": "Green Tea 100 g", "on_hand": 118, "damaged": 2, "available": 118, "in_transit_in": 0,
    "in_transit_out": 0, "on_order": 24, "average_cost": 10000, "value": 1180000, "damaged_value": 20000,
    "reorder_level": 24, "last_moved_at": "2026-11-20T02:06:34.739Z", "as_of": "2026-11-20T02:06:34.739Z"}], "totals": {"on_hand": 118, "damaged": 2,
    "available": 118, "in_transit_in": 0, "in_transit_out": 0, "on_order": 24, "value": 1180000,
    "damaged_value": 20000}}"#;

pub const LIST: Doc = Doc::of("Stock", "List stock of all stores, ordered by product and store")
    .query::<StockQuery>()
    .lists::<View>(ROW);
pub const READ: Doc =
    Doc::of("Stock", "Retrieve a product's stock in every store").answers::<OfProduct>(PRODUCT_EXAMPLE);
pub const MOVEMENTS: Doc = Doc::of("Stock", "List a product's stock movements in all stores, newest first")
    .query::<MovementsQuery>()
    .lists::<movement::View>(MOVEMENT);

/// A product in every store.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProductStock")]
pub struct OfProduct {
    /// Product code (SKU).
    sku: String,
    /// Stock of each store.
    items: Vec<View>,
    /// Sums of all stores.
    totals: Totals,
}

/// `GET /api/stock`
pub async fn list(request: Request) -> Answered {
    let ask: StockQuery = request.query()?;
    let list = FilteredList::of(&request)?;
    let mut read = request.state.db.read().await?;
    let items =
        stock_row::list(&mut read, &ask, list.after(ask.cursor.as_ref())?, one_more(ask.limit)).await?;
    Ok(Reply::ok(&list.cut(items, ask.limit, stock_row::place)))
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

/// `GET /api/stock/:sku/movements`
pub async fn movements(request: Request) -> Answered {
    let (ask, sku): (MovementsQuery, _) = (request.query()?, request.param("sku"));
    let list = FilteredList::of(&request)?;
    let pool = request.state.db.pool();
    let items =
        movement::list(pool, sku, &ask, list.after(ask.cursor.as_ref())?, one_more(ask.limit)).await?;
    Ok(Reply::ok(&list.cut(items, ask.limit, movement::bookmark)))
}
