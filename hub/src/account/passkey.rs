//! Devices of head office's people.

use crate::account::user;
use crate::db::signed;
use crate::table::audit;
use crate::table::passkey::{COLUMNS, read};
use domain::model::base::ids::UserId;
use domain::model::base::time::UtcMs;
use domain::model::people::user::{Passkey, User};
use domain::rules::people::user::passkey;
use domain::rules::people::user::passkey::Assertion;
use serde_json::json;
use sqlx::{AnyConnection, AnyPool};

pub use crate::table::passkey::insert as add;

/// The devices with which a user may log in now, in order of their IDs.
pub async fn of(pool: &AnyPool, user: &User) -> Result<Vec<Passkey>, sqlx::Error> {
    let sql = format!("SELECT {COLUMNS} FROM passkeys WHERE user_id = $1 ORDER BY credential_id");
    let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(user.user_id.as_str());
    let rows = rows.fetch_all(pool).await?;
    let mut passkeys = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    passkeys.retain(|passkey| passkey.is_alive(user));
    Ok(passkeys)
}

pub async fn all(connection: &mut AnyConnection) -> Result<Vec<Passkey>, sqlx::Error> {
    let sql = sqlx::AssertSqlSafe(format!("SELECT {COLUMNS} FROM passkeys"));
    sqlx::query(sql).fetch_all(connection).await?.iter().map(read).collect()
}

pub async fn remove(connection: &mut AnyConnection, passkey: &Passkey) -> Result<(), sqlx::Error> {
    let sql = "DELETE FROM passkeys WHERE credential_id = $1 AND user_id = $2";
    let query = sqlx::query(sql).bind(&passkey.credential_id).bind(passkey.user_id.as_str());
    query.execute(connection).await.map(drop)
}

/// Removes the devices of a user that died with the tokens, in the transaction that killed those, and returns
/// their number. `None` if the user is not of head office. `by` is recorded as the author.
pub async fn remove_dead(
    connection: &mut AnyConnection,
    by: &UserId,
    user_id: &UserId,
    now: UtcMs,
) -> Result<Option<usize>, sqlx::Error> {
    let Some(user) = user::by_id(connection, user_id).await? else { return Ok(None) };
    let dead = passkey::dead(&user, &all(connection).await?);
    for device in &dead {
        remove(connection, device).await?;
    }
    if !dead.is_empty() {
        let details = json!({"user_id": user_id, "devices_removed": dead.len()});
        audit::append(connection, by, "passkey.removed", &details, now).await?;
    }
    Ok(Some(dead.len()))
}

/// Counts an assertion: compared with the row and swapped in one statement. Returns false if the device is
/// gone, or its counter has not risen.
pub async fn count(
    connection: &mut AnyConnection,
    user: &User,
    assertion: &Assertion,
    now: UtcMs,
) -> Result<bool, sqlx::Error> {
    let sql = "UPDATE passkeys SET counter = $3, document = $4, last_used_at = $5 \
               WHERE credential_id = $1 AND user_id = $2 AND (counter < $3 OR (counter = 0 AND $3 = 0)) \
               AND token_version = $6";
    let query = sqlx::query(sql).bind(&assertion.credential_id).bind(user.user_id.as_str());
    let query = query.bind(i64::from(assertion.counter)).bind(&assertion.document).bind(now.0);
    let query = query.bind(signed(user.token_version));
    Ok(query.execute(connection).await?.rows_affected() == 1)
}
