//! `user devices`, `user remove-device`: a user's devices for log-in, for the operator.

use super::wire::Trouble;
use actors::{Failure, StoreHandle};
use domain::model::base::refusal::Refusal;
use domain::rules::people::user::passkey;
use serde_json::{Value, json};

/// The devices of a user.
///
/// # Errors
/// There is no such login name.
pub fn list(store: &StoreHandle, username: &str) -> Result<Value, Trouble> {
    let storage = store.storage();
    let user = storage.users().user_by_name(username).map_err(crate::folder::in_use)?;
    let user = user.ok_or_else(|| no_user(username))?;
    let devices = storage.users().passkeys_of(&user.user_id).map_err(crate::folder::in_use)?;
    let shown: Vec<_> = devices.iter().filter(|device| device.is_alive(&user)).map(passkey::view).collect();
    Ok(json!({"devices": shown}))
}

/// Removes one of them.
///
/// # Errors
/// There is no such login name, or the user has no such device.
pub async fn remove(store: &StoreHandle, username: &str, credential_id: &str) -> Result<Value, Trouble> {
    match store.remove_device(username, credential_id).await {
        Ok(()) => Ok(json!({"username": username, "credential_id": credential_id})),
        Err(Failure::Refused(Refusal::NotFound("user"))) => Err(no_user(username)),
        Err(Failure::Refused(Refusal::NotFound(_))) => {
            let message =
                format!("{username} has no device \"{credential_id}\": user devices {username} lists them");
            Err(Trouble::new(message))
        }
        Err(failure) => Err(failure.into()),
    }
}

/// There is no such login name.
pub fn no_user(username: &str) -> Trouble {
    Trouble::new(format!("there is no user \"{username}\""))
}
