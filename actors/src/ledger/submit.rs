//! How the ledger writes: its own events, and those that a shift brings.

use super::State;
use crate::failure::Failure;
use crate::pending::{Outcome, Pending};
use crate::shift::Settled;
use domain::answer::Answer;
use domain::event::{Event, Stamp};
use domain::ids::ShiftId;
use tokio::sync::oneshot;

impl State {
    /// Submits a shift's event, folds it and hands it back. No await lies in between.
    #[expect(clippy::too_many_arguments, reason = "the parts of one commit, passed once")]
    pub(super) fn submit_for(
        &mut self,
        shift_id: &ShiftId,
        incarnation: u64,
        event: Event,
        records: Vec<String>,
        answer: Answer,
        stamp: Stamp,
        pending: Pending,
        back: oneshot::Sender<Settled>,
    ) {
        let outcome = Outcome { events: vec![event], records, answer, stamp };
        self.submit_all_for(shift_id, incarnation, outcome, pending, back);
    }

    /// The same with all that a command came to.
    pub(super) fn submit_all_for(
        &mut self,
        shift_id: &ShiftId,
        incarnation: u64,
        outcome: Outcome,
        pending: Pending,
        back: oneshot::Sender<Settled>,
    ) {
        let events = outcome.events.clone();
        let settled = match pending.ready(outcome) {
            None => Settled::Refused,
            Some(command) => {
                let submit = || command.submit(&self.door.storage);
                // A shift that died meanwhile has a successor with other counters: its draft is void.
                let Some(submitted) = self.door.fences.pass(shift_id, incarnation, submit) else { return };
                if submitted {
                    events.iter().for_each(|event| self.book.evolve(event));
                    Settled::Submitted(events)
                } else {
                    Settled::Refused
                }
            }
        };
        // A shift that is gone reloads what was submitted.
        let _ = back.send(settled);
    }

    /// Submits what the ledger alone owns, and folds it. No await lies in between.
    pub(super) fn submit(
        &mut self,
        event: Event,
        records: Vec<String>,
        answer: Answer,
        stamp: Stamp,
        pending: Pending,
    ) {
        let outcome = Outcome { events: vec![event.clone()], records, answer, stamp };
        if pending.ready(outcome).is_some_and(|command| command.submit(&self.door.storage)) {
            self.book.evolve(&event);
        }
    }

    /// Answers what was only asked.
    pub(super) fn nothing_to_do(&self, pending: Pending, answer: Answer, back: oneshot::Sender<Settled>) {
        pending.nothing_to_do(&self.door.storage, answer);
        // The shift has nothing to fold, and may be gone.
        let _ = back.send(Settled::Refused);
    }

    pub(super) fn refuse(&self, pending: Pending, failure: Failure, back: oneshot::Sender<Settled>) {
        pending.refuse(&self.door.storage, failure);
        // The shift has nothing to fold, and may be gone.
        let _ = back.send(Settled::Refused);
    }
}
