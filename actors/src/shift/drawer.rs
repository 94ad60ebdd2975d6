//! A shift's drawer: cash that moves without a sale, and the blind end.

use super::{Running, guarded};
use crate::failure::Failure;
use crate::pending::{Outcome, Pending};
use crate::who::Who;
use domain::answer::Answer;
use domain::audit::AuditEntry;
use domain::event::Event;
use domain::ids::CashId;
use domain::record;
use domain::shift::{self, CashKind, CashMovement, MoveCash, ReverseCash};

/// What a drawer is asked.
pub(crate) enum DrawerCommand {
    /// Put cash in, take it out, or only open it.
    Move { id: CashId, command: MoveCash },
    /// Take a wrong movement back.
    Reverse { id: CashId, wrong: Box<CashMovement>, command: ReverseCash },
    /// End the shift without a count.
    End,
}

impl Running {
    pub(super) fn drawer(&mut self, command: DrawerCommand, who: &Who, pending: Pending) {
        let outcome = match command {
            DrawerCommand::Move { id, command } => self.moved(id, &command, who),
            DrawerCommand::Reverse { id, wrong, command } => self.taken_back(id, &wrong, &command, who),
            DrawerCommand::End => self.ended(who),
        };
        match outcome {
            Ok(outcome) => self.submit_own(outcome, pending),
            Err(failure) => pending.refuse(&self.door.storage, failure),
        }
    }

    fn moved(&self, id: CashId, command: &MoveCash, who: &Who) -> Result<Outcome, Failure> {
        let stamp = self.door.stamps.stamp();
        let mandate = who.mandate();
        let event =
            guarded(|| shift::move_cash(command, id, stamp.now, &mandate, &self.door.rules, &self.book))?;
        let Event::CashMoved { movement, .. } = &event else { return Err(unexpected()) };
        let movement = movement.clone();
        let location = format!("/api/shifts/{}/cash-movements", movement.shift_id);
        let outcome = Outcome {
            events: vec![event],
            records: vec![record::cash_moved(&stamp, &movement)],
            answer: Answer::created(location, &movement),
            stamp,
        };
        let amount = movement.amount.to_string();
        let paid_out = [("cash_id", movement.cash_id.as_str()), ("amount", amount.as_str())];
        // A drawer that opens without a sale is what a till is robbed by.
        let (action, more) = match movement.kind {
            CashKind::NoSale => ("drawer.opened", None),
            CashKind::PayOut => ("cash.paid_out", Some(paid_out)),
            CashKind::PayIn | CashKind::Drop => return Ok(outcome),
        };
        let details = [("shift_id", movement.shift_id.as_str()), ("reason", movement.reason.as_str())];
        let details: Vec<_> = details.into_iter().chain(more.into_iter().flatten()).collect();
        let entry = AuditEntry::new(&mandate, action, movement.at, &details);
        Ok(outcome.audited(&self.door.stamps, Some(movement.business_date), entry))
    }

    fn taken_back(
        &self,
        id: CashId,
        wrong: &CashMovement,
        command: &ReverseCash,
        who: &Who,
    ) -> Result<Outcome, Failure> {
        let (stamp, mandate) = (self.door.stamps.stamp(), who.mandate());
        let event = guarded(|| shift::reverse_cash(command, wrong, id, stamp.now, &mandate, &self.book))?;
        let Event::CashMoved { movement, .. } = &event else { return Err(unexpected()) };
        let movement = movement.clone();
        let amount = wrong.amount.to_string();
        let details = [
            ("shift_id", movement.shift_id.as_str()),
            ("cash_id", wrong.cash_id.as_str()),
            ("type", wrong.kind.name()),
            ("amount", &amount),
            ("reason", &movement.reason),
        ];
        let entry = AuditEntry::new(&mandate, "cash.reversed", movement.at, &details);
        let location = format!("/api/shifts/{}/cash-movements", movement.shift_id);
        let outcome = Outcome {
            events: vec![event],
            records: vec![record::cash_moved(&stamp, &movement)],
            answer: Answer::created(location, &movement),
            stamp,
        };
        Ok(outcome.audited(&self.door.stamps, Some(movement.business_date), entry))
    }

    fn ended(&self, who: &Who) -> Result<Outcome, Failure> {
        let stamp = self.door.stamps.stamp();
        let event = guarded(|| shift::end(stamp.now, &who.mandate(), &self.book))?;
        let Event::ShiftEnded { shift } = &event else { return Err(unexpected()) };
        let rules = &self.door.rules;
        let shown = shift::blind(shift::view(shift, stamp.now, rules), shift, who.caller.role, rules);
        Ok(Outcome { answer: Answer::ok(&shown), events: vec![event], records: Vec::new(), stamp })
    }
}

fn unexpected() -> Failure {
    Failure::Internal("a drawer's command became another event".to_owned())
}
