//! Opens and ends sessions, and removes those that ended.

use super::pins;
use crate::runtime::context::Context;
use crate::runtime::failure::Failure;
use domain::model::base::event::{Event, fact};
use domain::model::base::ids::{SessionId, UserId};
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::model::people::audit::AuditEntry;
use domain::model::people::user::{Session, User};
use domain::rules::people::user::passkey::Assertion;
use domain::rules::people::user::proof::Proof;
use serde_json::json;
use std::collections::HashMap;
use std::time::Duration;

/// Number of the oldest sessions that a log-in checks for expired ones.
const SESSIONS_SWEPT_MAX: usize = 64;
/// Number of log-ins after which all sessions are checked. The check of the oldest ones misses some: refreshed sessions
/// stay among the oldest, and a revoked session has ended before it expires.
const SWEEP_EVERY: u32 = 64;
/// Most sessions of one user after a check of all: those that expire first are ended.
const SESSIONS_PER_USER_MAX: usize = 200;
/// Most sessions that one commit ends.
const SWEPT_PER_COMMIT_MAX: usize = 500;

/// Opens a session. `nth`: number of this log-in since the start. The user is compared with the row, so that a password
/// or PIN that was changed since it was checked opens nothing.
pub(super) async fn open(
    context: &Context,
    user: &User,
    proof: &Proof,
    lifetime: Duration,
    nth: u32,
) -> Result<Session, Failure> {
    let effects = effects_of_proof(context, user, proof)?;
    let stamp = context.stamps.stamp();
    let session = Session {
        session_id: SessionId(context.stamps.id("ses_")),
        user_id: user.user_id.clone(),
        token_version: user.token_version,
        opened_at: stamp.now,
        expires_at: after(stamp.now, lifetime),
    };
    let expired = if nth % SWEEP_EVERY == 1 {
        ended_sessions(context, stamp.now)?
    } else {
        context.storage.users().expired_sessions(stamp.now, SESSIONS_SWEPT_MAX)?
    };
    let details = json!({"session_id": session.session_id, "by": proof.name()});
    let entry = AuditEntry::unapproved(&user.user_id, "session.opened", stamp.now, details);
    let event = fact::SessionOpened { session: session.clone(), expired }.into();
    let events = effects.into_iter().chain([event, fact::Audited { entry }.into()]).collect();
    context.commit_records(stamp, events, Vec::new()).await?;
    Ok(session)
}

/// Stores the use of a device or a PIN for an approval.
pub(super) async fn count_proof(context: &Context, user: &User, proof: &Proof) -> Result<(), Failure> {
    check_unchanged(context, user)?;
    let events = match proof {
        Proof::Password => Vec::new(),
        Proof::Passkey(device) => vec![used(context, user, device)?],
        Proof::Pin(pin) => pins::right(context, user, pin)?.into_iter().collect(),
    };
    Ok(context.commit_records(context.stamps.stamp(), events, Vec::new()).await?)
}

/// Further effects of a log-in: the used device, and a PIN that works again.
fn effects_of_proof(context: &Context, user: &User, proof: &Proof) -> Result<Vec<Event>, Failure> {
    check_unchanged(context, user)?;
    let (used, pin) = match proof {
        Proof::Password => (None, pins::cleared(context, user)?),
        Proof::Passkey(device) => (Some(used(context, user, device)?), pins::cleared(context, user)?),
        Proof::Pin(pin) => (None, pins::right(context, user, pin)?),
    };
    Ok(used.into_iter().chain(pin).collect())
}

/// Checks that the user was neither disabled nor given other rights or another password since the proof was checked.
pub(super) fn check_unchanged(context: &Context, user: &User) -> Result<(), Failure> {
    let now = context.storage.users().user(&user.user_id)?;
    let same = now.is_some_and(|now| !now.disabled && now.token_version == user.token_version);
    if same { Ok(()) } else { Err(Refusal::NotFound("user").into()) }
}

/// The event that stores the device after its assertion. Of two assertions with the same counter only one succeeds,
/// because this owner handles one message at a time and waits for each commit.
fn used(context: &Context, user: &User, device: &Assertion) -> Result<Event, Failure> {
    let known = context.storage.users().passkeys_of(&user.user_id)?;
    let before =
        known.iter().find(|passkey| passkey.credential_id == device.credential_id && passkey.is_alive(user));
    let before = before.ok_or(Refusal::NotFound("the device"))?;
    match device.used_on(before, context.stamps.now()) {
        Some(passkey) => Ok(fact::PasskeySaved { passkey }.into()),
        None => {
            let (user_id, device) = (&user.user_id, &device.credential_id);
            tracing::error!(%user_id, device, "a passkey's counter did not increase: refused");
            Err(Refusal::NotFound("the device").into())
        }
    }
}

/// Ends a session; it may have ended already.
pub(super) async fn close(context: &Context, session_id: SessionId) -> Result<(), Failure> {
    Ok(context
        .commit_records(context.stamps.stamp(), vec![fact::SessionClosed { session_id }.into()], Vec::new())
        .await?)
}

/// The end of a lifetime that begins now.
pub(super) fn after(now: UtcMs, lifetime: Duration) -> UtcMs {
    UtcMs(now.0.saturating_add(i64::try_from(lifetime.as_millis()).unwrap_or(i64::MAX)))
}

/// Sessions that expired or were revoked, and those above the limit of their user, up to the limit of one commit.
fn ended_sessions(context: &Context, now: UtcMs) -> Result<Vec<SessionId>, Failure> {
    let users: HashMap<UserId, u64> =
        context.storage.users().users()?.into_iter().map(|user| (user.user_id, user.token_version)).collect();
    let mut sessions = context.storage.users().sessions()?;
    sessions.sort_by_key(|session| std::cmp::Reverse(session.expires_at));
    let mut kept: HashMap<UserId, usize> = HashMap::new();
    let mut ended = Vec::new();
    for session in sessions {
        let revoked = users.get(&session.user_id) != Some(&session.token_version);
        let count = kept.entry(session.user_id).or_default();
        if revoked || session.expires_at < now || *count >= SESSIONS_PER_USER_MAX {
            ended.push(session.session_id);
        } else {
            *count = count.saturating_add(1);
        }
    }
    ended.truncate(SWEPT_PER_COMMIT_MAX);
    Ok(ended)
}
