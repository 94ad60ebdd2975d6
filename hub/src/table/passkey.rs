//! `passkeys`: devices that log in instead of a password.

use super::Cells;
use crate::user::signed;
use domain::ids::UserId;
use domain::user::passkey::Passkey;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Error, Row};

/// What [`read`] reads.
pub const COLUMNS: &str =
    "credential_id, user_id, name, counter, token_version, created_at, last_used_at, document";

/// A row.
///
/// # Errors
/// It is damaged.
pub fn read(row: &AnyRow) -> Result<Passkey, Error> {
    Ok(Passkey {
        credential_id: row.try_get("credential_id")?,
        user_id: UserId(row.try_get("user_id")?),
        name: row.try_get("name")?,
        counter: u32::try_from(row.unsigned("counter")?).unwrap_or(u32::MAX),
        token_version: row.unsigned("token_version")?,
        created_at: row.instant("created_at")?,
        last_used_at: row.maybe_instant("last_used_at")?,
        document: row.try_get("document")?,
    })
}

/// Adds a device.
///
/// # Errors
/// The database's.
pub async fn insert(connection: &mut AnyConnection, passkey: &Passkey) -> Result<(), Error> {
    let sql = "INSERT INTO passkeys (credential_id, user_id, name, counter, token_version, created_at, document) \
               VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let query = sqlx::query(sql).bind(&passkey.credential_id).bind(passkey.user_id.as_str());
    let query =
        query.bind(&passkey.name).bind(i64::from(passkey.counter)).bind(signed(passkey.token_version));
    query.bind(passkey.created_at.0).bind(&passkey.document).execute(connection).await.map(drop)
}
