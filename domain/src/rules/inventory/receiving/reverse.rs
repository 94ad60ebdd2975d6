//! Reverses a receipt: the goods leave the stock at the average cost, and the number of the delivery note can be used
//! again.

use crate::model::base::event::{Event, Rows, fact};
use crate::model::base::ids::MovementId;
use crate::model::base::refusal::Refusal;
use crate::model::books::ledger::DeliveryNote;
use crate::model::inventory::purchase::PurchaseOrder;
use crate::model::inventory::receiving::Receiving;
use crate::model::inventory::stock::MovementReason;
use crate::rules::inventory::receiving::taken_back;
use crate::rules::inventory::stock::StockContext;

/// State of a receipt that was posted.
const POSTED: &str = "posted";

/// State of a receipt that was reversed.
const REVERSED: &str = "reversed";

/// Reverses a posted receipt. If the average cost differs from the receipt's cost, the hub posts the difference as
/// purchase variance.
///
/// `movement_ids` has one ID per line.
///
/// # Errors
/// `insufficient_role`, `invalid_state`, `insufficient_stock` where the store keeps nothing below zero,
/// `validation_failed`.
pub fn reverse(
    receiving: &Receiving,
    order: Option<&PurchaseOrder>,
    movement_ids: Vec<MovementId>,
    context: &StockContext<'_>,
) -> Result<Event<fact::ReceivingReversed>, Refusal> {
    context.managers_only()?;
    check_posted(receiving, context)?;
    context.require_by_policy(receiving.lines.iter().map(|line| (&line.sku, line.qty)))?;
    let mut moves = context.moves("receiving", receiving.receiving_id.as_str(), movement_ids);
    for line in receiving.lines.iter().rev().filter(|line| line.qty > 0) {
        moves.send(&line.sku, line.line_no, line.qty, MovementReason::Receiving)?;
    }
    Ok(reversed(receiving, order, moves.done(), context))
}

/// Checks that a receipt can be reversed.
pub(super) fn check_posted(receiving: &Receiving, context: &StockContext<'_>) -> Result<(), Refusal> {
    let is_reversed = context.book.reversed_receivings.contains(&receiving.receiving_id);
    if receiving.state != POSTED || is_reversed {
        return Err(Refusal::InvalidState { state: REVERSED.to_owned(), allowed: Vec::new() });
    }
    Ok(())
}

/// The reversal, whose goods have left.
pub(super) fn reversed(
    receiving: &Receiving,
    order: Option<&PurchaseOrder>,
    rows: Rows,
    context: &StockContext<'_>,
) -> Event<fact::ReceivingReversed> {
    let progress = order.map(|order| Box::new(taken_back(receiving, order, context.book)));
    let receiving =
        Receiving { state: REVERSED.to_owned(), business_date: context.today(), ..receiving.clone() };
    let freed = DeliveryNote::of(&receiving);
    Event::new(fact::ReceivingReversed { receiving, freed }, Rows { progress, ..rows })
}
