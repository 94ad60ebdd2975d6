//! The drawer is counted, and the shift closed.

use super::ShiftOwner;
use crate::prelude::*;
use domain::model::base::ids::ShiftId;
use domain::rules::books::shift;

/// Closes a shift, by the rules of [`domain::rules::books::shift::close`].
pub struct CloseShift(pub ShiftId, pub shift::CloseShift);

impl Dispatch for CloseShift {
    fn address(&self, (): &mut ()) -> ShiftId {
        self.0.clone()
    }
}

impl Command for CloseShift {
    type Book = ShiftBook;
    type Rows = ();

    fn decide(
        &self,
        (): (),
        shift: &mut ShiftOwner,
        request: &RequestContext,
    ) -> Result<ShiftDecision, Failure> {
        let (now, authorization) = (shift.stamps.now(), request.authorization());
        let event = shift::close(&self.1, now, &authorization, &shift.rules, &shift.book);
        let event = event.inspect_err(|refusal| shift.note_blind_try(refusal, request))?;
        let (event, before) = (Box::new(event), Box::new(shift.book.shift.clone()));
        Ok(ShiftDecision::Draft(ShiftDraft::Close { event, before }))
    }
}
