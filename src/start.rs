//! Starts the actors of an open store with the settings that they need: for the daemon, or for one command.

use crate::config::{Config, rules};
use crate::exit::{Exit, USAGE};
use crate::sync_key::SyncKey;
use crate::upkeep::drill;
use crate::{confirmed_time, folder, hub_address};
use actors::{ActorsConfig, Source, StartError, StoreHandle, Supervision, SyncConfig, TimeChallenge};
use anyhow::Context;
use domain::model::base::settings::Rules;
use domain::model::hub::sync::local::SoldIn;
use edge::passkeys::Passkeys;
use edge::tokens::Keys;
use edge::{clock, ids, tokens};
use serde::{Deserialize, Serialize};
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

/// Starts them on a stopped store for one command: nothing is sent to the hub.
///
/// # Errors
/// The errors of [`serving`].
pub async fn offline(config: &Config, storage: Storage) -> anyhow::Result<(StoreHandle, Supervision)> {
    let (rules, actors_config) = arguments(config)?;
    actors::start_offline(storage, rules, actors_config).await.map_err(not_started)
}

/// Time zone and currency of sales, from the settings.
fn sold_in(config: &Config) -> SoldIn {
    SoldIn { timezone: config.store.timezone.clone(), currency: config.store.currency.clone() }
}

/// What the data folder holds and the settings must agree with.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Standing {
    /// Address of the store's head office. `None` without one.
    hub_url: Option<String>,
    /// Time zone and currency of the store's sales. `None` before its first shift.
    sold_in: Option<SoldIn>,
}

impl Standing {
    /// # Errors
    /// 74 for rows that can't be read.
    pub fn of(storage: &Storage) -> anyhow::Result<Self> {
        let hub = storage.sync().hub().map_err(folder::in_use)?;
        let terms = storage.sync().standing().map_err(folder::in_use)?.terms;
        let has_sold = !storage.shifts().shifts(None, 1).map_err(folder::in_use)?.is_empty();
        Ok(Self { hub_url: hub.map(|hub| hub.url), sold_in: terms.filter(|_| has_sold) })
    }
}

/// Checks the settings and keys as every start does: the keys are there, and the settings name the store's head office
/// and the time zone and currency of its sales. `doctor` does the same.
///
/// # Errors
/// Exit code 2 with the setting and advice, or a key that can't be read.
pub fn check(config: &Config, standing: &Standing) -> anyhow::Result<()> {
    if let Some(url) = &standing.hub_url {
        hub_address::agrees(config, url)?;
    }
    check_terms(config, standing)?;
    signing(config)?;
    arguments(config)?;
    Ok(())
}

/// Keys that sign tokens, and the place where passkeys are registered.
///
/// # Errors
/// A key that can't be read, or `http.origin`.
pub fn signing(config: &Config) -> anyhow::Result<(Keys, Passkeys)> {
    let (access, refresh) = (config.auth.access_ttl.duration(), config.auth.refresh_ttl.duration());
    let issuer = format!("store-router:{}", config.store.id);
    let keys = Keys::load(&folder::token_key(config), issuer)?.with_lifetimes(access, refresh);
    let http = &config.http;
    let passkeys = Passkeys::new(&http.origin, http.listen.port()).context("http.origin")?;
    Ok((keys, passkeys))
}

/// Refuses a time zone or currency other than the one of the store's sales.
fn check_terms(config: &Config, standing: &Standing) -> anyhow::Result<()> {
    let Some(terms) = standing.sold_in.clone() else { return Ok(()) };
    let now = sold_in(config);
    for (key, was, is, what) in [
        ("store.timezone", terms.timezone, now.timezone, "business days and times on receipts would move"),
        ("store.currency", terms.currency, now.currency, "amounts would be in another currency"),
    ] {
        if was != is {
            let message = format!(
                "{key} is {is}, but this store has sold in {was}: {what}. Set {key} back to {was}; to use {is}, create a new store with its own data folder and ID"
            );
            return Err(Exit::new(USAGE, message).into());
        }
    }
    Ok(())
}

/// Stores the time zone and currency of sales from now on. If it can't be written, the next start does it.
pub async fn keep_terms(config: &Config, store: &StoreHandle) {
    if let Err(error) = store.keep_terms(sold_in(config)).await {
        tracing::warn!(%error, "time zone and currency could not be stored");
    }
}

fn arguments(config: &Config) -> anyhow::Result<(Rules, ActorsConfig)> {
    Ok((rules::rules(config).context("store.timezone")?, actors_config(config)?))
}

/// Rows that can't be read are the disk's failure, regardless of who reads them first.
fn not_started(error: StartError) -> anyhow::Error {
    match error {
        StartError::Storage(error) => folder::in_use(error),
        error => error.into(),
    }
}

/// Settings that the actors need.
fn actors_config(config: &Config) -> anyhow::Result<ActorsConfig> {
    let key = SyncKey::load(folder::sync_key(config))?;
    let key = Arc::new(key);
    let own = Arc::clone(&key);
    let (store_id, backups) = (config.store.id.clone(), folder::backups(config));
    let token = move |hub_id: &str, hub_challenge: Option<&TimeChallenge>| {
        key.sign(|key| match hub_challenge {
            Some(TimeChallenge { time, challenge }) => {
                tokens::sync::issue_for(key, &store_id, hub_id, *time, challenge.clone()).ok()
            }
            None => tokens::sync::issue(key, &store_id, hub_id, clock::now()).ok(),
        })
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
            own_key: Arc::new(move |kid: &str| own.is_own(kid)),
            version: edge::VERSION.to_owned(),
            currency: config.store.currency.clone(),
            drill: Arc::new(move || drill::last(&backups)),
            costs_max: config.auth.argon2.params()?.most(),
        },
    })
}
