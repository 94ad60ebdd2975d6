//! Users, changed one at a time; each change is told to head office, with who did it.

use super::commit;
use crate::door::Door;
use crate::failure::Failure;
use crate::pending::{Outcome, Pending};
use domain::answer::Answer;
use domain::audit::AuditEntry;
use domain::event::{Event, Stamp};
use domain::ids::UserId;
use domain::record;
use domain::refusal::Refusal;
use domain::user::change::{self, ChangeUser, NewUser};
use domain::user::{Caller, User};
use serde_json::{Value, json};

/// A change of a user that a caller asks for; `hash` is that of the password in it.
pub(crate) enum PeopleCommand {
    /// Make one.
    Create { user: NewUser, hash: Option<String>, caller: Caller },
    /// Change one.
    Change { id: UserId, change: ChangeUser, hash: Option<String>, caller: Caller },
    /// Kill every token of one.
    Revoke { id: UserId, caller: Caller },
    /// Give oneself a new password: every other session dies.
    Password { verified: User, hash: String, caller: Caller },
}

/// What a command comes to.
struct Decided {
    events: Vec<Event>,
    user: User,
    caller: Caller,
    action: &'static str,
    details: Value,
    answer: Answer,
}

/// Decides, submits, and waits until it is in the rows: the next message decides on them.
pub(super) async fn run(door: &Door, command: PeopleCommand, pending: Pending) {
    let stamp = door.stamps.stamp();
    match decide(door, command, &stamp) {
        Err(failure) => pending.fail(failure),
        Ok(decided) => {
            let Decided { mut events, user, caller, action, details, answer } = decided;
            let audit_stamp = door.stamps.stamp();
            let entry = AuditEntry::own(&caller.user_id, action, audit_stamp.now, details);
            let records =
                vec![record::user_changed(&stamp, &user), record::audit_recorded(&audit_stamp, None, &entry)];
            events.push(Event::Audited { entry });
            let stamp = Stamp { at: audit_stamp.at, ..stamp };
            let ready = pending.ready(Outcome { events, records, answer, stamp });
            if ready.is_some_and(|ready| ready.submit(&door.storage)) {
                // Closed: the daemon is stopping, and nobody decides anything any more.
                let _ = door.storage.barrier().await;
            }
        }
    }
}

fn decide(door: &Door, command: PeopleCommand, stamp: &Stamp) -> Result<Decided, Failure> {
    let users = door.storage.users()?;
    let now = stamp.now;
    let decided = |user: User, caller, action, details, answer| Decided {
        events: vec![Event::UserChanged { user: user.clone() }],
        user,
        caller,
        action,
        details,
        answer,
    };
    Ok(match command {
        PeopleCommand::Create { user, hash, caller } => {
            let id = door.stamps.id("usr_");
            let user = change::create(&user, id, hash, now, &caller, &users, door.storage.store_id())?;
            let details = json!({"user_id": user.user_id, "role": user.role});
            let answer = Answer::created(format!("/api/users/{}", user.user_id), &change::view(&user));
            decided(user, caller, "user.created", details, answer)
        }
        PeopleCommand::Change { id, change, hash, caller } => {
            let user = change::change(&change, &id, hash, now, &caller, &users)?;
            let details = json!({
                "user_id": id, "fields": change.given(), "role": user.role, "disabled": user.disabled,
            });
            let answer = Answer::ok(&change::view(&user));
            decided(user, caller, "user.changed", details, answer)
        }
        PeopleCommand::Revoke { id, caller } => {
            let user = change::revoke(&id, now, &caller, &users)?;
            let answer = Answer::ok(&json!({"revoked_at": now}));
            decided(user, caller, "user.tokens_revoked", json!({"user_id": id}), answer)
        }
        PeopleCommand::Password { verified, hash, caller } => {
            let session = door.storage.session(&caller.session_id)?;
            let user = users.into_iter().find(|user| user.user_id == verified.user_id);
            // Somebody changed the password, or threw the session out, since both were checked.
            let (mut session, mut user) = session
                .zip(user)
                .filter(|(_, user)| user.token_version == verified.token_version)
                .ok_or(Failure::Unavailable("the account has just been changed"))?;
            user.password_hash = Some(hash);
            user.token_version = user.token_version.saturating_add(1);
            user.updated_at = now;
            session.token_version = user.token_version;
            let details = json!({"user_id": user.user_id});
            let mut decided = decided(user, caller, "user.password_changed", details, Answer::ok(&json!({})));
            // This session goes on under the new version; those of the old one are dead.
            decided.events.push(Event::SessionOpened { session, expired: Vec::new() });
            decided
        }
    })
}

/// The name is looked up and taken with nobody in between: the next message waits for the disk.
pub(super) async fn add(door: &Door, user: User) -> Result<(), Failure> {
    if let Some(known) = door.storage.user_by_name(&user.username)? {
        return Err(Refusal::Duplicate { what: "a user of this name", id: known.user_id.0 }.into());
    }
    by_the_machine(door, user).await
}

/// Tokens and sessions of an earlier version are dead from now on, over every restart.
pub(super) async fn revoke(door: &Door, username: &str) -> Result<User, Failure> {
    let user = door.storage.user_by_name(username)?;
    let mut user = user.ok_or(Failure::Refused(Refusal::NotFound("user")))?;
    user.token_version = user.token_version.saturating_add(1);
    user.updated_at = door.stamps.now();
    by_the_machine(door, user.clone()).await?;
    Ok(user)
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

/// A change by whoever runs the machine.
async fn by_the_machine(door: &Door, user: User) -> Result<(), Failure> {
    commit(door, door.stamps.stamp(), vec![Event::UserChanged { user }], Vec::new()).await
}
