//! One open shift: promises that its baskets, sums and the receipt numbers of its registers have one owner.

use crate::message::{LedgerMessage, Settled, ShiftMessage};
use crate::owners::pricing::PricingInputs;
use crate::owners::transaction::audit_entry;
use crate::runtime::command::{AnyCommand, Decided, Owner};
use crate::runtime::context::Context;
use crate::runtime::decide::{Outcome, ShiftDecision, ShiftDraft};
use crate::runtime::failure::Failure;
use crate::runtime::mailbox::{self, QueueLen, message_taken};
use crate::runtime::pending::Pending;
use crate::runtime::request::RequestContext;
use domain::model::base::event::Event;
use domain::model::base::ids::{ShiftId, TransactionId};
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::model::books::register;
use domain::model::books::shift::{CashKind, Shift, ShiftBook, ShiftState};
use domain::model::people::audit::AuditEntry;
use domain::model::selling::transaction::{Line, Transaction, TransactionState};
use domain::rules::books::shift;
use domain::rules::selling::sale;
use domain::rules::selling::sale::TillContext;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

mod change;
mod close;
mod create;
mod drawer;
mod holds;
mod pay;
mod relocate;
mod returns;
mod void;

pub use change::{ChangeSale, CorrectTender};
pub use close::CloseShift;
pub use create::CreateSale;
pub use drawer::{EndShift, MoveCash, ReverseCash};
pub use holds::{HoldSale, Recall};
pub use pay::{PaySale, ReversePayment};
pub use relocate::MoveShift;
pub(crate) use returns::PostReturn;
pub use returns::VoidReturn;
pub(crate) use void::VoidSale;

/// Reason of the end of a closed shift's actor.
pub(crate) const CLOSED: &str = "closed";
/// Time that a shift waits for the ledger before it gives up its memory.
const LEDGER_DEADLINE: Duration = Duration::from_secs(5);

/// Owner of a shift's data.
type ShiftOwner = Owner<ShiftBook>;

/// Arguments with which a shift's actor starts.
#[derive(Clone)]
pub(crate) struct ShiftArguments {
    pub(crate) context: Context,
    pub(crate) shift_id: ShiftId,
    pub(crate) queue_len: QueueLen,
}

pub(crate) struct Running {
    context: Context,
    queue_len: QueueLen,
    incarnation: u64,
    shift: ShiftOwner,
    /// A newer incarnation, or an epoch that was begun, lets this one submit nothing any more.
    shut_out: bool,
}

/// The shift is closed or was never opened: there is nothing to run.
#[derive(Debug, thiserror::Error)]
#[error("the shift is over")]
pub(crate) struct ShiftOver;

/// This incarnation may no longer submit: a successor loads the state on the disk.
#[derive(Debug, thiserror::Error)]
#[error("another instance of the shift is in use")]
pub(crate) struct ShutOut;

/// The ledger died while this shift waited for it: the fate of the command is on the disk.
#[derive(Debug, thiserror::Error)]
#[error("the ledger did not answer")]
pub(crate) struct LedgerLost;

pub(crate) struct ShiftActor;

impl Actor for ShiftActor {
    type Msg = ShiftMessage;
    type State = Running;
    type Arguments = ShiftArguments;

    async fn pre_start(
        &self,
        _me: ActorRef<Self::Msg>,
        arguments: ShiftArguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        let ShiftArguments { context, shift_id, queue_len } = arguments;
        // Shut out the predecessor, then let all that it submitted reach the rows.
        let incarnation = context.fences.next(&shift_id);
        context.storage.barrier().await?;
        let shift = context.owner(load(&context, &shift_id)?);
        Ok(Running { context, queue_len, incarnation, shift, shut_out: false })
    }

