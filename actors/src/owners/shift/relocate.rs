//! The shift is moved to other registers, shared by several, or suspended.

use super::ShiftOwner;
use crate::prelude::*;
use domain::model::base::ids::ShiftId;
use domain::rules::books::shift;

/// Moves a shift, by the rules of [`domain::rules::books::shift::relocate`] and [`domain::rules::books::ledger::may_stand`].
pub struct MoveShift(pub ShiftId, pub shift::MoveShift);

impl Dispatch for MoveShift {
    fn address(&self, (): &mut ()) -> ShiftId {
        self.0.clone()
    }
}

impl Command for MoveShift {
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
        let event = shift::relocate(&self.1, &request.authorization(), &shift.book)?;
        Ok(ShiftDecision::Draft(ShiftDraft::Move(Box::new(event))))
    }
}
