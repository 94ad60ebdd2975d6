//! Configuration of the tree.

use crate::runtime::source::Source;
use domain::model::base::time::UtcMs;
use domain::model::people::user::costs::Costs;
use domain::wire::sync::BackupDrill;
use std::{sync::Arc, time::Duration};

/// Makes a new, short-lived, signed token for one call to the hub with the given ID, for the time of its challenge;
/// without one, the store's own clock is good enough.
pub type TokenSource = Arc<dyn Fn(&str, Option<&TimeChallenge>) -> Option<String> + Send + Sync>;

/// Whether the key of that name is this box's: the signing one or the one of a running enrolment.
pub type OwnKey = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// Reads the result of the last restore drill.
pub type DrillSource = Arc<dyn Fn() -> Option<BackupDrill> + Send + Sync>;

/// Challenge of a hub that refused a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeChallenge {
    /// Time that the hub takes for now.
    pub time: UtcMs,
    /// Challenge that a token for that time has to carry: the hub knows its own.
    pub challenge: String,
}

/// Settings of the synchronisation with the hub.
#[derive(Clone)]
pub struct SyncConfig {
    /// Most events in one push.
    pub batch_events: usize,
    /// Days for which acknowledged records are still offered, at least.
    pub retain_days: u32,
    /// First pause after a failure; full jitter below it.
    pub backoff_min: Duration,
    pub backoff_max: Duration,
    /// Time that a pull may wait for a change.
    pub pull_wait: Duration,
    pub token: TokenSource,
    pub own_key: OwnKey,
    /// PEM of the only authority whose certificates the hub may show; `None` if the system's authorities are trusted.
    pub authority: Option<Arc<[u8]>>,
    /// The program's version, sent with a hello.
    pub version: String,
    /// ISO 4217 code of the store's currency, sent with a hello.
    pub currency: String,
    /// Result of the last restore drill, sent with a hello.
    pub drill: DrillSource,
    /// The most that a password hash from head office may cost to check.
    pub costs_max: Costs,
}

/// Everything that [`crate::start`] needs beside storage and rules.
#[derive(Clone)]
pub struct ActorsConfig {
    /// The time that was certain when the program ended, as far as it was kept.
    pub confirmed: Option<UtcMs>,
    /// Restarts a child may have within `period`; one more ends the process with exit code 70.
    pub max_restarts: u32,
    /// The sliding period of the restart budget.
    pub period: Duration,
    /// Source of the time and of new IDs.
    pub source: Source,
    pub sync: SyncConfig,
}
