//! Settings of the machine: sockets, disk, tokens, pace.

use super::duration::Period;
use edge::telemetry::LogFormat;
use serde::{Deserialize, Serialize};
use std::{net::SocketAddr, path::PathBuf};

/// `[http]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Http {
    /// Address and port.
    pub listen: SocketAddr,
    /// Peers outside of these networks are refused.
    pub allowed_networks: Vec<ipnet::IpNet>,
    /// Largest request body.
    pub max_body_bytes: u64,
    /// Time for a whole request.
    pub request_timeout: Period,
    /// Open connections at once.
    pub max_connections: usize,
    /// PEM file of the certificate chain; empty: plain HTTP.
    pub tls_cert: PathBuf,
    /// PEM file of its private key.
    pub tls_key: PathBuf,
    /// What a browser's address bar shows, for passkeys.
    pub origin: String,
}

impl Default for Http {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([0, 0, 0, 0], 8081)),
            allowed_networks: private_networks(),
            max_body_bytes: 1_048_576,
            request_timeout: Period::seconds(10),
            max_connections: 1024,
            tls_cert: PathBuf::new(),
            tls_key: PathBuf::new(),
            origin: String::new(),
        }
    }
}

/// Loopback, RFC 1918, link-local and unique local addresses.
fn private_networks() -> Vec<ipnet::IpNet> {
    [
        "127.0.0.0/8",
        "::1/128",
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "169.254.0.0/16",
        "fe80::/10",
        "fc00::/7",
    ]
    .into_iter()
    .filter_map(|network| network.parse().ok())
    .collect()
}

/// `[storage]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Storage {
    /// The data folder.
    pub path: PathBuf,
    /// Memory for current rows.
    pub cache_bytes: u64,
    /// Below this much free space, changes are refused with 507.
    pub min_free_bytes: u64,
}

impl Default for Storage {
    fn default() -> Self {
        Self { path: PathBuf::from("./data"), cache_bytes: 67_108_864, min_free_bytes: 268_435_456 }
    }
}

/// `[auth]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Auth {
    /// Lifetime of an access token.
    pub access_ttl: Period,
    /// Lifetime of a refresh token.
    pub refresh_ttl: Period,
    /// The work of one password check.
    pub argon2: Argon2,
}

impl Default for Auth {
    fn default() -> Self {
        Self { access_ttl: Period::hours(1), refresh_ttl: Period::days(7), argon2: Argon2::default() }
    }
}

/// `auth.argon2`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Argon2 {
    /// Memory in KiB.
    pub memory_kib: u32,
    /// Passes over it.
    pub iterations: u32,
    /// Lanes.
    pub parallelism: u32,
}

impl Default for Argon2 {
    fn default() -> Self {
        Self { memory_kib: 65_536, iterations: 3, parallelism: 1 }
    }
}

/// `[supervision]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Supervision {
    /// Restarts that a child may have within the period.
    pub max_restarts: u32,
    /// The sliding period.
    pub period: Period,
}

impl Default for Supervision {
    fn default() -> Self {
        Self { max_restarts: 5, period: Period::seconds(60) }
    }
}

/// `[idempotency]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Idempotency {
    /// Days for which an answer is kept for its key.
    pub retention_days: u32,
}

impl Default for Idempotency {
    fn default() -> Self {
        Self { retention_days: 7 }
    }
}

/// `[hub]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hub {
    /// Its address; empty: the one of `enrol`, else the store works alone.
    pub url: String,
    /// How long a pull waits for a change.
    pub pull_wait: Period,
}

impl Default for Hub {
    fn default() -> Self {
        Self { url: String::new(), pull_wait: Period::seconds(30) }
    }
}

/// `[sync]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sync {
    /// Most events in one push.
    pub batch_events: usize,
    /// Days for which acknowledged records are still offered.
    pub retain_days: u32,
    /// First pause after a failure.
    pub backoff_min: Period,
    /// Longest pause.
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

/// `[log]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// `pretty` for a person, `json` for a collector.
    pub format: LogFormat,
    /// `error`, `warn`, `info`, `debug`, `trace`, or directives of tracing's filter.
    pub level: String,
}

impl Default for Log {
    fn default() -> Self {
        Self { format: LogFormat::Pretty, level: "info".to_owned() }
    }
}
