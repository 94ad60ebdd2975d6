//! `staff`: people of stores, given by head office or reported by a store.

use crate::columns;
use crate::db::filter::folded;
use crate::db::signed;
use domain::model::base::time::UtcMs;
use domain::model::people::user::FieldTimes;
use domain::wire::feed::UserDown;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Error};

/// The origin of a user whom head office gave to a store.
pub const GIVEN: &str = "hub";

/// A person of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staff {
    /// Data that is sent to the store.
    pub down: UserDown,
    /// `hub` or `store`: who made it.
    pub origin: String,
    /// When the user was last changed.
    pub updated_at: UtcMs,
}

/// Columns that [`read`] reads and [`write()`] writes, in this order.
pub const COLUMNS: &str = "user_id, username, name, role, store_id, password_hash, username_at, name_at, role_at, \
                           password_at, token_version, disabled, grants, origin, created_at, updated_at";

/// Reads a row.
///
/// # Errors
/// The row is damaged.
pub fn read(row: &AnyRow) -> Result<Staff, Error> {
    let (origin, updated_at): (String, UtcMs) = columns!(row => (origin, updated_at));
    let times = columns!(row => FieldTimes {
        username: "username_at", name: "name_at", role: "role_at", password: "password_at"
    });
    let down = columns!(row => UserDown {
        user_id, username, name, role, store_id, password_hash, token_version, disabled, grant: "grants",
        created_at; given = origin == GIVEN, times = times
    });
    Ok(Staff { down, origin, updated_at })
}

/// Adds a user, or handles an existing ID by `on_conflict`; returns the number of written rows.
pub async fn write(connection: &mut AnyConnection, staff: &Staff, on_conflict: &str) -> Result<u64, Error> {
    let sql = format!(
        "INSERT INTO staff ({COLUMNS}, folded) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, \
         $15, $16, $17) \
         ON CONFLICT (user_id) {on_conflict}"
    );
    let down = &staff.down;
    let query =
        sqlx::query(AssertSqlSafe(sql)).bind(down.user_id.as_str()).bind(&down.username).bind(&down.name);
    let query = query.bind(down.role.name()).bind(down.store_id.as_str()).bind(down.password_hash.clone());
    let FieldTimes { username, name, role, password } = down.times;
    let query = query.bind(username.0).bind(name.0).bind(role.0).bind(password.0);
    let query = query.bind(signed(down.token_version));
    let query = query.bind(i64::from(down.disabled)).bind(signed(down.grant)).bind(&staff.origin);
    let query = query.bind(down.created_at.0).bind(staff.updated_at.0);
    let query = query.bind(folded(&[&down.username, &down.name]));
    Ok(query.execute(connection).await?.rows_affected())
}
