//! Members: promises that a phone number, an e-mail address and a code name one member each, because
//! members change one at a time.

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
        // What a predecessor submitted is in the rows before anything is decided on them.
        context.storage.barrier().await?;
        settled(merge_remote::settle_all(&context).await)?;
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
                    // The caller gave up, and tries again.
                    return Ok(());
                }
                let outcome = merge_remote::merge(context, members, origin).await;
                let known = outcome_known(&outcome);
                let _ = merged.send(outcome);
                known?;
            }
            MembersMessage::Decided { writes } => {
                settled(merge_remote::settle(context, &writes).await)?;
            }
            MembersMessage::Settle => {
                settled(merge_remote::settle_all(context).await)?;
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

/// Outcome of settling members: a failure that leaves nothing waits for the feed; one that may have been written ends
/// this actor.
fn settled(outcome: Result<(), Failure>) -> Result<(), Unconfirmed> {
    if let Err(failure) = &outcome {
        tracing::warn!(error = %failure, "the results of own writes must wait for the feed");
    }
    outcome_known(&outcome)
}

/// The rows that a command names: the member, and who has the keys that it asks for.
fn book(members: &MembersOwner, id: Option<&MemberId>, keys: Vec<MemberKey>) -> Result<MemberBook, Failure> {
    let mut book = MemberBook::default();
    if let Some(member) = id.map_or(Ok(None), |id| members.storage.members().member(id))? {
        book.members.insert(member.member_id.clone(), member);
    }
    for key in keys {
        if let Some(owner) = members.storage.members().member_by_key(&key)? {
            // A key of one that was merged into another is that one's.
            let now =
                pricing::member(&members.storage, &owner)?.map_or(owner, |member| member.member_id.clone());
            book.keys.insert(key, now);
        }
    }
    Ok(book)
}
