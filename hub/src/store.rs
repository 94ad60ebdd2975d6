//! Stores: who may synchronise, and what each told of itself.

use crate::db::Db;
use crate::document::encode;
use crate::failure::Failure;
use crate::feed::{self, Entry};
use crate::secret;
use domain::ids::{SHORT_ID_PROBLEM, StoreId, is_short_id};
use domain::refusal::Refusal;
use domain::register::share_numbers;
use domain::sync::{Kind, StoreDown};
use domain::time::UtcMs;
use edge::ApiError;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::{AnyConnection, AnyPool, Row};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub mod enrol;
mod problem;
pub mod status;
pub mod sums;

/// The longest store name, in bytes.
const NAME_BYTES_MAX: usize = 128;

/// What a store is made of.
pub struct NewStore {
    id: String,
    name: String,
    timezone: String,
}

impl NewStore {
    /// A checked store.
    ///
    /// # Errors
    /// 422 with the field that is wrong.
    pub fn new(id: &str, name: &str, timezone: &str) -> Result<Self, ApiError> {
        if !is_short_id(id) {
            return Err(ApiError::field("store_id", SHORT_ID_PROBLEM));
        }
        if !(1..=NAME_BYTES_MAX).contains(&name.len()) || name.chars().any(char::is_control) {
            return Err(ApiError::field("name", "must have 1 to 128 bytes"));
        }
        if jiff::tz::TimeZone::get(timezone).is_err() {
            return Err(ApiError::field("timezone", "is not an IANA time zone"));
        }
        Ok(Self { id: id.to_owned(), name: name.to_owned(), timezone: timezone.to_owned() })
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }
}

/// Adds a store; gives back its enrolment token, which is kept nowhere.
///
/// # Errors
/// 409 `duplicate` for an id that exists; 422 for one that would share receipt numbers with another store.
pub async fn add(
    connection: &mut AnyConnection,
    new: &NewStore,
    ttl: Duration,
    now: UtcMs,
) -> Result<String, Failure> {
    let sql = "INSERT INTO stores (store_id, name, timezone, disabled, created_at, current_n) \
               VALUES ($1, $2, $3, 0, $4, 0) ON CONFLICT (store_id) DO NOTHING";
    let query = sqlx::query(sql).bind(&new.id).bind(&new.name).bind(&new.timezone).bind(now.0);
    if query.execute(&mut *connection).await?.rows_affected() == 0 {
        return Err(ApiError::from(Refusal::Duplicate { what: "store", id: new.id.clone() }).into());
    }
    let others: Vec<String> = sqlx::query_scalar("SELECT store_id FROM stores ORDER BY store_id")
        .fetch_all(&mut *connection)
        .await?;
    if let Some(other) = others.iter().find(|other| share_numbers(other, &new.id)) {
        let problem = format!(
            "would share receipt numbers with store {other}: no store's id may be another's with a - after it"
        );
        return Err(ApiError::field("store_id", problem).into());
    }
    let token = new_token(connection, &new.id, ttl, now).await?;
    let token = token.ok_or_else(|| ApiError::not_found("the store"))?;
    let told = StoreDown { store_id: StoreId(new.id.clone()), name: new.name.clone(), disabled: false };
    tell(connection, &told, now).await?;
    Ok(token)
}

/// Tells every store of a store: what may be sent where.
async fn tell(connection: &mut AnyConnection, store: &StoreDown, now: UtcMs) -> Result<(), sqlx::Error> {
    let entry = Entry::for_all(Kind::Store, store.store_id.as_str(), encode(store)?);
    feed::publish(connection, vec![entry], now).await
}

/// A new enrolment token; the old one no longer counts, the enrolled key does until it is used. None:
/// there is no such store.
///
/// # Errors
/// The database's.
pub async fn new_token(
    connection: &mut AnyConnection,
    store_id: &str,
    ttl: Duration,
    now: UtcMs,
) -> Result<Option<String>, sqlx::Error> {
    let token = secret::token();
    let ttl_ms = i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX);
    let sql =
        "UPDATE stores SET token_hash = $2, token_expires_at = $3, token_key = NULL WHERE store_id = $1";
    let query =
        sqlx::query(sql).bind(store_id).bind(secret::digest(&token)).bind(now.0.saturating_add(ttl_ms));
    let found = query.execute(connection).await?.rows_affected() == 1;
    Ok(found.then_some(token))
}

/// Whether a store may speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StoreState {
    /// It was never enrolled.
    New,
    /// It may.
    Active,
    /// It is refused.
    Disabled,
}

impl StoreState {
    /// The API's word.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Active => "active",
            Self::Disabled => "disabled",
        }
    }

    /// As the row says it.
    pub fn of(disabled: bool, enrolled: bool) -> Self {
        match (disabled, enrolled) {
            (true, _) => Self::Disabled,
            (false, false) => Self::New,
            (false, true) => Self::Active,
        }
    }
}

