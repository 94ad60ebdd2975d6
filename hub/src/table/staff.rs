//! `staff`: people of stores, given by head office or told by a store.

use super::{Cells, user};
use crate::staff::Staff;
use crate::user::signed;
use domain::sync::UserDown;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Error, Row};

/// What [`read`] reads and [`write()`] writes, in this order.
pub const COLUMNS: &str = "user_id, username, name, role, store_id, password_hash, password_version, token_version, \
                           disabled, grants, origin, created_at, updated_at";

/// A row.
///
/// # Errors
/// It is damaged.
pub fn read(row: &AnyRow) -> Result<Staff, Error> {
    Ok(Staff {
        down: UserDown {
            user_id: row.try_get::<String, _>("user_id")?.into(),
            username: row.try_get("username")?,
            name: row.try_get("name")?,
            role: user::role(row)?,
            store_id: row.try_get::<String, _>("store_id")?.into(),
            password_hash: row.try_get("password_hash")?,
            password_version: row.unsigned("password_version")?,
            token_version: row.unsigned("token_version")?,
            disabled: row.flag("disabled")?,
            grant: row.unsigned("grants")?,
        },
        origin: row.try_get("origin")?,
        created_at: row.instant("created_at")?,
        updated_at: row.instant("updated_at")?,
    })
}

/// Adds somebody, or does what `on_conflict` says where there is somebody of this id; how many rows that wrote.
///
/// # Errors
/// The database's.
pub async fn write(connection: &mut AnyConnection, staff: &Staff, on_conflict: &str) -> Result<u64, Error> {
    let sql = format!(
        "INSERT INTO staff ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) \
         ON CONFLICT (user_id) {on_conflict}"
    );
    let down = &staff.down;
    let query =
        sqlx::query(AssertSqlSafe(sql)).bind(down.user_id.as_str()).bind(&down.username).bind(&down.name);
    let query = query.bind(down.role.name()).bind(down.store_id.as_str()).bind(down.password_hash.clone());
    let query = query.bind(signed(down.password_version)).bind(signed(down.token_version));
    let query = query.bind(i64::from(down.disabled)).bind(signed(down.grant)).bind(&staff.origin);
    let query = query.bind(staff.created_at.0).bind(staff.updated_at.0);
    Ok(query.execute(connection).await?.rows_affected())
}
