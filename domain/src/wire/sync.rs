//! The wire of protocol 1 (docs/protocol.md#calls): the same shapes at store and hub.

use crate::model::base::time::UtcMs;
use crate::model::hub::sync::{ConflictDown, DigestHead, Figure};
use crate::wire::feed::RecordVersion;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod find;
mod history_download;
mod receipt;
pub mod sound;
pub use find::{FindMember, FoundMember};
pub use history_download::{Hole, OwnAnswer, SnapshotAnswer};
pub use receipt::{ReleaseReceipt, ReleasedReceipt, ReservePieces, ReserveReceipt, ReservedReceipt};

/// Most events in one push.
pub const PUSH_EVENTS_MAX: usize = 500;

/// Most uncompressed bytes in one push (1 MiB).
pub const PUSH_BYTES_MAX: usize = 1024 * 1024;

/// `POST /api/sync/enrol`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Enrol {
    /// The one-time token of `store add`.
    pub enrolment_token: String,
    /// ID of the store.
    pub store_id: String,
    /// Ed25519 public key, raw 32 bytes, base64url.
    pub public_key: String,
    /// The store's program version.
    pub version: String,
    /// Name that the store gives itself. Head office takes it if it has no other name for the store than its ID.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
}

/// Answer to [`Enrol`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Enrolled {
    /// The audience of the store's tokens.
    pub hub_id: String,
    /// The hub's database generation.
    pub hub_generation: String,
    /// Number of the current epoch, 0 if none.
    pub n: u64,
}

/// One epoch as the store knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EpochState {
    /// `<n>-<16 hex>`.
    pub epoch: String,
    /// Last seq of the epoch.
    pub head_seq: u64,
    /// Hash of the record at `head_seq`.
    pub head_hash: String,
    /// Last seq that the hub acknowledged.
    pub acked_seq: u64,
    /// Hash of the record at `acked_seq`.
    pub acked_hash: String,
    /// The lowest seq that is still offered.
    pub min_kept_seq: u64,
}

/// Records that wait at the store.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Backlog {
    /// Number of records that the hub has not acknowledged.
    pub pending: u64,
    /// When the oldest of these records was made. Null if there are none.
    pub oldest_pending_at: Option<UtcMs>,
}

/// `POST /api/sync/hello`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// ID of the store.
    pub store_id: String,
    /// The epoch that it writes.
    pub epoch: String,
    /// All its epochs, oldest first.
    pub lineage: Vec<EpochState>,
    /// The hub's history and the store's run apart.
    pub apart: bool,
    /// The store's program version.
    pub version: String,
    /// Highest record schema that it understands.
    pub schema_max: u32,
    /// Feed cursor; null before the first call.
    pub cursor: Option<String>,
    /// Current time of the store's wall clock.
    pub wall_clock: UtcMs,
    /// Records that wait at the store.
    pub backlog: Backlog,
    /// Time of day at which the store's business day starts, `HH:MM`.
    pub day_start: String,
    /// IANA time zone of its business dates; null if the zone has no name.
    pub timezone: Option<String>,
}

/// Instruction of the hub to a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Directive {
    /// Continue normally.
    Ok,
    /// Open epoch `n`, then hello again.
    NewEpoch,
    /// You are a copy: sell nothing, keep the queue.
    Fenced,
    /// The store has forgotten what the hub lacks: push on from `min_kept_seq`, with the hash before it.
    Resync,
    /// This program is too old.
    UpgradeRequired,
}

/// Position of the hub in one epoch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Head")]
pub struct ChainHead {
    /// Name of the epoch.
    pub epoch: String,
    /// Last seq that the hub has stored.
    pub seq: u64,
    /// Hash of the record at `seq`.
    pub hash: String,
    /// Contained in every kept backup.
    pub stable_seq: u64,
}

/// Limits of what the hub accepts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Most events in a batch.
    pub batch_events: usize,
    /// Most uncompressed bytes in a batch.
    pub batch_bytes: usize,
    /// Most bytes in an event.
    pub event_bytes: usize,
}

