//! Devices of people: what dies with a person's tokens, and what whoever runs the machine removes.

use super::commit;
use crate::door::Door;
use crate::failure::Failure;
use domain::audit::AuditEntry;
use domain::event::Event;
use domain::ids::UserId;
use domain::refusal::Refusal;
use domain::user::User;
use domain::user::passkey::{self, Passkey};
use serde_json::json;
use storage::{Storage, StorageError};

/// Whose tokens were killed, and what went with them.
#[derive(Debug)]
pub struct Revoked {
    /// The person from now on.
    pub user: User,
    /// How many devices were removed.
    pub devices_removed: usize,
}

/// The removals that belong into the commit of a change of this user, who is as the change leaves the person.
pub(crate) fn dead(storage: &Storage, user: &User) -> Result<Vec<Event>, StorageError> {
    let passkeys = storage.passkeys_of(&user.user_id)?;
    Ok(passkey::dead(user, &passkeys).into_iter().map(removal).collect())
}

pub(super) fn removal(passkey: Passkey) -> Event {
    let Passkey { user_id, credential_id, .. } = passkey;
    Event::PasskeyRemoved { user_id, credential_id }
}

/// The person with this login name.
pub(super) fn owner(door: &Door, username: &str) -> Result<User, Failure> {
    let user = door.storage.user_by_name(username)?;
    user.ok_or(Failure::Refused(Refusal::NotFound("user")))
}

/// Removes one device by whoever runs the machine.
pub(super) async fn remove(door: &Door, username: &str, credential_id: &str) -> Result<(), Failure> {
    let user = owner(door, username)?;
    let passkeys = door.storage.passkeys_of(&user.user_id)?;
    let known = passkeys.into_iter().find(|passkey| passkey.credential_id == credential_id);
    let passkey = known.ok_or(Failure::Refused(Refusal::NotFound("the device")))?;
    let stamp = door.stamps.stamp();
    let details =
        json!({"user_id": user.user_id, "credential_id": credential_id, "name": passkey.name.clone()});
    let entry = AuditEntry::own(&UserId::default(), "passkey.removed", stamp.now, details);
    commit(door, stamp, vec![removal(passkey), Event::Audited { entry }], Vec::new()).await
}
