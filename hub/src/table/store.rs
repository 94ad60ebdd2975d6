//! `stores`: the stores, how they are enrolled, and what they last told of themselves.

use super::Cells;
use domain::time::UtcMs;
use sqlx::any::AnyRow;
use sqlx::{Error, Row};

/// What [`read`] reads.
pub const COLUMNS: &str = "store_id, name, timezone, disabled, disabled_at, created_at, enrolled_at, current_epoch, \
                           last_seen_at, version, clock_skew_ms, pending, oldest_pending_at, digest_date, \
                           digest_result, digest_at";

/// A store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreRow {
    /// Its id.
    pub store_id: String,
    /// Its name.
    pub name: String,
    /// IANA time zone.
    pub timezone: String,
    /// Whether head office lets it speak.
    pub disabled: bool,
    /// Since when not.
    pub disabled_at: Option<UtcMs>,
    /// When it was added.
    pub created_at: UtcMs,
    /// When it was enrolled.
    pub enrolled_at: Option<UtcMs>,
    /// The one epoch that may push.
    pub current_epoch: Option<String>,
    /// When it last said hello or pushed.
    pub last_seen_at: Option<UtcMs>,
    /// Its program's version.
    pub version: Option<String>,
    /// Its clock less the hub's, at the last hello.
    pub clock_skew_ms: Option<i64>,
    /// Records that it had not sent when it last spoke.
    pub pending: Option<i64>,
    /// The oldest of them.
    pub oldest_pending_at: Option<UtcMs>,
    /// The last day that was compared.
    pub digest_date: Option<String>,
    /// What came of it.
    pub digest_result: Option<String>,
    /// When.
    pub digest_at: Option<UtcMs>,
}

/// A row.
///
/// # Errors
/// It is damaged.
pub fn read(row: &AnyRow) -> Result<StoreRow, Error> {
    Ok(StoreRow {
        store_id: row.try_get("store_id")?,
        name: row.try_get("name")?,
        timezone: row.try_get("timezone")?,
        disabled: row.flag("disabled")?,
        disabled_at: row.maybe_instant("disabled_at")?,
        created_at: row.instant("created_at")?,
        enrolled_at: row.maybe_instant("enrolled_at")?,
        current_epoch: row.try_get("current_epoch")?,
        last_seen_at: row.maybe_instant("last_seen_at")?,
        version: row.try_get("version")?,
        clock_skew_ms: row.try_get("clock_skew_ms")?,
        pending: row.try_get("pending")?,
        oldest_pending_at: row.maybe_instant("oldest_pending_at")?,
        digest_date: row.try_get("digest_date")?,
        digest_result: row.try_get("digest_result")?,
        digest_at: row.maybe_instant("digest_at")?,
    })
}
