//! `users`: people of head office.

use super::Cells;
use crate::user::signed;
use domain::ids::{StoreId, UserId};
use domain::user::{Role, User};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Error, Row};

/// What [`read`] reads.
pub const COLUMNS: &str =
    "user_id, username, name, role, password_hash, token_version, disabled, created_at, updated_at";

/// A role by its name.
///
/// # Errors
/// There is no such role.
pub fn role(row: &AnyRow) -> Result<Role, Error> {
    let name: &str = row.try_get("role")?;
    Role::parse(name).ok_or_else(|| Error::Decode(format!("unknown role {name}").into()))
}

/// A row.
///
/// # Errors
/// It is damaged.
pub fn read(row: &AnyRow) -> Result<User, Error> {
    Ok(User {
        user_id: UserId(row.try_get("user_id")?),
        username: row.try_get("username")?,
        name: row.try_get("name")?,
        role: role(row)?,
        store_id: StoreId::default(),
        password_hash: row.try_get("password_hash")?,
        token_version: row.unsigned("token_version")?,
        disabled: row.flag("disabled")?,
        created_at: row.instant("created_at")?,
        updated_at: row.instant("updated_at")?,
    })
}

/// Adds or changes a person.
///
/// # Errors
/// The database's.
pub async fn put(connection: &mut AnyConnection, user: &User) -> Result<(), Error> {
    let sql = "INSERT INTO users (user_id, username, name, role, password_hash, token_version, disabled, \
               created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (user_id) DO UPDATE \
               SET username = $2, name = $3, role = $4, password_hash = $5, token_version = $6, disabled = $7, \
               updated_at = $9";
    let query = sqlx::query(sql).bind(user.user_id.as_str()).bind(&user.username).bind(&user.name);
    let query = query.bind(user.role.name()).bind(&user.password_hash).bind(signed(user.token_version));
    let query = query.bind(i64::from(user.disabled)).bind(user.created_at.0).bind(user.updated_at.0);
    query.execute(connection).await.map(drop)
}
