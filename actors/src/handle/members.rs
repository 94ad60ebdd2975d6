//! Members: registered, changed, erased; and found again under the ids they had.

use super::{Ask, FILE_DEADLINE, StoreHandle};
use crate::failure::{Done, Failure};
use crate::ledger::LedgerMessage;
use crate::members::{MemberCommand, MembersMessage};
use crate::shelf;
use domain::ids::MemberId;
use domain::member::{ChangeMember, Member, MemberRow, MemberState, NewMember};
use domain::points::AdjustPoints;
use domain::refusal::Refusal;

const RESTARTING: Failure = Failure::Unavailable("members are restarting");

impl StoreHandle {
    /// Registers a member.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::member::register`].
    pub async fn register_member(&self, ask: &Ask, command: NewMember) -> Result<Done, Failure> {
        let id: MemberId = self.door.stamps.id("mbr_");
        self.member_command(ask, MemberCommand::Register { id, command }).await
    }

    /// Registers every row of a file in one commit, or none.
    ///
    /// # Errors
    /// [`Failure::Refused`] with every bad row, by [`domain::member::import`].
    pub async fn import_members(&self, rows: Vec<MemberRow>) -> Result<Done, Failure> {
        let ask = self.console();
        self.run_within(FILE_DEADLINE, &ask, |pending| {
            let (rows, who) = (rows.clone(), ask.who());
            async move {
                let message = MembersMessage::Import { rows, who, pending };
                if let Err(MembersMessage::Import { pending, .. }) = self.door.members.send(message).await {
                    pending.fail(RESTARTING);
                }
            }
        })
        .await
    }

    /// Changes a member; a merged one's id names whom it goes on as.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::member::change`].
    pub async fn change_member(
        &self,
        ask: &Ask,
        id: &MemberId,
        command: ChangeMember,
    ) -> Result<Done, Failure> {
        let id = self.member(id)?.member_id;
        self.member_command(ask, MemberCommand::Change { id, command }).await
    }

    /// Erases everything personal of a member.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::member::erase`].
    pub async fn erase_member(&self, ask: &Ask, id: &MemberId) -> Result<Done, Failure> {
        let id = self.member(id)?.member_id;
        self.member_command(ask, MemberCommand::Erase { id }).await
    }

    /// Puts a value back that lost against another one, as a new write.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::member::restore`], or when it was put back before.
    pub async fn restore_conflict(&self, ask: &Ask, conflict_id: &str) -> Result<Done, Failure> {
        self.member_command(ask, MemberCommand::Restore { conflict_id: conflict_id.to_owned() }).await
    }

    /// Corrects a member's points.
    ///
    /// # Errors
    /// [`Failure::Refused`] by the rules of [`domain::points::adjust`], or for an erased member.
    pub async fn adjust_points(
        &self,
        ask: &Ask,
        id: &MemberId,
        command: AdjustPoints,
    ) -> Result<Done, Failure> {
        let found = self.member(id)?;
        let member = found.member_id.clone();
        self.run(ask, |pending| {
            let (member, command, who) = (member.clone(), command.clone(), ask.who());
            let erased = found.state == MemberState::Erased;
            async move {
                if erased {
                    let state = MemberState::Erased.name().to_owned();
                    return pending.fail(Refusal::InvalidState { state, allowed: Vec::new() }.into());
                }
                self.to_ledger(LedgerMessage::AdjustPoints { member, command, who, pending }).await;
            }
        })
        .await
    }

    /// The member of an id; of a merged one, whom it goes on as.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] when there is none.
    pub fn member(&self, id: &MemberId) -> Result<Member, Failure> {
        let found = shelf::member(&self.door.storage, id)?;
        found.ok_or(Failure::Refused(Refusal::NotFound("member")))
    }

    async fn member_command(&self, ask: &Ask, command: MemberCommand) -> Result<Done, Failure> {
        self.run(ask, |pending| {
            let (command, who) = (Box::new(command.clone()), ask.who());
            async move {
                let message = MembersMessage::Run { command, who, pending };
                if let Err(MembersMessage::Run { pending, .. }) = self.door.members.send(message).await {
                    pending.fail(RESTARTING);
                }
            }
        })
        .await
    }
}
