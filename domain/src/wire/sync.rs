//! The wire of protocol 1 (docs/protocol.md#calls): the same shapes at store and hub.

use crate::model::base::limits::{ID_BYTES_MAX, SHORT_ID_BYTES_MAX};
use crate::model::base::time::UtcMs;
use crate::model::hub::chain::HASH_BYTES_MAX;
use crate::model::hub::sync::{ConflictDown, DigestHead, EPOCH_BYTES_MAX, EPOCH_BYTES_MIN, Figure};
use crate::wire::feed::RecordVersion;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod bounds;
mod find;
mod history_download;
mod receipt;
pub mod sound;
use bounds::{CURRENCY_CHARS, DAY_START_CHARS, PUBLIC_KEY_CHARS};
pub use bounds::{
    DIGEST_ENTRIES_MAX, FEED_CURSOR_BYTES_MAX, FIND_BYTES_MAX, LINEAGE_MAX, VERSION_BYTES_MAX, ZONE_BYTES_MAX,
};
pub use find::{FindMember, FoundMember};
pub use history_download::{Hole, OwnAnswer, SnapshotAnswer};
pub use receipt::{ReleaseReceipt, ReleasedReceipt, ReservePieces, ReserveReceipt, ReservedReceipt};

/// Most events in one push.
pub const PUSH_EVENTS_MAX: usize = 500;

/// Most uncompressed bytes in one push (1 MiB).
pub const PUSH_BYTES_MAX: usize = 1024 * 1024;

/// Request body of `POST /api/sync/enrol`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Enrol {
    /// One-time token from `cloud-hub store add`.
    #[schemars(length(min = 1, max = ID_BYTES_MAX))]
    pub enrolment_token: String,
    /// ID of the store.
    #[schemars(length(min = 1, max = SHORT_ID_BYTES_MAX))]
    pub store_id: String,
    /// Ed25519 public key, raw 32 bytes, base64url.
    #[schemars(length(equal = PUBLIC_KEY_CHARS))]
    pub public_key: String,
    /// Version of the store's program.
    #[schemars(length(max = VERSION_BYTES_MAX))]
    pub version: String,
    /// ISO 4217 code of the currency of the store's amounts. It must be head office's currency.
    #[schemars(length(equal = CURRENCY_CHARS))]
    pub currency: String,
    /// Name of the store in its own settings. Head office uses this name as long as its own name for the store is the
    /// store's ID.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
}

/// Answer to `POST /api/sync/enrol`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Enrolled {
    /// Audience of the store's tokens.
    pub hub_id: String,
    /// Generation of the hub's database.
    pub hub_generation: String,
    /// Number of the current epoch, 0 if none.
    pub n: u64,
}

/// An epoch as the store knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EpochState {
    /// Name of the epoch, `<n>-<16 hex>`.
    #[schemars(length(min = EPOCH_BYTES_MIN, max = EPOCH_BYTES_MAX))]
    pub epoch: String,
    /// Sequence number of the last record of the epoch.
    pub head_seq: u64,
    /// Hash of the record at `head_seq`.
    #[schemars(length(max = HASH_BYTES_MAX))]
    pub head_hash: String,
    /// Sequence number of the last record that the hub acknowledged.
    pub acked_seq: u64,
    /// Hash of the record at `acked_seq`.
    #[schemars(length(max = HASH_BYTES_MAX))]
    pub acked_hash: String,
    /// Lowest sequence number that the store can still send.
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

/// Result of a restore drill: the newest backup was restored into a scratch folder, verified, and removed again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BackupDrill {
    /// When the drill ended.
    pub finished_at: UtcMs,
    /// Duration of the drill in milliseconds.
    pub duration_ms: u64,
    /// When the backup was made. Null if there was no backup.
    pub backup_made_at: Option<UtcMs>,
    /// Number of records that were verified. 0 if the drill failed.
    pub records_count: u64,
    /// Reason of the failure. Null if the drill succeeded.
    pub problem: Option<String>,
    /// When the last successful drill ended. Null if there was none.
    pub succeeded_at: Option<UtcMs>,
}