    async fn handle(
        &self,
        me: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        message_taken(&state.queue_len);
        match message {
            ShiftMessage::Run(command) => {
                if state.run(command).await? {
                    // A later caller finds no open shift, instead of an actor that has stopped.
                    state.context.forget_shift(&state.shift.book.shift.shift_id);
                    me.stop(Some(CLOSED.to_owned()));
                }
            }
            #[cfg(test)]
            ShiftMessage::Panic => panic!("asked to"),
        }
        if state.shut_out { Err(ShutOut.into()) } else { Ok(()) }
    }
}

fn load(context: &Context, shift_id: &ShiftId) -> Result<ShiftBook, ActorProcessingErr> {
    let lives = |shift: &Shift| matches!(shift.state, ShiftState::Open | ShiftState::Ended);
    let shift = context.storage.shifts().shift(shift_id)?.filter(lives).ok_or(ShiftOver)?;
    let counters = shift.registers().iter().map(|register| context.storage.shifts().counters(register));
    let counters = counters.collect::<Result<_, _>>()?;
    let open = context.storage.sales().open_transactions(shift_id)?;
    let open = open.into_iter().map(|open| (open.transaction_id.clone(), open)).collect();
    let series = register::series(&context.storage.head().epoch);
    Ok(ShiftBook { shift, counters, series, open, blind_tries: 0 })
}

impl Running {
    /// Decides on a command, and submits it or has the ledger settle it. True: the shift is closed.
    async fn run(&mut self, command: Box<dyn AnyCommand<ShiftBook>>) -> Result<bool, ActorProcessingErr> {
        if command.is_from_rows(&self.shift.book) {
            // The journal has its finished sales, and a rule must not decide by an earlier state of one of them.
            self.context.storage.barrier().await?;
        }
        // It keeps the terms that it was opened with.
        self.shift.rules = self.shift.book.shift.rules(&self.context.rules.now());
        let Decided { decision, request, pending } = command.decide(&mut self.shift);
        match decision {
            Err(failure) => pending.refuse(&self.context.storage, failure),
            Ok(ShiftDecision::Own(outcome)) => self.submit(outcome, pending),
            Ok(ShiftDecision::Draft(draft)) => {
                let closes = matches!(draft, ShiftDraft::Close { .. });
                let moves = matches!(draft, ShiftDraft::Move(_));
                let settled = self.settle(draft, request, pending).await?;
                if settled && moves {
                    self.moved().await?;
                }
                return Ok(settled && closes);
            }
        }
        Ok(false)
    }

    /// Reads the counters of the registers where the shift stands now, after all that the shifts there before submitted.
    async fn moved(&mut self) -> Result<(), ActorProcessingErr> {
        self.context.shift_registry.moved(&self.shift.book.shift);
        self.context.storage.barrier().await?;
        let ShiftBook { shift, blind_tries, .. } = &self.shift.book;
        self.shift.book = ShiftBook { blind_tries: *blind_tries, ..load(&self.context, &shift.shift_id)? };
        Ok(())
    }

    /// Makes the ledger settle and submit, then folds the submitted events. Returns whether there were any.
    async fn settle(
        &mut self,
        draft: ShiftDraft,
        request: Arc<RequestContext>,
        pending: Pending,
    ) -> Result<bool, LedgerLost> {
        let (back, settled) = oneshot::channel();
        let (shift_id, incarnation) = (self.shift.book.shift.shift_id.clone(), self.incarnation);
        let rules = Arc::clone(&self.shift.rules);
        let message = LedgerMessage::Settle { draft, shift_id, incarnation, rules, request, pending, back };
        if let Err(unsent) = self.context.ledger.send(message).await {
            unsent.fail(Failure::Unavailable(mailbox::LEDGER.0));
            return Ok(false);
        }
        match tokio::time::timeout(LEDGER_DEADLINE, settled).await {
            Ok(Ok(Settled::Submitted(events))) => {
                self.fold(events);
                Ok(true)
            }
            Ok(Ok(Settled::Refused)) => Ok(false),
            Ok(Err(_)) | Err(_) => Err(LedgerLost),
        }
    }

