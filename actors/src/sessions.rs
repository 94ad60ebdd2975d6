//! Sessions: promises that a log-in is on the disk before its token is given out, and that users
//! and sessions change one at a time.

use crate::door::Door;
use crate::failure::{Failure, outcome_known};
use crate::pending::Pending;
use crate::slot::taken;
use domain::answer::Answer;
use domain::audit::AuditEntry;
use domain::event::{Event, Stamp};
use domain::sync::Change;
use domain::user::passkey::Assertion;
use domain::user::rotation::{Presented, Refreshed};
use domain::user::{Caller, Session, User};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::time::Duration;
use storage::{Commit, Unconfirmed};
use tokio::sync::oneshot;

pub(crate) mod devices;
mod log_in;
mod people;
mod refresh;
mod told;

type Reply<T> = oneshot::Sender<Result<T, Failure>>;

/// What sessions are asked.
pub(crate) enum SessionsMessage {
    /// Open a session that lives for `lifetime`, for a user as its password was checked.
    Open { user: Box<User>, device: Option<Assertion>, lifetime: Duration, reply: Reply<Session> },
    /// Count a device's assertion without opening anything.
    Use { user: Box<User>, device: Assertion, reply: Reply<()> },
    /// Spend a refresh token.
    Refresh { presented: Box<Presented>, reply: Reply<Refreshed> },
    /// End a session.
    Close { session: domain::ids::SessionId, reply: Reply<()> },
    /// Store a user's password anew under today's costs, if it is still the one that was checked.
    Rehash { user: Box<User>, hash: String, reply: Reply<()> },
    /// Write down what was refused.
    Audit { entries: Vec<AuditEntry>, reply: Reply<()> },
    /// Change a user for a caller.
    People { change: Box<domain::user::people::Change>, caller: Caller, pending: Pending },
    /// A page of the feed tells of people; the reply comes when it is durable.
    Told { changes: Vec<Change>, another_life: bool, told: Reply<()> },
    /// Add a user whose login name is free.
    AddUser { user: Box<User>, reply: Reply<()> },
    /// Kill every token of the user with this login name.
    Revoke { username: String, reply: Reply<devices::Revoked> },
    /// Remove a device of the user with this login name.
    RemoveDevice { username: String, credential_id: String, reply: Reply<()> },
    /// Whether commands get through.
    Probe { pending: Pending },
    #[cfg(debug_assertions)]
    Panic,
}

pub(crate) struct Sessions;

/// What the actor knows besides the rows.
pub(crate) struct Desk {
    door: Door,
    /// Log-ins since dead sessions were last cleared away.
    opened: u32,
}

impl Actor for Sessions {
    type Msg = SessionsMessage;
    type State = Desk;
    type Arguments = Door;

    async fn pre_start(&self, _me: ActorRef<Self::Msg>, door: Door) -> Result<Desk, ActorProcessingErr> {
        // What a predecessor submitted is in the rows before anything is decided on them.
        door.storage.barrier().await?;
        Ok(Desk { door, opened: 0 })
    }

    async fn handle(
        &self,
        _me: ActorRef<Self::Msg>,
        message: Self::Msg,
        desk: &mut Desk,
    ) -> Result<(), ActorProcessingErr> {
        taken(&desk.door.sessions.depth);
        let door = &desk.door;
        match message {
            SessionsMessage::Open { user, device, lifetime, reply } => {
                desk.opened = desk.opened.wrapping_add(1);
                end(reply, log_in::open(door, &user, device, lifetime, desk.opened).await)?;
            }
            SessionsMessage::Use { user, device, reply } => {
                end(reply, log_in::count(door, &user, &device).await)?;
            }
            SessionsMessage::Refresh { presented, reply } => {
                end(reply, refresh::refresh(door, &presented).await)?;
            }
            SessionsMessage::Close { session, reply } => end(reply, log_in::close(door, session).await)?,
            SessionsMessage::Rehash { user, hash, reply } => {
                end(reply, people::rehash(door, &user, hash).await)?;
            }
            SessionsMessage::Audit { entries, reply } => {
                let events = entries.into_iter().map(|entry| Event::Audited { entry }).collect();
                end(reply, commit(door, door.stamps.stamp(), events, Vec::new()).await)?;
            }
            SessionsMessage::People { change, caller, pending } => {
                people::run(door, &change, &caller, pending).await?;
            }
            SessionsMessage::Told { changes, another_life, told } => {
                // Whoever asked and has given up asks again.
                if !told.is_closed() {
                    end(told, told::told(door, &changes, another_life).await)?;
                }
            }
            SessionsMessage::RemoveDevice { username, credential_id, reply } => {
                end(reply, devices::remove(door, &username, &credential_id).await)?;
            }
            SessionsMessage::AddUser { user, reply } => end(reply, people::add(door, *user).await)?,
            SessionsMessage::Revoke { username, reply } => end(reply, people::revoke(door, &username).await)?,
            SessionsMessage::Probe { pending } => pending.nothing_to_do(&door.storage, Answer::ok(&())),
            #[cfg(debug_assertions)]
            SessionsMessage::Panic => panic!("asked to"),
        }
        Ok(())
    }
}

/// Answers. Whoever asked may be gone; what is on the disk stays, and what may be there ends this actor.
fn end<T>(reply: Reply<T>, outcome: Result<T, Failure>) -> Result<(), Unconfirmed> {
    let known = outcome_known(&outcome);
    drop(reply.send(outcome));
    known
}

/// Writes and waits: the next message finds it in the rows.
async fn commit(door: &Door, stamp: Stamp, events: Vec<Event>, records: Vec<String>) -> Result<(), Failure> {
    // What makes no record is no news for head office: no hybrid stamp either.
    let hlc = if records.is_empty() { None } else { Some(stamp.at) };
    let commit = Commit { events, records, keyed: None, at: stamp.now, hlc };
    door.storage.commit(commit).await?;
    Ok(())
}
