//! `api_keys`: keys with which programs call the API.

use crate::columns;
use crate::db::column::Columns;
use crate::db::document::encode;
use crate::table::key_scope::Scope;
use domain::model::base::ids::UserId;
use domain::model::base::time::UtcMs;
use domain::model::people::user::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe, Error};

/// Role of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ApiKeyRole")]
pub enum KeyRole {
    /// Reads everything that finance or purchasing may read, and changes nothing.
    ReadOnly,
    /// As a user with the role `ho_finance`.
    HoFinance,
    /// As a user with the role `ho_purchasing`.
    HoPurchasing,
    /// As an administrator, without users, passkeys and API keys.
    Admin,
}

impl KeyRole {
    const ALL: [Self; 4] = [Self::ReadOnly, Self::HoFinance, Self::HoPurchasing, Self::Admin];

    /// The role's name as in JSON.
    pub fn name(self) -> &'static str {
        self.user_role().map_or("read_only", Role::name)
    }

    /// Role of a user with the same rights. `None` for a key that only reads.
    pub fn user_role(self) -> Option<Role> {
        match self {
            Self::ReadOnly => None,
            Self::HoFinance => Some(Role::HoFinance),
            Self::HoPurchasing => Some(Role::HoPurchasing),
            Self::Admin => Some(Role::Admin),
        }
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// An API key, without its secret.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ApiKey {
    /// ID of the key, `key_…`. It is the user ID in the audit log and on documents.
    pub key_id: UserId,
    /// Name of the key.
    pub name: String,
    /// Role of the key.
    pub role: KeyRole,
    /// Scopes of the key. Every request outside of them is refused.
    pub scopes: Vec<Scope>,
    /// Stores that the key may read. Empty for all stores.
    pub store_ids: Vec<String>,
    /// Last four characters of the secret.
    pub hint: String,
    /// When the secret before the last rotation stops working. Null if the key was never rotated.
    pub previous_until: Option<UtcMs>,
    /// ID of the user who created the key.
    pub created_by: UserId,
    /// When the key was created.
    pub created_at: UtcMs,
    /// When the key expires. Null if it does not expire.
    pub expires_at: Option<UtcMs>,
    /// When the key was revoked. Null if it was not revoked.
    pub revoked_at: Option<UtcMs>,
    /// When the key was last used, to the hour. Null if it was never used.
    pub last_used_at: Option<UtcMs>,
}

const COLUMNS: &str = "key_id, name, role, scopes, store_ids, hint, previous_until, created_by, created_at, expires_at, \
                       revoked_at, last_used_at";

fn read(row: &AnyRow) -> Result<ApiKey, Error> {
    Ok(columns!(row => ApiKey {
        key_id, name, hint, previous_until, created_by, created_at, expires_at, revoked_at, last_used_at;
        role = row.word("role", KeyRole::parse)?, scopes = row.json("scopes")?, store_ids = row.json("store_ids")?,
    }))
}

pub async fn insert(connection: &mut AnyConnection, key: &ApiKey, hash: &str) -> Result<(), Error> {
    let sql = "INSERT INTO api_keys (key_id, name, role, scopes, store_ids, hash, hint, created_by, created_at, \
               expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    let query = sqlx::query(sql).bind(key.key_id.as_str()).bind(&key.name).bind(key.role.name());
    let query = query.bind(encode(&key.scopes)?).bind(encode(&key.store_ids)?).bind(hash).bind(&key.hint);
    let query = query.bind(key.created_by.as_str()).bind(key.created_at.0);
    query.bind(key.expires_at.map(|at| at.0)).execute(connection).await.map(drop)
}

/// The key with this hash of a secret, and whether that is the secret before the last rotation.
pub async fn by_hash(pool: &AnyPool, hash: &str) -> Result<Option<(ApiKey, bool)>, Error> {
    let sql = format!(
        "SELECT {COLUMNS}, CAST(CASE WHEN hash = $1 THEN 0 ELSE 1 END AS BIGINT) AS is_previous FROM api_keys \
         WHERE hash = $1 OR previous_hash = $1"
    );
    let row = sqlx::query(AssertSqlSafe(sql)).bind(hash).fetch_optional(pool).await?;
    row.map(|row| Ok((read(&row)?, row.cell("is_previous")?))).transpose()
}

/// Keys after an ID, in the order of their creation.
pub async fn list(pool: &AnyPool, after: &str, limit: i64) -> Result<Vec<ApiKey>, Error> {
    let sql = format!("SELECT {COLUMNS} FROM api_keys WHERE key_id > $1 ORDER BY key_id LIMIT {limit}");
    sqlx::query(AssertSqlSafe(sql)).bind(after).fetch_all(pool).await?.iter().map(read).collect()
}

/// A key whose row is locked until this transaction ends.
pub async fn locked(connection: &mut AnyConnection, key_id: &str) -> Result<Option<ApiKey>, Error> {
    let sql = "UPDATE api_keys SET name = name WHERE key_id = $1";
    sqlx::query(sql).bind(key_id).execute(&mut *connection).await?;
    let sql = format!("SELECT {COLUMNS} FROM api_keys WHERE key_id = $1");
    let row = sqlx::query(AssertSqlSafe(sql)).bind(key_id).fetch_optional(connection).await?;
    row.as_ref().map(read).transpose()
}

/// Gives the key another secret; the previous one works until `previous_until`.
pub async fn rotate(connection: &mut AnyConnection, key: &ApiKey, hash: &str) -> Result<(), Error> {
    let sql = "UPDATE api_keys SET previous_hash = hash, previous_until = $2, hash = $3, hint = $4 WHERE key_id = $1";
    let query = sqlx::query(sql).bind(key.key_id.as_str()).bind(key.previous_until.map(|at| at.0));
    query.bind(hash).bind(&key.hint).execute(connection).await.map(drop)
}

pub async fn revoke(connection: &mut AnyConnection, key_id: &UserId, now: UtcMs) -> Result<(), Error> {
    let sql = "UPDATE api_keys SET revoked_at = $2 WHERE key_id = $1";
    sqlx::query(sql).bind(key_id.as_str()).bind(now.0).execute(connection).await.map(drop)
}

/// Notes that the key was used, if the last note is older than `before`.
pub async fn used(
    connection: &mut AnyConnection,
    key_id: &UserId,
    now: UtcMs,
    before: UtcMs,
) -> Result<(), Error> {
    let sql = "UPDATE api_keys SET last_used_at = $2 WHERE key_id = $1 \
               AND (last_used_at IS NULL OR last_used_at < $3)";
    sqlx::query(sql).bind(key_id.as_str()).bind(now.0).bind(before.0).execute(connection).await.map(drop)
}
