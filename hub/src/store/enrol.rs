//! Enrolment: a token of one use ties a store to its key.

use crate::db::Db;
use crate::failure::Failure;
use crate::identity::Identity;
use crate::secret;
use domain::sync::{Enrol, Enrolled};
use domain::time::UtcMs;
use edge::{ApiError, keys};
use sqlx::Row;

/// The longest program version, in bytes.
pub const VERSION_BYTES_MAX: usize = 64;

/// Enrols a store. The same token with the same key again gives the same answer: the first one may
/// have been lost.
///
/// # Errors
/// 401 `invalid_credentials` or `token_expired`, 409 `duplicate` for another key, 403 `store_disabled`.
pub async fn enrol(db: &Db, identity: &Identity, ask: &Enrol, now: UtcMs) -> Result<Enrolled, Failure> {
    if keys::parse_public_key(&ask.public_key).is_none() {
        return Err(ApiError::field(
            "public_key",
            "must be 32 bytes in base64url, and no key under which anybody can sign",
        )
        .into());
    }
    if ask.version.len() > VERSION_BYTES_MAX {
        return Err(ApiError::field("version", "must have at most 64 bytes").into());
    }
    let mut write = db.write().await?;
    // The token's hash finds the row and locks it: a wrong token costs one statement.
    let sql = "UPDATE stores SET contacted_at = $3 WHERE store_id = $1 AND token_hash = $2 \
               RETURNING token_expires_at, token_key, disabled, current_n";
    let query = sqlx::query(sql).bind(&ask.store_id).bind(secret::digest(&ask.enrolment_token)).bind(now.0);
    let row = query.fetch_optional(&mut **write).await?.ok_or_else(ApiError::invalid_credentials)?;
    if row.try_get::<i64, _>(2)? != 0 {
        return Err(super::disabled().into());
    }
    match row.try_get::<Option<String>, _>(1)? {
        Some(key) if key == ask.public_key => {}
        Some(_) => {
            return Err(ApiError::new(409, "duplicate", "this token was used with another key").into());
        }
        None if row.try_get::<i64, _>(0)? < now.0 => return Err(ApiError::token_expired().into()),
        None => {
            let sql = "UPDATE stores SET token_key = $2, public_key = $2, enrolled_at = $3, version = $4 \
                       WHERE store_id = $1";
            let query =
                sqlx::query(sql).bind(&ask.store_id).bind(&ask.public_key).bind(now.0).bind(&ask.version);
            query.execute(&mut **write).await?;
        }
    }
    let n = row.try_get::<i64, _>(3)?.unsigned_abs();
    write.commit().await?;
    Ok(Enrolled { hub_id: identity.hub_id.clone(), hub_generation: identity.generation.clone(), n })
}
