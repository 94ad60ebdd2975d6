//! Users of head office and their sessions.

use crate::failure::Failure;
use domain::ids::{SessionId, StoreId, UserId};
use domain::refusal::Refusal;
use domain::time::UtcMs;
use domain::user::{Caller, Role, Session, User};
use edge::{ApiError, ids, tokens::Claims};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool, Row};

/// Roles that log in at a hub.
pub const ROLES: [Role; 3] = [Role::Admin, Role::HoFinance, Role::HoPurchasing];
/// The longest login and display name, in bytes.
const NAME_BYTES_MAX: usize = 128;
const COLUMNS: &str =
    "user_id, username, name, role, password_hash, token_version, disabled, created_at, updated_at";

/// What a new user is made of.
pub struct NewUser {
    /// Login name.
    pub username: String,
    /// Display name.
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
    /// What is wrong with the names or the role, for a person.
    pub fn new(username: &str, name: &str, role: Role, password_hash: String) -> Result<Self, String> {
        let username = username.trim().to_lowercase();
        let visible = !username.chars().any(|c| c.is_control() || c.is_whitespace());
        if !visible || !(1..=NAME_BYTES_MAX).contains(&username.len()) {
            return Err("a login name has 1 to 128 bytes and no spaces".to_owned());
        }
        let name = name.trim();
        if !(1..=NAME_BYTES_MAX).contains(&name.len()) || name.chars().any(char::is_control) {
            return Err("a name has 1 to 128 bytes".to_owned());
        }
        if !ROLES.contains(&role) {
            return Err(format!("a hub knows the roles {}", ROLES.map(Role::name).join(", ")));
        }
        Ok(Self { username, name: name.to_owned(), role, password_hash })
    }
}

/// Adds a user.
///
/// # Errors
/// 409 `duplicate` for a login name that exists.
pub async fn add(connection: &mut AnyConnection, new: &NewUser, now: UtcMs) -> Result<UserId, Failure> {
    let id = ids::new("usr_");
    let sql = "INSERT INTO users (user_id, username, name, role, password_hash, token_version, disabled, \
               created_at, updated_at) VALUES ($1, $2, $3, $4, $5, 1, 0, $6, $6) ON CONFLICT (username) DO NOTHING";
    let done = sqlx::query(sql)
        .bind(&id)
        .bind(&new.username)
        .bind(&new.name)
        .bind(new.role.name())
        .bind(&new.password_hash)
        .bind(now.0)
        .execute(connection)
        .await?;
    if done.rows_affected() == 1 {
        return Ok(UserId(id));
    }
    Err(ApiError::from(Refusal::Duplicate { what: "user", id: new.username.clone() }).into())
}

/// Kills every token of a user at once; false if there is no such user.
///
/// # Errors
/// The database's.
pub async fn revoke(connection: &mut AnyConnection, username: &str, now: UtcMs) -> Result<bool, sqlx::Error> {
    let sql = "UPDATE users SET token_version = token_version + 1, updated_at = $2 WHERE username = $1";
    let done = sqlx::query(sql).bind(username.trim().to_lowercase()).bind(now.0).execute(connection).await?;
    Ok(done.rows_affected() == 1)
}

/// Everyone, by login name.
///
/// # Errors
/// The database's.
pub async fn list(pool: &AnyPool) -> Result<Vec<User>, sqlx::Error> {
    let sql = sqlx::AssertSqlSafe(format!("SELECT {COLUMNS} FROM users ORDER BY username"));
    sqlx::query(sql).fetch_all(pool).await?.iter().map(user).collect()
}

/// The user of a login name (lower-cased).
///
/// # Errors
/// The database's.
pub async fn by_name(pool: &AnyPool, username: &str) -> Result<Option<User>, sqlx::Error> {
    let sql = sqlx::AssertSqlSafe(format!("SELECT {COLUMNS} FROM users WHERE username = $1"));
    sqlx::query(sql).bind(username).fetch_optional(pool).await?.as_ref().map(user).transpose()
}

/// Opens a session and forgets those that have expired.
///
/// # Errors
/// The database's.
pub async fn open_session(
    connection: &mut AnyConnection,
    user: &User,
    now: UtcMs,
    expires_at: UtcMs,
) -> Result<Session, sqlx::Error> {
    let session = Session {
        session_id: SessionId(ids::new("ses_")),
        user_id: user.user_id.clone(),
        token_version: user.token_version,
        opened_at: now,
        expires_at,
    };
    sqlx::query("DELETE FROM sessions WHERE expires_at < $1").bind(now.0).execute(&mut *connection).await?;
    let sql = "INSERT INTO sessions (session_id, user_id, token_version, opened_at, expires_at) \
               VALUES ($1, $2, $3, $4, $5)";
    sqlx::query(sql)
        .bind(session.session_id.as_str())
        .bind(session.user_id.as_str())
        .bind(unsigned(session.token_version))
        .bind(now.0)
        .bind(expires_at.0)
        .execute(connection)
        .await?;
    Ok(session)
}

/// The caller behind verified claims: its session is there, its user neither disabled nor revoked since.
/// The role is the user's of now, not the token's.
///
/// # Errors
/// 401 `token_revoked`, 403 `account_disabled`.
pub async fn caller(pool: &AnyPool, claims: &Claims) -> Result<Caller, Failure> {
    let sql = "SELECT u.name, u.role, u.disabled, u.token_version, s.token_version FROM sessions s \
               JOIN users u ON u.user_id = s.user_id WHERE s.session_id = $1 AND s.user_id = $2";
    let row = sqlx::query(sql).bind(&claims.sid).bind(&claims.sub).fetch_optional(pool).await?;
    let row = row.ok_or_else(ApiError::token_revoked)?;
    if row.try_get::<i64, _>(2)? != 0 {
        return Err(ApiError::account_disabled().into());
    }
    let (current, opened): (i64, i64) = (row.try_get(3)?, row.try_get(4)?);
    if current != opened || unsigned(claims.ver) != current {
        return Err(ApiError::token_revoked().into());
    }
    Ok(Caller {
        user_id: UserId(claims.sub.clone()),
        name: row.try_get(0)?,
        role: role(row.try_get(1)?)?,
        store_id: StoreId::default(),
        session_id: SessionId(claims.sid.clone()),
    })
}

fn unsigned(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn role(name: &str) -> Result<Role, sqlx::Error> {
    Role::parse(name).ok_or_else(|| sqlx::Error::Decode(format!("unknown role {name}").into()))
}

fn user(row: &AnyRow) -> Result<User, sqlx::Error> {
    Ok(User {
        user_id: UserId(row.try_get(0)?),
        username: row.try_get(1)?,
        name: row.try_get(2)?,
        role: role(row.try_get(3)?)?,
        store_id: StoreId::default(),
        password_hash: row.try_get(4)?,
        token_version: row.try_get::<i64, _>(5)?.unsigned_abs(),
        disabled: row.try_get::<i64, _>(6)? != 0,
        created_at: UtcMs(row.try_get(7)?),
        updated_at: UtcMs(row.try_get(8)?),
    })
}
