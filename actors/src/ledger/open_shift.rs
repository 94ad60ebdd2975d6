//! A shift is opened.

use super::Ledger;
use crate::prelude::*;
use domain::ids::ShiftId;
use domain::{ledger, shift};

/// Opens a shift, by the rules of [`domain::ledger::open_shift`].
pub(crate) struct OpenShift(pub(crate) ShiftId, pub(crate) shift::OpenShift);

impl Dispatch for OpenShift {}

impl Command for OpenShift {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let (stamp, id, rules) = (ledger.stamps.stamp(), self.0.clone(), &*ledger.rules);
        let event = ledger::open_shift(&self.1, id, stamp.now, &request.caller, rules, &ledger.book)?;
        let Event::ShiftOpened { shift, .. } = &event else { return Err(internal_mismatch()) };
        let location = format!("/api/shifts/{}", shift.shift_id);
        let answer = Answer::created(location, &shift::view(shift, stamp.now, rules));
        let records = vec![record::shift_opened(&stamp, shift)];
        Ok(Outcome::of(stamp, event, records, answer).into())
    }
}