    /// Submits an outcome that needs no other owner, and folds it. There is no await in between.
    fn submit(&mut self, outcome: Outcome, pending: Pending) {
        let Some(command) = pending.ready(outcome) else { return };
        let submit = || command.submit(&self.context.storage);
        match self.context.fences.pass(&self.shift.book.shift.shift_id, self.incarnation, submit) {
            Some(Some(events)) => self.fold(events),
            Some(None) => {}
            // The command was dropped unsent; its caller tries again.
            None => self.shut_out = true,
        }
    }

    fn fold(&mut self, events: Vec<Event>) {
        events.into_iter().for_each(|event| self.shift.book.evolve_owned(event));
    }
}

impl ShiftOwner {
    /// Context with which baskets are made and changed.
    fn at_till<'a>(
        &'a self,
        now: UtcMs,
        inputs: &'a PricingInputs,
        request: &'a RequestContext,
    ) -> TillContext<'a> {
        let (authorization, pricing) = (request.authorization(), inputs.pricing());
        TillContext { now, authorization, pricing, rules: &self.rules, book: &self.book }
    }

    /// A finished sale, as the journal knows it.
    fn finished(&self, id: &TransactionId) -> Result<Transaction, Failure> {
        Ok(self.storage.sales().transaction(id)?.ok_or(Refusal::NotFound("transaction"))?)
    }

    /// An outcome that takes payments of a basket back: where points are among them, the ledger knows them, and
    /// submits it.
    fn released(&self, outcome: Outcome, basket: &TransactionId) -> ShiftDecision {
        if self.book.open.get(basket).is_some_and(|before| before.points_redeemed > 0) {
            ShiftDecision::Draft(ShiftDraft::Released(Box::new(outcome)))
        } else {
            ShiftDecision::Own(outcome)
        }
    }

    /// An outcome that moves cash: the ledger owns the safe, and submits its movements.
    fn cash_moved(&self, outcome: Outcome, kind: CashKind) -> ShiftDecision {
        if kind == CashKind::Drop {
            let (outcome, before) = (Box::new(outcome), Box::new(self.book.shift.clone()));
            ShiftDecision::Draft(ShiftDraft::Dropped { outcome, before })
        } else {
            ShiftDecision::Own(outcome)
        }
    }

    /// Counts a drawer figure that was refused to a cashier who counts blind.
    fn note_blind_try(&mut self, refusal: &Refusal, request: &RequestContext) {
        if shift::is_blind_try(refusal, &request.authorization(), &self.rules) {
            self.book.blind_tries = self.book.blind_tries.saturating_add(1);
        }
    }

    /// The audit entries of prices set by hand, and of approvals: discounts, the change of a partly paid basket.
    /// `before` is the basket before the change.
    fn overridden(
        &self,
        before: Option<&Transaction>,
        basket: &Transaction,
        request: &RequestContext,
        now: UtcMs,
    ) -> Vec<AuditEntry> {
        let entry = |action, details| audit_entry(request, action, basket, now, details);
        let set = sale::prices_by_hand(before, basket);
        let skus: Vec<&str> = set.iter().map(|line| line.sku.as_str()).collect();
        let item = |line: &&Line| json!({"sku": line.sku, "price": line.price, "price_reason": basket.price_reason(line.line_no)});
        let items: Vec<Value> = set.iter().map(item).collect();
        let details = || json!({"skus": skus, "items": items});
        let price = (!set.is_empty()).then(|| entry("transaction.price_overridden", details()));
        // A later change without an approval names no approver.
        if !request.authorization().manages() {
            return price.into_iter().collect();
        }
        let discount = sale::discounted_above_limit(basket, &self.rules)
            .then(|| entry("transaction.discounted", json!({"discount": basket.discount})));
        let action =
            if basket.state == TransactionState::Held { "transaction.held" } else { "transaction.changed" };
        let dropped = before
            .is_some_and(|before| !before.payments.is_empty())
            .then(|| entry(action, json!({"total": basket.total})));
        price.into_iter().chain(discount).chain(dropped).collect()
    }
}
