//! Taking in what stores did: hello, and push exactly once in effect (docs/protocol.md).

use sqlx::{AnyConnection, AssertSqlSafe, Row};
use std::collections::BTreeMap;

use crate::failure::Failure;
use crate::identity::Identity;
use crate::store;
use crate::table::epoch;
use domain::chain::GENESIS;
use domain::time::UtcMs;
use edge::ApiError;

pub mod announce;
pub mod apply;
pub mod batch;
pub mod digest;
pub mod effect;
pub mod envelope;
pub mod fields;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
pub mod hello;
pub mod own;
pub mod park;
mod points;
pub mod projection;
pub mod push;
pub mod replay;
mod shared;
mod skew;
mod taken;
mod watched;
mod write;

/// Clock skew from which on a record's own stamp is not used (5 minutes).
pub const SKEW_MS_MAX: i64 = 5 * 60 * 1000;

/// A store's row, locked until the transaction ends.
pub struct Locked {
    /// Its id.
    pub store_id: String,
    /// The one epoch that may push.
    pub current_epoch: Option<String>,
    /// Its number, 0 if none.
    pub current_n: u64,
    /// IANA name.
    pub timezone: String,
}

/// Locks the store's row: the first statement of every hello and push.
///
/// # Errors
/// 403 `store_disabled`; 401 for a store that is gone; 503 when the database was replaced under this hub.
pub async fn lock(
    connection: &mut AnyConnection,
    identity: &Identity,
    store_id: &str,
    now: UtcMs,
) -> Result<Locked, Failure> {
    let sql = "UPDATE stores SET contacted_at = $2 WHERE store_id = $1 RETURNING disabled, current_epoch, \
               current_n, timezone, (SELECT generation FROM hub WHERE singleton = 1)";
    let row = sqlx::query(sql).bind(store_id).bind(now.0).fetch_optional(connection).await?;
    let row = row.ok_or_else(ApiError::invalid_token)?;
    if row.try_get::<i64, _>(0)? != 0 {
        return Err(store::disabled().into());
    }
    if row.try_get::<String, _>(4)? != identity.generation {
        return Err(
            ApiError::unavailable("the database was replaced: this hub has to start again", 60).into()
        );
    }
    Ok(Locked {
        store_id: store_id.to_owned(),
        current_epoch: row.try_get(1)?,
        current_n: row.try_get::<i64, _>(2)?.unsigned_abs(),
        timezone: row.try_get(3)?,
    })
}

/// The hub's cursor in an epoch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// Stored up to here; 0: nothing.
    pub seq: u64,
    /// The hash there.
    pub hash: String,
    /// Contained in every kept backup.
    pub stable_seq: u64,
    /// A store that has forgotten what the hub lacks goes on from here; 0: it has not.
    pub resume_seq: u64,
}

/// Every epoch of a store that was heard or named in a lineage, with the hub's cursor.
///
/// # Errors
/// The database's.
pub async fn cursors(
    connection: &mut AnyConnection,
    store_id: &str,
) -> Result<BTreeMap<String, Cursor>, sqlx::Error> {
    let sql = format!("SELECT {} FROM epochs WHERE store_id = $1", epoch::COLUMNS);
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(store_id).fetch_all(connection).await?;
    rows.iter().map(epoch::read).collect()
}

/// The hash of a stored record; that before the first one; none: the hub has no such record.
///
/// # Errors
/// The database's.
pub async fn hash_at(
    connection: &mut AnyConnection,
    store_id: &str,
    epoch: &str,
    seq: u64,
) -> Result<Option<String>, sqlx::Error> {
    if seq == 0 {
        return Ok(Some(GENESIS.to_owned()));
    }
    let sql = "SELECT hash FROM records WHERE store_id = $1 AND epoch = $2 AND seq = $3 \
               UNION ALL SELECT hash FROM holes WHERE store_id = $1 AND epoch = $2 AND to_seq = $3";
    let query = sqlx::query_scalar(sql).bind(store_id).bind(epoch).bind(signed(seq));
    query.fetch_optional(connection).await
}

/// A sequence number as a BIGINT.
pub fn signed(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

/// The number of an epoch `<n>-<16 hex>`; none: it is not one.
pub fn number(epoch: &str) -> Option<u64> {
    let (n, random) = epoch.split_once('-')?;
    let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let canonical = n.len() <= 9 && !n.starts_with('0') && n.bytes().all(|byte| byte.is_ascii_digit());
    (canonical && random.len() == 16 && random.bytes().all(hex)).then(|| n.parse().ok()).flatten()
}
