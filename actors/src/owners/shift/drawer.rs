//! A shift's drawer: cash that moves without a sale, and the blind end.

use super::ShiftOwner;
use crate::prelude::*;
use domain::model::base::ids::{CashId, ShiftId};
use domain::model::books::shift::{CashKind, CashMovement};
use domain::rules::books::shift;
use serde_json::json;

/// Cash movements that are looked through at once.
const MOVEMENTS_AT_ONCE: usize = 200;

/// Moves cash into a shift's drawer or out of it, or only opens it, by the rules of [`domain::rules::books::shift::move_cash`].
pub struct MoveCash(pub ShiftId, pub shift::MoveCash);

/// Reverses a wrong cash movement, by the rules of [`domain::rules::books::shift::reverse_cash`].
pub struct ReverseCash(pub ShiftId, pub CashId, pub shift::ReverseCash);

/// Ends a shift without a count, by the rules of [`domain::rules::books::shift::end`].
pub struct EndShift(pub ShiftId);

impl Dispatch for MoveCash {
    fn address(&self, (): &mut ()) -> ShiftId {
        self.0.clone()
    }
}

impl Command for MoveCash {
    type Book = ShiftBook;
    type Rows = ();

    fn check(&self, _rules: &Rules) -> Result<(), Refusal> {
        self.1.check()
    }

    fn decide(
        &self,
        (): (),
        shift: &mut ShiftOwner,
        request: &RequestContext,
    ) -> Result<ShiftDecision, Failure> {
        let (stamp, id, authorization) =
            (shift.stamps.stamp(), shift.stamps.id("csh_"), request.authorization());
        let event = shift::move_cash(&self.1, id, stamp.now, &authorization, &shift.rules, &shift.book);
        let event = event.inspect_err(|refusal| shift.note_blind_try(refusal, request))?;
        let (outcome, movement) = moved(stamp, event);
        // Opening a drawer without a sale is how a till is robbed.
        let (action, amount) = match movement.kind {
            CashKind::NoSale => ("drawer.opened", None),
            CashKind::PayOut => ("cash.paid_out", Some(movement.amount)),
            CashKind::PayIn | CashKind::Drop => return Ok(shift.cash_moved(outcome, movement.kind)),
        };
        let details = json!({
            "shift_id": movement.shift_id,
            "cash_id": movement.cash_id,
            "amount": amount,
            "reason": movement.reason,
        });
        let entry = AuditEntry::new(&authorization, action, movement.at, details);
        Ok(ShiftDecision::Own(outcome.audited(&shift.stamps, Some(movement.business_date), entry)))
    }
}

/// A movement with its record and answer.
fn moved(stamp: Stamp, event: Event<fact::CashMoved>) -> (Outcome, CashMovement) {
    let movement = event.fact.movement.clone();
    let location = format!("/api/shifts/{}/cash-movements", movement.shift_id);
    let records = vec![record::cash_moved(&stamp, &movement)];
    let answer = Answer::created(location, &movement);
    (Outcome::of(stamp, event, records, answer), movement)
}

impl Dispatch for ReverseCash {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<Self::Rows, Failure> {
        let mut before = None;
        loop {
            let page = context.storage.shifts().cash_movements(&self.0, before, MOVEMENTS_AT_ONCE)?;
            before = page.last().map(|(lsn, _)| *lsn);
            if let Some((_, wrong)) = page.into_iter().find(|(_, movement)| movement.cash_id == self.1) {
                return Ok(Some(Box::new(wrong)));
            }
            if before.is_none() {
                return Err(Refusal::NotFound("cash movement").into());
            }
        }
    }

    fn address(&self, _wrong: &mut Self::Rows) -> ShiftId {
        self.0.clone()
    }
}

impl Command for ReverseCash {
    type Book = ShiftBook;
    type Rows = Option<Box<CashMovement>>;

    fn decide(
        &self,
        wrong: Self::Rows,
        shift: &mut ShiftOwner,
        request: &RequestContext,
    ) -> Result<ShiftDecision, Failure> {
        let wrong = wrong.ok_or_else(not_loaded)?;
        let (stamp, id, authorization) =
            (shift.stamps.stamp(), shift.stamps.id("csh_"), request.authorization());
        let (rules, book) = (&*shift.rules, &shift.book);
        let event = shift::reverse_cash(&self.2, &wrong, id, stamp.now, &authorization, rules, book)?;
        let (outcome, movement) = moved(stamp, event);
        let details = json!({
            "shift_id": movement.shift_id,
            "cash_id": wrong.cash_id,
            "type": wrong.kind,
            "amount": wrong.amount,
            "reason": movement.reason,
        });
        let entry = AuditEntry::new(&authorization, "cash.reversed", movement.at, details);
        let outcome = outcome.audited(&shift.stamps, Some(movement.business_date), entry);
        Ok(shift.cash_moved(outcome, movement.kind))
    }
}

impl Dispatch for EndShift {
    fn address(&self, (): &mut ()) -> ShiftId {
        self.0.clone()
    }
}

impl Command for EndShift {
    type Book = ShiftBook;
    type Rows = ();

    fn decide(
        &self,
        (): (),
        shift: &mut ShiftOwner,
        request: &RequestContext,
    ) -> Result<ShiftDecision, Failure> {
        let (stamp, rules) = (shift.stamps.stamp(), &*shift.rules);
        let event = shift::end(stamp.now, &request.authorization(), &shift.book)?;
        let shift = &event.fact.shift;
        let shown = shift::blind(shift::view(shift, stamp.now, rules), shift, request.caller.role, rules);
        let answer = Answer::ok(&shown);
        Ok(ShiftDecision::Own(Outcome::of(stamp, event, Vec::new(), answer)))
    }
}
