//! Stores: their permission to synchronise, and their reported status.

use crate::db::column::Columns;
use crate::db::document::encode;
use crate::db::failure::Failure;
use crate::feed::{self, Entry};
use crate::table::books::journal::OWN_BOOK;
use crate::table::{alarm, epoch};
use crate::{columns, secret};
use domain::model::base::ids::{SHORT_ID_PROBLEM, StoreId, is_short_id};
use domain::model::base::limits::NAME_CHARS_MAX;
use domain::model::base::patch::Given;
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::model::books::register::share_numbers;
use domain::model::hub::chain::GENESIS;
use domain::wire::feed::{Kind, StoreDown};
use domain::wire::sync::ZONE_BYTES_MAX;
use edge::ApiError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use std::time::Duration;

/// The longest address, in characters.
const ADDRESS_CHARS_MAX: usize = 500;

/// Fields of a new store.
pub struct NewStore {
    id: String,
    name: String,
    timezone: String,
}

/// Kind of store: with a Store Router, or a warehouse of head office.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "StoreKind")]
pub enum StoreKind {
    /// A store with a Store Router.
    #[default]
    Store,
    /// A warehouse of head office, without a Store Router. Nothing is sold there.
    Warehouse,
}

impl StoreKind {
    /// The name that the API uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Warehouse => "warehouse",
        }
    }

    /// The kind of a row.
    pub fn of(name: &str) -> Self {
        if name == Self::Warehouse.name() { Self::Warehouse } else { Self::Store }
    }
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
        if id.eq_ignore_ascii_case(OWN_BOOK) {
            return Err(ApiError::field(
                "store_id",
                "must not be HO: exported entries name head office's own book HO",
            ));
        }
        if !(1..=NAME_CHARS_MAX).contains(&name.chars().count()) || name.chars().any(char::is_control) {
            return Err(ApiError::field("name", "must have 1 to 255 characters"));
        }
        if jiff::tz::TimeZone::get(timezone).is_err() {
            return Err(ApiError::field("timezone", "is not an IANA time zone"));
        }
        Ok(Self { id: id.to_owned(), name: name.to_owned(), timezone: timezone.to_owned() })
    }

    pub fn id(&self) -> &str {
        &self.id
    }
}

/// Adds a store; returns its enrolment token, which is stored nowhere.
///
/// # Errors
/// 409 `duplicate` for an ID that exists; 422 for one that would share receipt numbers with another store.
pub async fn add(
    connection: &mut AnyConnection,
    new: &NewStore,
    ttl: Duration,
    now: UtcMs,
) -> Result<String, Failure> {
    insert(connection, new, StoreKind::Store, now).await?;
    let token = new_token(connection, &new.id, ttl, now).await?;
    let token = token.ok_or_else(|| ApiError::not_found("the store"))?;
    let reported = StoreDown { store_id: StoreId(new.id.clone()), name: new.name.clone(), disabled: false };
    publish(connection, &reported, now).await?;
    Ok(token)
}

/// Adds a warehouse, with the epoch that its records are written in.
///
/// # Errors
/// The errors of [`add`].
pub async fn add_warehouse(
    connection: &mut AnyConnection,
    new: &NewStore,
    now: UtcMs,
) -> Result<(), Failure> {
    insert(connection, new, StoreKind::Warehouse, now).await?;
    let epoch = format!("1-{}", secret::mark());
    let sql = "UPDATE stores SET current_epoch = $2, current_n = 1, enrolled_at = $3, last_seen_at = $3, pending = 0, \
               day_start = '00:00' WHERE store_id = $1";
    sqlx::query(sql).bind(&new.id).bind(&epoch).bind(now.0).execute(&mut *connection).await?;
    let sql = "INSERT INTO epochs (store_id, epoch, seq, hash, stable_seq, opened_at) VALUES ($1, $2, 0, $3, 0, $4)";
    let query = sqlx::query(sql).bind(&new.id).bind(&epoch).bind(GENESIS).bind(now.0);
    query.execute(&mut *connection).await?;
    let reported = StoreDown { store_id: StoreId(new.id.clone()), name: new.name.clone(), disabled: false };
    publish(connection, &reported, now).await?;
    Ok(())
}

