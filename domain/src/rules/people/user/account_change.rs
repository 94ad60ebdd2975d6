//! Changes to users and devices that a caller may request, decided in one place for store and hub.

use crate::model::base::answer::Answer;
use crate::model::base::ids::{StoreId, UserId};
use crate::model::base::refusal::Refusal;
use crate::model::base::time::UtcMs;
use crate::model::people::user::{Passkey, Principal, Role, Session, User};
use crate::rules::people::user::administrator::After;
use crate::rules::people::user::change::{ChangeUser, NewUser};
use crate::rules::people::user::devices::TokensRevoked;
use crate::rules::people::user::passkey::{PASSKEYS_PER_USER_MAX, PasskeyAdded, check_name};
use crate::rules::people::user::{administrator, change, devices};
use serde_json::{Value, json};

/// A requested change; `hash` is the hash of its password. Not printable.
#[derive(Clone)]
pub enum Change {
    Create {
        user: NewUser,
        /// Hash of the password.
        hash: Option<String>,
    },
    Update {
        id: UserId,
        change: ChangeUser,
        /// Hash of the new password.
        hash: Option<String>,
    },
    /// Kill every token of a user.
    Revoke {
        /// User whose tokens are killed.
        id: UserId,
    },
    /// Give oneself a new password: every other session dies, and every device.
    Password {
        /// The user as the current password was checked.
        verified: Box<User>,
        /// Hash of the new password.
        hash: String,
    },
    /// Adds a device of the caller's own, with a verified registration.
    AddPasskey { passkey: Passkey },
    /// Removes a device of the caller's own.
    RemovePasskey {
        /// Credential ID of the device.
        credential_id: String,
    },
    /// Removes a device of a user whom the caller may change.
    RemoveDevice {
        /// User who owns the device.
        id: UserId,
        /// Credential ID of the device.
        credential_id: String,
    },
}

/// Data that a decision needs, as it is when the decision is made.
pub struct Known<'a> {
    pub caller: &'a Principal,
    pub users: &'a [User],
    pub passkeys: &'a [Passkey],
    /// The caller's session, if it is still there.
    pub session: Option<&'a Session>,
    /// The roles that exist here: those of a store, or those of head office.
    pub roles: &'a [Role],
    /// The store; empty at head office.
    pub store_id: &'a StoreId,
    /// An ID for a user that is made.
    pub new_id: UserId,
    pub now: UtcMs,
}

/// Change of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Device {
    /// The new state.
    Saved(Passkey),
    Removed(Passkey),
}

/// Result of a change.
#[derive(Debug, Clone)]
pub struct Decided {
    /// The user afterwards, where one changes.
    pub user: Option<User>,
    /// The caller's session afterwards, where it continues under another version.
    pub session: Option<Session>,
    /// The devices that change: whatever kills a person's tokens removes the person's devices.
    pub devices: Vec<Device>,
    /// Name of the action in the audit log.
    pub action: &'static str,
    /// Object of the action; never contains a secret.
    pub details: Value,
    /// Answer to the caller.
    pub answer: Answer,
}

/// Reason why there is no decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undecided {
    /// A rule refuses it.
    Refused(Refusal),
    /// A value that was checked before has changed: the caller may try again.
    Moved,
}

