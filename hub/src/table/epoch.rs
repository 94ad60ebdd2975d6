//! `epochs`: the hub's cursor per epoch of a store.

use crate::columns;
use crate::db::column::Columns;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Error};
use std::collections::BTreeMap;

/// What [`read`] reads.
pub const COLUMNS: &str = "epoch, seq, hash, stable_seq, resume_seq";

/// A row: the epoch, and how far the hub is in it.
///
/// # Errors
/// It is damaged.
pub fn read(row: &AnyRow) -> Result<(String, Cursor), Error> {
    let cursor = columns!(row => Cursor { seq, hash, stable_seq, resume_seq });
    Ok((row.cell("epoch")?, cursor))
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
pub async fn cursors(
    connection: &mut AnyConnection,
    store_id: &str,
) -> Result<BTreeMap<String, Cursor>, sqlx::Error> {
    let sql = format!("SELECT {} FROM epochs WHERE store_id = $1", COLUMNS);
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(store_id).fetch_all(connection).await?;
    rows.iter().map(read).collect()
}

/// The number of an epoch `<n>-<16 hex>`; none: it is not one.
pub fn number(epoch: &str) -> Option<u64> {
    let (n, random) = epoch.split_once('-')?;
    let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let canonical = n.len() <= 9 && !n.starts_with('0') && n.bytes().all(|byte| byte.is_ascii_digit());
    (canonical && random.len() == 16 && random.bytes().all(hex)).then(|| n.parse().ok()).flatten()
}
