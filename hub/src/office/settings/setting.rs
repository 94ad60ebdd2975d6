//! Settings that head office may change while the hub runs.

use crate::db::failure::Failure;
use crate::projection::points_pool::{self, LockedPool};
use crate::state::hub::Hub;
use crate::state::office_settings::{self, CHANGEABLE, OfficeSettings};
use crate::table::hub as hub_row;
use domain::model::base::refusal::FieldProblem;
use domain::model::base::time::UtcMs;
use edge::ApiError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::AnyConnection;
use std::collections::BTreeMap;

/// Settings by section and key, as in `hub.toml`. Amounts are in minor currency units, rates in basis points.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(rename = "OfficeSettings")]
pub struct View(BTreeMap<&'static str, Value>);

/// Source of a setting's value.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "OfficeSettingSource")]
pub enum Source {
    /// `hub.toml`, or the default if it is not set there.
    File,
    /// An administrator, who overrode the file.
    Administrator,
}

/// Source of each setting's value, by section and key.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(rename = "OfficeSettingSources")]
pub struct Sources(BTreeMap<&'static str, Source>);

impl Sources {
    /// Reads the present sources.
    ///
    /// # Errors
    /// A database error.
    pub async fn read(connection: &mut AnyConnection) -> Result<Self, sqlx::Error> {
        let set = office_settings::set_here(connection).await?;
        let source = |name: &str| if set.contains(name) { Source::Administrator } else { Source::File };
        Ok(Self(CHANGEABLE.into_iter().map(|name| (name, source(name))).collect()))
    }
}

/// New value; null restores the value of `hub.toml`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(rename = "OfficeSettingsChange")]
pub struct Change(BTreeMap<String, Option<Value>>);

impl View {
    /// The settings that head office may change, from all settings.
    pub fn of(settings: &OfficeSettings) -> Self {
        let value = |name: &'static str| Some((name, settings.value(name)?));
        Self(CHANGEABLE.into_iter().filter_map(value).collect())
    }
}

/// Changes the requested settings, all or none. Returns the settings before and after.
///
/// # Errors
/// 422 with the unknown keys, and the invalid values.
pub async fn change(
    connection: &mut AnyConnection,
    hub: &Hub,
    Change(requested): Change,
    (by, now): (&str, UtcMs),
) -> Result<[View; 2], Failure> {
    let changes_points = requested.contains_key("finance.points_redemption_bp");
    if changes_points {
        // The row has the value of points: the lock puts two concurrent changes one after the other.
        LockedPool::lock(&mut *connection).await?;
    }
    let mut problems = Vec::new();
    let mut settings = hub.settings(&mut *connection).await?;
    let before = View::of(&settings);
    for (name, value) in &requested {
        let known = CHANGEABLE.contains(&name.as_str());
        let set = match value {
            _ if !known => Err("is not a setting that head office can change while it runs".to_owned()),
            Some(value) => settings.clone().with(name, value),
            None => Ok(settings.clone()),
        };
        match set {
            Ok(set) => settings = set,
            Err(problem) => problems.push(FieldProblem { path: name.clone(), problem }),
        }
    }
    if !problems.is_empty() {
        return Err(ApiError::validation(&problems).into());
    }
    office_settings::set(connection, requested, by, now).await?;
    let settings = hub.settings(&mut *connection).await?;
    if let Some(kept) = hub_row::adopt_currency(&mut *connection, &settings.company.currency).await? {
        return Err(ApiError::field("company.currency", office_settings::currency_stays(kept)).into());
    }
    if changes_points {
        points_pool::expect_redeemed(connection, settings.finance.points_redemption_bp).await?;
    }
    Ok([before, View::of(&settings)])
}
