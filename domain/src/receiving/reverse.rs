//! Takes a receipt back: the goods leave at the average, the delivery note may come again.

use super::Receiving;
use crate::business_date::business_date;
use crate::event::Event;
use crate::ids::{MovementId, Sku};
use crate::ledger::{DeliveryNote, LedgerBook, short};
use crate::mandate::{Mandate, allow};
use crate::refusal::Refusal;
use crate::settings::{NegativeStock, Rules};
use crate::stock::{Document, MovementReason, Moves};
use crate::time::UtcMs;

/// A receipt that counts.
const POSTED: &str = "posted";
/// A receipt that was taken back.
const REVERSED: &str = "reversed";

/// Reverses a posted receipt. The difference to its own cost is purchase variance, at the hub.
///
/// `movement_ids` has one id per line.
///
/// # Errors
/// `insufficient_role`, `invalid_state`, `insufficient_stock` where the store keeps nothing below zero,
/// `validation_failed`.
pub fn reverse(
    receiving: &Receiving,
    movement_ids: Vec<MovementId>,
    now: UtcMs,
    mandate: &Mandate<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event, Refusal> {
    allow(mandate.caller.role.manages())?;
    let again = book.reversed_receivings.contains(&receiving.receiving_id);
    if receiving.state != POSTED || again {
        return Err(Refusal::InvalidState { state: REVERSED.to_owned(), allowed: Vec::new() });
    }
    if rules.negative_stock == NegativeStock::Reject {
        let asked: Vec<(&Sku, i64)> = receiving.lines.iter().map(|line| (&line.sku, line.qty)).collect();
        short(&asked, book)?;
    }
    let user_id = &mandate.caller.user_id;
    let document = Document { kind: "receiving", id: receiving.receiving_id.as_str(), user_id, at: now };
    let mut moves = Moves::new(book, document, movement_ids);
    for line in receiving.lines.iter().rev().filter(|line| line.qty > 0) {
        moves.send(&line.sku, line.line_no, line.qty, MovementReason::Receiving)?;
    }
    let (movements, stock) = moves.done();
    let receiving = Receiving {
        state: REVERSED.to_owned(),
        business_date: business_date(now, &rules.timezone, rules.day_start),
        ..receiving.clone()
    };
    let freed = DeliveryNote::of(&receiving);
    Ok(Event::ReceivingReversed { receiving: Box::new(receiving), freed, movements, stock })
}
