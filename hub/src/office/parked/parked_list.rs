//! Parked records as a list shows them.

use crate::columns;
use domain::model::base::time::UtcMs;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::AnyPool;

/// A parked record as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ParkedRecord")]
pub struct View {
    /// Its id, for `/api/parked/:id/replay`.
    pub parked_id: String,
    /// Whose.
    pub store_id: String,
    /// Where in its history.
    pub epoch: String,
    /// Where in that epoch.
    pub seq: i64,
    /// The event; empty: it could not be read.
    pub event_id: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it belongs to.
    pub aggregate: Option<String>,
    /// What it amounts to, where that can be told.
    pub amount: Option<i64>,
    /// Why it is parked, stable.
    pub code: String,
    /// Why, for a person.
    pub message: String,
    /// Since when.
    pub parked_at: UtcMs,
}

/// Parked records after an id, by id; of a store and of a code, where they are not empty.
pub async fn list(
    pool: &AnyPool,
    (store_id, code): (&str, &str),
    after: &str,
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let sql = "SELECT parked_id, store_id, epoch, seq, event_id, kind, aggregate, amount, code, message, parked_at \
               FROM parked WHERE (store_id = $1 OR $1 = '') AND parked_id > $2 AND (code = $3 OR $3 = '') \
               ORDER BY parked_id LIMIT $4";
    let rows = sqlx::query(sql).bind(store_id).bind(after).bind(code).bind(limit).fetch_all(pool).await?;
    let view = |row: &sqlx::any::AnyRow| {
        Ok(columns!(row => View {
            parked_id, store_id, epoch, seq, event_id, kind, aggregate, amount, code, message, parked_at,
        }))
    };
    rows.iter().map(view).collect()
}
