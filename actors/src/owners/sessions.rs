//! Sessions: promises that a log-in is on the disk before its token is given out, and that users
//! and sessions change one at a time.

use crate::message::SessionsMessage;
use crate::runtime::command::{Decided, UserRows};
use crate::runtime::context::Context;
use crate::runtime::failure::{Failure, outcome_known};
use crate::runtime::mailbox::message_taken;
use domain::model::base::answer::Answer;
use domain::model::base::event::fact;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use storage::Unconfirmed;
use tokio::sync::oneshot;

mod apply_feed;
mod devices;
mod log_in;
mod pins;
mod refresh;
mod user_changes;

pub use user_changes::ChangeUsers;

pub(crate) struct Sessions;

/// State of the actor besides the rows.
pub(crate) struct SessionsState {
    context: Context,
    /// Log-ins since dead sessions were last cleared away.
    opened: u32,
}

impl Actor for Sessions {
    type Msg = SessionsMessage;
    type State = SessionsState;
    type Arguments = Context;

    async fn pre_start(
        &self,
        _me: ActorRef<Self::Msg>,
        context: Context,
    ) -> Result<SessionsState, ActorProcessingErr> {
        // Submissions of a predecessor are in the rows before any decision based on them.
        context.storage.barrier().await?;
        Ok(SessionsState { context, opened: 0 })
    }

    async fn handle(
        &self,
        _me: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut SessionsState,
    ) -> Result<(), ActorProcessingErr> {
        message_taken(&state.context.sessions.queue_len);
        let context = &state.context;
        match message {
            SessionsMessage::Open { user, proof, lifetime, reply } => {
                state.opened = state.opened.wrapping_add(1);
                end(reply, log_in::open(context, &user, &proof, lifetime, state.opened).await)?;
            }
            SessionsMessage::Use { user, proof, reply } => {
                end(reply, log_in::count_proof(context, &user, &proof).await)?;
            }
            SessionsMessage::TryPin { user, reply } => end(reply, pins::count(context, &user).await)?,
            SessionsMessage::SetPin { pin, reply } => end(reply, pins::set(context, *pin).await)?,
            SessionsMessage::RemovePin { user, reply } => end(reply, pins::remove(context, &user).await)?,
            SessionsMessage::Refresh { presented, reply } => {
                end(reply, refresh::refresh(context, &presented).await)?;
            }
            SessionsMessage::Close { session, reply } => end(reply, log_in::close(context, session).await)?,
            SessionsMessage::Rehash { user, hash, reply } => {
                end(reply, user_changes::rehash(context, &user, hash).await)?;
            }
            SessionsMessage::Audit { entries, reply } => {
                let events = entries.into_iter().map(|entry| fact::Audited { entry }.into()).collect();
                end(reply, Ok(context.commit_records(context.stamps.stamp(), events, Vec::new()).await?))?;
            }
            SessionsMessage::Run(command) => {
                let Decided { decision, pending, .. } = command.decide(&mut context.owner(UserRows));
                user_changes::end(context, decision, pending).await?;
            }
            SessionsMessage::ApplyFeed { changes, new_generation, applied } => {
                // A caller that gave up tries again.
                if !applied.is_closed() {
                    end(applied, apply_feed::apply(context, &changes, new_generation).await)?;
                }
            }
            SessionsMessage::RemoveDevice { username, credential_id, reply } => {
                end(reply, devices::remove(context, &username, &credential_id).await)?;
            }
            SessionsMessage::AddUser { user, reply } => end(reply, user_changes::add(context, *user).await)?,
            SessionsMessage::Revoke { username, reply } => {
                end(reply, user_changes::revoke(context, &username).await)?
            }
            SessionsMessage::ResetPassword { username, hash, reply } => {
                end(reply, user_changes::reset_password(context, &username, hash).await)?
            }
            SessionsMessage::Probe { pending } => pending.nothing_to_do(&context.storage, Answer::ok(&())),
            #[cfg(test)]
            SessionsMessage::Panic => panic!("asked to"),
        }
        Ok(())
    }
}

/// Answers, even if the caller has gone away. A commit of unknown outcome ends this actor.
fn end<T>(
    reply: oneshot::Sender<Result<T, Failure>>,
    outcome: Result<T, Failure>,
) -> Result<(), Unconfirmed> {
    let known = outcome_known(&outcome);
    drop(reply.send(outcome));
    known
}
