//! `holes`: records of an epoch that are permanently missing.

use crate::columns;
use domain::wire::sync::Hole;
use sqlx::AnyConnection;

/// Ranges of an epoch that are permanently missing.
pub async fn holes(
    connection: &mut AnyConnection,
    store_id: &str,
    epoch: &str,
) -> Result<Vec<Hole>, sqlx::Error> {
    let sql = "SELECT from_seq, to_seq, hash FROM holes WHERE store_id = $1 AND epoch = $2 ORDER BY from_seq";
    let rows = sqlx::query(sql).bind(store_id).bind(epoch).fetch_all(connection).await?;
    let hole = |row: &sqlx::any::AnyRow| Ok(columns!(row => Hole { from_seq, to_seq, hash }));
    rows.iter().map(hole).collect()
}
