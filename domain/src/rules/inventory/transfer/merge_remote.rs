//! Takes over changes of head office to a transfer that this store sends or receives.

use crate::model::base::event::{Event, fact};
use crate::model::base::ids::MovementId;
use crate::model::base::refusal::Refusal;
use crate::model::inventory::transfer::{Transfer, TransferState};
use crate::rules::inventory::stock::StockContext;
use crate::rules::inventory::transfer::{found_here, meet};

/// Applies the other store's document; `None` if it has nothing new. `known` is this store's own document, if there is
/// one; the book's row overrides it. `movement_ids` has one ID per line, and one per settled part.
///
/// # Errors
/// `over_receipt`, `validation_failed`: the other store's document can't be true.
pub fn merge_remote(
    reported: &Transfer,
    known: Option<&Transfer>,
    movement_ids: Vec<MovementId>,
    context: &StockContext<'_>,
) -> Result<Option<Event<fact::TransferChanged>>, Refusal> {
    let known = context.book.transfers.get(&reported.transfer_id).or(known);
    if reported.to_store_id == context.rules.store_id {
        return arriving(reported, known, movement_ids, context);
    }
    // A document that this store forgot is the outbox's business: nothing is moved twice here.
    let Some(known) = known.filter(|known| known.from_store_id == context.rules.store_id) else {
        return Ok(None);
    };
    match (reported.state, known.state) {
        (TransferState::Received, TransferState::InTransit | TransferState::Cancelled) => {
            meet(known, reported, movement_ids, context).map(Some)
        }
        _ => Ok(None),
    }
}

fn arriving(
    reported: &Transfer,
    known: Option<&Transfer>,
    movement_ids: Vec<MovementId>,
    context: &StockContext<'_>,
) -> Result<Option<Event<fact::TransferChanged>>, Refusal> {
    let settles = |known: &Transfer| {
        let of = |line: &crate::model::inventory::transfer::TransferLine| {
            known.lines.iter().find(|own| own.line_no == line.line_no)
        };
        let more = |line: &crate::model::inventory::transfer::TransferLine| {
            of(line).is_some_and(|own| own.resolved.len() < line.resolved.len())
        };
        reported.lines.iter().any(more)
    };
    match (reported.state, known) {
        (TransferState::InTransit, None) => Ok(Some(noted(reported.clone()))),
        (TransferState::Cancelled, Some(known)) if known.state == TransferState::InTransit => {
            let (state, cancelled_at) = (TransferState::Cancelled, reported.cancelled_at);
            Ok(Some(noted(Transfer { state, cancelled_at, ..known.clone() })))
        }
        (TransferState::Received, Some(known))
            if known.state == TransferState::Received && settles(known) =>
        {
            found_here(known, reported, movement_ids, context).map(Some)
        }
        _ => Ok(None),
    }
}

/// The document alone: nothing moves here.
fn noted(transfer: Transfer) -> Event<fact::TransferChanged> {
    Event::of(fact::TransferChanged { transfer })
}
