//! The ledger: the one owner of everything that two shifts can change, so that all changes have one order.

use crate::message::LedgerMessage;
use crate::runtime::command::{AnyCommand, Command, Owner, Prepared};
use crate::runtime::context::Context;
use crate::runtime::failure::{Failure, outcome_known};
use crate::runtime::mailbox::message_taken;
use crate::runtime::pending::{Pending, Reply};
use crate::runtime::request::RequestContext;
use domain::model::base::answer::Answer;
use domain::model::books::ledger::LedgerBook;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::sync::Arc;
use storage::Unconfirmed;

mod adjustment;
mod day;
mod days;
mod doubts;
mod epoch;
mod holds;
mod hub_points;
mod load;
mod open_shift;
mod opening;
mod opening_points;
mod opname;
mod points;
mod points_expiry;
mod receiving;
mod recount;
mod register;
mod resubmit;
mod returns;
mod rows;
mod safe;
mod settle;
mod submit;
mod supplier_return;
mod transfer;

pub use adjustment::{Adjust, ApproveAdjustment, RejectAdjustment, ReverseAdjustment};
pub use day::{SealDay, UnsealDay};
pub(crate) use holds::VoidHold;
pub(crate) use open_shift::OpenShift;
pub use opening::OpenStock;
pub(crate) use opening_points::OpenPoints;
pub use opname::{CancelCount, Count, PostCount, RecountOpname, StartCount, SubmitCount};
pub use points::AdjustPoints;
pub use receiving::{Receive, ReverseReceiving};
pub use recount::RecountShift;
pub use register::{AddRegister, ChangeRegister, SetQuickKeys};
pub use resubmit::ResubmitReceiving;
pub use safe::{Deposit, OpenSafe, ReverseDeposit};
pub use supplier_return::ReturnToSupplier;
pub use transfer::{CancelTransfer, CreateTransfer, ReceiveTransfer, ResolveTransfer, SendTransfer};

/// Owner of the ledger's data.
pub(crate) type Ledger = Owner<LedgerBook>;

pub(crate) struct State {
    context: Context,
    ledger: Ledger,
    /// The day on which points were last expired.
    expired_on: Option<jiff::civil::Date>,
}

pub(crate) struct LedgerActor;

impl Actor for LedgerActor {
    type Msg = LedgerMessage;
    type State = State;
    type Arguments = Context;

    async fn pre_start(
        &self,
        me: ActorRef<Self::Msg>,
        context: Context,
    ) -> Result<State, ActorProcessingErr> {
        context.storage.barrier().await?;
        let ledger = context.owner(load::load(&context)?);
        me.cast(LedgerMessage::ExpirePoints { after: None })?;
        // This ends with the actor. Holds are also checked at the start, so that a restart does not delay them.
        me.send_interval(holds::EXPIRY_EVERY, || LedgerMessage::ExpireHolds);
        let mut state = State { context, ledger, expired_on: None };
        state.expire_holds();
        Ok(state)
    }

    async fn handle(
        &self,
        me: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        if !matches!(message, LedgerMessage::ExpirePoints { .. } | LedgerMessage::ExpireHolds) {
            message_taken(&state.context.ledger.queue_len);
        }
        state.ledger.rules = state.context.rules.now();
        state.sync_offline_flag().await?;
        if let Some(request) = message.dates() {
            state.reopen_today(request).await?;
        }
        match message {
            LedgerMessage::Run(command) => state.run(command).await?,
            LedgerMessage::Settle { draft, shift_id, incarnation, rules, request, pending, back } => {
                state.ledger.rules = rules;
                let decided = state.ledger.settle(draft, &request);
                state.settle((&shift_id, incarnation), decided, pending, back);
            }
            LedgerMessage::ExpireHolds => state.tick().await?,
            LedgerMessage::ExpirePoints { after } => state.expire_points(after, &me),
            LedgerMessage::MergePoints { page, merged } => {
                if merged.is_closed() {
                    // The caller timed out; it sends the message again.
                    return Ok(());
                }
                let outcome = state.merge_points(page).await;
                let known = outcome_known(&outcome);
                let _ = merged.send(outcome);
                known?;
            }
            LedgerMessage::MergeTransfer { transfer, request, merged } => {
                state.merge(transfer::MergeTransfer(transfer), request, merged).await?;
            }
            LedgerMessage::MergeRegister { register, request, merged } => {
                state.merge(register::MergeRegister(register), request, merged).await?;
            }
            LedgerMessage::Probe { pending } => {
                pending.nothing_to_do(&state.context.storage, Answer::ok(&()));
            }
            LedgerMessage::OpenEpoch { epoch, opened } => state.open_epoch(epoch, opened).await?,
            #[cfg(test)]
            LedgerMessage::Panic => panic!("asked to"),
        }
        state.trim().await
    }
}

impl State {
    async fn run(&mut self, command: Box<dyn AnyCommand<LedgerBook>>) -> Result<(), Unconfirmed> {
        if !command.is_from_rows(&self.ledger.book) {
            self.decide(command);
            return Ok(());
        }
        self.context.storage.barrier().await?;
        self.decide(command);
        self.context.storage.barrier().await
    }

    /// Applies a change of head office. It has no permit yet, and takes one of the reserve.
    async fn merge<C>(
        &mut self,
        command: C,
        request: Arc<RequestContext>,
        merged: Reply,
    ) -> Result<(), Unconfirmed>
    where
        C: Command<Book = LedgerBook, Rows = ()>,
    {
        if merged.is_closed() {
            // The caller timed out; it sends the message again.
            return Ok(());
        }
        let permit = self.context.storage.own_permit().await?;
        let pending = Pending::of_owner(permit, merged, self.context.sync.clone());
        match self.context.storage.writable() {
            Ok(()) => {
                let command = Arc::new(command);
                self.run(Box::new(Prepared { command, rows: (), request, pending })).await
            }
            Err(why) => {
                pending.fail(Failure::StorageFull(why.to_string()));
                Ok(())
            }
        }
    }
}
