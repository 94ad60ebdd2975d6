//! The conflict log: values that lost, and how they are put back.

use crate::db::failure::Failure;
use crate::db::filter::{Conditions, span_utc};
use crate::projection::announce::FeedUpdates;
use crate::projection::fields::{self, MEMBER, PRODUCT_SETTINGS, Writer};
use crate::secret;
use crate::table::conflict::{COLUMNS, ConflictRow, read};
use domain::model::base::time::UtcMs;
use domain::model::hub::hlc::Clock;
use domain::wire::record::FieldWrite;
use edge::ApiError;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::{AnyConnection, AnyPool};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Whether the lost value was restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ConflictState")]
pub enum State {
    /// The lost value was not restored.
    Open,
    /// The lost value was restored.
    Restored,
}

/// Filters of the list of conflicts.
#[derive(Debug, Default)]
pub struct Filter {
    /// Only those made by this store. Empty for any store.
    pub store_id: Option<String>,
    /// About the settings of this product.
    pub sku: Option<String>,
    /// Only conflicts about this member.
    pub member_id: Option<String>,
    /// Put back or not.
    pub state: Option<State>,
    /// The lost or the kept value, or the field's name contains it.
    pub q: Option<String>,
    /// Decided on this day (UTC) or later.
    pub from: Option<Date>,
    /// Decided on this day (UTC) or earlier.
    pub to: Option<Date>,
}

/// The latest first, after a place.
pub async fn list(
    pool: &AnyPool,
    filter: &Filter,
    before: &(i64, String),
    limit: i64,
) -> Result<Vec<ConflictRow>, sqlx::Error> {
    let of = |resource: &str, id: &str| format!("resource = '{resource}' AND {id} = ?");
    let (from, end) = span_utc(filter.from, filter.to);
    // Within one moment, IDs determine the order.
    let later = format!("(resolved_at < {} OR conflict_id > ?)", before.0);
    let conditions = Conditions::default()
        .number("resolved_at <= ?", Some(before.0))
        .text(&later, Some(&before.1))
        .text("store_id = ?", filter.store_id.as_deref().filter(|store_id| !store_id.is_empty()))
        // As in the index conflicts_sku: the settings of a product are S001:sku.
        .text(&of(PRODUCT_SETTINGS, "SUBSTR(id, LENGTH(store_id) + 2)"), filter.sku.as_deref())
        .text(&of(MEMBER, "id"), filter.member_id.as_deref())
        .plain("restored_at IS NULL", filter.state == Some(State::Open))
        .plain("restored_at IS NOT NULL", filter.state == Some(State::Restored))
        .contains(filter.q.as_deref())
        .number("resolved_at >= ?", from)
        .number("resolved_at < ?", end);
    let sql = format!(
        "SELECT {COLUMNS} FROM conflicts WHERE {{}} ORDER BY resolved_at DESC, conflict_id LIMIT {limit}"
    );
    conditions.query(&sql).fetch_all(pool).await?.iter().map(read).collect()
}

/// Puts the value back, as a write of head office that has seen the present value. The replaced value is not lost: it
/// is in this conflict.
///
/// # Errors
/// 404; 409 `invalid_state` for one that was restored before, and of a member who was erased.
pub async fn restore(
    connection: &mut AnyConnection,
    clock: &Mutex<Clock>,
    conflict_id: &str,
    now: UtcMs,
) -> Result<ConflictRow, Failure> {
    // A writer of the record locks it before its conflicts: the present value is read with both locked, so no write
    // happens between reading and writing.
    let sql = "UPDATE shared_records SET updated_at = updated_at WHERE (resource, id) IN \
               (SELECT resource, id FROM conflicts WHERE conflict_id = $1)";
    sqlx::query(sql).bind(conflict_id).execute(&mut *connection).await?;
    let sql =
        format!("UPDATE conflicts SET conflict_id = conflict_id WHERE conflict_id = $1 RETURNING {COLUMNS}");
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(conflict_id);
    let row = query.fetch_optional(&mut *connection).await?;
    let mut conflict = read(&row.ok_or_else(|| ApiError::not_found("the conflict"))?)?;
    if conflict.restored_at.is_some() {
        let error = ApiError::new(edge::Code::InvalidState, "this value was already restored");
        return Err(error.with_details(json!({"state": "restored", "allowed": []})).into());
    }
    let known = fields::read(connection, &conflict.resource, &conflict.id).await?;
    if conflict.resource == MEMBER && fields::is_erased(known.get(fields::STATE)) {
        let error = ApiError::new(
            edge::Code::InvalidState,
            "this member's data was erased, so the value can't be restored",
        );
        return Err(error.with_details(json!({"state": "erased", "allowed": []})).into());
    }
    let stamp = clock.lock().unwrap_or_else(PoisonError::into_inner).now(now);
    let write = |(field, value): (&String, &Value)| {
        let base = known.get(field).map(|now| now.by.clone()).unwrap_or_default();
        (field.clone(), FieldWrite { value: value.clone(), at: stamp.clone(), base })
    };
    let fields: BTreeMap<_, _> = conflict.lost_fields.iter().map(write).collect();
    let by = format!("chg_{}", secret::mark());
    let mut later = FeedUpdates::default();
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
