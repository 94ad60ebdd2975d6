//! Users of head office and their sessions.

use crate::db::failure::Failure;
use crate::db::filter::folded;
use crate::table::audit;
use crate::table::user::{COLUMNS, read};
use domain::model::base::ids::UserId;
use domain::model::base::limits::NAME_CHARS_MAX;
use domain::model::base::refusal::Refusal;
use domain::model::base::text::composed;
use domain::model::base::time::UtcMs;
use domain::model::people::user::{NAME_BYTES_MAX, Role, User};
use edge::{ApiError, ids};
use sqlx::{AnyConnection, AnyPool};

pub use crate::table::audit::append as audit;
pub use crate::table::user::put;

/// Roles that log in at a hub.
pub const ROLES: [Role; 3] = Role::HEAD_OFFICE;

/// Fields of a new user.
pub struct NewUser {
    pub username: String,
    pub name: String,
    /// One of [`ROLES`].
    pub role: Role,
    /// argon2id in PHC form.
    pub password_hash: String,
}

impl NewUser {
    /// A checked user with a lower-cased login name.
    ///
    /// # Errors
    /// Description of the problem with the names or the role, for people.
    pub fn new(username: &str, name: &str, role: Role, password_hash: String) -> Result<Self, String> {
        let username = username.trim().to_lowercase();
        let visible = !username.chars().any(|c| c.is_control() || c.is_whitespace());
        if !visible || !(1..=NAME_BYTES_MAX).contains(&username.len()) {
            return Err("a login name must have 1 to 128 bytes and no spaces".to_owned());
        }
        let name = &*composed(name.trim());
        if !(1..=NAME_CHARS_MAX).contains(&name.chars().count()) || name.chars().any(char::is_control) {
            return Err("a name must have 1 to 255 characters".to_owned());
        }
        if !ROLES.contains(&role) {
            return Err(format!("the role must be one of {}", ROLES.map(Role::name).join(", ")));
        }
        Ok(Self { username, name: name.to_owned(), role, password_hash })
    }
}

/// Adds a user. `by` is recorded as the author; empty for the operator of the machine.
///
/// # Errors
/// 409 `duplicate` for a login name that exists.
pub async fn add(
    connection: &mut AnyConnection,
    by: &UserId,
    new: &NewUser,
    now: UtcMs,
) -> Result<UserId, Failure> {
    let id = ids::new("usr_");
    let sql = "INSERT INTO users (user_id, username, name, role, password_hash, token_version, disabled, \
               created_at, updated_at, folded) VALUES ($1, $2, $3, $4, $5, 1, 0, $6, $6, $7) \
               ON CONFLICT (username) DO NOTHING";
    let done = sqlx::query(sql)
        .bind(&id)
        .bind(&new.username)
        .bind(&new.name)
        .bind(new.role.name())
        .bind(&new.password_hash)
        .bind(now.0)
        .bind(folded(&[&new.username, &new.name]))
        .execute(&mut *connection)
        .await?;
    if done.rows_affected() == 1 {
        let details = serde_json::json!({"user_id": id, "role": new.role});
        audit::append(connection, by, "user.created", &details, now).await?;
        return Ok(UserId(id));
    }
    Err(ApiError::from(Refusal::Duplicate { what: "user", id: new.username.clone() }).into())
}

/// Kills every token of a user at once; false if there is no such user.
pub async fn revoke(connection: &mut AnyConnection, username: &str, now: UtcMs) -> Result<bool, sqlx::Error> {
    let sql = "UPDATE users SET token_version = token_version + 1, updated_at = $2 WHERE username = $1 \
               RETURNING user_id";
    let query = sqlx::query_scalar(sql).bind(username.trim().to_lowercase()).bind(now.0);
    let id: Option<String> = query.fetch_optional(&mut *connection).await?;
    let Some(id) = id else { return Ok(false) };
    let details = serde_json::json!({"user_id": id});
    audit::append(connection, &UserId::default(), "user.tokens_revoked", &details, now).await?;
    Ok(true)
}

/// Gives a user another password, whose hash this is, and kills every token. The operator of the machine did it.
pub async fn reset_password(
    connection: &mut AnyConnection,
    id: &UserId,
    hash: String,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let sql = "UPDATE users SET password_hash = $2, token_version = token_version + 1, updated_at = $3 \
               WHERE user_id = $1";
    sqlx::query(sql).bind(id.as_str()).bind(hash).bind(now.0).execute(&mut *connection).await?;
    let details = serde_json::json!({"user_id": id});
    audit::append(connection, &UserId::default(), "user.password_changed", &details, now).await.map(drop)
}

/// Everyone, by login name.
pub async fn list(pool: &AnyPool) -> Result<Vec<User>, sqlx::Error> {
    let sql = sqlx::AssertSqlSafe(format!("SELECT {COLUMNS} FROM users ORDER BY username"));
    sqlx::query(sql).fetch_all(pool).await?.iter().map(read).collect()
}

/// The user of a login name (lower-cased).
pub async fn by_name(pool: &AnyPool, username: &str) -> Result<Option<User>, sqlx::Error> {
    let sql = sqlx::AssertSqlSafe(format!("SELECT {COLUMNS} FROM users WHERE username = $1"));
    sqlx::query(sql).bind(username).fetch_optional(pool).await?.as_ref().map(read).transpose()
}

pub async fn by_id(connection: &mut AnyConnection, id: &UserId) -> Result<Option<User>, sqlx::Error> {
    let sql = sqlx::AssertSqlSafe(format!("SELECT {COLUMNS} FROM users WHERE user_id = $1"));
    sqlx::query(sql).bind(id.as_str()).fetch_optional(connection).await?.as_ref().map(read).transpose()
}

/// A user whose row is locked until this transaction ends.
pub async fn locked(connection: &mut AnyConnection, id: &UserId) -> Result<Option<User>, sqlx::Error> {
    let sql = "UPDATE users SET updated_at = updated_at WHERE user_id = $1";
    sqlx::query(sql).bind(id.as_str()).execute(&mut *connection).await?;
    by_id(connection, id).await
}

/// Locks all users until this transaction ends: decisions about people are made one at a time, and the rows are
/// protected from writers who change one column without a decision.
pub async fn lock_all(connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE people_turn SET turn = turn + 1").execute(&mut *connection).await?;
    sqlx::query("UPDATE users SET updated_at = updated_at").execute(connection).await.map(drop)
}

/// Whether a user of head office has this ID.
pub async fn has(connection: &mut AnyConnection, id: &str) -> Result<bool, sqlx::Error> {
    let sql = "SELECT COUNT(*) FROM users WHERE user_id = $1";
    Ok(sqlx::query_scalar::<_, i64>(sql).bind(id).fetch_one(connection).await? > 0)
}

/// Everybody, inside of a transaction.
pub async fn all(connection: &mut AnyConnection) -> Result<Vec<User>, sqlx::Error> {
    let sql = sqlx::AssertSqlSafe(format!("SELECT {COLUMNS} FROM users ORDER BY user_id"));
    sqlx::query(sql).fetch_all(connection).await?.iter().map(read).collect()
}

/// Stores a password that was just checked under another hash, if the stored hash is still the checked one.
pub async fn rehash(connection: &mut AnyConnection, user: &User, hash: &str) -> Result<(), sqlx::Error> {
    let sql = "UPDATE users SET password_hash = $2 WHERE user_id = $1 AND password_hash = $3";
    let query = sqlx::query(sql).bind(user.user_id.as_str()).bind(hash).bind(&user.password_hash);
    query.execute(connection).await.map(drop)
}
