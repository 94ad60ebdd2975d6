//! Writing by the ledger: its own events, and those of a shift.

use super::State;
use crate::message::Settled;
use crate::runtime::command::{AnyCommand, Decided};
use crate::runtime::decide::{Decision, Outcome};
use crate::runtime::failure::Failure;
use crate::runtime::pending::Pending;
use domain::model::base::event::Event;
use domain::model::base::ids::ShiftId;
use domain::model::books::ledger::LedgerBook;
use domain::model::hub::stamp::Stamp;
use storage::NotSubmitted;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

impl State {
    /// Submits a decision of the ledger itself and applies it to the book, without awaiting in between.
    pub(super) fn submit_own(
        &mut self,
        permit: OwnedSemaphorePermit,
        stamp: Stamp,
        events: Vec<Event>,
        records: Vec<String>,
    ) -> Result<(), NotSubmitted> {
        self.context.submit(permit, stamp, events.clone(), records)?;
        self.fold(&events);
        Ok(())
    }

    /// Submits the result of a shift's draft, folds it and hands it back. There is no await in between.
    fn submit_for(
        &mut self,
        shift_id: &ShiftId,
        incarnation: u64,
        outcome: Outcome,
        pending: Pending,
        back: oneshot::Sender<Settled>,
    ) {
        let settled = match pending.ready(outcome) {
            None => Settled::Refused,
            Some(command) => {
                let submit = || command.submit(&self.context.storage);
                // A shift that died meanwhile has a successor with other counters: its draft is void.
                let Some(submitted) = self.context.fences.pass(shift_id, incarnation, submit) else { return };
                match submitted {
                    Some(events) => {
                        self.fold(&events);
                        Settled::Submitted(events)
                    }
                    None => Settled::Refused,
                }
            }
        };
        // An ended shift reloads what was submitted.
        let _ = back.send(settled);
    }

    /// Decides on a command of a caller, submits it and folds it. There is no await in between.
    pub(super) fn decide(&mut self, command: Box<dyn AnyCommand<LedgerBook>>) {
        let Decided { decision, pending, .. } = command.decide(&mut self.ledger);
        match decision {
            Ok(Decision::Commit(outcome)) => {
                let command = pending.ready(outcome);
                if let Some(events) = command.and_then(|command| command.submit(&self.context.storage)) {
                    self.fold(&events);
                }
            }
            Ok(Decision::Answer(answer)) => pending.nothing_to_do(&self.context.storage, answer),
            Err(failure) => pending.refuse(&self.context.storage, failure),
        }
    }

    /// As `decide`, for a shift's draft: the shift waits for the result.
    pub(super) fn settle(
        &mut self,
        (shift_id, incarnation): (&ShiftId, u64),
        decided: Result<Decision, Failure>,
        pending: Pending,
        back: oneshot::Sender<Settled>,
    ) {
        match decided {
            Ok(Decision::Commit(outcome)) => {
                self.submit_for(shift_id, incarnation, outcome, pending, back);
            }
            Ok(Decision::Answer(answer)) => {
                pending.nothing_to_do(&self.context.storage, answer);
                // The shift has nothing to apply, and may have ended.
                let _ = back.send(Settled::Refused);
            }
            Err(failure) => {
                pending.refuse(&self.context.storage, failure);
                // The shift has nothing to apply, and may have ended.
                let _ = back.send(Settled::Refused);
            }
        }
    }

    fn fold(&mut self, events: &[Event]) {
        events.iter().for_each(|event| self.ledger.book.evolve(event));
    }
}
