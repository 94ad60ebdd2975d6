//! Commands of adjustments: requests, decisions and reversals.

use super::Ledger;
use crate::owners::scanned;
use crate::prelude::*;
use domain::model::base::ids::{AdjustmentId, MovementId};
use domain::model::inventory::adjustment::{Adjustment, AdjustmentState};
use domain::rules::inventory::adjustment;
use domain::rules::inventory::adjustment::NewAdjustment;
use domain::rules::inventory::stock::StockContext;

/// Adjusts stock, or asks a manager to, by the rules of [`domain::rules::inventory::adjustment::adjust`].
pub struct Adjust(pub NewAdjustment);

/// Posts an adjustment that waits, by the rules of [`domain::rules::inventory::adjustment::approve`].
pub struct ApproveAdjustment(pub AdjustmentId);

/// Rejects an adjustment that waits, by the rules of [`domain::rules::inventory::adjustment::reject`].
pub struct RejectAdjustment(pub AdjustmentId);

/// Reverses a posted adjustment, by the rules of [`domain::rules::inventory::adjustment::reverse`].
pub struct ReverseAdjustment(pub AdjustmentId);

impl Dispatch for Adjust {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<Self::Rows, Failure> {
        scanned::scanned(context, &self.0, |command| &mut command.lines)
    }
}

impl Command for Adjust {
    type Book = LedgerBook;
    /// The command with products and pieces in place of scanned codes.
    type Rows = (Option<NewAdjustment>, Products);

    fn check(&self, _rules: &Rules) -> Result<(), Refusal> {
        self.0.check()
    }

    fn decide(
        &self,
        (scanned, products): Self::Rows,
        ledger: &mut Ledger,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let command = scanned.as_ref().unwrap_or(&self.0);
        let stamp = ledger.stamps.stamp();
        let (id, ids) = (ledger.stamps.id("adj_"), ledger.movement_ids(command.lines.len()));
        let skus = command.lines.iter().map(|line| &line.sku);
        let rule = |context: &StockContext<'_>| adjustment::adjust(command, id, ids, &products, context);
        let event = ledger.with_stock(skus, &stamp, request, rule)?;
        adjusted(ledger, stamp, event, true, request)
    }
}

impl Dispatch for ApproveAdjustment {}

impl Command for ApproveAdjustment {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        run_rule(ledger, &self.0, request, adjustment::approve)
    }
}

impl Dispatch for RejectAdjustment {}

impl Command for RejectAdjustment {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        run_rule(ledger, &self.0, request, |document, _ids, context| adjustment::reject(document, context))
    }
}

impl Dispatch for ReverseAdjustment {}

impl Command for ReverseAdjustment {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        run_rule(ledger, &self.0, request, adjustment::reverse)
    }
}

/// Runs a rule on an existing adjustment.
fn run_rule(
    ledger: &mut Ledger,
    id: &AdjustmentId,
    request: &RequestContext,
    rule: impl FnOnce(
        &Adjustment,
        Vec<MovementId>,
        &StockContext<'_>,
    ) -> Result<Event<fact::AdjustmentChanged>, Refusal>,
) -> Result<Decision, Failure> {
    let document = ledger.known_adjustment(id)?;
    let stamp = ledger.stamps.stamp();
    let ids = ledger.movement_ids(document.lines.len());
    let skus = document.lines.iter().map(|line| &line.sku);
    let event = ledger.with_stock(skus, &stamp, request, |context| rule(&document, ids, context))?;
    adjusted(ledger, stamp, event, false, request)
}

impl Owner<LedgerBook> {
    /// The adjustment as it is by now; one that is over is read from the journal.
    fn known_adjustment(&self, id: &AdjustmentId) -> Result<Adjustment, Failure> {
        if let Some(known) = self.book.adjustments.get(id) {
            return Ok(known.clone());
        }
        let found = self.storage.stock_documents().adjustment(id)?;
        Ok(found.ok_or(Refusal::NotFound("adjustment"))?)
    }
}

fn adjusted(
    ledger: &Ledger,
    stamp: Stamp,
    event: Event<fact::AdjustmentChanged>,
    created: bool,
    request: &RequestContext,
) -> Result<Decision, Failure> {
    let adjustment = &event.fact.adjustment;
    let movements = &event.rows.movements;
    let answer = if created {
        Answer::created(format!("/api/adjustments/{}", adjustment.adjustment_id), adjustment)
    } else {
        Answer::ok(adjustment)
    };
    let (action, records) = match adjustment.state {
        // It is reported to head office once it is approved or rejected.
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
