//! Prices at once or from a day on, for one store or all. Which of them counts: [`domain::rules::selling::price`].

use crate::db::column::Columns;
use crate::db::document::{Table, decode, encode, table};
use crate::db::failure::Failure;
use crate::db::filter::Conditions;
use crate::feed::{self, Entry};
use crate::table::{self, product, store};
use domain::model::base::figures::Money;
use domain::model::base::ids::{Sku, StoreId};
use domain::model::base::limits::{PRICE_MAX, SHORT_ID_BYTES_MAX, SKU_BYTES_MAX};
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::model::inventory::product::Product;
use domain::model::selling::price::{Price, PriceDown, PriceMoment};
use domain::rules::selling::price;
use domain::rules::selling::price::EffectivePrice;
use domain::wire::feed::{Kind, lane};
use edge::{ApiError, ids};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::{AnyConnection, AnyPool};
use std::cmp::Reverse;

/// Table of the documents.
pub const TABLE: Table = table!("prices", "price_id");

/// Whether a price was withdrawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PriceState")]
pub enum State {
    /// The price was not withdrawn.
    Active,
    /// The price was withdrawn and no longer applies anywhere.
    Withdrawn,
}

/// Filters of the list of prices.
#[derive(Debug, Default)]
pub struct Filter {
    /// Only those of this product.
    pub sku: Option<String>,
    /// Prices that count in this store: its own, and those for all stores. Empty for all stores.
    pub store_id: Option<String>,
    /// Taken back or not.
    pub state: Option<State>,
    /// With a first business day then or later.
    pub from: Option<Date>,
    /// With a first business day then or earlier, or none.
    pub to: Option<Date>,
}

/// Prices after an ID, by ID.
pub async fn list(
    pool: &AnyPool,
    filter: &Filter,
    after: &str,
    limit: i64,
) -> Result<Vec<PriceDown>, sqlx::Error> {
    let day = |day: Option<Date>| day.map(|day| day.to_string());
    let (from, to) = (day(filter.from), day(filter.to));
    let conditions = Conditions::default()
        .text("price_id > ?", Some(after))
        .text("sku = ?", filter.sku.as_deref())
        .text("store_id IN ('', ?)", filter.store_id.as_deref().filter(|store_id| !store_id.is_empty()))
        .number("withdrawn = ?", filter.state.map(|state| i64::from(state == State::Withdrawn)))
        .text("starts >= ?", from.as_deref())
        // One without a first day is '', which is before every day: it counts from when it was set.
        .text("starts <= ?", to.as_deref());
    let sql = format!("SELECT document FROM prices WHERE {{}} ORDER BY price_id LIMIT {limit}");
    let rows = conditions.query(&sql).fetch_all(pool).await?;
    rows.iter().map(|row| row.json("document")).collect()
}

/// Request body of `POST /api/prices`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewPrice")]
pub struct New {
    /// Product code (SKU).
    #[schemars(length(min = 1, max = SKU_BYTES_MAX))]
    pub sku: Sku,
    /// Unit price in minor currency units.
    #[schemars(range(min = 0, max = PRICE_MAX))]
    pub price: Money,
    /// Store of the price. Null for all stores.
    #[schemars(length(max = SHORT_ID_BYTES_MAX))]
    pub store_id: Option<String>,
    /// First business day; null to apply at once.
    pub from: Option<Date>,
}

/// Sets a price. It is sent at once and counts from its day on, also while a store is offline.
///
/// # Errors
/// 422 with the field that is wrong; `unknown_sku`.
pub async fn set(connection: &mut AnyConnection, new: New, now: UtcMs) -> Result<PriceDown, Failure> {
    if !(0..=PRICE_MAX).contains(&new.price) {
        return Err(ApiError::field("price", "must be 0 to 1000000000000").into());
    }
    // The lane's lock is taken first, as for products.
    feed::take(connection, lane::REST, 0, now).await?;
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
    let set_at = table::price::next_moment(connection, &new.sku, now)
        .await?
        .max(table::price::after(product.price_set_at));
    let price_id = ids::new("prc_");
    let New { sku, price, from, .. } = new;
    let price = PriceDown { price_id, sku, store_id, price, from, set_at, withdrawn_at: None };
    let sql = "INSERT INTO prices (price_id, sku, store_id, set_at, starts, withdrawn, document) \
               VALUES ($1, $2, $3, $4, $5, 0, $6)";
    let starts = price.from.map(|day| day.to_string()).unwrap_or_default();
    let query = sqlx::query(sql).bind(&price.price_id).bind(price.sku.as_str()).bind(price.store_id.as_str());
    query.bind(set_at.0).bind(starts).bind(encode(&price)?).execute(&mut *connection).await?;
    tell(connection, &price, now).await?;
    Ok(price)
}

/// Withdraws a price: it is kept, and counts nowhere any more. Returns true if it counted until now.
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
    let sql = "UPDATE prices SET document = $2, withdrawn = 1 WHERE price_id = $1";
    sqlx::query(sql).bind(price_id).bind(encode(&price)?).execute(&mut *connection).await?;
    tell(connection, &price, now).await?;
    Ok((price, true))
}

async fn tell(connection: &mut AnyConnection, price: &PriceDown, now: UtcMs) -> Result<(), sqlx::Error> {
    let mut entry = Entry::for_store(Kind::Price, &price.price_id, price.store_id.as_str(), encode(price)?);
    entry.deleted = price.withdrawn_at.is_some();
    feed::publish(connection, vec![entry], now).await
}

/// The price of a product that counts in a store at a moment, by the facts known at `now`.
///
/// # Errors
/// 404 for a product or a store that is not there.
pub async fn effective(
    pool: &AnyPool,
    sku: &str,
    store_id: &StoreId,
    (at, date): (UtcMs, Option<Date>),
    now: UtcMs,
) -> Result<EffectivePrice, Failure> {
    let product = product::read(pool, sku).await?;
    let known = store::credentials(pool, store_id.as_str()).await?;
    known.ok_or_else(|| ApiError::not_found("the store"))?;
    let mut connection = pool.acquire().await?;
    let (zone, start) = store::clock(&mut connection, store_id.as_str()).await?;
    let sql = "SELECT document FROM prices WHERE sku = $1 AND store_id IN ('', $2)";
    let query = sqlx::query_scalar(sql).bind(sku).bind(store_id.as_str());
    let rows: Vec<String> = query.fetch_all(&mut *connection).await?;
    let mut prices = Vec::with_capacity(rows.len());
    for row in rows {
        prices.extend(Price::here(decode(&row)?, |day| price::day_begins(day, &zone, start), now));
    }
    prices.sort_by_cached_key(|price| Reverse(price::order(price)));
    let then = price::moment(at, &zone, start);
    let then = date.map_or(then, |date| PriceMoment { date, ..then });
    let last_begun = price::last_begun(prices.into_iter(), then);
    Ok(price::effective(&product, store_id, last_begun, at))
}
