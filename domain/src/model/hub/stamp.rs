//! Data beside events: the hub that they are reported to, how far it has them, and the stamp of each.

use crate::model::base::ids::EventId;
use serde::{Deserialize, Serialize};

/// The hub that a store belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HubIdentity {
    /// The hub's ID: the audience of the store's tokens.
    pub hub_id: String,
    pub url: String,
    /// Its generation at the last hello.
    pub generation: String,
}

/// Position up to which the hub has acknowledged an epoch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AckMark {
    pub epoch: String,
    /// The last acknowledged seq; 0 if there is none.
    pub seq: u64,
    /// Its hash; 64 zeros if there is none.
    pub hash: String,
    /// The hub's stable seq.
    pub stable_seq: u64,
}

/// Identity of one fact: assigned at the edge, an argument of every rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// Wall-clock time of the fact.
    pub now: crate::model::base::time::UtcMs,
    /// The hybrid clock's tick for it.
    pub at: String,
    pub event_id: EventId,
}
