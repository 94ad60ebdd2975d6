//! PINs of people: chosen, tried, found right and removed.

use super::log_in::check_unchanged;
use crate::runtime::context::Context;
use crate::runtime::failure::Failure;
use domain::model::base::event::{Event, fact};
use domain::model::base::ids::UserId;
use domain::model::base::refusal::Refusal;
use domain::model::people::audit::AuditEntry;
use domain::model::people::user::{Pin, User};
use domain::rules::people::user::pin::PinTry;
use domain::wire::record;
use serde_json::json;

/// Counts a try. It is on the disk before the PIN is compared, so that neither a kill nor a client that hangs up undoes
/// it.
pub(super) async fn count(context: &Context, user: &User) -> Result<PinTry, Failure> {
    check_unchanged(context, user)?;
    let Some(pin) = alive(context, user)? else { return Ok(PinTry::NoPin) };
    let Some(pin) = pin.tried() else { return Ok(PinTry::Locked) };
    let event = fact::PinSaved { pin: pin.clone() }.into();
    context.commit_records(context.stamps.stamp(), vec![event], Vec::new()).await?;
    Ok(PinTry::Counted(pin))
}

/// Stores a PIN in place of the previous one.
pub(super) async fn set(context: &Context, pin: Pin) -> Result<(), Failure> {
    // The person's tokens were revoked while the password was checked.
    let owner = context.storage.users().user(&pin.user_id)?;
    if !owner.is_some_and(|owner| pin.is_alive(&owner)) {
        return Err(Failure::Unavailable("the user was just changed"));
    }
    let user_id = pin.user_id.clone();
    audited(context, fact::PinSaved { pin }.into(), &user_id, "pin.set").await
}

/// Removes a person's own PIN.
pub(super) async fn remove(context: &Context, user_id: &UserId) -> Result<(), Failure> {
    context.storage.users().pin(user_id)?.ok_or(Refusal::NotFound("the PIN"))?;
    let removed = fact::PinRemoved { user_id: user_id.clone() }.into();
    audited(context, removed, user_id, "pin.removed").await
}

async fn audited(context: &Context, event: Event, user_id: &UserId, action: &str) -> Result<(), Failure> {
    let stamp = context.stamps.stamp();
    let entry = AuditEntry::unapproved(user_id, action, stamp.now, json!({"user_id": user_id}));
    let records = vec![record::audit_recorded(&stamp, None, &entry)];
    Ok(context.commit_records(stamp, vec![event, fact::Audited { entry }.into()], records).await?)
}

/// The PIN after it was found right, compared with the row: one that was changed meanwhile opens nothing.
pub(super) fn right(context: &Context, user: &User, compared: &Pin) -> Result<Option<Event>, Failure> {
    let same = alive(context, user)?.filter(|pin| pin.hash == compared.hash);
    Ok(same.ok_or(Refusal::NotFound("the PIN"))?.right().map(saved))
}

/// The PIN after a log-in by password or device, if it was tried.
pub(super) fn cleared(context: &Context, user: &User) -> Result<Option<Event>, Failure> {
    Ok(alive(context, user)?.and_then(|pin| pin.cleared()).map(saved))
}

fn alive(context: &Context, user: &User) -> Result<Option<Pin>, Failure> {
    Ok(context.storage.users().pin(&user.user_id)?.filter(|pin| pin.is_alive(user)))
}

fn saved(pin: Pin) -> Event {
    fact::PinSaved { pin }.into()
}
