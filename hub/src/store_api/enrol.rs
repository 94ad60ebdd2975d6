//! Enrolment: a token of one use binds a store to its key.

use crate::config::Reach;
use crate::db::Db;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::ingest::currency::expect_currency;
use crate::office::stores::store;
use crate::secret;
use crate::table::hub::{self, Identity};
use crate::table::notice::{self, Kind};
use crate::table::replaced_key;
use domain::model::base::time::UtcMs;
use domain::wire::sync::{Enrol, Enrolled, VERSION_BYTES_MAX};
use edge::{ApiError, keys};

/// Way for a store to get another token.
const NEW_TOKEN: &str = "ask head office for a new one (cloud-hub store add ID --new-token)";

/// Enrols a store. The same token with the same key again gives the same answer: the first one may
/// have been lost.
///
/// # Errors
/// 401 `invalid_credentials` or `token_expired`, 409 `duplicate` for another key, 403 `store_disabled`, 422 for another
/// currency: the token is kept.
pub async fn enrol(
    db: &Db,
    identity: &Identity,
    ask: &Enrol,
    reach: Reach,
    now: UtcMs,
) -> Result<Enrolled, Failure> {
    if keys::parse_public_key(&ask.public_key).is_none() {
        return Err(ApiError::field(
            "public_key",
            "must be 32 bytes in base64url, and not a weak key that anybody can sign with",
        )
        .into());
    }
    if ask.version.len() > VERSION_BYTES_MAX {
        return Err(ApiError::field("version", "must have at most 64 bytes").into());
    }
    let mut write = db.write().await?;
    // The token's hash finds the row and locks it: a wrong token costs one statement.
    let sql = "UPDATE stores SET contacted_at = $3 WHERE store_id = $1 AND token_hash = $2 \
               RETURNING token_expires_at, token_key, public_key, disabled, current_n";
    let query = sqlx::query(sql).bind(&ask.store_id).bind(secret::digest(&ask.enrolment_token)).bind(now.0);
    let row = query.fetch_optional(&mut **write).await?.ok_or_else(|| wrong_token(ask))?;
    if row.cell("disabled")? {
        return Err(crate::table::store::disabled().into());
    }
    expect_currency(&ask.store_id, &ask.currency, hub::currency(&mut write).await?.code())?;
    match row.cell::<Option<String>>("token_key")? {
        Some(key) if key == ask.public_key => {}
        Some(_) => {
            let message = format!(
                "this enrolment token was used by another installation of {}: {NEW_TOKEN}",
                ask.store_id
            );
            return Err(ApiError::new(edge::Code::Duplicate, message).into());
        }
        None if row.cell::<i64>("token_expires_at")? < now.0 => return Err(expired(ask).into()),
        None => {
            let sql = "UPDATE stores SET token_key = $2, public_key = $2, enrolled_at = $3, version = $4, \
                       members_reach = $5 WHERE store_id = $1";
            let query =
                sqlx::query(sql).bind(&ask.store_id).bind(&ask.public_key).bind(now.0).bind(&ask.version);
            query.bind(reach.name()).execute(&mut **write).await?;
            let old: Option<String> = row.cell("public_key")?;
            replaced_key::replace(&mut write, &ask.store_id, old.as_deref(), &ask.public_key, now).await?;
            store::take_name(&mut write, &ask.store_id, &ask.name, now).await?;
            notice::tell(&mut write, Kind::Store, (&ask.store_id, &ask.store_id)).await?;
        }
    }
    let n = row.cell("current_n")?;
    write.commit().await?;
    Ok(Enrolled { hub_id: identity.hub_id.clone(), hub_generation: identity.generation.clone(), n })
}

/// The same error for a store that does not exist: a token is valid for one store, and reveals nothing about others.
fn wrong_token(ask: &Enrol) -> ApiError {
    let message = format!(
        "the enrolment token does not belong to store {:?}: copy the whole token, check the store's ID, or {NEW_TOKEN}",
        ask.store_id
    );
    ApiError::new(edge::Code::InvalidCredentials, message)
}

fn expired(ask: &Enrol) -> ApiError {
    let message = format!("the enrolment token of {} has expired: {NEW_TOKEN}", ask.store_id);
    ApiError::new(edge::Code::TokenExpired, message)
}
