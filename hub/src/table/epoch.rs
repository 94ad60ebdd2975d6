//! `epochs`: the hub's cursor per epoch of a store.

use crate::columns;
use crate::db::column::Columns;
use crate::db::signed;
use domain::model::base::time::UtcMs;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Error};
use std::collections::BTreeMap;

/// Columns that [`read`] reads.
pub const COLUMNS: &str = "epoch, seq, hash, stable_seq, resume_seq";

/// A row: the epoch, and how far the hub is in it.
///
/// # Errors
/// The row is damaged.
pub fn read(row: &AnyRow) -> Result<(String, Cursor), Error> {
    let cursor = columns!(row => Cursor { seq, hash, stable_seq, resume_seq });
    Ok((row.cell("epoch")?, cursor))
}

/// The hub's cursor in an epoch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// Stored up to here; 0: nothing.
    pub seq: u64,
    /// Hash at that number.
    pub hash: String,
    /// Contained in every kept backup.
    pub stable_seq: u64,
    /// A store that has forgotten records that the hub lacks continues from here; 0 if it has not.
    pub resume_seq: u64,
}

/// Every epoch of a store that was heard or named in a lineage, with the hub's cursor.
pub async fn cursors(
    connection: &mut AnyConnection,
    store_id: &str,
) -> Result<BTreeMap<String, Cursor>, sqlx::Error> {
    let sql = format!("SELECT {} FROM epochs WHERE store_id = $1", COLUMNS);
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(store_id).fetch_all(connection).await?;
    rows.iter().map(read).collect()
}

/// Deletes the epochs of a store without a record, and returns to the highest one with records: epochs that somebody
/// invented with the store's key are gone, and the next hello names the store's own ones again. The count of take-overs
/// restarts.
pub async fn drop_empty(connection: &mut AnyConnection, store_id: &str) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM epochs WHERE store_id = $1 AND seq = 0")
        .bind(store_id)
        .execute(&mut *connection)
        .await?;
    let known = cursors(connection, store_id).await?;
    let current = known.keys().max_by_key(|epoch| number(epoch));
    let n = current.and_then(|epoch| number(epoch)).unwrap_or(0);
    let sql = "UPDATE epochs SET took_over_at = NULL, closed_at = CASE WHEN epoch = $2 THEN NULL ELSE closed_at END \
               WHERE store_id = $1";
    sqlx::query(sql).bind(store_id).bind(current).execute(&mut *connection).await?;
    let sql = "UPDATE stores SET current_epoch = $2, current_n = $3 WHERE store_id = $1";
    sqlx::query(sql).bind(store_id).bind(current).bind(signed(n)).execute(&mut *connection).await?;
    Ok(())
}

/// Number of epochs of a store that took over since a moment.
pub async fn take_overs(
    connection: &mut AnyConnection,
    store_id: &str,
    since: UtcMs,
) -> Result<i64, sqlx::Error> {
    let sql = "SELECT COUNT(*) FROM epochs WHERE store_id = $1 AND took_over_at > $2";
    sqlx::query_scalar(sql).bind(store_id).bind(since.0).fetch_one(connection).await
}

/// Number of an epoch `<n>-<16 hex>`. `None` if it is not one.
pub fn number(epoch: &str) -> Option<u64> {
    let (n, random) = epoch.split_once('-')?;
    let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let canonical = n.len() <= 9 && !n.starts_with('0') && n.bytes().all(|byte| byte.is_ascii_digit());
    (canonical && random.len() == 16 && random.bytes().all(hex)).then(|| n.parse().ok()).flatten()
}
