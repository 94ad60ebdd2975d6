//! A store's state of synchronisation.

use crate::model::base::time::UtcMs;
use crate::model::hub::chain::HASH_BYTES_MAX;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

pub mod local;
pub mod retention;

/// The shortest name of an epoch, `<n>-<16 hex>`, in bytes: of one digit.
pub const EPOCH_BYTES_MIN: usize = 18;

/// The longest name of an epoch, in bytes: of nine digits.
pub const EPOCH_BYTES_MAX: usize = 26;

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
    #[schemars(length(max = EPOCH_BYTES_MAX))]
    pub epoch: String,
    /// Sequence number of the last record of the epoch.
    pub seq: u64,
    /// Hash of the record at `seq`.
    #[schemars(length(max = HASH_BYTES_MAX))]
    pub hash: String,
}
