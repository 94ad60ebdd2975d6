//! Members: promises that a phone number, an e-mail address and a code name one member each, because
//! members change one at a time.

use crate::door::Door;
use crate::failure::{Failure, outcome_known};
use crate::pending::{Outcome, Pending};
use crate::shelf;
use crate::slot::taken;
use crate::who::Who;
use domain::answer::Answer;
use domain::ids::MemberId;
use domain::member::{ChangeMember, MemberBook, MemberKey, MemberRow, NewMember};
use domain::sync::local::OwnWrite;
use domain::sync::{Change, MemberDown};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use storage::Unconfirmed;
use tokio::sync::oneshot;

mod change;
mod import;
mod restore;
mod told;

/// What members are asked.
pub(crate) enum MembersMessage {
    /// Change one for a caller.
    Run { command: Box<MemberCommand>, who: Who, pending: Pending },
    /// Register every row of a file, or none.
    Import { rows: Vec<MemberRow>, who: Who, pending: Pending },
    /// Head office tells of them; the reply comes when it is durable, with what could not be used.
    Told { members: Vec<(Change, MemberDown)>, telling: Telling, told: Told },
    /// Head office decided on own writes.
    Decided { writes: Vec<OwnWrite> },
    /// A page of the feed was taken in: it may hold what came of own writes.
    Settle,
    /// Whether commands get through.
    Probe { pending: Pending },
    #[cfg(debug_assertions)]
    Panic,
}

/// How head office came to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Telling {
    /// By the feed.
    Feed,
    /// By the feed of a hub of another life: values that are newer here are sent back.
    AnotherLife,
    /// It was asked for somebody who is not here: whoever is here by now is left to the feed.
    Met,
}

impl Telling {
    /// By the feed, of a hub of another life or not.
    pub(crate) fn feed(another_life: bool) -> Self {
        if another_life { Self::AnotherLife } else { Self::Feed }
    }
}

/// Says what of a page could not be used, or why none of it was taken.
pub(crate) type Told = oneshot::Sender<Result<Vec<(Change, String)>, Failure>>;

/// A change of a member.
#[derive(Debug, Clone)]
pub(crate) enum MemberCommand {
    /// Register one.
    Register { id: MemberId, command: NewMember },
    /// Change what is given.
    Change { id: MemberId, command: ChangeMember },
    /// Erase everything personal.
    Erase { id: MemberId },
    /// Put a value back that lost.
    Restore { conflict_id: String },
}

pub(crate) struct Members;

impl Actor for Members {
    type Msg = MembersMessage;
    type State = Door;
    type Arguments = Door;

    async fn pre_start(&self, _me: ActorRef<Self::Msg>, door: Door) -> Result<Door, ActorProcessingErr> {
        // What a predecessor submitted is in the rows before anything is decided on them.
        door.storage.barrier().await?;
        settled(told::settle_all(&door).await)?;
        Ok(door)
    }

    async fn handle(
        &self,
        _me: ActorRef<Self::Msg>,
        message: Self::Msg,
        door: &mut Door,
    ) -> Result<(), ActorProcessingErr> {
        taken(&door.members.depth);
        match message {
            MembersMessage::Told { members, telling, told } => {
                if told.is_closed() {
                    // Whoever asked has given up, and asks again.
                    return Ok(());
                }
                let outcome = told::told(door, members, telling).await;
                let known = outcome_known(&outcome);
                let _ = told.send(outcome);
                known?;
            }
            MembersMessage::Decided { writes } => {
                settled(told::settle(door, &writes).await)?;
            }
            MembersMessage::Settle => {
                settled(told::settle_all(door).await)?;
            }
            MembersMessage::Run { command, who, pending } => {
                end(door, change::decide(door, *command, &who), pending).await?;
            }
            MembersMessage::Import { rows, who, pending } => {
                end(door, import::decide(door, &rows, &who), pending).await?;
            }
            MembersMessage::Probe { pending } => pending.nothing_to_do(&door.storage, Answer::ok(&())),
            #[cfg(debug_assertions)]
            MembersMessage::Panic => panic!("asked to"),
        }
        Ok(())
    }
}

/// Submits, and waits until it is in the rows: the next message decides on them.
async fn end(door: &Door, decided: Result<Outcome, Failure>, pending: Pending) -> Result<(), Unconfirmed> {
    match decided {
        Err(failure) => pending.refuse(&door.storage, failure),
        Ok(outcome) => {
            if pending.ready(outcome).is_some_and(|ready| ready.submit(&door.storage)) {
                door.storage.barrier().await?;
            }
        }
    }
    Ok(())
}

/// What could not be settled waits for the feed; what may have been ends this actor.
fn settled(outcome: Result<(), Failure>) -> Result<(), Unconfirmed> {
    if let Err(failure) = &outcome {
        tracing::warn!(error = %failure, "what came of own writes waits for the feed");
    }
    outcome_known(&outcome)
}

/// The rows that a command names: the member, and who has the keys that it asks for.
fn book(door: &Door, id: Option<&MemberId>, keys: Vec<MemberKey>) -> Result<MemberBook, Failure> {
    let mut book = MemberBook::default();
    if let Some(member) = id.map_or(Ok(None), |id| door.storage.member(id))? {
        book.members.insert(member.member_id.clone(), member);
    }
    for key in keys {
        if let Some(owner) = door.storage.member_by_key(&key)? {
            // A key of one that goes on as another is that one's.
            let now = shelf::member(&door.storage, &owner)?.map_or(owner, |member| member.member_id);
            book.keys.insert(key, now);
        }
    }
    Ok(book)
}
