//! One open shift: promises that its baskets, sums and receipt numbers have one owner.

use crate::door::Door;
use crate::failure::Failure;
use crate::ledger::{LedgerMessage, TillDraft};
use crate::pending::{Outcome, Pending};
use crate::shelf::Stocked;
use crate::slot::{Depth, taken};
use crate::who::Who;
use domain::answer::Answer;
use domain::event::Event;
use domain::ids::{PaymentId, ShiftId, TransactionId};
use domain::member::Member;
use domain::refusal::Refusal;
use domain::register;
use domain::sale::{self, CreateSale, PayOutcome, PaySale, Till};
use domain::shift::{self, CloseShift, ShiftBook, ShiftState};
use domain::time::UtcMs;
use domain::transaction::{Transaction, TransactionView};
use domain::user::Role;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
use tokio::sync::oneshot;

mod holds;
mod returns;
mod till;

pub(crate) use returns::Returning;
pub(crate) use till::{TillCommand, told, unexpected};
mod drawer;

pub(crate) use drawer::DrawerCommand;

/// Why the actor of a closed shift ends.
pub(crate) const CLOSED: &str = "closed";
/// How long a shift waits for the ledger before it gives up its memory.
const LEDGER_DEADLINE: Duration = Duration::from_secs(5);

/// What a shift is asked.
pub(crate) enum ShiftMessage {
    /// Make a transaction of these products.
    Create { id: TransactionId, command: CreateSale, stocked: Stocked, who: Who, pending: Pending },
    /// Pay one of its transactions.
    Pay { id: TransactionId, command: PaySale, member: Option<Member>, who: Who, pending: Pending },
    /// What else a till asks for.
    Till { command: TillCommand, who: Who, pending: Pending },
    /// Move cash in the drawer, or end blind.
    Drawer { command: DrawerCommand, who: Who, pending: Pending },
    /// Count the drawer and close.
    Close { command: CloseShift, who: Who, pending: Pending },
    #[cfg(debug_assertions)]
    Panic,
}

/// What the ledger hands back to a waiting shift.
pub(crate) enum Settled {
    /// These were submitted, in this order: fold them.
    Submitted(Vec<Event>),
    /// It was refused: nothing changed.
    Refused,
}

/// What a shift's actor starts with.
#[derive(Clone)]
pub(crate) struct ShiftArguments {
    pub(crate) door: Door,
    pub(crate) shift_id: ShiftId,
    pub(crate) depth: Depth,
}

pub(crate) struct Running {
    door: Door,
    depth: Depth,
    incarnation: u64,
    book: ShiftBook,
    /// A newer incarnation, or an epoch that was begun, lets this one submit nothing any more.
    shut_out: bool,
}

/// The shift is closed or was never opened: there is nothing to run.
#[derive(Debug, thiserror::Error)]
#[error("the shift is over")]
pub(crate) struct ShiftOver;

/// This incarnation may submit nothing any more: a successor loads what is on the disk.
#[derive(Debug, thiserror::Error)]
#[error("another incarnation of the shift counts")]
pub(crate) struct ShutOut;

/// The ledger died while this shift waited for it: what became of the command is on the disk.
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
        let ShiftArguments { door, shift_id, depth } = arguments;
        // Shut out the predecessor, then let all that it submitted reach the rows.
        let incarnation = door.fences.next(&shift_id);
        door.storage.barrier().await?;
        let book = load(&door, &shift_id)?;
        Ok(Running { door, depth, incarnation, book, shut_out: false })
    }

    async fn handle(
        &self,
        me: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        taken(&state.depth);
        match message {
            ShiftMessage::Create { id, command, stocked, who, pending } => {
                state.create(id, &command, &stocked, &who, pending);
            }
            ShiftMessage::Pay { id, command, member, who, pending } => {
                state.pay(&id, &command, member.as_ref(), &who, pending).await?;
            }
            ShiftMessage::Till { command, who, pending } => state.till(command, &who, pending).await?,
            ShiftMessage::Drawer { command, who, pending } => state.drawer(command, &who, pending),
            ShiftMessage::Close { command, who, pending } => {
                if state.close(&command, &who, pending).await? {
                    me.stop(Some(CLOSED.to_owned()));
                }
            }
            #[cfg(debug_assertions)]
            ShiftMessage::Panic => panic!("asked to"),
        }
        if state.shut_out { Err(ShutOut.into()) } else { Ok(()) }
    }
}

fn load(door: &Door, shift_id: &ShiftId) -> Result<ShiftBook, ActorProcessingErr> {
    let lives = |shift: &shift::Shift| matches!(shift.state, ShiftState::Open | ShiftState::Ended);
    let shift = door.storage.shift(shift_id)?.filter(lives).ok_or(ShiftOver)?;
    let counters = door.storage.counters(&shift.register_id)?;
    let open = door.storage.open_transactions(shift_id)?;
    let open = open.into_iter().map(|open| (open.transaction_id.clone(), open)).collect();
    let series = register::series(&door.storage.head().epoch);
    Ok(ShiftBook { shift, counters, series, open })
}

