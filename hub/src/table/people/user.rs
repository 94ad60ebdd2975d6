//! `users`: people of head office.

use crate::columns;
use crate::db::filter::folded;
use crate::db::signed;
use domain::model::base::ids::StoreId;
use domain::model::people::user::{FieldTimes, User};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Error};

/// Columns that [`read`] reads.
pub const COLUMNS: &str =
    "user_id, username, name, role, password_hash, token_version, disabled, created_at, updated_at";

/// Reads a row.
///
/// # Errors
/// The row is damaged.
pub fn read(row: &AnyRow) -> Result<User, Error> {
    Ok(columns!(row => User {
        user_id, username, name, role, password_hash, token_version, disabled, created_at, updated_at;
        store_id = StoreId::default(), times = FieldTimes::default()
    }))
}

/// Adds or changes a person.
pub async fn put(connection: &mut AnyConnection, user: &User) -> Result<(), Error> {
    let sql = "INSERT INTO users (user_id, username, name, role, password_hash, token_version, disabled, \
               created_at, updated_at, folded) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
               ON CONFLICT (user_id) DO UPDATE SET username = $2, name = $3, role = $4, password_hash = $5, \
               token_version = $6, disabled = $7, updated_at = $9, folded = $10";
    let query = sqlx::query(sql).bind(user.user_id.as_str()).bind(&user.username).bind(&user.name);
    let query = query.bind(user.role.name()).bind(&user.password_hash).bind(signed(user.token_version));
    let query = query.bind(i64::from(user.disabled)).bind(user.created_at.0).bind(user.updated_at.0);
    query.bind(folded(&[&user.username, &user.name])).execute(connection).await.map(drop)
}
