//! `passkeys`: devices that log in instead of a password.

use crate::columns;
use crate::db::signed;
use domain::model::people::user::Passkey;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Error};

/// Columns that [`read`] reads.
pub const COLUMNS: &str =
    "credential_id, user_id, name, counter, token_version, created_at, last_used_at, document";

/// Reads a row.
///
/// # Errors
/// The row is damaged.
pub fn read(row: &AnyRow) -> Result<Passkey, Error> {
    Ok(columns!(row => Passkey {
        credential_id, user_id, name, counter, token_version, created_at, last_used_at, document,
    }))
}

pub async fn insert(connection: &mut AnyConnection, passkey: &Passkey) -> Result<(), Error> {
    let sql = "INSERT INTO passkeys (credential_id, user_id, name, counter, token_version, created_at, document) \
               VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let query = sqlx::query(sql).bind(&passkey.credential_id).bind(passkey.user_id.as_str());
    let query =
        query.bind(&passkey.name).bind(i64::from(passkey.counter)).bind(signed(passkey.token_version));
    query.bind(passkey.created_at.0).bind(&passkey.document).execute(connection).await.map(drop)
}
