//! Settings of head office for a store that override its settings file.

use crate::db::document::encode;
use crate::db::failure::Failure;
use crate::feed::{self, Entry};
use crate::projection::fields::{self, Writer};
use crate::secret;
use crate::table::store;
use domain::model::base::refusal::{FieldProblem, Refusal};
use domain::model::base::time::UtcMs;
use domain::model::hub::hlc::Clock;
use domain::rules::base::store_settings::{self, SETTABLE};
use domain::wire::feed::{FieldDown, Kind, STORE_SETTINGS, StoreSettingsDown};
use domain::wire::record::FieldWrite;
use edge::ApiError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::AnyConnection;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Resource of a store's settings by head office. Its ID is the store's, and each setting is a field.
const RESOURCE: &str = "store_settings";

/// Settings by section and key, as in the store's settings file; null if the file's value applies.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(rename = "StoreSettings")]
pub struct View(BTreeMap<String, Value>);

/// New value; null restores the value of the store's settings file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(rename = "StoreSettingsChange")]
pub struct Change(BTreeMap<String, Value>);

/// Settings of a store.
///
/// # Errors
/// 404.
pub async fn read(connection: &mut AnyConnection, store_id: &str) -> Result<View, Failure> {
    if !store::is_known(&mut *connection, store_id).await? {
        return Err(ApiError::not_found("the store").into());
    }
    let known = fields::read(connection, RESOURCE, store_id).await?;
    let value = |name: &str| known.get(name).map_or(Value::Null, |field| field.value.clone());
    Ok(View(SETTABLE.into_iter().map(|name| (name.to_owned(), value(name))).collect()))
}

/// Changes the requested settings, all or none, and sends them to the store.
///
/// # Errors
/// 404; 422 with the unknown keys, and the invalid values.
pub async fn change(
    connection: &mut AnyConnection,
    clock: &Mutex<Clock>,
    store_id: &str,
    Change(asked): Change,
    now: UtcMs,
) -> Result<[View; 2], Failure> {
    let problems: Vec<FieldProblem> =
        asked.iter().filter_map(|(name, value)| problem(name, value)).flatten().collect();
    if !problems.is_empty() {
        return Err(ApiError::validation(&problems).into());
    }
    // The first statement locks the store's row: concurrent changes are made one after the other.
    if !store::lock(connection, store_id).await? {
        return Err(ApiError::not_found("the store").into());
    }
    let before = read(connection, store_id).await?;
    let known = fields::read(connection, RESOURCE, store_id).await?;
    let stamp = clock.lock().unwrap_or_else(PoisonError::into_inner).now(now);
    let write = |(name, value): (String, Value)| {
        let base = known.get(&name).map(|now| now.by.clone()).unwrap_or_default();
        (name, FieldWrite { value, at: stamp.clone(), base })
    };
    let differing = asked
        .into_iter()
        .filter(|(name, value)| known.get(name).map_or(!value.is_null(), |now| now.value != *value));
    let writes: BTreeMap<String, FieldWrite> = differing.map(write).collect();
    if !writes.is_empty() {
        let change = format!("chg_{}", secret::mark());
        let writer = Writer { by: &change, stamp: &stamp, store_id: "", now };
        let mut lost = Vec::new();
        let written = fields::write(connection, RESOURCE, store_id, &writes, &writer, &mut lost).await?;
        publish(connection, store_id, written.version, now).await?;
    }
    Ok([before, read(connection, store_id).await?])
}

fn problem(name: &str, value: &Value) -> Option<Vec<FieldProblem>> {
    let refused = match value {
        Value::Null if SETTABLE.contains(&name) => return None,
        value => store_settings::check(name, value).err()?,
    };
    Some(match refused {
        Refusal::ValidationFailed(problems) => problems,
        other => vec![FieldProblem { path: name.to_owned(), problem: other.words() }],
    })
}

/// Sends all settings of a store as one record, which the store applies as a whole.
async fn publish(
    connection: &mut AnyConnection,
    store_id: &str,
    version: String,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let set = in_force(&mut *connection, store_id).await?;
    let entry = Entry::for_store(Kind::Settings, STORE_SETTINGS, store_id, encode(&set)?);
    feed::publish(connection, vec![Entry { version: Some(version), ..entry }], now).await
}

/// The settings that head office has set for a store.
///
/// # Errors
/// A database error.
pub async fn in_force(
    connection: &mut AnyConnection,
    store_id: &str,
) -> Result<StoreSettingsDown, sqlx::Error> {
    let known = fields::read(connection, RESOURCE, store_id).await?;
    let fields: BTreeMap<String, FieldDown> =
        known.into_iter().filter(|(_, field)| !field.value.is_null()).collect();
    Ok(StoreSettingsDown { fields })
}
