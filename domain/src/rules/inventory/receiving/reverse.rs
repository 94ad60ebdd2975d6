//! Takes a receipt back: the goods leave at the average, the delivery note may come again.

use crate::model::base::event::{Event, Rows, fact};
use crate::model::base::ids::MovementId;
use crate::model::base::refusal::Refusal;
use crate::model::books::ledger::DeliveryNote;
use crate::model::inventory::purchase::PurchaseOrder;
use crate::model::inventory::receiving::Receiving;
use crate::model::inventory::stock::MovementReason;
use crate::rules::inventory::receiving::taken_back;
use crate::rules::inventory::stock::StockContext;

/// A receipt that counts.
const POSTED: &str = "posted";

/// A receipt that was taken back.
const REVERSED: &str = "reversed";

/// Reverses a posted receipt. The difference to its own cost is purchase variance, at the hub.
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
    room: &StockContext<'_>,
) -> Result<Event<fact::ReceivingReversed>, Refusal> {
    room.managers_only()?;
    let again = room.book.reversed_receivings.contains(&receiving.receiving_id);
    if receiving.state != POSTED || again {
        return Err(Refusal::InvalidState { state: REVERSED.to_owned(), allowed: Vec::new() });
    }
    room.enough(receiving.lines.iter().map(|line| (&line.sku, line.qty)))?;
    let mut moves = room.moves("receiving", receiving.receiving_id.as_str(), movement_ids);
    for line in receiving.lines.iter().rev().filter(|line| line.qty > 0) {
        moves.send(&line.sku, line.line_no, line.qty, MovementReason::Receiving)?;
    }
    let rows = moves.done();
    let progress = order.map(|order| Box::new(taken_back(receiving, order, room.book)));
    let receiving =
        Receiving { state: REVERSED.to_owned(), business_date: room.today(), ..receiving.clone() };
    let freed = DeliveryNote::of(&receiving);
    Ok(Event::new(fact::ReceivingReversed { receiving, freed }, Rows { progress, ..rows }))
}
