//! Changes to a person's devices when the person changes, and how answers report them.

use crate::model::base::time::UtcMs;
use crate::model::people::user::{Passkey, User};
use crate::rules::people::user::account_change::Device;
use crate::rules::people::user::change::UserDetail;
use crate::rules::people::user::{change, passkey};
use schemars::JsonSchema;
use serde::Serialize;

/// A user after a change.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UserChanged {
    /// The user.
    #[serde(flatten)]
    pub user: UserDetail,
    /// Number of the user's devices that were removed together with the user's tokens.
    pub devices_removed: usize,
}

impl UserChanged {
    /// The answer to a change of this user.
    pub fn of(user: &User, devices_removed: usize) -> Self {
        Self { user: change::view(user), devices_removed }
    }
}

/// Result of revoking every token of a user and removing every device.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TokensRevoked {
    /// When the tokens were revoked.
    pub revoked_at: UtcMs,
    /// Number of the user's devices that were removed.
    pub devices_removed: usize,
}

/// Result of changing the password.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PasswordChanged {
    /// Number of removed devices. All devices are removed; those that are still used must be registered again.
    pub devices_removed: usize,
}

/// The devices that go with a change of this user, who is as the change leaves the person.
pub(super) fn removed(user: &User, passkeys: &[Passkey]) -> Vec<Device> {
    passkey::dead(user, passkeys).into_iter().map(Device::Removed).collect()
}
