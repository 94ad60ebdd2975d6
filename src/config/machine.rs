//! Settings of the machine: sockets, disk, tokens, pace.

use super::duration::Period;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

pub type Http = edge::settings::http::Http<StorePort>;

/// 8081
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StorePort;

impl edge::settings::http::Port for StorePort {
    const PORT: u16 = 8081;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Storage {
    pub path: PathBuf,
    /// Memory for current rows.
    pub cache_bytes: u64,
    /// Changed rows that are gathered in memory before they go to the rows on the disk.
    pub memtable_bytes: usize,
    /// Below this much free space, changes are refused with 507.
    pub min_free_bytes: u64,
}

impl Default for Storage {
    fn default() -> Self {
        Self {
            path: PathBuf::from("./data"),
            cache_bytes: 67_108_864,
            memtable_bytes: 1_048_576,
            min_free_bytes: 268_435_456,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Backup {
    /// Number of backups requested from a page that are kept.
    pub keep: usize,
    /// Longest time that a restore drill may take.
    pub drill_limit: Period,
}

impl Default for Backup {
    fn default() -> Self {
        Self { keep: 3, drill_limit: Period::hours(2) }
    }
}

pub type Auth = edge::settings::auth::Auth;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Supervision {
    /// Restarts that a child may have within the period.
    pub max_restarts: u32,
    pub period: Period,
}

impl Default for Supervision {
    fn default() -> Self {
        Self { max_restarts: 5, period: Period::seconds(60) }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Idempotency {
    /// Days for which an answer is kept for its key, 7 to 400.
    pub retention_days: u32,
}

impl Default for Idempotency {
    fn default() -> Self {
        Self { retention_days: 7 }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hub {
    /// Its address; empty: the one of `enrol`, or no hub.
    pub url: String,
    /// Time that a pull waits for a change.
    pub pull_wait: Period,
    /// PEM file of the only trusted authority; empty: the system's authorities.
    pub ca_cert: PathBuf,
}

impl Default for Hub {
    fn default() -> Self {
        Self { url: String::new(), pull_wait: Period::seconds(30), ca_cert: PathBuf::new() }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sync {
    /// Most events in one push.
    pub batch_events: usize,
    /// Days for which acknowledged records are still offered.
    pub retain_days: u32,
    /// First pause after a failure.
    pub backoff_min: Period,
    pub backoff_max: Period,
}

impl Default for Sync {
    fn default() -> Self {
        Self {
            batch_events: 500,
            retain_days: 35,
            backoff_min: Period::seconds(1),
            backoff_max: Period::seconds(300),
        }
    }
}

pub type Log = edge::settings::log::Log;
