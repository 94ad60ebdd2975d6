//! Sessions: promises that a log-in is on the disk before its token is given out, and that users
//! change one at a time.

use crate::door::Door;
use crate::failure::Failure;
use crate::slot::taken;
use domain::event::Event;
use domain::ids::{SessionId, UserId};
use domain::refusal::Refusal;
use domain::time::UtcMs;
use domain::user::{Session, User};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::time::Duration;
use storage::Commit;
use tokio::sync::oneshot;

/// Oldest sessions that a log-in looks at, to drop those that expired.
const SESSIONS_SWEPT_MAX: usize = 64;

/// What sessions are asked.
pub(crate) enum SessionsMessage {
    /// Open a session that lives for `lifetime`.
    Open { user_id: UserId, lifetime: Duration, reply: oneshot::Sender<Result<Session, Failure>> },
    /// Add a user whose login name is free.
    AddUser { user: Box<User>, reply: oneshot::Sender<Result<(), Failure>> },
    /// Kill every token of the user with this login name.
    Revoke { username: String, reply: oneshot::Sender<Result<User, Failure>> },
    #[cfg(debug_assertions)]
    Panic,
}

pub(crate) struct Sessions;

impl Actor for Sessions {
    type Msg = SessionsMessage;
    type State = Door;
    type Arguments = Door;

    async fn pre_start(&self, _me: ActorRef<Self::Msg>, door: Door) -> Result<Door, ActorProcessingErr> {
        Ok(door)
    }

    async fn handle(
        &self,
        _me: ActorRef<Self::Msg>,
        message: Self::Msg,
        door: &mut Door,
    ) -> Result<(), ActorProcessingErr> {
        taken(&door.sessions.depth);
        match message {
            SessionsMessage::Open { user_id, lifetime, reply } => open(door, &user_id, lifetime, reply).await,
            // Whoever asked may be gone; what is on the disk stays.
            SessionsMessage::AddUser { user, reply } => drop(reply.send(add(door, *user).await)),
            SessionsMessage::Revoke { username, reply } => drop(reply.send(revoke(door, &username).await)),
            #[cfg(debug_assertions)]
            SessionsMessage::Panic => panic!("asked to"),
        }
        Ok(())
    }
}

async fn open(
    door: &Door,
    user_id: &UserId,
    lifetime: Duration,
    reply: oneshot::Sender<Result<Session, Failure>>,
) {
    let user = match door.storage.user(user_id) {
        Ok(Some(user)) if !user.disabled => user,
        Ok(_) => return drop(reply.send(Err(Refusal::NotFound("user").into()))),
        Err(error) => return drop(reply.send(Err(error.into()))),
    };
    let now = door.stamps.now();
    let lifetime_ms = i64::try_from(lifetime.as_millis()).unwrap_or(i64::MAX);
    let session = Session {
        session_id: SessionId(door.stamps.id("ses_")),
        user_id: user.user_id,
        token_version: user.token_version,
        opened_at: now,
        expires_at: UtcMs(now.0.saturating_add(lifetime_ms)),
    };
    // A log-in is no news for head office: no hybrid stamp, no record.
    let expired = match door.storage.expired_sessions(now, SESSIONS_SWEPT_MAX) {
        Ok(expired) => expired,
        Err(error) => return drop(reply.send(Err(error.into()))),
    };
    let event = Event::SessionOpened { session: session.clone(), expired };
    let commit = Commit { events: vec![event], records: Vec::new(), keyed: None, at: now, hlc: None };
    // Waiting for a permit is the only await, before anything is submitted.
    let Ok(permit) = door.storage.gate().acquire_owned().await else {
        return drop(reply.send(Err(Failure::Unavailable("the daemon is stopping"))));
    };
    let submitted = door.storage.submit(commit, move |_durable| {
        drop(reply.send(Ok(session)));
        drop(permit);
    });
    if let Err(error) = submitted {
        tracing::error!(%error, "a log-in was not stored");
    }
}

/// The name is looked up and taken with nobody in between: the next message waits for the disk.
async fn add(door: &Door, user: User) -> Result<(), Failure> {
    if let Some(known) = door.storage.user_by_name(&user.username)? {
        return Err(Refusal::Duplicate { what: "a user of this name", id: known.user_id.0 }.into());
    }
    change(door, user).await
}

/// Tokens and sessions of an earlier version are dead from now on, over every restart.
async fn revoke(door: &Door, username: &str) -> Result<User, Failure> {
    let user = door.storage.user_by_name(username)?;
    let mut user = user.ok_or(Failure::Refused(Refusal::NotFound("user")))?;
    user.token_version = user.token_version.saturating_add(1);
    user.updated_at = door.stamps.now();
    change(door, user.clone()).await?;
    Ok(user)
}

async fn change(door: &Door, user: User) -> Result<(), Failure> {
    let at = door.stamps.now();
    let events = vec![Event::UserChanged { user }];
    let commit = Commit { events, records: Vec::new(), keyed: None, at, hlc: None };
    let stopping = |_| Failure::Unavailable("the daemon is stopping");
    door.storage.commit(commit).await.map(drop).map_err(stopping)
}