async fn insert(
    connection: &mut AnyConnection,
    new: &NewStore,
    kind: StoreKind,
    now: UtcMs,
) -> Result<(), Failure> {
    let sql = "INSERT INTO stores (store_id, name, timezone, disabled, created_at, current_n, kind) \
               VALUES ($1, $2, $3, 0, $4, 0, $5) ON CONFLICT (store_id) DO NOTHING";
    let query =
        sqlx::query(sql).bind(&new.id).bind(&new.name).bind(&new.timezone).bind(now.0).bind(kind.name());
    if query.execute(&mut *connection).await?.rows_affected() == 0 {
        return Err(ApiError::from(Refusal::Duplicate { what: "store", id: new.id.clone() }).into());
    }
    let others: Vec<String> = sqlx::query_scalar("SELECT store_id FROM stores ORDER BY store_id")
        .fetch_all(&mut *connection)
        .await?;
    if let Some(other) = others.iter().find(|other| share_numbers(other, &new.id)) {
        let problem = format!(
            "would share receipt numbers with store {other}: a store's ID must not begin with the ID of another store and a hyphen"
        );
        return Err(ApiError::field("store_id", problem).into());
    }
    Ok(())
}

/// Fields of a store that can be changed. Omitted fields stay as they are.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "StoreFields")]
pub struct Fields {
    /// Name of the store.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: Option<String>,
    /// Address of the store. Empty or null for none.
    #[serde(default)]
    #[schemars(length(max = ADDRESS_CHARS_MAX))]
    pub address: Given<String>,
    /// Time zone of the store, IANA name. It can't be changed after the store's first record.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(min = 1, max = ZONE_BYTES_MAX))]
    pub timezone: Option<String>,
}

/// Name and address of a store.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StoreChanged")]
pub struct Changed {
    /// ID of the store.
    pub store_id: String,
    /// Name of the store.
    pub name: String,
    /// Address of the store. Null if none was given.
    pub address: Option<String>,
    /// Time zone of the store, IANA name.
    pub timezone: String,
}

/// Changes a store, and returns it before and after the change. All stores receive a new name.
///
/// # Errors
/// 404; 422 with the field that is wrong.
pub async fn change(
    connection: &mut AnyConnection,
    store_id: &str,
    fields: Fields,
    now: UtcMs,
) -> Result<[Changed; 2], Failure> {
    let sql = "UPDATE stores SET store_id = store_id WHERE store_id = $1 RETURNING name, timezone, address, disabled";
    let row = sqlx::query(sql).bind(store_id).fetch_optional(&mut *connection).await?;
    let row = row.ok_or_else(|| ApiError::not_found("the store"))?;
    let (name, timezone, address, disabled): (String, String, Option<String>, bool) =
        columns!(row => (name, timezone, address, disabled));
    let new = NewStore::new(
        store_id,
        fields.name.as_deref().unwrap_or(&name),
        fields.timezone.as_deref().unwrap_or(&timezone),
    )?;
    let before = Changed { store_id: store_id.to_owned(), name, address, timezone };
    let (name, timezone) = (&before.name, &before.timezone);
    // The spaces around it count too: the longest text of the request is then the longest of the document.
    let long = fields.address.value().is_some_and(|text| text.chars().count() > ADDRESS_CHARS_MAX);
    let address = fields
        .address
        .over(before.address.clone())
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty());
    if long || address.as_ref().is_some_and(|text| text.chars().any(char::is_control)) {
        return Err(ApiError::field("address", "must have at most 500 characters on one line").into());
    }
    if new.timezone != *timezone && has_records(connection, store_id).await? {
        let problem = format!(
            "can't change from {timezone} after the store's first record: its business days would move"
        );
        return Err(ApiError::field("timezone", problem).into());
    }
    let sql = "UPDATE stores SET name = $2, timezone = $3, address = $4 WHERE store_id = $1";
    let query = sqlx::query(sql).bind(store_id).bind(&new.name).bind(&new.timezone).bind(&address);
    query.execute(&mut *connection).await?;
    let NewStore { id, name: called, timezone } = new;
    if called != *name {
        let reported = StoreDown { store_id: StoreId(id.clone()), name: called.clone(), disabled };
        publish(connection, &reported, now).await?;
    }
    let after = Changed { store_id: id, name: called, address, timezone };
    Ok([before, after])
}

