//! The actors of an open store, started with what they need of its settings: for the daemon, or for one command.

use crate::config::{Config, rules};
use crate::{confirmed_time, folder, hub_address};
use actors::{ActorsConfig, Source, StartError, StoreHandle, Supervision, SyncConfig, TimeChallenge};
use anyhow::Context;
use domain::model::base::settings::Rules;
use edge::keys::SigningKey;
use edge::{clock, ids, tokens};
use std::sync::Arc;
use storage::Storage;

/// Starts them for the daemon.
///
/// # Errors
/// Settings or keys that are wrong, exit code 74 for rows that can't be read, or an actor that does not start.
pub async fn serving(config: &Config, storage: Storage) -> anyhow::Result<(StoreHandle, Supervision)> {
    let (rules, actors_config) = arguments(config)?;
    actors::start(storage, rules, actors_config).await.map_err(not_started)
}

/// Starts them on a stopped store for one command: not a word goes to the hub.
///
/// # Errors
/// As [`serving`].
pub async fn offline(config: &Config, storage: Storage) -> anyhow::Result<(StoreHandle, Supervision)> {
    let (rules, actors_config) = arguments(config)?;
    actors::start_offline(storage, rules, actors_config).await.map_err(not_started)
}

fn arguments(config: &Config) -> anyhow::Result<(Rules, ActorsConfig)> {
    Ok((rules::rules(config).context("store.timezone")?, actors_config(config)?))
}

/// Rows that can't be read are the disk's failure, whoever reads them first.
fn not_started(error: StartError) -> anyhow::Error {
    match error {
        StartError::Storage(error) => folder::in_use(error),
        error => error.into(),
    }
}

/// What the actors need of the settings.
fn actors_config(config: &Config) -> anyhow::Result<ActorsConfig> {
    let key = SigningKey::load(&folder::sync_key(config))?;
    let store_id = config.store.id.clone();
    let token = move |hub_id: &str, told: Option<&TimeChallenge>| match told {
        Some(TimeChallenge { time, challenge }) => {
            tokens::sync::issue_for(&key, &store_id, hub_id, *time, challenge.clone()).ok()
        }
        None => tokens::sync::issue(&key, &store_id, hub_id, clock::now()).ok(),
    };
    Ok(ActorsConfig {
        confirmed: confirmed_time::kept(&config.storage.path),
        max_restarts: config.supervision.max_restarts,
        period: config.supervision.period.duration(),
        source: Source { now: clock::now, id: ids::new },
        sync: SyncConfig {
            batch_events: config.sync.batch_events,
            retain_days: config.sync.retain_days,
            backoff_min: config.sync.backoff_min.duration(),
            backoff_max: config.sync.backoff_max.duration(),
            pull_wait: config.hub.pull_wait.duration(),
            authority: hub_address::authority(config)?,
            token: Arc::new(token),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            costs_max: config.auth.argon2.params()?.most(),
        },
    })
}
