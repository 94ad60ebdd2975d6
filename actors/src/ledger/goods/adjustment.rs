//! Adjustments: asked for, decided on, taken back.

use super::{AdjustmentStep, Decided, Products, foreign};
use crate::failure::Failure;
use crate::ledger::State;
use crate::who::Who;
use domain::adjustment::{self, Adjustment, AdjustmentState, NewAdjustment};
use domain::answer::Answer;
use domain::event::{Event, Stamp};
use domain::ids::AdjustmentId;
use domain::record;
use domain::refusal::Refusal;

impl State {
    pub(super) fn adjust(
        &mut self,
        id: AdjustmentId,
        command: &NewAdjustment,
        products: &Products,
        who: &Who,
    ) -> Result<Decided, Failure> {
        let stamp = self.door.stamps.stamp();
        let ids = self.movement_ids(command.lines.len());
        let skus = command.lines.iter().map(|line| &line.sku);
        let event =
            self.decide(skus, &stamp, who, |room| adjustment::adjust(command, id, ids, products, room))?;
        adjusted(stamp, event, true)
    }

    pub(super) fn go_on_adjusting(
        &mut self,
        id: &AdjustmentId,
        step: &AdjustmentStep,
        who: &Who,
    ) -> Result<Decided, Failure> {
        let document = self.known_adjustment(id)?;
        let stamp = self.door.stamps.stamp();
        let ids = self.movement_ids(document.lines.len());
        let skus = document.lines.iter().map(|line| &line.sku);
        let event = self.decide(skus, &stamp, who, |room| match step {
            AdjustmentStep::Approve => adjustment::approve(&document, ids, room),
            AdjustmentStep::Reject => adjustment::reject(&document, room),
            AdjustmentStep::Reverse => adjustment::reverse(&document, ids, room),
        })?;
        adjusted(stamp, event, false)
    }

    /// The adjustment as it is by now; one that is over is read from the journal.
    fn known_adjustment(&self, id: &AdjustmentId) -> Result<Adjustment, Failure> {
        if let Some(known) = self.book.adjustments.get(id) {
            return Ok(known.clone());
        }
        let found = self.door.storage.adjustment(id)?;
        Ok(found.ok_or(Refusal::NotFound("adjustment"))?)
    }
}

fn adjusted(stamp: Stamp, event: Event, created: bool) -> Result<Decided, Failure> {
    let Event::AdjustmentChanged { adjustment, movements, .. } = &event else { return Err(foreign()) };
    let answer = if created {
        Answer::created(format!("/api/adjustments/{}", adjustment.adjustment_id), adjustment)
    } else {
        Answer::ok(adjustment)
    };
    let (action, records) = match adjustment.state {
        // Head office hears of it when somebody has decided.
        AdjustmentState::Pending => ("adjustment.requested", Vec::new()),
        state => {
            let action = match state {
                AdjustmentState::Rejected => "adjustment.rejected",
                AdjustmentState::Reversed => "adjustment.reversed",
                _ => "adjustment.posted",
            };
            (action, vec![record::adjustment_posted(&stamp, adjustment, movements)])
        }
    };
    let audit = Some((action, adjustment.adjustment_id.0.clone(), adjustment.business_date));
    Ok(Decided { stamp, records, answer, audit, events: vec![event] })
}
