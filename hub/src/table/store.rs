//! `stores`: the stores, how they are enrolled, and their last reported status.

use crate::columns;
use crate::db::column::time_zone;
use crate::db::failure::Failure;
use domain::model::base::business_date::day_start;
use domain::model::base::time::UtcMs;
use edge::ApiError;
use jiff::civil::Time;
use jiff::tz::TimeZone;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool, Error};

/// Columns that [`read`] reads.
pub const COLUMNS: &str = "store_id, kind, name, timezone, address, disabled, disabled_at, created_at, enrolled_at, current_epoch, \
                           last_seen_at, version, clock_skew_ms, pending, oldest_pending_at, digest_date, \
                           digest_result, digest_at, drill_finished_at, drill_duration_ms, drill_backup_at, \
                           drill_records, drill_problem, drill_succeeded_at";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreRow {
    /// ID of the store.
    pub store_id: String,
    /// `store` or `warehouse`.
    pub kind: String,
    /// Name of the store.
    pub name: String,
    /// IANA time zone.
    pub timezone: String,
    /// Address of the store.
    pub address: Option<String>,
    /// Whether head office has disabled the store.
    pub disabled: bool,
    /// When the store was disabled.
    pub disabled_at: Option<UtcMs>,
    /// When the store was added.
    pub created_at: UtcMs,
    /// When the store was enrolled.
    pub enrolled_at: Option<UtcMs>,
    /// The one epoch that may push.
    pub current_epoch: Option<String>,
    /// When the store last sent a hello or a push.
    pub last_seen_at: Option<UtcMs>,
    /// Version of the store's program.
    pub version: Option<String>,
    /// Its clock less the hub's, at the last hello.
    pub clock_skew_ms: Option<i64>,
    /// Records that it had not sent when it last connected.
    pub pending: Option<i64>,
    /// When the oldest of these records was made. Null if there are none.
    pub oldest_pending_at: Option<UtcMs>,
    /// The last day that was compared.
    pub digest_date: Option<String>,
    /// Result of the comparison.
    pub digest_result: Option<String>,
    /// Time of the comparison.
    pub digest_at: Option<UtcMs>,
    /// When the last restore drill ended.
    pub drill_finished_at: Option<UtcMs>,
    /// Duration of the drill.
    pub drill_duration_ms: Option<i64>,
    /// When the backup of the drill was made.
    pub drill_backup_at: Option<UtcMs>,
    /// Number of records that the drill verified.
    pub drill_records: Option<i64>,
    /// Why the drill failed.
    pub drill_problem: Option<String>,
    /// When the last successful drill ended.
    pub drill_succeeded_at: Option<UtcMs>,
}

/// Reads a row.
///
/// # Errors
/// The row is damaged.
pub fn read(row: &AnyRow) -> Result<StoreRow, Error> {
    Ok(columns!(row => StoreRow {
        store_id, kind, name, timezone, address, disabled, disabled_at, created_at, enrolled_at, current_epoch,
        last_seen_at, version, clock_skew_ms, pending, oldest_pending_at, digest_date, digest_result,
        digest_at, drill_finished_at, drill_duration_ms, drill_backup_at, drill_records, drill_problem,
        drill_succeeded_at,
    }))
}

/// Data for the check of a store's token.
pub struct Credentials {
    /// Name of the store.
    pub name: String,
    /// Ed25519, base64url; `None` before the enrolment.
    pub public_key: Option<String>,
    /// Whether the store is disabled.
    pub disabled: bool,
}

/// Credentials of a store. `None` if there is no such store.
pub async fn credentials(pool: &AnyPool, store_id: &str) -> Result<Option<Credentials>, sqlx::Error> {
    let sql = "SELECT name, public_key, disabled FROM stores WHERE store_id = $1";
    let row = sqlx::query(sql).bind(store_id).fetch_optional(pool).await?;
    row.map(|row| Ok(columns!(row => Credentials { name, public_key, disabled }))).transpose()
}

/// Refuses a store that was disabled since its token was checked: asked once more when the answer is ready, so
/// that nothing leaves for it after that.
///
/// # Errors
/// 403 `store_disabled`; 401 for a store that was removed.
pub async fn may_hear(pool: &AnyPool, store_id: &str) -> Result<(), Failure> {
    let known = credentials(pool, store_id).await?.ok_or_else(ApiError::invalid_token)?;
    if known.disabled { Err(disabled().into()) } else { Ok(()) }
}

/// The time zone of a store; UTC for an unknown store.
pub async fn zone(connection: &mut AnyConnection, store_id: &str) -> Result<TimeZone, sqlx::Error> {
    let sql = "SELECT timezone FROM stores WHERE store_id = $1";
    let name: Option<String> = sqlx::query_scalar(sql).bind(store_id).fetch_optional(connection).await?;
    name.map_or(Ok(TimeZone::UTC), |name| time_zone(&name))
}

/// The time zone of a store, and the start of its business day as it last reported it; midnight if it reported none.
pub async fn clock(connection: &mut AnyConnection, store_id: &str) -> Result<(TimeZone, Time), sqlx::Error> {
    let sql = "SELECT day_start FROM stores WHERE store_id = $1";
    let start: Option<Option<String>> =
        sqlx::query_scalar(sql).bind(store_id).fetch_optional(&mut *connection).await?;
    let start = start.flatten().and_then(|start| day_start(&start)).unwrap_or_default();
    Ok((zone(connection, store_id).await?, start))
}

/// Refuses a reference to a store that is not there.
///
/// # Errors
/// 422 with the field.
pub async fn check_known(connection: &mut AnyConnection, field: &str, store_id: &str) -> Result<(), Failure> {
    if is_known(connection, store_id).await? {
        Ok(())
    } else {
        Err(ApiError::field(field, "is not a store").into())
    }
}

/// Locks a store's row until the transaction ends: its records, and other users of the row, wait. Returns whether the
/// store exists.
pub async fn lock(connection: &mut AnyConnection, store_id: &str) -> Result<bool, sqlx::Error> {
    let sql = "UPDATE stores SET name = name WHERE store_id = $1";
    Ok(sqlx::query(sql).bind(store_id.to_owned()).execute(connection).await?.rows_affected() > 0)
}

/// Whether there is such a store.
pub async fn is_known(connection: &mut AnyConnection, store_id: &str) -> Result<bool, sqlx::Error> {
    let sql = "SELECT COUNT(*) FROM stores WHERE store_id = $1";
    Ok(sqlx::query_scalar::<_, i64>(sql).bind(store_id).fetch_one(connection).await? > 0)
}

/// 403: this store may not speak. Its queue stays with it.
pub fn disabled() -> ApiError {
    ApiError::new(edge::Code::StoreDisabled, "this store is disabled at the hub")
}
