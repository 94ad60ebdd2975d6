//! Prices at once or from a day on, for one store or all. Which of them counts: [`domain::price`].

use crate::db::insert;
use crate::document::{Table, decode, encode, table};
use crate::failure::Failure;
use crate::feed::{self, Entry};
use crate::product::edit;
use crate::store;
use domain::ids::{Sku, StoreId};
use domain::price::{self, EffectivePrice, Price};
use domain::product::Product;
use domain::refusal::Refusal;
use domain::sync::{Kind, PriceDown};
use domain::time::UtcMs;
use edge::{ApiError, ids};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::{AnyConnection, AnyPool, Row};
use std::cmp::Reverse;
use std::collections::HashMap;

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
    /// First business day; none: it counts at once.
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
    let sql = "UPDATE products SET sku = sku WHERE sku = $1 RETURNING document";
    let product: Option<String> =
        sqlx::query_scalar(sql).bind(new.sku.as_str()).fetch_optional(&mut *connection).await?;
    let Some(product) = product else {
        return Err(ApiError::from(Refusal::UnknownSku(vec![new.sku.0])).into());
    };
    let store_id = StoreId(new.store_id.unwrap_or_default());
    if !store_id.as_str().is_empty() {
        store::check_known(connection, "store_id", store_id.as_str()).await?;
    }
    let product: Product = decode(&product)?;
    let set_at = next_moment(connection, &new.sku, now).await?.max(after(product.price_set_at));
    let price_id = ids::new("prc_");
    let New { sku, price, from, .. } = new;
    let price = PriceDown { price_id, sku, store_id, price, from, set_at, withdrawn_at: None };
    let sql = "INSERT INTO prices (price_id, sku, store_id, set_at, document) VALUES ($1, $2, $3, $4, $5)";
    let query = sqlx::query(sql).bind(&price.price_id).bind(price.sku.as_str()).bind(price.store_id.as_str());
    query.bind(set_at.0).bind(encode(&price)?).execute(&mut *connection).await?;
    tell(connection, &price, now).await?;
    Ok(price)
}

/// When a word on the price of a product may be said: now, and behind all that was said before, whatever the
/// clocks of several processes say.
///
/// # Errors
/// The database's.
pub async fn next_moment(
    connection: &mut AnyConnection,
    sku: &Sku,
    now: UtcMs,
) -> Result<UtcMs, sqlx::Error> {
    let sql = "SELECT MAX(set_at) FROM prices WHERE sku = $1";
    let last: Option<i64> = sqlx::query_scalar(sql).bind(sku.as_str()).fetch_one(connection).await?;
    Ok(last.map_or(now, |last| now.max(after(UtcMs(last)))))
}

/// As [`next_moment`], of those products for which a price was ever set.
///
/// # Errors
/// The database's.
pub async fn next_moments(
    connection: &mut AnyConnection,
    products: &[Product],
    now: UtcMs,
) -> Result<HashMap<String, UtcMs>, sqlx::Error> {
    let list = insert::list(1, products.len());
    let sql = format!("SELECT sku, MAX(set_at) FROM prices WHERE sku IN ({list}) GROUP BY sku");
    let mut query = sqlx::query(sqlx::AssertSqlSafe(sql)).persistent(false);
    for product in products {
        query = query.bind(product.sku.0.clone());
    }
    let rows = query.fetch_all(connection).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, now.max(after(UtcMs(row.try_get(1)?)))))).collect()
}

fn after(moment: UtcMs) -> UtcMs {
    UtcMs(moment.0.saturating_add(1))
}

/// Takes a price back: it is kept, and counts nowhere any more. True: it did until now.
///
/// # Errors
/// 404.
pub async fn withdraw(
    connection: &mut AnyConnection,
    price_id: &str,
    now: UtcMs,
) -> Result<(PriceDown, bool), Failure> {
    let price: Option<PriceDown> = TABLE.locked(connection, price_id).await?;
    let mut price = price.ok_or_else(|| ApiError::not_found("the price"))?;
    if price.withdrawn_at.is_some() {
        return Ok((price, false));
    }
    price.withdrawn_at = Some(now);
    let sql = "UPDATE prices SET document = $2 WHERE price_id = $1";
    sqlx::query(sql).bind(price_id).bind(encode(&price)?).execute(&mut *connection).await?;
    tell(connection, &price, now).await?;
    Ok((price, true))
}

async fn tell(connection: &mut AnyConnection, price: &PriceDown, now: UtcMs) -> Result<(), sqlx::Error> {
    let mut entry = Entry::for_store(Kind::Price, &price.price_id, price.store_id.as_str(), encode(price)?);
    entry.deleted = price.withdrawn_at.is_some();
    feed::publish(connection, vec![entry], now).await
}

/// The price of a product that counts in a store at `at`, by what is known at `now`.
///
/// # Errors
/// 404 for a product or a store that is not there.
pub async fn effective(
    pool: &AnyPool,
    sku: &str,
    store_id: &StoreId,
    at: UtcMs,
    now: UtcMs,
) -> Result<EffectivePrice, Failure> {
    let product = edit::read(pool, sku).await?;
    let known = store::credentials(pool, store_id.as_str()).await?;
    known.ok_or_else(|| ApiError::not_found("the store"))?;
    let mut connection = pool.acquire().await?;
    let zone = store::zone(&mut connection, store_id.as_str()).await?;
    let sql = "SELECT document FROM prices WHERE sku = $1 AND store_id IN ('', $2)";
    let query = sqlx::query_scalar(sql).bind(sku).bind(store_id.as_str());
    let rows: Vec<String> = query.fetch_all(&mut *connection).await?;
    let mut prices = Vec::with_capacity(rows.len());
    for row in rows {
        prices.extend(Price::here(decode(&row)?, |day| price::day_begins(day, &zone), now));
    }
    prices.sort_by_cached_key(|price| Reverse(price::order(price)));
    let last_begun = price::last_begun(prices.into_iter(), at);
    Ok(price::effective(&product, store_id, last_begun, at))
}
