//! The drawer is counted, and the shift closed.

use super::ShiftOwner;
use crate::prelude::*;
use domain::ids::ShiftId;
use domain::shift;

/// Closes a shift, by the rules of [`domain::shift::close`].
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
        let (now, mandate) = (shift.stamps.now(), request.mandate());
        let event = shift::close(&self.1, now, &mandate, &shift.rules, &shift.book)?;
        Ok(ShiftDecision::Draft(ShiftDraft::Close(Box::new(event))))
    }
}
