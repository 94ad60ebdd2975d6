//! Prices from a day on, for one store or all.

use crate::document::{Table, encode, table};
use crate::failure::Failure;
use crate::feed::{self, Entry};
use domain::ids::{Sku, StoreId};
use domain::sync::{Kind, PriceDown};
use domain::time::UtcMs;
use edge::{ApiError, ids};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::AnyConnection;

/// The highest price.
const PRICE_MAX: i64 = 1_000_000_000_000;

/// Where they are.
pub const TABLE: Table = table!("prices", "price_id");

/// `POST /api/prices`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewPrice")]
pub struct New {
    /// The product.
    pub sku: Sku,
    /// Unit price in whole currency units.
    pub price: i64,
    /// The store; none: all.
    pub store_id: Option<String>,
    /// First business day; none: today, where the store is.
    pub from: Option<Date>,
}

/// Sets a price. It goes down at once and counts from its day on, also while a store is offline.
///
/// # Errors
/// 422 with the field that is wrong; `unknown_sku`.
pub async fn set(connection: &mut AnyConnection, new: New, now: UtcMs) -> Result<PriceDown, Failure> {
    if !(0..=PRICE_MAX).contains(&new.price) {
        return Err(ApiError::field("price", "must be 0 to 1000000000000").into());
    }
    // A transaction begins with a write.
    let sql = "UPDATE products SET sku = sku WHERE sku = $1";
    if sqlx::query(sql).bind(new.sku.as_str()).execute(&mut *connection).await?.rows_affected() == 0 {
        return Err(ApiError::from(domain::refusal::Refusal::UnknownSku(vec![new.sku.0])).into());
    }
    let store_id = new.store_id.unwrap_or_default();
    let from = match new.from {
        Some(from) => from,
        None => today(connection, &store_id, now).await?,
    };
    let store_id = StoreId(store_id);
    let price_id = ids::new("prc_");
    let price = PriceDown { price_id, sku: new.sku, store_id, price: new.price, from, set_at: now };
    let sql = "INSERT INTO prices (price_id, sku, store_id, starts, document) VALUES ($1, $2, $3, $4, $5)";
    let query = sqlx::query(sql).bind(&price.price_id).bind(price.sku.as_str()).bind(price.store_id.as_str());
    query.bind(from.to_string()).bind(encode(&price)?).execute(&mut *connection).await?;
    let entry = Entry::for_store(Kind::Price, &price.price_id, price.store_id.as_str(), encode(&price)?);
    feed::publish(connection, vec![entry], now).await?;
    Ok(price)
}

/// Today at a store. For all stores it is the day that began everywhere: yesterday's, so that no store waits.
async fn today(connection: &mut AnyConnection, store_id: &str, now: UtcMs) -> Result<Date, Failure> {
    if store_id.is_empty() {
        let today = now.timestamp().to_zoned(TimeZone::UTC).date();
        return Ok(today.yesterday().unwrap_or(today));
    }
    let sql = "SELECT timezone FROM stores WHERE store_id = $1";
    let zone: Option<String> = sqlx::query_scalar(sql).bind(store_id).fetch_optional(connection).await?;
    let zone = zone.ok_or_else(|| ApiError::field("store_id", "is no store"))?;
    Ok(now.timestamp().to_zoned(TimeZone::get(&zone).unwrap_or(TimeZone::UTC)).date())
}
