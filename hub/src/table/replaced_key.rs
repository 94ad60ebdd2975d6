//! `replaced_keys`: the keys of boxes that were a store before another one was enrolled for it.

use crate::columns;
use domain::model::base::time::UtcMs;
use edge::{ApiError, Code};
use serde_json::json;
use sqlx::{AnyConnection, AnyPool, Error};

/// A key that no longer opens the store.
pub struct ReplacedKey {
    /// Ed25519, base64url.
    pub public_key: String,
    /// When the key after it was enrolled.
    pub replaced_at: UtcMs,
}

/// Keeps that `old` was replaced by `new`, which is the store's key from now on, whatever it was before.
pub async fn replace(
    connection: &mut AnyConnection,
    store_id: &str,
    old: Option<&str>,
    new: &str,
    now: UtcMs,
) -> Result<(), Error> {
    if let Some(old) = old.filter(|old| *old != new) {
        let sql = "INSERT INTO replaced_keys (store_id, public_key, replaced_at) VALUES ($1, $2, $3)";
        sqlx::query(sql).bind(store_id).bind(old).bind(now.0).execute(&mut *connection).await?;
    }
    let sql = "DELETE FROM replaced_keys WHERE store_id = $1 AND public_key = $2";
    sqlx::query(sql).bind(store_id).bind(new).execute(connection).await?;
    Ok(())
}

/// The keys of a store that were replaced.
pub async fn of(pool: &AnyPool, store_id: &str) -> Result<Vec<ReplacedKey>, Error> {
    let sql = "SELECT public_key, replaced_at FROM replaced_keys WHERE store_id = $1";
    let rows = sqlx::query(sql).bind(store_id).fetch_all(pool).await?;
    rows.iter().map(|row| Ok(columns!(row => ReplacedKey { public_key, replaced_at }))).collect()
}

/// 403: another box was enrolled for this store. `kid` names the key of that box, so that one that is being enrolled
/// at this moment recognises its own.
pub fn refusal(store_id: &str, replaced_at: UtcMs, kid: &str) -> ApiError {
    let message = format!(
        "this machine was replaced by another one that was enrolled as {store_id} on {replaced_at}: if this one is to be \
         the store, enrol it again with a new token (cloud-hub store add {store_id} --new-token)"
    );
    ApiError::new(Code::StoreReplaced, message)
        .with_details(json!({"replaced_at": replaced_at, "replaced_by": kid}))
}
