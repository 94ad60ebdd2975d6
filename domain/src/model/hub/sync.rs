//! A store's state of synchronisation.

use crate::model::base::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

pub mod local;
pub mod retention;

/// A value that lost a conflict. It is stored and can be restored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConflictDown {
    /// ID of the conflict at the hub.
    pub conflict_id: String,
    /// Type of the record: `member`, …
    pub resource: String,
    /// ID of the record that the conflict is about.
    pub id: String,
    /// Side that won: `store` for the pushed value, `hub` for the value that the hub had, or that another store sent
    /// later.
    pub winner: String,
    /// Object with one field, and the value that lost.
    pub lost_fields: BTreeMap<String, Value>,
    /// Object with the same field, and the value that won.
    pub kept_fields: BTreeMap<String, Value>,
    /// When the conflict was decided.
    pub resolved_at: UtcMs,
}

impl ConflictDown {
    /// The field, and the value that lost.
    pub fn lost(&self) -> Option<(&str, &Value)> {
        self.lost_fields.iter().next().map(|(field, value)| (field.as_str(), value))
    }
}

/// Count and sum of one type of record on a business day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Number of distinct events.
    pub count: u64,
    /// Sum of the amounts of these events, in the unit of the type of record.
    pub total: i64,
}

/// Last record of an epoch, as the store has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DigestHead {
    /// Name of the epoch.
    pub epoch: String,
    /// Sequence number of the last record of the epoch.
    pub seq: u64,
    /// Hash of the record at `seq`.
    pub hash: String,
}
