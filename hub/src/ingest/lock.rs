//! Receives the records of stores: hello, and push with exactly-once effects (docs/protocol.md).

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::table::hub::Identity;
use crate::table::store;
use sqlx::AnyConnection;

use domain::model::base::time::UtcMs;
use edge::ApiError;

/// Clock skew from which on a record's own stamp is not used (5 minutes).
pub const SKEW_MS_MAX: i64 = 5 * 60 * 1000;

/// A store's row, locked until the transaction ends.
pub struct Locked {
    /// ID of the store.
    pub store_id: String,
    /// The one epoch that may push.
    pub current_epoch: Option<String>,
    /// Its number, 0 if none.
    pub current_n: u64,
    /// IANA name.
    pub timezone: String,
    /// Currency of head office.
    pub currency: String,
    /// Network address of its last accepted hello.
    pub peer: Option<String>,
}

/// Locks the store's row: the first statement of every hello and push.
///
/// # Errors
/// 403 `store_disabled`; 401 for a store that was removed; 503 if the database was replaced under this hub.
pub async fn lock(
    connection: &mut AnyConnection,
    identity: &Identity,
    store_id: &str,
    now: UtcMs,
) -> Result<Locked, Failure> {
    let sql = "UPDATE stores SET contacted_at = $2 WHERE store_id = $1 RETURNING disabled, current_epoch, \
               current_n, timezone, peer, (SELECT generation FROM hub WHERE singleton = 1) AS generation, \
               (SELECT currency FROM hub WHERE singleton = 1) AS currency";
    let row = sqlx::query(sql).bind(store_id).bind(now.0).fetch_optional(connection).await?;
    let row = row.ok_or_else(ApiError::invalid_token)?;
    if row.cell("disabled")? {
        return Err(store::disabled().into());
    }
    if row.cell::<String>("generation")? != identity.generation {
        return Err(ApiError::unavailable("the database was replaced: restart this hub", 60).into());
    }
    let (current_epoch, current_n, timezone, peer, currency) =
        columns!(row => (current_epoch, current_n, timezone, peer, currency));
    Ok(Locked { store_id: store_id.to_owned(), current_epoch, current_n, timezone, peer, currency })
}
