//! The audit log: sensitive actions, with who asked and who approved.

use crate::ids::UserId;
use crate::mandate::Mandate;
use crate::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A sensitive action; never altered, never deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditEntry {
    /// Who did it.
    pub user_id: UserId,
    /// Who approved it, where somebody had to.
    pub approved_by: Option<UserId>,
    /// What, for example `transaction.voided`.
    pub action: String,
    /// When.
    pub at: UtcMs,
    /// What it was done to and why: names and texts.
    pub details: BTreeMap<String, String>,
}

impl AuditEntry {
    /// What was done under a mandate.
    pub fn new(mandate: &Mandate<'_>, action: &str, at: UtcMs, details: &[(&str, &str)]) -> Self {
        Self {
            user_id: mandate.caller.user_id.clone(),
            approved_by: mandate.approved_by(),
            action: action.to_owned(),
            at,
            details: details.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect(),
        }
    }
}