/// Request body of `POST /api/sync/hello`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// ID of the store.
    #[schemars(length(min = 1, max = SHORT_ID_BYTES_MAX))]
    pub store_id: String,
    /// Epoch that the store writes.
    #[schemars(length(min = EPOCH_BYTES_MIN, max = EPOCH_BYTES_MAX))]
    pub epoch: String,
    /// All epochs of the store, oldest first.
    #[schemars(length(max = LINEAGE_MAX))]
    pub lineage: Vec<EpochState>,
    /// Whether the histories of the hub and the store have diverged.
    pub apart: bool,
    /// Version of the store's program.
    #[schemars(length(max = VERSION_BYTES_MAX))]
    pub version: String,
    /// Highest record schema that the store understands.
    pub schema_max: u32,
    /// Feed cursor. Null before the first call.
    #[schemars(length(max = FEED_CURSOR_BYTES_MAX))]
    pub cursor: Option<String>,
    /// Current time of the store's wall clock.
    pub wall_clock: UtcMs,
    /// Records that wait at the store.
    pub backlog: Backlog,
    /// Time of day at which the store's business day starts, `HH:MM`.
    #[schemars(length(equal = DAY_START_CHARS))]
    pub day_start: String,
    /// Time zone of the store's business dates, IANA name. Null if the zone has no name.
    #[schemars(length(max = ZONE_BYTES_MAX))]
    pub timezone: Option<String>,
    /// ISO 4217 code of the currency of the store's amounts. It must be head office's currency.
    #[schemars(length(equal = CURRENCY_CHARS))]
    pub currency: String,
    /// The last restore drill of the store's backups. Null if there was none.
    pub drill: Option<BackupDrill>,
    /// First damage that the background check of the journal found. Null if it found none.
    pub damage: Option<String>,
}

/// Instruction of the hub to a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Directive {
    /// Continue normally.
    Ok,
    /// Open epoch `n`, then send hello again.
    NewEpoch,
    /// This store is a copy: it must not sell, and it keeps its queue.
    Fenced,
    /// The store has deleted records that the hub lacks: it continues to push from `min_kept_seq`, with the hash before
    /// it.
    Resync,
    /// The store's program is too old.
    UpgradeRequired,
}

/// Position of the hub in one epoch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Head")]
pub struct ChainHead {
    /// Name of the epoch.
    pub epoch: String,
    /// Sequence number of the last record that the hub has stored.
    pub seq: u64,
    /// Hash of the record at `seq`.
    pub hash: String,
    /// Sequence number of the last record that every kept backup contains.
    pub stable_seq: u64,
}

/// Limits of the batches that the hub accepts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Maximum number of events in a batch.
    pub batch_events: usize,
    /// Maximum number of uncompressed bytes in a batch.
    pub batch_bytes: usize,
    /// Maximum number of bytes in an event.
    pub event_bytes: usize,
}

impl Default for Limits {
    /// Those of the protocol.
    fn default() -> Self {
        let event_bytes = crate::wire::record::RECORD_BYTES_MAX;
        Self { batch_events: PUSH_EVENTS_MAX, batch_bytes: PUSH_BYTES_MAX, event_bytes }
    }
}

/// Answer to `POST /api/sync/hello`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HelloAnswer {
    /// Instruction to the store.
    pub directive: Directive,
    /// Number of the current epoch, or of the one to open.
    pub n: u64,
    /// All epochs of the store that the hub knows.
    pub heads: Vec<ChainHead>,
    /// Generation of the hub's database.
    pub hub_generation: String,
    /// Current time of the hub's clock.
    pub hub_time: UtcMs,
    /// Limits of the batches that the hub accepts.
    pub limits: Limits,
    /// The store's parked records. Null if there are too many for one answer.
    pub parked: Option<Vec<ParkedSince>>,
    /// Latest values that lost a conflict, at most one batch: values that lost to a write of this store, and values of
    /// this store that lost to a write of another store. Values of the first kind repeat the answers to pushes, because
    /// an answer may have been lost.
    pub conflicts: Vec<ConflictDown>,
}

