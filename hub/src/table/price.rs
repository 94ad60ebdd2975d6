//! `prices`: words on the price of a product.

use crate::db::column::Columns;
use crate::db::insert;
use domain::model::base::ids::Sku;
use domain::model::base::time::UtcMs;
use domain::model::inventory::product::Product;
use sqlx::AnyConnection;
use std::collections::HashMap;

/// Next moment for a decision about the price of a product: now, and behind all earlier ones, by the clocks
/// of any process.
pub async fn next_moment(
    connection: &mut AnyConnection,
    sku: &Sku,
    now: UtcMs,
) -> Result<UtcMs, sqlx::Error> {
    let sql = "SELECT MAX(set_at) FROM prices WHERE sku = $1";
    let last: Option<i64> = sqlx::query_scalar(sql).bind(sku.as_str()).fetch_one(connection).await?;
    Ok(last.map_or(now, |last| now.max(after(UtcMs(last)))))
}

/// As [`next_moment`], for the products that ever had a price set.
pub async fn next_moments(
    connection: &mut AnyConnection,
    products: &[Product],
    now: UtcMs,
) -> Result<HashMap<String, UtcMs>, sqlx::Error> {
    let list = insert::list(1, products.len());
    let sql = format!("SELECT sku, MAX(set_at) AS set_at FROM prices WHERE sku IN ({list}) GROUP BY sku");
    let mut query = sqlx::query(sqlx::AssertSqlSafe(sql)).persistent(false);
    for product in products {
        query = query.bind(product.sku.0.clone());
    }
    let rows = query.fetch_all(connection).await?;
    rows.iter().map(|row| Ok((row.cell("sku")?, now.max(after(row.cell("set_at")?))))).collect()
}

/// The moment behind another one.
pub fn after(moment: UtcMs) -> UtcMs {
    UtcMs(moment.0.saturating_add(1))
}
