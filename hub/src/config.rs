//! Settings: `hub.toml`, then the environment, over the defaults.

use edge::settings::{Settings, duration::Period};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

mod check;

/// Every setting of the hub, section by section.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Who this head office is.
    pub hub: Hub,
    /// The HTTP edge.
    pub http: Http,
    /// The database.
    pub database: Database,
    /// Where keys lie.
    pub storage: Storage,
    /// Backups.
    pub backup: Backup,
    /// Tokens and passwords.
    pub auth: Auth,
    /// Synchronisation.
    pub sync: Sync,
    /// Members.
    pub members: Members,
    /// The log.
    pub log: Log,
}

impl Settings for Config {
    const FILES: &'static [&'static str] = &["./hub.toml", "/etc/cloud-hub/hub.toml"];
    const ENV_PREFIX: &'static str = "CLOUD_HUB__";
    const MASKED: &'static [&'static str] = &["database.url"];

    fn problems(&self) -> Vec<(&'static str, String)> {
        check::problems(self)
    }
}

/// `[hub]`
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hub {
    /// Its name in tokens; empty: `init` makes one up.
    pub id: String,
}

/// `[http]`
pub type Http = edge::settings::http::Http<HubPort>;

/// 8090
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HubPort;

impl edge::settings::http::Port for HubPort {
    const PORT: u16 = 8090;
}

/// `[database]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Database {
    /// `sqlite://FILE` or `postgres://…`.
    pub url: String,
    /// Connections to it at once, of one process.
    pub connections: u32,
}

impl Default for Database {
    fn default() -> Self {
        Self { url: "sqlite://./data/hub.sqlite".to_owned(), connections: 16 }
    }
}

/// `[storage]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Storage {
    /// The folder of the keys.
    pub path: PathBuf,
}

impl Default for Storage {
    fn default() -> Self {
        Self { path: PathBuf::from("./data") }
    }
}

/// `[backup]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Backup {
    /// How many backups `backup DIR` keeps in one folder.
    pub keep: usize,
}

impl Default for Backup {
    fn default() -> Self {
        Self { keep: 7 }
    }
}

/// `[auth]`
pub type Auth = edge::settings::auth::Auth;

/// `[sync]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sync {
    /// Batches that are taken in at once; above it stores are asked to come back.
    pub batches_at_once: usize,
    /// How long an enrolment token may be used.
    pub enrolment_ttl: Period,
    /// How long the feed keeps a change after a later one of the same record.
    pub feed_retain: Period,
}

impl Default for Sync {
    fn default() -> Self {
        Self { batches_at_once: 64, enrolment_ttl: Period::hours(24), feed_retain: Period::days(92) }
    }
}

/// `[members]`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Members {
    /// Which stores are told of a member.
    pub reach: Reach,
}

/// Which stores are told of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Every store.
    #[default]
    All,
    /// Those that have met it: that made it, or asked for it.
    Met,
}

impl Reach {
    /// As in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Met => "met",
        }
    }
}

/// `[log]`
pub type Log = edge::settings::log::Log;
