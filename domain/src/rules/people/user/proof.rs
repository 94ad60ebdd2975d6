//! Ways in which a person proved their identity.

use crate::model::people::user::Pin;
use crate::rules::people::user::passkey::Assertion;

/// Proof of a person's identity.
#[derive(Debug, Clone)]
pub enum Proof {
    /// By the password that the user has now.
    Password,
    /// By a device: counts once, in the commit.
    Passkey(Assertion),
    /// By the PIN that the user has now, at a till that knows the user. At a store only.
    Pin(Pin),
}

impl Proof {
    /// Its name in the audit log.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Passkey(_) => "passkey",
            Self::Pin(_) => "pin",
        }
    }
}
