//! The price of a product in this store at a time.

use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::failed;
use domain::model::base::ids::Sku;
use domain::model::base::time::UtcMs;
use domain::rules::selling::price::EffectivePrice;
use edge::{Code, Doc, Reply, clock, query};
use schemars::JsonSchema;
use serde::Deserialize;

pub const EFFECTIVE: Doc =
    Doc::of("Point of sale", "Retrieve a product's price in this store at a time, and why it applies")
        .query::<Asked>()
        .answers::<EffectivePrice>(
            r#"{"sku": "8991234567890", "store_id": "S001", "at": "2026-11-21T02:06:34.739Z", "price": 15500,
    "source": "store", "price_row": {"price_id": "prc_1", "sku": "8991234567890", "store_id": "S001", "price": 15500,
    "from": "2026-11-21", "set_at": "2026-11-20T02:06:34.739Z", "withdrawn_at": null},
    "since": "2026-11-20T17:00:00.000Z",
    "why": "it was set for this store, which takes precedence over prices for all stores and the product's own"}"#,
        )
        .refuses(&[Code::NotFound]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// SKU of the product.
    sku: Sku,
    /// Point in time. Defaults to now; must not be in the past. Earlier prices are in the sales.
    at: Option<UtcMs>,
}

/// `GET /api/prices/effective`
pub async fn effective(request: Request) -> Answered {
    let asked: Asked = request.query()?;
    let at = query::now_or_later(asked.at, clock::now())?;
    Ok(Reply::ok(&request.state.store.effective_price(&asked.sku, at).map_err(failed)?))
}
