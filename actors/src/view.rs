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
    /// Name of the actor.
    pub(crate) name: String,
    /// Kind of actor.
    pub(crate) kind: &'static str,
    /// State of the actor: `running` or `restarting`.
    #[schemars(extend("enum" = ["running", "restarting"]))]
    pub(crate) state: &'static str,
    /// Number of restarts since the daemon started.
    pub(crate) restarts: u64,
    /// Number of messages that wait in the actor's mailbox.
    pub(crate) mailbox: usize,
    /// When the actor last started.
    pub(crate) started_at: UtcMs,
    /// Reason of the last failure. Null if it never failed.
    pub(crate) last_failure: Option<String>,
    /// Actors that this one supervises.
    pub(crate) children: Vec<ActorView>,
}

/// Supervision tree of the store.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ActorTree")]
pub struct TreeView {
    /// The supervisor with its actors. Null while it starts.
    pub(crate) root: Option<ActorView>,
}

/// State of the synchronisation with head office.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SyncStatus {
    /// Current problems with the time each began, oldest first. Empty if there are none.
    pub(crate) problems: Vec<Problem>,
    /// State of the link to the hub.
    pub(crate) hub: HubStatus,
    /// Records that wait to be sent to the hub.
    pub(crate) outbox: OutboxStatus,
    /// Changes received from the hub's feed.
    pub(crate) inbound: InboundStatus,
    /// Conflicts between values of this store and of the hub.
    pub(crate) conflicts: Conflicts,
    /// Difference of the clocks in milliseconds: this store's clock − the hub's. Null if it is not known.
    pub(crate) clock_skew_ms: Option<i64>,
}

/// State of the link to head office.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LinkStatus {
    /// State of the link to the hub: `online`, `offline`, `backing_off`, `rejected` or `not_configured`.
    #[schemars(extend("enum" = ["online", "offline", "backing_off", "rejected", "not_configured"]))]
    pub(crate) hub_state: &'static str,
    /// When head office last answered. Null if it has not answered since the store started.
    pub(crate) hub_seen_at: Option<UtcMs>,
    /// Records that head office has not acknowledged; 0 in a store without head office.
    pub(crate) pending: u64,
    /// When the oldest of these records was made. Null if there are none.
    pub(crate) oldest_pending_at: Option<UtcMs>,
    /// Products and prices are up to date with head office as of this time. Null if head office was never reached.
    pub(crate) as_of: Option<UtcMs>,
    /// Difference of the clocks in milliseconds: this store's clock − the hub's. Null if it is not known.
    pub(crate) clock_skew_ms: Option<i64>,
}

/// State of the link to the hub.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HubStatus {
    /// Whether a hub is configured.
    pub(crate) configured: bool,
    /// State of the link to the hub: `online`, `offline`, `backing_off`, `rejected` or `not_configured`.
    #[schemars(extend("enum" = ["online", "offline", "backing_off", "rejected", "not_configured"]))]
    pub(crate) state: &'static str,
    /// Address of the hub. Null if the store has none.
    pub(crate) url: Option<String>,
    /// When the hub last answered. Null if it has not answered since the daemon started.
    pub(crate) last_success_at: Option<UtcMs>,
    /// Error of the last attempt. Null if it succeeded, or if none was made yet.
    pub(crate) last_error: Option<String>,
    /// When the next attempt is made. Null if none is waiting.
    pub(crate) next_attempt_at: Option<UtcMs>,
    /// Number of failed attempts since the last success.
    pub(crate) attempt: u32,
}

/// Records that wait to be sent to the hub.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OutboxStatus {
    /// Number of records that the hub has not acknowledged.
    pub(crate) pending: u64,
    /// When the oldest of these records was made. Null if there are none.
    pub(crate) oldest_pending_at: Option<UtcMs>,
    /// Sequence number of the last record.
    pub(crate) last_seq: u64,
    /// Sequence number of the last record that the hub has acknowledged.
    pub(crate) acked_seq: u64,
    /// Epoch that the store writes, `<n>-<16 hex>`.
    pub(crate) epoch: String,
    /// Hash of the last record.
    pub(crate) head_hash: String,
    /// Number of records that the hub has parked because it can't apply them.
    pub(crate) parked: u64,
    /// Whether a copy of this store writes a newer epoch.
    pub(crate) fenced: bool,
}

/// Changes received from the hub's feed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct InboundStatus {
    /// Position in the hub's feed. Null before the first change.
    pub(crate) cursor: Option<String>,
    /// When the last change was received. Null if there was none.
    pub(crate) last_change_at: Option<UtcMs>,
    /// Records that this version can't use. They are kept and will be used after an upgrade.
    pub(crate) untaken: UntakenStatus,
}

/// Records of the feed that can't be used.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "UntakenRecords")]
pub(crate) struct UntakenStatus {
    /// Number of such records.
    pub(crate) total: u64,
    /// First of these records, each with the reason.
    pub(crate) records: Vec<Unsupported>,
}

/// Conflicts between values of this store and of the hub; the last write wins.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Conflicts {
    /// Number of conflicts.
    pub(crate) total: u64,
    /// Latest conflicts, newest first.
    pub(crate) recent: Vec<ConflictView>,
}

/// A value that lost a conflict and can be restored.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Conflict")]
pub struct ConflictView {
    /// Always `conflict`.
    pub(crate) kind: &'static str,
    /// ID of the conflict at the hub.
    pub(crate) conflict_id: String,
    /// Type of the record: `member` or `product_settings`.
    #[schemars(extend("enum" = ["member", "product_settings"]))]
    pub(crate) resource: String,
    /// ID of the record that the conflict is about.
    pub(crate) id: String,
    /// Side that won: `store` for the value of this store, `hub` for the value of head office or of another store.
    #[schemars(extend("enum" = ["store", "hub"]))]
    pub(crate) winner: String,
    /// Values that lost, by field.
    pub(crate) lost_fields: BTreeMap<String, Value>,
    /// Values that won, by field.
    pub(crate) kept_fields: BTreeMap<String, Value>,
    /// When the conflict was decided.
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

    /// The view with null in place of each value.
    pub(crate) fn without_values(mut self) -> Self {
        for fields in [&mut self.lost_fields, &mut self.kept_fields] {
            fields.values_mut().for_each(|value| *value = Value::Null);
        }
        self
    }

    /// Its ID at the hub, which orders the list.
    pub fn conflict_id(&self) -> &str {
        &self.conflict_id
    }
}

/// Result of a requested synchronisation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Forced {
    /// Number of records that the hub acknowledged since the request.
    pub(crate) pushed: u64,
    /// Sequence number of the last record that the hub has acknowledged.
    pub(crate) acked_seq: u64,
    /// Number of changes read from the feed since the request.
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
