//! Records about people: who was changed, and what an auditor asks about.

use super::text;
use crate::event::Stamp;
use crate::ids::{StoreId, UserId};
use crate::time::UtcMs;
use crate::user::{Role, User};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Payload of `user.changed`: never a password, nor its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserChanged {
    /// Who.
    pub user_id: UserId,
    /// Login name.
    pub username: String,
    /// Display name.
    pub name: String,
    /// What the person may do.
    pub role: Role,
    /// The person's store.
    pub store_id: StoreId,
    /// Whether the person is kept out.
    pub disabled: bool,
    /// Tokens of an earlier version are dead.
    pub token_version: u64,
    /// When it was changed.
    pub updated_at: UtcMs,
}

/// Payload of `audit.recorded`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditRecorded {
    /// Who did it; empty: whoever runs the machine.
    pub user_id: UserId,
    /// `user.created`, …
    pub action: String,
    /// When.
    pub at: UtcMs,
    /// Of what; never a secret.
    pub details: Value,
}

/// The record of a user that was made or changed.
pub fn user_changed(stamp: &Stamp, user: &User) -> String {
    let User { user_id, username, name, role, store_id, token_version, disabled, updated_at, .. } =
        user.clone();
    let payload =
        UserChanged { user_id, username, name, role, store_id, disabled, token_version, updated_at };
    text(stamp, "user.changed", payload)
}

/// The record of what somebody did.
pub fn audit_recorded(stamp: &Stamp, user_id: &UserId, action: &str, details: Value) -> String {
    let payload =
        AuditRecorded { user_id: user_id.clone(), action: action.to_owned(), at: stamp.now, details };
    text(stamp, "audit.recorded", payload)
}
