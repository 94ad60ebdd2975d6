//! `conflicts`: values that lost against another one.

use crate::columns;
use crate::db::column::Columns;
use crate::table::origin::Origin;
use domain::model::base::time::UtcMs;
use domain::model::hub::sync::ConflictDown;
use domain::wire::sync::{PUSH_BYTES_MAX, PUSH_EVENTS_MAX};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Error, Row};
use std::collections::BTreeMap;

/// Type of a record with conflicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ConflictResource")]
pub enum Resource {
    /// A member.
    Member,
    /// Settings of a product at a store.
    ProductSettings,
}

/// A conflict in which a value was overwritten.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Conflict")]
pub struct ConflictRow {
    /// Always `conflict`.
    pub kind: &'static str,
    /// ID of the conflict.
    pub conflict_id: String,
    /// Type of the record.
    #[schemars(with = "Resource")]
    pub resource: String,
    /// ID of the record.
    pub id: String,
    /// Side that won. The store's value is the one that it sent, and the hub's the one that head office had.
    #[schemars(with = "Origin")]
    pub winner: String,
    /// Overwritten values by field.
    pub lost_fields: BTreeMap<String, Value>,
    /// Winning values by field.
    pub kept_fields: BTreeMap<String, Value>,
    /// Store whose write caused the conflict.
    pub store_id: String,
    /// When the conflict was decided.
    pub resolved_at: UtcMs,
    /// When the lost value was restored. Null if it was not.
    pub restored_at: Option<UtcMs>,
}

/// Columns that [`read`] reads.
pub const COLUMNS: &str =
    "conflict_id, resource, id, field, winner, lost_value, kept_value, store_id, resolved_at, restored_at";

/// Reads a row.
///
/// # Errors
/// The row is damaged.
pub fn read(row: &AnyRow) -> Result<ConflictRow, Error> {
    let field: String = row.cell("field")?;
    Ok(columns!(row => ConflictRow {
        conflict_id, resource, id, winner, store_id, resolved_at, restored_at; kind = "conflict",
        lost_fields = BTreeMap::from([(field.clone(), row.json("lost_value")?)]),
        kept_fields = BTreeMap::from([(field, row.json("kept_value")?)]),
    }))
}

/// Forgets the values of a record whose data was erased; that there were conflicts stays.
pub async fn forget(connection: &mut AnyConnection, resource: &str, id: &str) -> Result<(), Error> {
    let sql = "UPDATE conflicts SET lost_value = 'null', kept_value = 'null', folded = field \
               WHERE resource = $1 AND id = $2";
    sqlx::query(sql).bind(resource).bind(id).execute(connection).await.map(drop)
}

/// A store's latest conflicts as it receives them: at most a batch, and no more bytes than a batch. They are those of
/// its writes, and those in which another store's write beat its value.
pub async fn latest(
    connection: &mut AnyConnection,
    store_id: &str,
) -> Result<Vec<ConflictDown>, sqlx::Error> {
    let of = |column: &str| {
        format!(
            "SELECT * FROM (SELECT {COLUMNS} FROM conflicts WHERE {column} = $1 \
             ORDER BY resolved_at DESC LIMIT $2) {column}"
        )
    };
    let sql = format!("{} UNION ALL {} ORDER BY resolved_at DESC LIMIT $2", of("store_id"), of("lost_in"));
    let most = i64::try_from(PUSH_EVENTS_MAX).unwrap_or(i64::MAX);
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(store_id).bind(most);
    let rows = query.fetch_all(connection).await?;
    let (mut bytes, mut latest) = (0_usize, Vec::with_capacity(rows.len()));
    for row in &rows {
        let (lost, kept): (&str, &str) = (row.try_get("lost_value")?, row.try_get("kept_value")?);
        bytes = bytes.saturating_add(lost.len()).saturating_add(kept.len());
        if bytes > PUSH_BYTES_MAX {
            break;
        }
        let conflict = read(row)?;
        let is_own = conflict.store_id == store_id;
        let ConflictRow { conflict_id, resource, id, winner, lost_fields, kept_fields, resolved_at, .. } =
            conflict;
        let winner = if is_own { winner } else { "hub".to_owned() };
        latest.push(ConflictDown {
            conflict_id,
            resource,
            id,
            winner,
            lost_fields,
            kept_fields,
            resolved_at,
        });
    }
    Ok(latest)
}
