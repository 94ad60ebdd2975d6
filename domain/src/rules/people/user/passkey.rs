//! Passkeys: devices that a user logs in with instead of a password.

use crate::model::base::fields::Fields;
use crate::model::base::refusal::Refusal;
use crate::model::base::time::UtcMs;
use crate::model::people::user::{Passkey, User};
use schemars::JsonSchema;
use serde::Serialize;

/// Most passkeys of one user: every log-in is shown this many, real or made up, so that their number reveals nothing.
pub const PASSKEYS_PER_USER_MAX: usize = 8;

/// The longest name of a device, in bytes.
pub const NAME_CHARS_MAX: usize = 64;

/// A registered device, without its key.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PasskeyDetail {
    /// ID that the authenticator gave the device, in base64url.
    pub credential_id: String,
    /// Name that the owner gave the device.
    pub name: String,
    /// When the device was registered.
    pub created_at: UtcMs,
    /// When the device was last used. Null if it never was.
    pub last_used_at: Option<UtcMs>,
}

/// Answer to the registration of a device.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PasskeyAdded {
    /// ID that the authenticator gave the device, in base64url.
    pub credential_id: String,
    /// Name that the owner gave the device.
    pub name: String,
    /// When the device was registered.
    pub created_at: UtcMs,
}

/// A verified assertion: the device, and its new state. It counts once, in the commit that finds a lower stored
/// counter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assertion {
    pub credential_id: String,
    /// The signature counter after this login.
    pub counter: u32,
    /// The stored document after this login.
    pub document: String,
}

impl Assertion {
    /// The device after this assertion; `None` if its counter has not risen: there is a copy of the device, or the same
    /// assertion came twice.
    pub fn used_on(&self, before: &Passkey, now: UtcMs) -> Option<Passkey> {
        let keeps_none = before.counter == 0 && self.counter == 0;
        (keeps_none || self.counter > before.counter).then(|| Passkey {
            counter: self.counter,
            document: self.document.clone(),
            last_used_at: Some(now),
            ..before.clone()
        })
    }
}

impl Passkey {
    /// Whether it opens anything for this person as the person is now.
    pub fn is_alive(&self, user: &User) -> bool {
        self.user_id == user.user_id && self.token_version == user.token_version && !user.disabled
    }
}

/// Devices of the person, among those given, that open nothing any more: to be removed with the change that made it
/// so.
pub fn dead(user: &User, passkeys: &[Passkey]) -> Vec<Passkey> {
    let own = passkeys.iter().filter(|passkey| passkey.user_id == user.user_id);
    own.filter(|passkey| !passkey.is_alive(user)).cloned().collect()
}

/// A passkey as its owner sees it.
pub fn view(passkey: &Passkey) -> PasskeyDetail {
    let Passkey { credential_id, name, created_at, last_used_at, .. } = passkey.clone();
    PasskeyDetail { credential_id, name, created_at, last_used_at }
}

/// Whether a device's name is one.
///
/// # Errors
/// `validation_failed`, naming the field.
pub fn check_name(name: &str) -> Result<(), Refusal> {
    let mut fields = Fields::default();
    fields.trimmed("name", name, NAME_CHARS_MAX);
    fields.done()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::base::ids::UserId;

    fn passkey(counter: u32) -> Passkey {
        Passkey {
            credential_id: "Y3JlZA".into(),
            user_id: UserId("usr_1".into()),
            token_version: 1,
            name: "Till".into(),
            counter,
            created_at: UtcMs(1),
            last_used_at: None,
            document: "{}".into(),
        }
    }

    #[test]
    fn a_counter_only_rises_unless_the_device_keeps_none() {
        for (before, after, counts) in [
            (0, 0, true),
            (0, 1, true),
            (5, 6, true),
            (5, 9, true),
            (5, 5, false),
            (5, 4, false),
            (5, 0, false),
        ] {
            let document = "{\"n\":1}".to_owned();
            let assertion = Assertion { credential_id: "Y3JlZA".into(), counter: after, document };
            let used = assertion.used_on(&passkey(before), UtcMs(7));
            assert_eq!(used.is_some(), counts, "{before} → {after}");
            if let Some(used) = used {
                assert_eq!((used.counter, used.last_used_at), (after, Some(UtcMs(7))));
            }
        }
    }
}
