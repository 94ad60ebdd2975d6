//! Devices that die with a person's tokens.

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