async fn has_records(connection: &mut AnyConnection, store_id: &str) -> Result<bool, sqlx::Error> {
    let sql = "SELECT COUNT(*) FROM epochs WHERE store_id = $1 AND seq > 0";
    Ok(sqlx::query_scalar::<_, i64>(sql).bind(store_id).fetch_one(connection).await? > 0)
}

/// Uses the name that a store reports for itself if head office has given it none: its name is still its ID. An
/// invalid name is ignored.
pub async fn take_name(
    connection: &mut AnyConnection,
    store_id: &str,
    name: &str,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    if NewStore::new(store_id, name, "UTC").is_err() {
        return Ok(());
    }
    let sql =
        "UPDATE stores SET name = $2 WHERE store_id = $1 AND name = $1 AND name <> $2 RETURNING disabled";
    let renamed = sqlx::query(sql).bind(store_id).bind(name).fetch_optional(&mut *connection).await?;
    let Some(row) = renamed else { return Ok(()) };
    let reported = StoreDown {
        store_id: StoreId(store_id.to_owned()),
        name: name.to_owned(),
        disabled: row.cell("disabled")?,
    };
    publish(connection, &reported, now).await
}

/// Publishes a store to all stores, which list it as a destination of transfers.
async fn publish(connection: &mut AnyConnection, store: &StoreDown, now: UtcMs) -> Result<(), sqlx::Error> {
    let entry = Entry::for_all(Kind::Store, store.store_id.as_str(), encode(store)?);
    feed::publish(connection, vec![entry], now).await
}

/// Makes a new enrolment token. The old one is no longer valid; the enrolled key is, until the token is used. Returns
/// `None` if there is no such store; a warehouse can't be enrolled. Epochs without records are deleted, and so are the
/// alarms about them: a replaced key may have been used to invent them.
pub async fn new_token(
    connection: &mut AnyConnection,
    store_id: &str,
    ttl: Duration,
    now: UtcMs,
) -> Result<Option<String>, sqlx::Error> {
    let token = secret::token();
    let ttl_ms = i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX);
    let sql = "UPDATE stores SET token_hash = $2, token_expires_at = $3, token_key = NULL WHERE store_id = $1 AND kind = 'store'";
    let query =
        sqlx::query(sql).bind(store_id).bind(secret::digest(&token)).bind(now.0.saturating_add(ttl_ms));
    if query.execute(&mut *connection).await?.rows_affected() == 0 {
        return Ok(None);
    }
    epoch::drop_empty(connection, store_id).await?;
    for code in [alarm::EPOCH_AHEAD, alarm::LINEAGE, alarm::TAKE_OVERS] {
        alarm::clear(connection, store_id, code).await?;
    }
    Ok(Some(token))
}

/// Whether a store may connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StoreState {
    /// The store was never enrolled.
    New,
    /// The store may connect.
    Active,
    /// The store is refused.
    Disabled,
}

impl StoreState {
    /// The name that the API uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Active => "active",
            Self::Disabled => "disabled",
        }
    }

    /// The state of a row.
    pub fn of(disabled: bool, enrolled: bool) -> Self {
        match (disabled, enrolled) {
            (true, _) => Self::Disabled,
            (false, false) => Self::New,
            (false, true) => Self::Active,
        }
    }
}

/// Disables or enables a store; returns its state afterwards; `None` if there is no such store.
pub async fn set_disabled(
    connection: &mut AnyConnection,
    store_id: &str,
    disabled: bool,
    now: UtcMs,
) -> Result<Option<StoreState>, sqlx::Error> {
    let sql = "UPDATE stores SET disabled_at = CASE WHEN $2 = 1 AND disabled = 1 THEN disabled_at ELSE $3 END, disabled = $2 \
         WHERE store_id = $1 RETURNING name, enrolled_at";
    let query = sqlx::query(sql).bind(store_id).bind(i64::from(disabled));
    let row = query.bind(disabled.then_some(now.0)).fetch_optional(&mut *connection).await?;
    let Some(row) = row else { return Ok(None) };
    let (name, enrolled_at): (String, Option<i64>) = columns!(row => (name, enrolled_at));
    publish(connection, &StoreDown { store_id: StoreId(store_id.to_owned()), name, disabled }, now).await?;
    Ok(Some(StoreState::of(disabled, enrolled_at.is_some())))
}

/// Name of the action in the audit log.
pub const fn audit_action(disabled: bool) -> &'static str {
    if disabled { "store.disabled" } else { "store.enabled" }
}
