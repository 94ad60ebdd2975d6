//! Devices and PINs that die with a person's tokens.

use domain::model::base::event::{Event, fact};
use domain::model::people::user::{Passkey, User};
use domain::rules::people::user::passkey;
use storage::{Storage, StorageError};

/// The removals that belong into the commit of a change of this user, who is as the change leaves the person.
pub(crate) fn dead(storage: &Storage, user: &User) -> Result<Vec<Event>, StorageError> {
    let passkeys = storage.users().passkeys_of(&user.user_id)?;
    Ok(passkey::dead(user, &passkeys).into_iter().map(removal).collect())
}

pub(crate) fn removal(passkey: Passkey) -> Event {
    let Passkey { user_id, credential_id, .. } = passkey;
    fact::PasskeyRemoved { user_id, credential_id }.into()
}

/// The removal of the user's PIN, if it opens nothing for the user as the change leaves the person.
pub(crate) fn dead_pin(storage: &Storage, user: &User) -> Result<Option<Event>, StorageError> {
    let pin = storage.users().pin(&user.user_id)?.filter(|pin| !pin.is_alive(user));
    Ok(pin.map(|pin| fact::PinRemoved { user_id: pin.user_id }.into()))
}
