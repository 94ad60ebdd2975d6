//! The audit log: sensitive actions, with the users who requested and approved them.

use crate::model::base::ids::{RegisterId, UserId};
use crate::model::base::time::UtcMs;
use crate::model::people::authorization::Authorization;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The action of a receipt that was printed; its details name the `receipt_no`.
pub const RECEIPT_PRINTED: &str = "receipt.printed";

/// A sensitive action. It is never changed or deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditEntry {
    /// User of the action. Empty for the operator of the machine.
    pub user_id: UserId,
    /// User who approved the action. Omitted if no approval was needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<UserId>,
    /// Register of the request. Omitted if the request named none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub register_id: Option<RegisterId>,
    /// Name of the action, for example `transaction.voided`.
    pub action: String,
    /// When the action took place.
    pub at: UtcMs,
    /// Object of the action, and the reason for it: a JSON object whose fields have the same names and types as
    /// elsewhere in the API. Never contains a secret.
    #[schemars(with = "Map<String, Value>")]
    pub details: Value,
}

impl AuditEntry {
    /// Entry for an action under an authorization.
    pub fn new(authorization: &Authorization<'_>, action: &str, at: UtcMs, details: Value) -> Self {
        let entry = Self::unapproved(&authorization.caller.user_id, action, at, details);
        let register_id = authorization.register_id.cloned();
        Self { approved_by: authorization.approved_by(), register_id, ..entry }
    }

    /// Entry for an action of a user's own right. A detail that is null is left out.
    pub fn unapproved(user_id: &UserId, action: &str, at: UtcMs, mut details: Value) -> Self {
        if let Value::Object(details) = &mut details {
            details.retain(|_, detail| !detail.is_null());
        }
        Self {
            user_id: user_id.clone(),
            approved_by: None,
            register_id: None,
            action: action.to_owned(),
            at,
            details,
        }
    }

    /// The same entry with more details. A detail of the same name is replaced.
    #[must_use]
    pub fn with(mut self, more: Value) -> Self {
        if let (Value::Object(details), Value::Object(more)) = (&mut self.details, more) {
            details.extend(more.into_iter().filter(|(_, detail)| !detail.is_null()));
        }
        self
    }
}
