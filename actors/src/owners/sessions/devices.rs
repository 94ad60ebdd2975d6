//! Devices of people: removed with a person's tokens, or by the operator.

use crate::owners::devices::removal;
use crate::runtime::context::Context;
use crate::runtime::failure::Failure;
use domain::model::base::event::fact;
use domain::model::base::ids::UserId;
use domain::model::base::refusal::Refusal;
use domain::model::people::audit::AuditEntry;
use domain::model::people::user::User;
use serde_json::json;

/// The person with this login name.
pub(super) fn owner(context: &Context, username: &str) -> Result<User, Failure> {
    let user = context.storage.users().user_by_name(username)?;
    user.ok_or(Failure::Refused(Refusal::NotFound("user")))
}

/// Removes one device on behalf of the operator.
pub(super) async fn remove(context: &Context, username: &str, credential_id: &str) -> Result<(), Failure> {
    let user = owner(context, username)?;
    let passkeys = context.storage.users().passkeys_of(&user.user_id)?;
    let known = passkeys.into_iter().find(|passkey| passkey.credential_id == credential_id);
    let passkey = known.ok_or(Failure::Refused(Refusal::NotFound("the device")))?;
    let stamp = context.stamps.stamp();
    let details =
        json!({"user_id": user.user_id, "credential_id": credential_id, "name": passkey.name.clone()});
    let entry = AuditEntry::unapproved(&UserId::default(), "passkey.removed", stamp.now, details);
    Ok(context
        .commit_records(stamp, vec![removal(passkey), fact::Audited { entry }.into()], Vec::new())
        .await?)
}
