//! The conflict log: values that lost, and how they are put back.

use crate::failure::Failure;
use crate::ingest::announce::Later;
use crate::ingest::fields::{self, MEMBER, PRODUCT_SETTINGS, Writer};
use crate::secret;
use crate::table::conflict::{COLUMNS, read};
use domain::hlc::Clock;
use domain::record::FieldWrite;
use domain::sync::{ConflictDown, PUSH_BYTES_MAX, PUSH_EVENTS_MAX};
use domain::time::UtcMs;
use edge::ApiError;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use sqlx::{AnyConnection, AnyPool, Row};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// A value that lost.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Conflict")]
pub struct View {
    /// Always `conflict`.
    pub kind: &'static str,
    /// Its id.
    pub conflict_id: String,
    /// `member` or `product_settings`.
    pub resource: String,
    /// Which one.
    pub id: String,
    /// `store`: the store's value won; `hub`: the one that was here.
    pub winner: String,
    /// What lost, by field.
    pub lost_fields: BTreeMap<String, Value>,
    /// What counts instead, by field.
    pub kept_fields: BTreeMap<String, Value>,
    /// The store whose write made the conflict.
    pub store_id: String,
    /// When it was decided.
    pub resolved_at: UtcMs,
    /// When the lost value was put back.
    pub restored_at: Option<UtcMs>,
}

/// Conflicts of one store or ('') of all, the latest first.
///
/// # Errors
/// The database's.
pub async fn list(
    pool: &AnyPool,
    store_id: &str,
    before: &(i64, String),
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM conflicts WHERE (store_id = $1 OR $1 = '') \
         AND (resolved_at < $2 OR (resolved_at = $2 AND conflict_id > $3)) \
         ORDER BY resolved_at DESC, conflict_id LIMIT $4"
    );
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(store_id).bind(before.0).bind(&before.1);
    query.bind(limit).fetch_all(pool).await?.iter().map(read).collect()
}

/// The latest of a store as it is told them, at most a batch, and no more bytes than one either.
///
/// # Errors
/// The database's.
pub async fn latest(
    connection: &mut AnyConnection,
    store_id: &str,
) -> Result<Vec<ConflictDown>, sqlx::Error> {
    let sql =
        format!("SELECT {COLUMNS} FROM conflicts WHERE store_id = $1 ORDER BY resolved_at DESC LIMIT $2");
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
        let View { conflict_id, resource, id, winner, lost_fields, kept_fields, resolved_at, .. } =
            read(row)?;
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

/// Puts the value back, as a write of head office that has seen what is there. What it replaces is not lost
/// either: it stands in this conflict.
///
/// # Errors
/// 404; 409 `invalid_state` for one that was restored before.
pub async fn restore(
    connection: &mut AnyConnection,
    clock: &Mutex<Clock>,
    conflict_id: &str,
    now: UtcMs,
) -> Result<View, Failure> {
    // The first statement locks the row.
    let sql =
        format!("UPDATE conflicts SET conflict_id = conflict_id WHERE conflict_id = $1 RETURNING {COLUMNS}");
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(conflict_id);
    let row = query.fetch_optional(&mut *connection).await?;
    let mut conflict = read(&row.ok_or_else(|| ApiError::not_found("the conflict"))?)?;
    if conflict.restored_at.is_some() {
        let error = ApiError::new(409, "invalid_state", "this value was put back already");
        return Err(error.with_details(json!({"state": "restored", "allowed": []})).into());
    }
    // What is there is read with the record locked: nobody writes between the look and the write.
    let sql = "UPDATE shared_records SET updated_at = updated_at WHERE resource = $1 AND id = $2";
    sqlx::query(sql).bind(&conflict.resource).bind(&conflict.id).execute(&mut *connection).await?;
    let known = fields::read(connection, &conflict.resource, &conflict.id).await?;
    let stamp = clock.lock().unwrap_or_else(PoisonError::into_inner).tick(now);
    let write = |(field, value): (&String, &Value)| {
        let base = known.get(field).map(|now| now.by.clone()).unwrap_or_default();
        (field.clone(), FieldWrite { value: value.clone(), at: stamp.clone(), base })
    };
    let fields: BTreeMap<_, _> = conflict.lost_fields.iter().map(write).collect();
    let by = format!("chg_{}", secret::mark());
    let mut later = Later::default();
    match conflict.resource.as_str() {
        MEMBER => {
            let writer = Writer { by: &by, stamp: &stamp, store_id: "", now };
            fields::write_member(connection, &conflict.id, &fields, &writer, &mut later).await?;
        }
        PRODUCT_SETTINGS => {
            let (store_id, sku) = conflict.id.split_once(':').unwrap_or((&conflict.store_id, &conflict.id));
            let writer = Writer { by: &by, stamp: &stamp, store_id, now };
            fields::write_settings(connection, sku, &fields, &writer, &mut later).await?;
        }
        _ => return Err(ApiError::not_found("the record of the conflict").into()),
    }
    let sql = "UPDATE conflicts SET restored_at = $2 WHERE conflict_id = $1";
    sqlx::query(sql).bind(conflict_id).bind(now.0).execute(&mut *connection).await?;
    later.announce(connection, now).await?;
    conflict.restored_at = Some(now);
    Ok(conflict)
}
