//! The wire of protocol 1 (docs/protocol.md#calls): the same shapes at store and hub.

use crate::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub mod check;
mod decided;
mod digest;
mod down;
mod find;
pub mod kept;
pub mod lane;
pub mod lww;
mod own;
mod receipt;

pub use decided::decided;
pub use digest::{
    Counted, Difference, Digest, DigestAnswer, DigestHead, DigestResult, Figure, counted, counted_of,
};
pub use down::{
    ConflictDown, Coverage, Covered, FieldDown, MemberDown, PointsDown, PriceDown, RecordVersion,
    RevocationDown, SettingDown, StoreDown, UserDown,
};
pub use find::{FindMember, FoundMember};
pub use lane::Kind;
pub use own::{Hole, OwnAnswer, SnapshotAnswer};
pub use receipt::{ReleaseReceipt, ReleasedReceipt, ReservePieces, ReserveReceipt, ReservedReceipt};

pub mod local;
pub mod parking;
pub mod problem;
pub mod rules;
pub mod session;
pub mod settle;
pub mod sound;
pub mod tally;

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
    /// The store.
    pub store_id: String,
    /// Ed25519 public key, raw 32 bytes, base64url.
    pub public_key: String,
    /// The store's program version.
    pub version: String,
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
    /// Its last seq.
    pub head_seq: u64,
    /// The hash there.
    pub head_hash: String,
    /// Acknowledged seq.
    pub acked_seq: u64,
    /// The hash there.
    pub acked_hash: String,
    /// The lowest seq that is still offered.
    pub min_kept_seq: u64,
}

/// What waits at the store.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Backlog {
    /// Unacknowledged records.
    pub pending: u64,
    /// When the oldest of them was made.
    pub oldest_pending_at: Option<UtcMs>,
}

/// `POST /api/sync/hello`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// The store.
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
    /// Its feed cursor; none at first.
    pub cursor: Option<String>,
    /// Its wall clock.
    pub wall_clock: UtcMs,
    /// What waits.
    pub backlog: Backlog,
    /// When its business day starts, `HH:MM`.
    pub day_start: String,
}

/// What the hub tells a store to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Directive {
    /// Go on.
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

/// How far the hub is in one epoch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Head {
    /// The epoch.
    pub epoch: String,
    /// The hub's cursor.
    pub seq: u64,
    /// The hash there.
    pub hash: String,
    /// Contained in every kept backup.
    pub stable_seq: u64,
}

/// What the hub accepts.
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
        let event_bytes = crate::record::RECORD_BYTES_MAX;
        Self { batch_events: PUSH_EVENTS_MAX, batch_bytes: PUSH_BYTES_MAX, event_bytes }
    }
}

/// Answer to [`Hello`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HelloAnswer {
    /// What to do.
    pub directive: Directive,
    /// Number of the current epoch, or of the one to open.
    pub n: u64,
    /// Every epoch of the store that the hub knows.
    pub heads: Vec<Head>,
    /// The hub's database generation.
    pub hub_generation: String,
    /// The hub's clock.
    pub hub_time: UtcMs,
    /// What the hub accepts.
    pub limits: Limits,
    /// Where the store's records stand that the hub still could not apply; none: they are more than an answer
    /// names.
    pub parked: Option<Vec<ParkedAt>>,
    /// The latest values that lost to or against the store's writes, at most a batch of them: the answer to the
    /// push that told of one may have been lost.
    pub conflicts: Vec<ConflictDown>,
}

/// Where a parked record stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ParkedAt {
    /// The epoch.
    pub epoch: String,
    /// Its number.
    pub seq: u64,
}

/// One numbered record on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PushEvent {
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
    /// Its exact text.
    pub record: String,
}

/// `POST /api/sync/push`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Push {
    /// The store.
    pub store_id: String,
    /// The epoch that the sender now writes.
    pub sender_epoch: String,
    /// The epoch that these records belong to.
    pub epoch: String,
    /// The hash before the first of them.
    pub prev_hash: String,
    /// The records, in order.
    pub events: Vec<PushEvent>,
    /// What waits.
    pub backlog: Backlog,
}

/// An event that the hub keeps raw because it can't apply it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Parked {
    /// Its number.
    pub seq: u64,
    /// Its id.
    pub event_id: String,
    /// Why, stable.
    pub code: String,
    /// Why, for a person.
    pub message: String,
}

/// Answer to [`Push`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PushAnswer {
    /// The epoch.
    pub epoch: String,
    /// Stored up to here.
    pub acked_seq: u64,
    /// The hash there.
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
    /// The hub's clock.
    pub hub_time: UtcMs,
}

/// One change of the hub's feed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Its place in the feed.
    pub cursor: String,
    /// `product`, …
    pub kind: String,
    /// Which one.
    pub id: String,
    /// The record's version.
    pub version: String,
    /// Whether it was deleted.
    pub deleted: bool,
    /// From when on it counts.
    pub effective_at: Option<UtcMs>,
    /// The record.
    pub payload: serde_json::Value,
}

/// Answer to a pull.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PullAnswer {
    /// The changes after the cursor, in order.
    pub changes: Vec<Change>,
    /// Where to go on.
    pub next_cursor: String,
    /// Whether more waits.
    pub more: bool,
    /// What of the store's own records the balances among the changes contain.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// The hub's database generation.
    pub hub_generation: String,
    /// The hub's clock.
    pub hub_time: UtcMs,
}
