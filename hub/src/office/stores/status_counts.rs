//! Decisions about a store's records without its participation: conflicts, and stamps that do not count.

use crate::columns;
use crate::office::conflicts::conflict;
use crate::table::conflict::ConflictRow;
use domain::model::base::time::UtcMs;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::AnyPool;

/// Most conflicts that a status names.
const CONFLICTS_MAX: i64 = 20;

/// Conflicts of a store.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StoreConflicts")]
pub struct Conflicts {
    /// Number of conflicts.
    total: i64,
    /// The latest conflicts. `/api/conflicts` lists all of them.
    recent: Vec<ConflictRow>,
}

/// Records for which the hub's time is used because their own time was ahead of the hub's clock.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StampedAhead")]
pub struct Ahead {
    /// Number of such records.
    count: i64,
    /// When the first of them was received. Null if there are none.
    since: Option<UtcMs>,
    /// When the last of them was received. Null if there are none.
    last_at: Option<UtcMs>,
}

/// A store's conflicts, the latest first.
pub(crate) async fn conflicts(pool: &AnyPool, store_id: &str) -> Result<Conflicts, sqlx::Error> {
    let sql = "SELECT COUNT(*) FROM conflicts WHERE store_id = $1";
    let total = sqlx::query_scalar(sql).bind(store_id).fetch_one(pool).await?;
    let of = conflict::Filter { store_id: Some(store_id.to_owned()), ..conflict::Filter::default() };
    let recent = conflict::list(pool, &of, &(i64::MAX, String::new()), CONFLICTS_MAX).await?;
    Ok(Conflicts { total, recent })
}

/// Records that were stamped ahead of the hub.
pub(crate) async fn ahead(pool: &AnyPool, store_id: &str) -> Result<Ahead, sqlx::Error> {
    let sql = "SELECT COUNT(*) AS count, MIN(received_at) AS since, MAX(received_at) AS last_at FROM records \
               WHERE store_id = $1 AND clock_skew = 1";
    let row = sqlx::query(sql).bind(store_id).fetch_one(pool).await?;
    Ok(columns!(row => Ahead { count, since, last_at }))
}