impl From<Refusal> for Undecided {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// Decides a change.
///
/// # Errors
/// By the rules of [`change`] and [`administrator`], and `duplicate`, `not_found`, `validation_failed` for devices.
pub fn decide(change: &Change, known: &Known<'_>) -> Result<Decided, Undecided> {
    let decided = by_kind(change, known)?;
    // One alone; those that die with the tokens open nothing for the user as changed.
    let removed = decided.devices.iter().find_map(|device| match device {
        Device::Removed(passkey) => Some(passkey),
        Device::Saved(_) => None,
    });
    let after = After { user: decided.user.as_ref(), removed };
    administrator::stays(known.users, known.passkeys, &after)?;
    Ok(decided)
}

fn by_kind(change: &Change, known: &Known<'_>) -> Result<Decided, Undecided> {
    match change {
        Change::Create { user, hash } => Ok(create(user, hash, known)?),
        Change::Update { id, change, hash } => Ok(update(id, change, hash, known)?),
        Change::Revoke { id } => {
            let user = change::revoke(id, known.now, known.caller, known.users)?;
            let devices = devices::removed(&user, known.passkeys);
            let answer = Answer::ok(&TokensRevoked { revoked_at: known.now, devices_removed: devices.len() });
            let details = json!({"user_id": id, "devices_removed": devices.len()});
            Ok(Decided { devices, ..of_user(user, "user.tokens_revoked", details, answer) })
        }
        Change::Password { verified, hash } => password(verified, hash, known),
        Change::AddPasskey { passkey } => add(passkey, known),
        Change::RemovePasskey { credential_id } => Ok(remove(&known.caller.user_id, credential_id, known)?),
        Change::RemoveDevice { id, credential_id } => {
            let user = change::managed(id, known.caller, known.users)?;
            Ok(remove(&user.user_id, credential_id, known)?)
        }
    }
}

fn of_user(user: User, action: &'static str, details: Value, answer: Answer) -> Decided {
    Decided { user: Some(user), session: None, devices: Vec::new(), action, details, answer }
}

fn create(new: &NewUser, hash: &Option<String>, known: &Known<'_>) -> Result<Decided, Refusal> {
    new.check(known.roles)?;
    let user = change::create(
        new,
        known.new_id.clone(),
        hash.clone(),
        known.now,
        known.caller,
        known.users,
        known.store_id,
    )?;
    let details = json!({"user_id": user.user_id, "role": user.role});
    let answer = Answer::created(format!("/api/users/{}", user.user_id), &change::view(&user));
    Ok(of_user(user, "user.created", details, answer))
}

fn update(
    id: &UserId,
    change: &ChangeUser,
    hash: &Option<String>,
    known: &Known<'_>,
) -> Result<Decided, Refusal> {
    change.check(known.roles)?;
    let user = change::change(change, id, hash.clone(), known.now, known.caller, known.users)?;
    let devices = devices::removed(&user, known.passkeys);
    let details = json!({
        "user_id": id, "fields": change.given(), "role": user.role, "disabled": user.disabled,
        "devices_removed": devices.len(),
    });
    let answer = Answer::ok(&devices::UserChanged::of(&user, devices.len()));
    Ok(Decided { devices, ..of_user(user, "user.changed", details, answer) })
}

fn password(verified: &User, hash: &str, known: &Known<'_>) -> Result<Decided, Undecided> {
    let user = known.users.iter().find(|user| user.user_id == verified.user_id);
    // The password was changed, or the session was revoked, since both were checked.
    let unchanged = user.filter(|user| user.token_version == verified.token_version);
    let (user, session) = unchanged.zip(known.session).ok_or(Undecided::Moved)?;
    let (mut user, mut session) = (user.clone(), session.clone());
    user.set_password(hash.to_owned(), known.now);
    user.token_version = user.token_version.saturating_add(1);
    user.updated_at = known.now;
    // This session continues under the new version; sessions of the old one are dead.
    session.token_version = user.token_version;
    let devices = devices::removed(&user, known.passkeys);
    let details = json!({"user_id": user.user_id, "devices_removed": devices.len()});
    let answer = Answer::ok(&devices::PasswordChanged { devices_removed: devices.len() });
    Ok(Decided { session: Some(session), devices, ..of_user(user, "user.password_changed", details, answer) })
}

fn add(passkey: &Passkey, known: &Known<'_>) -> Result<Decided, Undecided> {
    check_name(&passkey.name)?;
    // The person's tokens were revoked between the two halves of the registration.
    if !known.users.iter().any(|user| passkey.is_alive(user)) {
        return Err(Undecided::Moved);
    }
    if known.passkeys.iter().any(|other| other.credential_id == passkey.credential_id) {
        let id = passkey.credential_id.clone();
        return Err(Refusal::Duplicate { what: "this device", id }.into());
    }
    let own = known.passkeys.iter().filter(|other| other.user_id == passkey.user_id).count();
    if own >= PASSKEYS_PER_USER_MAX {
        let problem = format!("a user has at most {PASSKEYS_PER_USER_MAX} devices: remove one first");
        return Err(Refusal::field("credential", problem).into());
    }
    let Passkey { credential_id, name, created_at, .. } = passkey.clone();
    let location = format!("/api/auth/webauthn/credentials/{credential_id}");
    let answer = Answer::created(location, &PasskeyAdded { credential_id, name, created_at });
    Ok(of_device(Device::Saved(passkey.clone()), "passkey.added", passkey, answer))
}

fn remove(owner: &UserId, credential_id: &str, known: &Known<'_>) -> Result<Decided, Refusal> {
    let owned = |passkey: &&Passkey| passkey.credential_id == credential_id && passkey.user_id == *owner;
    let passkey = known.passkeys.iter().find(owned).ok_or(Refusal::NotFound("the device"))?;
    let device = Device::Removed(passkey.clone());
    Ok(of_device(device, "passkey.removed", passkey, Answer::ok(&json!({}))))
}

fn of_device(device: Device, action: &'static str, passkey: &Passkey, answer: Answer) -> Decided {
    let details = json!({
        "user_id": passkey.user_id, "credential_id": passkey.credential_id, "name": passkey.name,
    });
    Decided { user: None, session: None, devices: vec![device], action, details, answer }
}

#[cfg(test)]
mod tests;
