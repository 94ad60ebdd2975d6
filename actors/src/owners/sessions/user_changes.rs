//! Users, changed one at a time; each change is reported to head office, with who did it.

use super::devices;
use crate::message::Revoked;
use crate::owners::devices::{dead, dead_pin, removal};
use crate::prelude::*;
use crate::runtime::command::UserRows;
use crate::runtime::decide::UserDecision;
use crate::runtime::failure::outcome_known;
use crate::runtime::pending::Pending;
use domain::model::base::ids::UserId;
use domain::model::people::user::{Principal, Role, Session, User};
use domain::rules::people::user::account_change::{Change, Decided, Device, Known, Undecided};
use domain::rules::people::user::change::ChangeUser;
use domain::rules::people::user::{account_change, apply_feed};
use domain::wire::feed::Kind;
use serde_json::json;
use storage::Unconfirmed;

/// Carries a change of users or devices out, by the rules of [`domain::rules::people::user::account_change`].
pub struct ChangeUsers(pub Change);

impl Dispatch for ChangeUsers {}

impl Command for ChangeUsers {
    type Book = UserRows;
    type Rows = ();

    fn decide(
        &self,
        (): (),
        users: &mut Owner<UserRows>,
        request: &RequestContext,
    ) -> Result<UserDecision, Failure> {
        let stamp = users.stamps.stamp();
        let decided = decide(users, &self.0, &request.caller, &stamp)?;
        let Decided { user, session, devices, action, details, answer } = decided;
        let entry = AuditEntry::unapproved(&request.caller.user_id, action, users.stamps.now(), details);
        let records = user.iter().map(|user| record::user_changed(&stamp, user)).collect();
        let pin = match &user {
            Some(user) => dead_pin(&users.storage, user)?,
            None => None,
        };
        let events = events(user, session, devices).into_iter().chain(pin).collect();
        let outcome = Outcome { events, records, answer, stamp, sale: None };
        let renamed = matches!(self.0, Change::Update { change: ChangeUser { username: Some(_), .. }, .. });
        Ok(UserDecision { outcome: outcome.audited(&users.stamps, None, entry), renamed })
    }
}

/// Submits a change, and the changes of users that waited for a login name that is free by now.
pub(super) async fn end(
    context: &Context,
    decision: Result<UserDecision, Failure>,
    pending: Pending,
) -> Result<(), Unconfirmed> {
    let renamed = decision.as_ref().is_ok_and(|decision| decision.renamed);
    context.submit_decision(decision.map(|decision| decision.outcome.into()), pending).await?;
    let admitted = if renamed { super::apply_feed::admit_waiting(context).await } else { Ok(()) };
    if let Err(failure) = &admitted {
        tracing::warn!(error = %failure, "users who wait for a login name must wait for the feed");
    }
    outcome_known(&admitted)
}

fn events(user: Option<User>, session: Option<Session>, devices: Vec<Device>) -> Vec<Event> {
    let user = user.map(|user| fact::UserChanged { user }.into());
    let session = session.map(|session| fact::SessionOpened { session, expired: Vec::new() }.into());
    let devices = devices.into_iter().map(|device| match device {
        Device::Saved(passkey) => fact::PasskeySaved { passkey }.into(),
        Device::Removed(passkey) => removal(passkey),
    });
    user.into_iter().chain(session).chain(devices).collect()
}

fn decide(
    rows: &Owner<UserRows>,
    change: &Change,
    caller: &Principal,
    stamp: &Stamp,
) -> Result<Decided, Failure> {
    if let Change::Update { id, change, .. } = change {
        let said = rows.storage.sync().inbound(Kind::User.name(), id.as_str())?;
        let said = said.and_then(|said| serde_json::from_value(said.payload).ok());
        if change.disabled == Some(false) {
            let denied = rows.storage.users().user(id)?.is_some_and(|user| user.disabled);
            apply_feed::lets_in(said.as_ref(), denied && rows.storage.sync().hub()?.is_some())?;
        }
        apply_feed::is_own(said.as_ref(), change)?;
    }
    let (users, passkeys) = (rows.storage.users().users()?, rows.storage.users().passkeys()?);
    let session = rows.storage.users().session(&caller.session_id)?;
    let known = Known {
        caller,
        users: &users,
        passkeys: &passkeys,
        session: session.as_ref(),
        roles: &Role::STORE,
        store_id: rows.storage.store_id(),
        new_id: rows.stamps.id("usr_"),
        now: stamp.now,
    };
    account_change::decide(change, &known).map_err(|undecided| match undecided {
        Undecided::Refused(refusal) => refusal.into(),
        Undecided::Moved => Failure::Unavailable("the user was just changed"),
    })
}

/// The name is checked and taken without a gap: the next message waits for the disk.
pub(super) async fn add(context: &Context, user: User) -> Result<(), Failure> {
    if let Some(known) = context.storage.users().user_by_name(&user.username)? {
        return Err(Refusal::Duplicate { what: "a user of this name", id: known.user_id.0 }.into());
    }
    by_operator(context, user, Vec::new(), None, "user.created").await
}

/// Tokens and sessions of an earlier version are dead from now on, over every restart.
pub(super) async fn revoke(context: &Context, username: &str) -> Result<Revoked, Failure> {
    let user = devices::owner(context, username)?;
    end_sessions(context, user, "user.tokens_revoked").await
}

/// Another password, whose hash this is; tokens and devices of before are dead from now on.
pub(super) async fn reset_password(
    context: &Context,
    username: &str,
    hash: String,
) -> Result<Revoked, Failure> {
    let mut user = devices::owner(context, username)?;
    user.set_password(hash, context.stamps.now());
    end_sessions(context, user, "user.password_changed").await
}

async fn end_sessions(context: &Context, mut user: User, action: &str) -> Result<Revoked, Failure> {
    user.token_version = user.token_version.saturating_add(1);
    user.updated_at = context.stamps.now();
    let devices = dead(&context.storage, &user)?;
    let devices_removed = devices.len();
    let pin = dead_pin(&context.storage, &user)?;
    by_operator(context, user.clone(), devices, pin, action).await?;
    Ok(Revoked { user, devices_removed })
}

/// Stores a password that was just checked with the present costs. It is not reported, because the rights are the same.
pub(super) async fn rehash(context: &Context, verified: &User, hash: String) -> Result<(), Failure> {
    let Some(mut user) = context.storage.users().user(&verified.user_id)? else { return Ok(()) };
    if user.password_hash != verified.password_hash {
        return Ok(());
    }
    user.password_hash = Some(hash);
    Ok(context
        .commit_records(context.stamps.stamp(), vec![fact::UserChanged { user }.into()], Vec::new())
        .await?)
}

/// A change by the operator, in the audit log under no user's ID; head office is notified as of any change.
async fn by_operator(
    context: &Context,
    user: User,
    devices: Vec<Event>,
    pin: Option<Event>,
    action: &str,
) -> Result<(), Failure> {
    let (stamp, audit_stamp) = (context.stamps.stamp(), context.stamps.stamp());
    let details = json!({"user_id": user.user_id, "role": user.role, "devices_removed": devices.len()});
    let entry = AuditEntry::unapproved(&UserId::default(), action, stamp.now, details);
    let records =
        vec![record::user_changed(&stamp, &user), record::audit_recorded(&audit_stamp, None, &entry)];
    let mut events = devices;
    events.extend(pin);
    events.extend([fact::UserChanged { user }.into(), fact::Audited { entry }.into()]);
    Ok(context.commit_records(Stamp { at: audit_stamp.at, ..stamp }, events, records).await?)
}
