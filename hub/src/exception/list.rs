//! Contradictions as head office reads them.

use domain::time::UtcMs;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sqlx::any::AnyRow;
use sqlx::{AnyPool, Row};

/// Where a list of them goes on: when it was found, then store, event and code.
pub type Place = (i64, String, String, String);

/// One of them.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "BusinessException")]
pub struct View {
    /// Whose people have to look at it.
    pub store_id: String,
    /// The event that contradicts.
    pub event_id: String,
    /// In which way: `receipt_number_twice`, `return_exceeds_sold`, …
    pub code: String,
    /// Documents and figures, by code.
    #[schemars(with = "serde_json::Map<String, Value>")]
    pub details: Value,
    /// When the hub saw it.
    pub found_at: UtcMs,
}

impl View {
    /// Where a list after this one goes on.
    pub fn place(&self) -> Place {
        (self.found_at.0, self.store_id.clone(), self.event_id.clone(), self.code.clone())
    }
}

/// Those of one store or ('') of all, the latest first.
///
/// # Errors
/// The database's.
pub async fn list(
    pool: &AnyPool,
    store_id: &str,
    after: &Place,
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let sql = "SELECT store_id, event_id, code, details, found_at FROM exceptions \
               WHERE (store_id = $1 OR $1 = '') AND (found_at < $2 OR (found_at = $2 AND (store_id > $3 \
               OR (store_id = $3 AND (event_id > $4 OR (event_id = $4 AND code > $5)))))) \
               ORDER BY found_at DESC, store_id, event_id, code LIMIT $6";
    let query = sqlx::query(sql).bind(store_id).bind(after.0).bind(&after.1).bind(&after.2).bind(&after.3);
    query.bind(limit).fetch_all(pool).await?.iter().map(view).collect()
}

fn view(row: &AnyRow) -> Result<View, sqlx::Error> {
    let details: String = row.try_get(3)?;
    Ok(View {
        store_id: row.try_get(0)?,
        event_id: row.try_get(1)?,
        code: row.try_get(2)?,
        details: serde_json::from_str(&details).map_err(|error| sqlx::Error::Decode(error.into()))?,
        found_at: UtcMs(row.try_get(4)?),
    })
}
