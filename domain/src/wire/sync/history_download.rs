//! The way back: a store's own records, and snapshots of the feed.

use crate::model::base::time::UtcMs;
use crate::wire::feed::{Change, Coverage};
use crate::wire::sync::{ChainHead, PushEvent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Records of an epoch that no store has any more: they were forgotten before the hub heard of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hole {
    /// The first that is missing.
    pub from_seq: u64,
    /// The last that is missing.
    pub to_seq: u64,
    /// The hash at `to_seq`, as the store told it: the chain goes on from there.
    pub hash: String,
}

/// Answer to `GET /api/sync/own?epoch&after`: the records of `epoch` after seq `after`, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OwnAnswer {
    /// The epoch.
    pub epoch: String,
    /// The hash before the first of the events.
    pub prev_hash: String,
    /// The records.
    pub events: Vec<PushEvent>,
    /// Whether more waits.
    pub more: bool,
    /// How far the hub is in this epoch.
    pub head: ChainHead,
    /// What is missing in this epoch for ever.
    pub holes: Vec<Hole>,
    /// The hub's database generation.
    pub hub_generation: String,
    /// The hub's clock.
    pub hub_time: UtcMs,
}

/// Answer to `GET /api/sync/snapshot?lane&page`: each record of the lane once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotAnswer {
    /// Records as they are now; their own cursors are not to be pulled from.
    pub changes: Vec<Change>,
    /// `page` of the next call; null on the last page.
    pub next_page: Option<String>,
    /// Where to pull on after the last page: fixed before the first one.
    pub cursor: String,
    /// What of the store's own records the balances among the changes contain.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// The hub's database generation.
    pub hub_generation: String,
    /// The hub's clock.
    pub hub_time: UtcMs,
}
