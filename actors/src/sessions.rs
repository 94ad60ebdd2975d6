//! Sessions: promises that a log-in is on the disk before its token is given out.

use crate::door::Door;
use crate::failure::Failure;
use crate::slot::taken;
use domain::event::Event;
use domain::ids::{SessionId, UserId};
use domain::refusal::Refusal;
use domain::time::UtcMs;
use domain::user::Session;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::time::Duration;
use storage::Commit;
use tokio::sync::oneshot;

/// What sessions are asked.
pub(crate) enum SessionsMessage {
    /// Open a session that lives for `lifetime`.
    Open { user_id: UserId, lifetime: Duration, reply: oneshot::Sender<Result<Session, Failure>> },
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
    let event = Event::SessionOpened { session: session.clone() };
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
