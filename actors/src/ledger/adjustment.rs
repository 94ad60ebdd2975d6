//! Adjustments: asked for, decided on, taken back.

use super::Ledger;
use crate::prelude::*;
use domain::adjustment::{self, Adjustment, AdjustmentState, NewAdjustment};
use domain::ids::{AdjustmentId, MovementId};
use domain::stock::StockRoom;

/// Adjusts stock, or asks a manager to, by the rules of [`domain::adjustment::adjust`].
pub struct Adjust(pub NewAdjustment);

/// Posts an adjustment that waits, by the rules of [`domain::adjustment::approve`].
pub struct ApproveAdjustment(pub AdjustmentId);

/// Rejects an adjustment that waits, by the rules of [`domain::adjustment::reject`].
pub struct RejectAdjustment(pub AdjustmentId);

/// Takes a posted adjustment back, by the rules of [`domain::adjustment::reverse`].
pub struct ReverseAdjustment(pub AdjustmentId);

impl Dispatch for Adjust {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<Products, Failure> {
        context.products(self.0.lines.iter().map(|line| &line.sku))
    }
}

impl Command for Adjust {
    type Book = LedgerBook;
    type Rows = Products;

    fn check(&self, _rules: &Rules) -> Result<(), Refusal> {
        self.0.check()
    }

    fn decide(
        &self,
        products: Products,
        ledger: &mut Ledger,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let stamp = ledger.stamps.stamp();
        let (id, ids) = (ledger.stamps.id("adj_"), ledger.movement_ids(self.0.lines.len()));
        let skus = self.0.lines.iter().map(|line| &line.sku);
        let rule = |room: &StockRoom<'_>| adjustment::adjust(&self.0, id, ids, &products, room);
        let event = ledger.with_stock(skus, &stamp, request, rule)?;
        adjusted(ledger, stamp, event, true, request)
    }
}

impl Dispatch for ApproveAdjustment {}

impl Command for ApproveAdjustment {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        go_on(ledger, &self.0, request, adjustment::approve)
    }
}

impl Dispatch for RejectAdjustment {}

impl Command for RejectAdjustment {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        go_on(ledger, &self.0, request, |document, _ids, room| adjustment::reject(document, room))
    }
}

impl Dispatch for ReverseAdjustment {}

impl Command for ReverseAdjustment {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        go_on(ledger, &self.0, request, adjustment::reverse)
    }
}

/// Asks a rule about an adjustment that is there.
fn go_on(
    ledger: &mut Ledger,
    id: &AdjustmentId,
    request: &RequestContext,
    rule: impl FnOnce(&Adjustment, Vec<MovementId>, &StockRoom<'_>) -> Result<Event, Refusal>,
) -> Result<Decision, Failure> {
    let document = ledger.known_adjustment(id)?;
    let stamp = ledger.stamps.stamp();
    let ids = ledger.movement_ids(document.lines.len());
    let skus = document.lines.iter().map(|line| &line.sku);
    let event = ledger.with_stock(skus, &stamp, request, |room| rule(&document, ids, room))?;
    adjusted(ledger, stamp, event, false, request)
}

impl Owner<LedgerBook> {
    /// The adjustment as it is by now; one that is over is read from the journal.
    fn known_adjustment(&self, id: &AdjustmentId) -> Result<Adjustment, Failure> {
        if let Some(known) = self.book.adjustments.get(id) {
            return Ok(known.clone());
        }
        let found = self.storage.adjustment(id)?;
        Ok(found.ok_or(Refusal::NotFound("adjustment"))?)
    }
}

fn adjusted(
    ledger: &Ledger,
    stamp: Stamp,
    event: Event,
    created: bool,
    request: &RequestContext,
) -> Result<Decision, Failure> {
    let Event::AdjustmentChanged { adjustment, movements, .. } = &event else {
        return Err(internal_mismatch());
    };
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
    let (id, date) = (adjustment.adjustment_id.0.clone(), adjustment.business_date);
    let outcome = Outcome::of(stamp, event, records, answer);
    Ok(ledger.audited(outcome, request, action, &id, date).into())
}