/// Lets a store speak, or not: its state afterwards; none if there is no such store.
///
/// # Errors
/// The database's.
pub async fn set_disabled(
    connection: &mut AnyConnection,
    store_id: &str,
    disabled: bool,
    now: UtcMs,
) -> Result<Option<StoreState>, sqlx::Error> {
    let sql =
        "UPDATE stores SET disabled = $2, disabled_at = $3 WHERE store_id = $1 RETURNING name, enrolled_at";
    let query = sqlx::query(sql).bind(store_id).bind(i64::from(disabled));
    let row = query.bind(disabled.then_some(now.0)).fetch_optional(&mut *connection).await?;
    let Some(row) = row else { return Ok(None) };
    let (name, enrolled_at): (String, Option<i64>) = (row.try_get(0)?, row.try_get(1)?);
    tell(connection, &StoreDown { store_id: StoreId(store_id.to_owned()), name, disabled }, now).await?;
    Ok(Some(StoreState::of(disabled, enrolled_at.is_some())))
}

/// What the audit log calls it.
pub fn audit_action(disabled: bool) -> &'static str {
    if disabled { "store.disabled" } else { "store.enabled" }
}

/// Refuses a store that was disabled since its token was checked: asked once more when the answer is ready, so
/// that nothing leaves for it after that.
///
/// # Errors
/// 403 `store_disabled`; 401 for a store that is gone.
pub async fn may_hear(pool: &AnyPool, store_id: &str) -> Result<(), Failure> {
    let known = credentials(pool, store_id).await?.ok_or_else(ApiError::invalid_token)?;
    if known.disabled { Err(disabled().into()) } else { Ok(()) }
}

/// What is needed to check a store's token.
pub struct Credentials {
    /// Its name.
    pub name: String,
    /// Ed25519, base64url; none before it was enrolled.
    pub public_key: Option<String>,
    /// It may not speak.
    pub disabled: bool,
}

/// The credentials of a store; none: no such store.
///
/// # Errors
/// The database's.
pub async fn credentials(pool: &AnyPool, store_id: &str) -> Result<Option<Credentials>, sqlx::Error> {
    let sql = "SELECT name, public_key, disabled FROM stores WHERE store_id = $1";
    let row = sqlx::query(sql).bind(store_id).fetch_optional(pool).await?;
    row.map(|row| {
        let disabled = row.try_get::<i64, _>(2)? != 0;
        Ok(Credentials { name: row.try_get(0)?, public_key: row.try_get(1)?, disabled })
    })
    .transpose()
}

/// The time zone of a store; UTC for one that names none.
///
/// # Errors
/// The database's.
pub async fn zone(connection: &mut AnyConnection, store_id: &str) -> Result<TimeZone, sqlx::Error> {
    let sql = "SELECT timezone FROM stores WHERE store_id = $1";
    let name: Option<String> = sqlx::query_scalar(sql).bind(store_id).fetch_optional(connection).await?;
    Ok(name.and_then(|name| TimeZone::get(&name).ok()).unwrap_or(TimeZone::UTC))
}

/// Refuses a reference to a store that is not there.
///
/// # Errors
/// 422 with the field.
pub async fn check_known(connection: &mut AnyConnection, field: &str, store_id: &str) -> Result<(), Failure> {
    if is_known(connection, store_id).await? {
        Ok(())
    } else {
        Err(ApiError::field(field, "is no store").into())
    }
}

/// Whether there is such a store.
///
/// # Errors
/// The database's.
pub async fn is_known(connection: &mut AnyConnection, store_id: &str) -> Result<bool, sqlx::Error> {
    let sql = "SELECT COUNT(*) FROM stores WHERE store_id = $1";
    Ok(sqlx::query_scalar::<_, i64>(sql).bind(store_id).fetch_one(connection).await? > 0)
}

/// How often a store that only listens is written down as heard, in milliseconds.
const SEEN_EVERY_MS: i64 = 60_000;

/// When each store was heard that only listens, and when that was written down by this process.
#[derive(Default)]
pub struct Seen(Mutex<HashMap<String, Heard>>);

#[derive(Default)]
struct Heard {
    at: i64,
    written: i64,
}

impl Seen {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Heard>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers that a store was heard; [`Seen::write`] writes it down.
    pub fn note(&self, store_id: &str, now: UtcMs) {
        self.all().entry(store_id.to_owned()).or_default().at = now.0;
    }

    /// Writes down who was heard since the last time, in one transaction for all: an idle store only listens.
    ///
    /// # Errors
    /// The database's; the next time finds them.
    pub async fn write(&self, db: &Db) -> Result<(), sqlx::Error> {
        let late = |heard: &Heard| heard.at.saturating_sub(heard.written).abs() >= SEEN_EVERY_MS;
        let heard: BTreeMap<String, i64> = {
            let all = self.all();
            let late = all.iter().filter(|(_, heard)| late(heard));
            late.map(|(store_id, heard)| (store_id.clone(), heard.at)).collect()
        };
        if heard.is_empty() {
            return Ok(());
        }
        let mut write = db.write().await?;
        for (store_id, at) in &heard {
            let sql = "UPDATE stores SET last_seen_at = $2 WHERE store_id = $1";
            sqlx::query(sql).bind(store_id).bind(at).execute(&mut **write).await?;
        }
        write.commit().await?;
        let mut all = self.all();
        for (store_id, at) in heard {
            all.entry(store_id).or_default().written = at;
        }
        Ok(())
    }
}

/// 403: this store may not speak. Its queue stays with it.
pub fn disabled() -> ApiError {
    ApiError::new(403, "store_disabled", "this store is disabled at the hub")
}
