//! What people see of the supervision tree and of synchronisation, as typed as its schema.

use domain::model::base::time::UtcMs;
use domain::model::hub::sync::local::{ConflictNote, Unsupported};
use domain::rules::hub::sync::problem::Problem;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Actor with the actors that it supervises.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Actor")]
pub struct ActorView {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    /// `running` or `restarting`.
    pub(crate) state: &'static str,
    pub(crate) restarts: u64,
    /// Messages waiting in the actor's mailbox.
    pub(crate) mailbox: usize,
    pub(crate) started_at: UtcMs,
    pub(crate) last_failure: Option<String>,
    pub(crate) children: Vec<ActorView>,
}

/// Supervision tree of the store.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ActorTree")]
pub struct TreeView {
    pub(crate) root: Option<ActorView>,
}

/// State of the synchronisation with head office.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SyncStatus {
    /// Current problems with the time each began, oldest first. Empty if there are none.
    pub(crate) problems: Vec<Problem>,
    pub(crate) hub: HubStatus,
    pub(crate) outbox: OutboxStatus,
    pub(crate) inbound: InboundStatus,
    pub(crate) conflicts: Conflicts,
    /// Difference of the clocks in milliseconds: this store's clock − the hub's.
    pub(crate) clock_skew_ms: Option<i64>,
}

/// State of the link to head office, as every page of a till shows it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LinkStatus {
    /// `online`, `offline`, `backing_off`, `rejected` or `not_configured`.
    pub(crate) hub_state: &'static str,
    /// Time of the last answer from head office since the store began to serve. Null if there was none.
    pub(crate) hub_seen_at: Option<UtcMs>,
    /// Records that head office has not acknowledged; 0 in a store without head office.
    pub(crate) pending: u64,
    pub(crate) oldest_pending_at: Option<UtcMs>,
    /// Time up to which products and prices are known to be those of head office. Null if head office was never
    /// reached.
    pub(crate) as_of: Option<UtcMs>,
    /// Difference of the clocks in milliseconds: this store's clock − the hub's.
    pub(crate) clock_skew_ms: Option<i64>,
}

/// State of the link to the hub.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HubStatus {
    pub(crate) configured: bool,
    /// `online`, `offline`, `backing_off`, `rejected` or `not_configured`.
    pub(crate) state: &'static str,
    pub(crate) url: Option<String>,
    pub(crate) last_success_at: Option<UtcMs>,
    pub(crate) last_error: Option<String>,
    pub(crate) next_attempt_at: Option<UtcMs>,
    /// Number of failed attempts since the last success.
    pub(crate) attempt: u32,
}

/// Records that wait to be sent to the hub.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OutboxStatus {
    /// Number of records that the hub has not acknowledged.
    pub(crate) pending: u64,
    pub(crate) oldest_pending_at: Option<UtcMs>,
    pub(crate) last_seq: u64,
    pub(crate) acked_seq: u64,
    pub(crate) epoch: String,
    pub(crate) head_hash: String,
    /// Number of records that the hub keeps and can't apply.
    pub(crate) parked: u64,
    /// Whether a copy of this store writes a newer epoch.
    pub(crate) fenced: bool,
}

/// Changes received from the hub's feed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct InboundStatus {
    pub(crate) cursor: Option<String>,
    pub(crate) last_change_at: Option<UtcMs>,
    /// Records that this version can't use. They are kept as they came, and used once it can.
    pub(crate) untaken: UntakenStatus,
}

/// Records of the feed that can't be used.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Untaken")]
pub(crate) struct UntakenStatus {
    pub(crate) total: u64,
    /// First of these records, each with the reason.
    pub(crate) records: Vec<Unsupported>,
}

/// Changes on both sides, resolved by last write wins.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Conflicts {
    pub(crate) total: u64,
    /// Latest conflicts, newest first.
    pub(crate) recent: Vec<ConflictView>,
}

/// Value that lost against another one, and may be restored.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Conflict")]
pub struct ConflictView {
    /// Always `conflict`.
    pub(crate) kind: &'static str,
    pub(crate) conflict_id: String,
    /// `member` or `product_settings`.
    pub(crate) resource: String,
    /// ID of the record that the conflict is about.
    pub(crate) id: String,
    /// Side that won: `store` for the value of this store, `hub` for the one that was there.
    pub(crate) winner: String,
    /// Values that lost, by field.
    pub(crate) lost_fields: BTreeMap<String, Value>,
    /// Values that count instead, by field.
    pub(crate) kept_fields: BTreeMap<String, Value>,
    pub(crate) resolved_at: UtcMs,
    /// When the value was restored at this store. Null if it was not.
    pub(crate) restored_at: Option<UtcMs>,
}

impl ConflictView {
    /// As people see it.
    pub fn of(note: ConflictNote) -> Self {
        let ConflictNote { conflict, restored_at } = note;
        Self {
            kind: "conflict",
            conflict_id: conflict.conflict_id,
            resource: conflict.resource,
            id: conflict.id,
            winner: conflict.winner,
            lost_fields: conflict.lost_fields,
            kept_fields: conflict.kept_fields,
            resolved_at: conflict.resolved_at,
            restored_at,
        }
    }

    /// Its ID at the hub, which orders the list.
    pub fn conflict_id(&self) -> &str {
        &self.conflict_id
    }
}

/// Result of a requested synchronisation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Forced {
    /// Records acknowledged since the request.
    pub(crate) pushed: u64,
    pub(crate) acked_seq: u64,
    /// Changes taken from the feed since the request.
    pub(crate) pulled: u64,
    /// Whether the hub has all records that existed at the time of the request, and the feed was read to its end.
    pub(crate) completed: bool,
    /// Reason why it was not completed. Null if it was.
    pub(crate) error: Option<String>,
}

/// Our own types always serialise.
pub(crate) fn value(view: &impl Serialize) -> Value {
    serde_json::to_value(view).unwrap_or_default()
}