/// A record that the hub keeps parked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ParkedSince {
    /// Epoch of the record.
    pub epoch: String,
    /// When the record was parked.
    pub parked_at: UtcMs,
    /// The record, and the reason.
    #[serde(flatten)]
    pub parked: Parked,
}

/// One numbered record on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PushEvent {
    /// Sequence number of the record in its epoch.
    #[schemars(range(min = 1))]
    pub seq: u64,
    /// Hash of the record.
    #[schemars(length(max = HASH_BYTES_MAX))]
    pub hash: String,
    /// Exact text of the record.
    #[schemars(length(max = PUSH_BYTES_MAX))]
    pub record: String,
}

/// Request body of `POST /api/sync/push`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Push {
    /// ID of the store.
    #[schemars(length(min = 1, max = SHORT_ID_BYTES_MAX))]
    pub store_id: String,
    /// Epoch that the sender now writes.
    #[schemars(length(min = EPOCH_BYTES_MIN, max = EPOCH_BYTES_MAX))]
    pub sender_epoch: String,
    /// Epoch of these records.
    #[schemars(length(min = EPOCH_BYTES_MIN, max = EPOCH_BYTES_MAX))]
    pub epoch: String,
    /// Hash before the first record.
    #[schemars(length(max = HASH_BYTES_MAX))]
    pub prev_hash: String,
    /// Records in order of their sequence numbers.
    #[schemars(length(max = PUSH_EVENTS_MAX))]
    pub events: Vec<PushEvent>,
    /// Records that wait at the store.
    pub backlog: Backlog,
}

/// A record that the hub stores unchanged because it can't apply it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Parked {
    /// Sequence number of the record in its epoch.
    pub seq: u64,
    /// Event ID of the record.
    pub event_id: String,
    /// Stable code of the reason.
    pub code: String,
    /// Reason for parking, for people.
    pub message: String,
}

/// Answer to `POST /api/sync/push`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PushAnswer {
    /// Name of the epoch.
    pub epoch: String,
    /// Sequence number of the last record that the hub has stored.
    pub acked_seq: u64,
    /// Hash of the record at `acked_seq`.
    pub acked_hash: String,
    /// Sequence number of the last record that every kept backup contains.
    pub stable_seq: u64,
    /// Generation of the hub's database.
    pub hub_generation: String,
    /// Number of records of this batch that the hub already had.
    pub duplicates: u64,
    /// Records of this batch that were parked.
    pub parked: Vec<Parked>,
    /// Conflicts that this batch made.
    pub conflicts: Vec<ConflictDown>,
    /// Versions of the shared records that this batch wrote to.
    pub versions: Vec<RecordVersion>,
    /// Current time of the hub's clock.
    pub hub_time: UtcMs,
}

/// Request body of `POST /api/sync/digest`: the store's figures of a business day, each `event_id` of all epochs
/// counted once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Digest {
    /// The business date.
    pub business_date: Date,
    /// For every epoch of the store, the last record that the figures include. Later records of the hub are ignored.
    #[schemars(length(max = DIGEST_ENTRIES_MAX))]
    pub heads: Vec<DigestHead>,
    /// Figures by type of record. Types without a record may be omitted.
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
    /// The hub lacks records that the store's figures include: push them first.
    NotYet,
}

/// First figure that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// Type of the record.
    #[serde(rename = "type")]
    pub kind: String,
    /// Figure of the store.
    pub store: Figure,
    /// Figure of the hub.
    pub hub: Figure,
}

/// Answer to `POST /api/sync/digest`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DigestAnswer {
    /// Result of the comparison.
    pub result: DigestResult,
    /// Number of records of the day that the hub has parked. They are included in its figures.
    pub parked: u64,
    /// First figure that differs. Null if none does.
    pub first_difference: Option<Difference>,
    /// Generation of the hub's database.
    pub hub_generation: String,
    /// Current time of the hub's clock.
    pub hub_time: UtcMs,
}
