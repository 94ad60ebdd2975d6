//! Messages by which a store gets its own records back, and snapshots of the feed.

use crate::model::base::time::UtcMs;
use crate::wire::feed::{Change, Coverage};
use crate::wire::sync::{ChainHead, PushEvent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Records of an epoch that are lost: the store deleted them before the hub received them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hole {
    /// Sequence number of the first missing record.
    pub from_seq: u64,
    /// Sequence number of the last missing record.
    pub to_seq: u64,
    /// Hash of the record at `to_seq`, as the store reported it. The chain continues from it.
    pub hash: String,
}

/// Answer to `GET /api/sync/own?epoch&after`: the records of `epoch` after the sequence number `after`, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OwnAnswer {
    /// Name of the epoch.
    pub epoch: String,
    /// Hash before the first event.
    pub prev_hash: String,
    /// Records in order of their sequence numbers.
    pub events: Vec<PushEvent>,
    /// Whether there are more records.
    pub more: bool,
    /// Position of the hub in this epoch.
    pub head: ChainHead,
    /// Ranges of this epoch that are missing permanently.
    pub holes: Vec<Hole>,
    /// Generation of the hub's database.
    pub hub_generation: String,
    /// Current time of the hub's clock.
    pub hub_time: UtcMs,
}

/// Answer to `GET /api/sync/snapshot?lane&page`: each record of the lane once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotAnswer {
    /// Current records. Their own cursors must not be pulled from.
    pub changes: Vec<Change>,
    /// `page` of the next call. Null on the last page.
    pub next_page: Option<String>,
    /// Feed cursor to pull from after the last page. It is the same on all pages.
    pub cursor: String,
    /// The store's own records that the balances among the changes contain.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// Generation of the hub's database.
    pub hub_generation: String,
    /// Current time of the hub's clock.
    pub hub_time: UtcMs,
}
