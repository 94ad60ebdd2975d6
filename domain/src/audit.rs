//! The audit log: sensitive actions, with who asked and who approved.

use crate::ids::UserId;
use crate::mandate::Mandate;
use crate::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The action of a receipt that was printed; its details name the `receipt_no`.
pub const RECEIPT_PRINTED: &str = "receipt.printed";

/// A sensitive action; never altered, never deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditEntry {
    /// Who did it; empty: whoever runs the machine.
    pub user_id: UserId,
    /// Who approved it, where somebody had to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<UserId>,
    /// What, for example `transaction.voided`.
    pub action: String,
    /// When.
    pub at: UtcMs,
    /// What it was done to and why: an object; never a secret.
    pub details: Value,
}

impl AuditEntry {
    /// What was done under a mandate.
    pub fn new(mandate: &Mandate<'_>, action: &str, at: UtcMs, details: &[(&str, &str)]) -> Self {
        Self {
            user_id: mandate.caller.user_id.clone(),
            approved_by: mandate.approved_by(),
            action: action.to_owned(),
            at,
            details: details.iter().map(|(name, text)| ((*name).to_owned(), Value::from(*text))).collect(),
        }
    }

    /// What somebody did with a right of their own.
    pub fn own(user_id: &UserId, action: &str, at: UtcMs, details: Value) -> Self {
        Self { user_id: user_id.clone(), approved_by: None, action: action.to_owned(), at, details }
    }
}
