//! `counters`: human numbers of documents, taken in the commit that makes the document.

use sqlx::{AnyConnection, Error};

/// The next number of a kind in a year: `ST-2026-000001`.
pub async fn next(connection: &mut AnyConnection, kind: &str, year: i16) -> Result<String, Error> {
    let sql = "INSERT INTO counters (kind, year, last) VALUES ($1, $2, 1) ON CONFLICT (kind, year) \
               DO UPDATE SET last = counters.last + 1 RETURNING last";
    let query = sqlx::query_scalar(sql).bind(kind).bind(i64::from(year));
    let last: i64 = query.fetch_one(connection).await?;
    Ok(format!("{kind}-{year}-{last:06}"))
}
