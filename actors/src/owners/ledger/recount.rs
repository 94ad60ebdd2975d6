//! A closed shift is counted again.

use super::Ledger;
use crate::prelude::*;
use domain::model::base::ids::ShiftId;
use domain::model::books::shift::ShiftState;
use domain::rules::books::shift;
use serde_json::json;

/// Counts a closed shift again, by the rules of [`domain::rules::books::shift::recount`].
pub struct RecountShift(pub ShiftId, pub shift::RecountShift);

impl Dispatch for RecountShift {}

impl Command for RecountShift {
    type Book = LedgerBook;
    type Rows = ();

    fn is_from_rows(&self, _book: &LedgerBook) -> bool {
        true
    }

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let (stamp, rules, authorization) = (ledger.stamps.stamp(), &*ledger.rules, request.authorization());
        let Self(id, command) = self;
        let found = ledger.storage.shifts().shift(id)?.ok_or(Refusal::NotFound("shift"))?;
        let event = shift::recount(command, stamp.now, &authorization, &found, rules, &ledger.book)?;
        let shift = &event.fact.shift;
        let shown = shift::view(shift, stamp.now, rules);
        let details =
            json!({"shift_id": id, "counted_cash": command.counted_cash, "reason": command.reason.trim()});
        let entry = AuditEntry::new(&authorization, "shift.recounted", stamp.now, details);
        let date = shift::day_of(shift, stamp.now, rules, &ledger.book);
        let record = if found.state == ShiftState::Interrupted {
            record::shift_counted(&stamp, shift, date)
        } else {
            record::shift_recounted(&stamp, shift)
        };
        let answer = Answer::created(format!("/api/shifts/{id}"), &shown);
        let event = ledger.with_safe(event, Some(&found), request)?;
        let outcome = Outcome::of(stamp, event, vec![record], answer);
        Ok(outcome.audited(&ledger.stamps, Some(date), entry).into())
    }
}