impl Default for Limits {
    /// Those of the protocol.
    fn default() -> Self {
        let event_bytes = crate::wire::record::RECORD_BYTES_MAX;
        Self { batch_events: PUSH_EVENTS_MAX, batch_bytes: PUSH_BYTES_MAX, event_bytes }
    }
}

/// Answer to [`Hello`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HelloAnswer {
    /// Instruction to the store.
    pub directive: Directive,
    /// Number of the current epoch, or of the one to open.
    pub n: u64,
    /// Every epoch of the store that the hub knows.
    pub heads: Vec<ChainHead>,
    /// The hub's database generation.
    pub hub_generation: String,
    /// Current time of the hub's clock.
    pub hub_time: UtcMs,
    /// Limits of what the hub accepts.
    pub limits: Limits,
    /// States of the store's parked records; null if there are too many for one answer.
    pub parked: Option<Vec<ParkedAt>>,
    /// The latest values that lost to or against the store's writes, at most a batch of them. They repeat the answers
    /// to pushes, since such an answer may have been lost.
    pub conflicts: Vec<ConflictDown>,
}

/// State of a parked record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ParkedAt {
    /// Epoch of the record.
    pub epoch: String,
    /// Seq of the record.
    pub seq: u64,
}

/// One numbered record on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PushEvent {
    /// Seq of the record.
    pub seq: u64,
    /// Hash of the record.
    pub hash: String,
    /// Exact text of the record.
    pub record: String,
}

/// `POST /api/sync/push`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Push {
    /// ID of the store.
    pub store_id: String,
    /// The epoch that the sender now writes.
    pub sender_epoch: String,
    /// The epoch that these records belong to.
    pub epoch: String,
    /// The hash before the first of them.
    pub prev_hash: String,
    /// The records, in order.
    pub events: Vec<PushEvent>,
    /// Records that wait at the store.
    pub backlog: Backlog,
}

/// An event that the hub keeps raw because it can't apply it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Parked {
    /// Seq of the record.
    pub seq: u64,
    /// Event ID of the record.
    pub event_id: String,
    /// Stable code of the reason.
    pub code: String,
    /// Reason why it is parked, for people.
    pub message: String,
}

/// Answer to [`Push`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PushAnswer {
    /// Name of the epoch.
    pub epoch: String,
    /// Stored up to here.
    pub acked_seq: u64,
    /// Hash of the record at `acked_seq`.
    pub acked_hash: String,
    /// Contained in every kept backup.
    pub stable_seq: u64,
    /// The hub's database generation.
    pub hub_generation: String,
    /// Records of this batch that the hub had already.
    pub duplicates: u64,
    /// Records of this batch that were parked.
    pub parked: Vec<Parked>,
    /// Conflicts that this batch made.
    pub conflicts: Vec<ConflictDown>,
    /// The versions of the shared records that this batch wrote to.
    pub versions: Vec<RecordVersion>,
    /// Current time of the hub's clock.
    pub hub_time: UtcMs,
}

/// `POST /api/sync/digest`: what the store has of a business day, over distinct `event_id`s of all epochs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Digest {
    /// The business date.
    pub business_date: Date,
    /// Seq up to which the figures go, for every epoch of the store: records that the hub has beyond it do not count.
    pub heads: Vec<DigestHead>,
    /// By type of record; types without a record may be left out.
    pub types: BTreeMap<String, Figure>,
}

/// Result of comparing a business day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DigestResult {
    /// Every figure is the same.
    Match,
    /// A figure differs.
    Difference,
    /// The hub lacks records below these heads: push first.
    NotYet,
}

/// The first figure that is not the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// The type of record.
    #[serde(rename = "type")]
    pub kind: String,
    /// Figure of the store.
    pub store: Figure,
    /// Figure of the hub.
    pub hub: Figure,
}

/// Answer to [`Digest`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DigestAnswer {
    /// Result of the comparison.
    pub result: DigestResult,
    /// Records of the day that the hub counts, but has not applied.
    pub parked: u64,
    /// The first figure that is not the same.
    pub first_difference: Option<Difference>,
    /// The hub's database generation.
    pub hub_generation: String,
    /// Current time of the hub's clock.
    pub hub_time: UtcMs,
}
