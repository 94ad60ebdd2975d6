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
    /// ID of the parked record, for `/api/parked/:id/replay`.
    pub parked_id: String,
    /// Store that sent the record.
    pub store_id: String,
    /// Epoch of the store's records.
    pub epoch: String,
    /// Sequence number of the record in its epoch.
    pub seq: i64,
    /// ID of the event. Empty if it could not be read.
    pub event_id: String,
    /// Type of the event. Empty if it could not be read.
    #[serde(rename = "type")]
    pub kind: String,
    /// Object that the event belongs to. Null if it is not known.
    pub aggregate: Option<String>,
    /// Amount of the event, in minor currency units. Null if it is not known.
    pub amount: Option<i64>,
    /// Stable code of the reason for parking.
    pub code: String,
    /// Reason for parking, for people.
    pub message: String,
    /// When the record was parked.
    pub parked_at: UtcMs,
}

/// Parked records after an ID, by ID; of a store and of a code, where they are not empty.
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
