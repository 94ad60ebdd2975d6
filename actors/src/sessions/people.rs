//! Users, changed one at a time; each change is told to head office, with who did it.

use super::commit;
use super::devices::{self, Revoked};
use crate::door::Door;
use crate::failure::{Failure, outcome_known};
use crate::pending::{Outcome, Pending};
use domain::audit::AuditEntry;
use domain::event::{Event, Stamp};
use domain::ids::UserId;
use domain::record;
use domain::refusal::Refusal;
use domain::sync::Kind;
use domain::user::change::ChangeUser;
use domain::user::people::{self, Change, Decided, Device, Known, Undecided};
use domain::user::{Caller, Role, Session, User, told};
use serde_json::json;
use storage::Unconfirmed;

/// Decides, submits, and waits until it is in the rows: the next message decides on them.
pub(super) async fn run(
    door: &Door,
    change: &Change,
    caller: &Caller,
    pending: Pending,
) -> Result<(), Unconfirmed> {
    let stamp = door.stamps.stamp();
    let renamed = matches!(change, Change::Update { change: ChangeUser { username: Some(_), .. }, .. });
    match decide(door, change, caller, &stamp) {
        Err(failure) => pending.fail(failure),
        Ok(decided) => {
            let audit_stamp = door.stamps.stamp();
            let Decided { user, session, devices, action, details, answer } = decided;
            let entry = AuditEntry::own(&caller.user_id, action, audit_stamp.now, details);
            let told = user.iter().map(|user| record::user_changed(&stamp, user));
            let audit = record::audit_recorded(&audit_stamp, None, &entry);
            let records = told.chain([audit]).collect();
            let mut events = events(user, session, devices);
            events.push(Event::Audited { entry });
            let stamp = Stamp { at: audit_stamp.at, ..stamp };
            let ready = pending.ready(Outcome { events, records, answer, stamp });
            if ready.is_some_and(|ready| ready.submit(&door.storage)) {
                door.storage.barrier().await?;
            }
            let again = if renamed { super::told::again(door).await } else { Ok(()) };
            if let Err(failure) = &again {
                tracing::warn!(error = %failure, "whoever waits for a login name waits for the feed");
            }
            outcome_known(&again)?;
        }
    }
    Ok(())
}

fn events(user: Option<User>, session: Option<Session>, devices: Vec<Device>) -> Vec<Event> {
    let user = user.map(|user| Event::UserChanged { user });
    let session = session.map(|session| Event::SessionOpened { session, expired: Vec::new() });
    let devices = devices.into_iter().map(|device| match device {
        Device::Saved(passkey) => Event::PasskeySaved { passkey },
        Device::Removed(passkey) => devices::removal(passkey),
    });
    user.into_iter().chain(session).chain(devices).collect()
}

fn decide(door: &Door, change: &Change, caller: &Caller, stamp: &Stamp) -> Result<Decided, Failure> {
    if let Change::Update { id, change: ChangeUser { disabled: Some(false), .. }, .. } = change {
        let said = door.storage.inbound(Kind::User.name(), id.as_str())?;
        let said = said.and_then(|said| serde_json::from_value(said.payload).ok());
        told::lets_in(said.as_ref())?;
    }
    let (users, passkeys) = (door.storage.users()?, door.storage.passkeys()?);
    let session = door.storage.session(&caller.session_id)?;
    let known = Known {
        caller,
        users: &users,
        passkeys: &passkeys,
        session: session.as_ref(),
        roles: &Role::STORE,
        store_id: door.storage.store_id(),
        new_id: door.stamps.id("usr_"),
        now: stamp.now,
    };
    people::decide(change, &known).map_err(|undecided| match undecided {
        Undecided::Refused(refusal) => refusal.into(),
        Undecided::Moved => Failure::Unavailable("the account has just been changed"),
    })
}

/// The name is looked up and taken with nobody in between: the next message waits for the disk.
pub(super) async fn add(door: &Door, user: User) -> Result<(), Failure> {
    if let Some(known) = door.storage.user_by_name(&user.username)? {
        return Err(Refusal::Duplicate { what: "a user of this name", id: known.user_id.0 }.into());
    }
    by_the_machine(door, user, Vec::new(), "user.created").await
}

/// Tokens and sessions of an earlier version are dead from now on, over every restart.
pub(super) async fn revoke(door: &Door, username: &str) -> Result<Revoked, Failure> {
    let mut user = devices::owner(door, username)?;
    user.token_version = user.token_version.saturating_add(1);
    user.updated_at = door.stamps.now();
    let devices = devices::dead(&door.storage, &user)?;
    let devices_removed = devices.len();
    by_the_machine(door, user.clone(), devices, "user.tokens_revoked").await?;
    Ok(Revoked { user, devices_removed })
}

/// A password that was just checked, under today's costs. No news for anybody: the rights are the same.
pub(super) async fn rehash(door: &Door, verified: &User, hash: String) -> Result<(), Failure> {
    let Some(mut user) = door.storage.user(&verified.user_id)? else { return Ok(()) };
    if user.password_hash != verified.password_hash {
        return Ok(());
    }
    user.password_hash = Some(hash);
    commit(door, door.stamps.stamp(), vec![Event::UserChanged { user }], Vec::new()).await
}

/// A change by whoever runs the machine, in the audit log under no user's id; head office is told of it like of any.
async fn by_the_machine(door: &Door, user: User, devices: Vec<Event>, action: &str) -> Result<(), Failure> {
    let (stamp, audit_stamp) = (door.stamps.stamp(), door.stamps.stamp());
    let details = json!({"user_id": user.user_id, "role": user.role, "devices_removed": devices.len()});
    let entry = AuditEntry::own(&UserId::default(), action, stamp.now, details);
    let records =
        vec![record::user_changed(&stamp, &user), record::audit_recorded(&audit_stamp, None, &entry)];
    let mut events = devices;
    events.extend([Event::UserChanged { user }, Event::Audited { entry }]);
    commit(door, Stamp { at: audit_stamp.at, ..stamp }, events, records).await
}