/// Runs a rule over borrowed state; a panic in it is one failed request, nothing more.
pub(crate) fn guarded<T>(rule: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Failure> {
    match catch_unwind(AssertUnwindSafe(rule)) {
        Ok(outcome) => outcome.map_err(Failure::Refused),
        Err(_) => Err(Failure::Internal("a rule panicked".to_owned())),
    }
}

/// 201 or 200 with the transaction as this role may see it.
pub(crate) fn transaction_answer(created: bool, transaction: &Transaction, role: Role) -> Answer {
    let view = TransactionView::new(transaction, role);
    if created {
        Answer::created(format!("/api/pos/transactions/{}", transaction.transaction_id), &view)
    } else {
        Answer::ok(&view)
    }
}

impl Running {
    /// What baskets are made and changed with.
    fn at_till<'a>(&'a self, now: UtcMs, stocked: &'a Stocked, who: &'a Who) -> Till<'a> {
        let (mandate, shelf) = (who.mandate(), stocked.shelf());
        Till { now, mandate, shelf, rules: &self.door.rules, book: &self.book }
    }

    fn create(
        &mut self,
        id: TransactionId,
        command: &CreateSale,
        stocked: &Stocked,
        who: &Who,
        pending: Pending,
    ) {
        let till = self.at_till(self.door.stamps.now(), stocked, who);
        match guarded(|| sale::create(command, id, &till)) {
            Ok(event) => self.created(event, who, pending),
            Err(failure) => pending.refuse(&self.door.storage, failure),
        }
    }

    async fn pay(
        &mut self,
        id: &TransactionId,
        command: &PaySale,
        member: Option<&Member>,
        who: &Who,
        pending: Pending,
    ) -> Result<(), LedgerLost> {
        let now = self.door.stamps.now();
        let payment_ids: Vec<PaymentId> = self.door.stamps.ids("pay_", command.payments.len());
        let rules = &self.door.rules;
        let pay = || sale::pay(command, id, payment_ids, now, &who.mandate(), member, rules, &self.book);
        match guarded(pay) {
            Err(failure) => pending.refuse(&self.door.storage, failure),
            Ok(PayOutcome::Partial(event)) => {
                let Event::TransactionOpen { transaction, .. } = &*event else {
                    pending.fail(unexpected());
                    return Ok(());
                };
                let answer = transaction_answer(false, transaction, who.caller.role);
                let (events, stamp) = (vec![*event], self.door.stamps.stamp());
                let outcome = Box::new(Outcome { events, records: Vec::new(), answer, stamp });
                let draft = TillDraft::PartlyPaid { outcome, shift_id: self.book.shift.shift_id.clone() };
                self.settle_draft(draft, who, pending).await?;
            }
            Ok(PayOutcome::Complete(draft)) => {
                let incarnation = self.incarnation;
                let role = who.caller.role;
                self.through_ledger(|back| LedgerMessage::Settle { draft, role, incarnation, pending, back })
                    .await?;
            }
        }
        Ok(())
    }

    /// True: the shift is closed.
    async fn close(&mut self, command: &CloseShift, who: &Who, pending: Pending) -> Result<bool, LedgerLost> {
        let now = self.door.stamps.now();
        let rules = &self.door.rules;
        match guarded(|| shift::close(command, now, &who.mandate(), rules, &self.book)) {
            Err(failure) => {
                pending.refuse(&self.door.storage, failure);
                Ok(false)
            }
            Ok(event) => {
                let incarnation = self.incarnation;
                let event = Box::new(event);
                self.through_ledger(|back| LedgerMessage::Close { event, incarnation, pending, back }).await
            }
        }
    }

    /// Has the ledger settle and submit, then folds what it submitted. True: something was.
    async fn through_ledger(
        &mut self,
        message: impl FnOnce(oneshot::Sender<Settled>) -> LedgerMessage,
    ) -> Result<bool, LedgerLost> {
        let (back, settled) = oneshot::channel();
        if let Err(unsent) = self.door.ledger.send(message(back)).await {
            unsent.fail(Failure::Unavailable("the ledger is restarting"));
            return Ok(false);
        }
        match tokio::time::timeout(LEDGER_DEADLINE, settled).await {
            Ok(Ok(Settled::Submitted(events))) => {
                events.iter().for_each(|event| self.book.evolve(event));
                Ok(true)
            }
            Ok(Ok(Settled::Refused)) => Ok(false),
            Ok(Err(_)) | Err(_) => Err(LedgerLost),
        }
    }

    /// Submits an outcome that needs no other owner, and folds it. No await lies in between.
    fn submit_own(&mut self, outcome: Outcome, pending: Pending) {
        let events = outcome.events.clone();
        let Some(command) = pending.ready(outcome) else { return };
        let submit = || command.submit(&self.door.storage);
        match self.door.fences.pass(&self.book.shift.shift_id, self.incarnation, submit) {
            Some(true) => events.iter().for_each(|event| self.book.evolve(event)),
            Some(false) => {}
            // The command was dropped unsent; its caller tries again.
            None => self.shut_out = true,
        }
    }
}
