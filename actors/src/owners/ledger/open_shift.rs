//! Opening of a shift.

use super::Ledger;
use crate::prelude::*;
use domain::model::base::ids::ShiftId;
use domain::rules::books::ledger;
use domain::rules::books::shift;
use serde_json::json;

/// Opens a shift, by the rules of [`domain::rules::books::ledger::open_shift`].
pub(crate) struct OpenShift(pub(crate) ShiftId, pub(crate) shift::OpenShift);

impl Dispatch for OpenShift {}

impl Command for OpenShift {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let (stamp, id, rules) = (ledger.stamps.stamp(), self.0.clone(), &*ledger.rules);
        let event = ledger::open_shift(&self.1, id, stamp.now, &request.caller, rules, &ledger.book)?;
        let shift = &event.fact.shift;
        let location = format!("/api/shifts/{}", shift.shift_id);
        let answer = Answer::created(location, &shift::view(shift, stamp.now, rules));
        let records = vec![record::shift_opened(&stamp, shift)];
        let details = json!({"shift_id": shift.shift_id, "opening_float": shift.opening_float});
        let (date, authorization) = (shift.business_date, request.authorization());
        let by_right = ledger.with_safe(event.clone(), None, &request.as_if_cashier());
        let event = ledger.with_safe(event, None, request)?;
        let outcome = Outcome::of(stamp, event, records, answer);
        if !by_right.is_err_and(|failure| failure.asks_for_approval()) {
            return Ok(outcome.into());
        }
        let entry = AuditEntry::new(&authorization, "shift.float_approved", outcome.stamp.now, details);
        Ok(outcome.audited(&ledger.stamps, Some(date), entry).into())
    }
}
