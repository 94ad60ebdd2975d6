//! Owner of members. It changes one member at a time, so that a phone number, an e-mail address and a code each
//! identify at most one member.

use crate::message::MembersMessage;
use crate::owners::pricing;
use crate::runtime::command::{Decided, MemberRows, Owner};
use crate::runtime::context::Context;
use crate::runtime::failure::{Failure, outcome_known};
use crate::runtime::mailbox::message_taken;
use domain::model::base::answer::Answer;
use domain::model::base::ids::MemberId;
use domain::model::people::member::{MemberBook, MemberKey};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use storage::Unconfirmed;

mod change;
mod import;
mod merge_remote;
mod restore;

pub use change::{ChangeMember, EraseMember, RegisterMember};
pub(crate) use import::ImportMembers;
pub use restore::RestoreConflict;

/// Owner of the members' data.
type MembersOwner = Owner<MemberRows>;

pub(crate) struct Members;

impl Actor for Members {
    type Msg = MembersMessage;
    type State = Context;
    type Arguments = Context;

    async fn pre_start(
        &self,
        _me: ActorRef<Self::Msg>,
        context: Context,
    ) -> Result<Context, ActorProcessingErr> {
        // Commits of the previous actor must be applied before this one decides by the rows.
        context.storage.barrier().await?;
        end_if_unconfirmed(merge_remote::settle_all(&context).await)?;
        Ok(context)
    }

    async fn handle(
        &self,
        _me: ActorRef<Self::Msg>,
        message: Self::Msg,
        context: &mut Context,
    ) -> Result<(), ActorProcessingErr> {
        message_taken(&context.members.queue_len);
        match message {
            MembersMessage::Merge { members, origin, merged } => {
                if merged.is_closed() {
                    // The caller timed out; it sends the message again.
                    return Ok(());
                }
                let outcome = merge_remote::merge(context, members, origin).await;
                let confirmed = outcome_known(&outcome);
                let _ = merged.send(outcome);
                confirmed?;
            }
            MembersMessage::Decided { writes } => {
                end_if_unconfirmed(merge_remote::settle(context, &writes).await)?;
            }
            MembersMessage::Settle => {
                end_if_unconfirmed(merge_remote::settle_all(context).await)?;
            }
            MembersMessage::Run(command) => {
                let Decided { decision, pending, .. } = command.decide(&mut context.owner(MemberRows));
                context.submit_decision(decision, pending).await?;
            }
            MembersMessage::Probe { pending } => pending.nothing_to_do(&context.storage, Answer::ok(&())),
            #[cfg(test)]
            MembersMessage::Panic => panic!("asked to"),
        }
        Ok(())
    }
}

/// Returns an error, which ends this actor, if it is unknown whether settling was written. After any other failure the
/// next page of the feed settles the members.
fn end_if_unconfirmed(outcome: Result<(), Failure>) -> Result<(), Unconfirmed> {
    if let Err(failure) = &outcome {
        tracing::warn!(error = %failure, "the results of own writes must wait for the feed");
    }
    outcome_known(&outcome)
}

/// Loads the rows that a command needs: the member, and the members that have the requested keys.
fn load_book(
    members: &MembersOwner,
    id: Option<&MemberId>,
    keys: Vec<MemberKey>,
) -> Result<MemberBook, Failure> {
    let mut book = MemberBook::default();
    if let Some(member) = id.map_or(Ok(None), |id| members.storage.members().member(id))? {
        book.members.insert(member.member_id.clone(), member);
    }
    for key in keys {
        if let Some(owner) = members.storage.members().member_by_key(&key)? {
            // The key of a merged member belongs to the member that it was merged into.
            let current =
                pricing::member(&members.storage, &owner)?.map_or(owner, |member| member.member_id.clone());
            book.keys.insert(key, current);
        }
    }
    Ok(book)
}
