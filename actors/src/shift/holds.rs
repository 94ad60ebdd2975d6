//! Holds, as the shift sees them: it puts a basket away, and asks for one that waits.

use super::{Running, guarded};
use crate::failure::Failure;
use crate::ledger::TillDraft;
use crate::shelf::Stocked;
use crate::who::Who;
use domain::event::Event;
use domain::hold::{self, HoldSale};
use domain::ids::{HoldId, TransactionId};

impl Running {
    pub(super) fn draft_hold(
        &self,
        id: HoldId,
        new_id: TransactionId,
        command: &HoldSale,
        stocked: &Stocked,
        who: &Who,
    ) -> Result<TillDraft, Failure> {
        let now = self.door.stamps.now();
        let till = self.at_till(now, stocked, who);
        let event = guarded(|| hold::take(command, id, new_id, &till))?;
        let shift_id = self.book.shift.shift_id.clone();
        let entries = match &event {
            Event::TransactionHeld { transaction, .. } => self.overridden(transaction, who, now),
            _ => Vec::new(),
        };
        Ok(TillDraft::Hold { event: Box::new(event), shift_id, entries })
    }

    pub(super) fn draft_recall(
        &self,
        id: HoldId,
        stocked: Box<Stocked>,
        who: &Who,
    ) -> Result<TillDraft, Failure> {
        let (now, rules) = (self.door.stamps.now(), &self.door.rules);
        let draft = guarded(|| hold::draft_recall(id, now, &who.mandate(), rules, &self.book))?;
        Ok(TillDraft::Recall { draft: Box::new(draft), stocked })
    }
}
