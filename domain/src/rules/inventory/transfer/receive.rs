//! The receiver takes the goods in, once; and the resulting changes for the sender.

use crate::model::base::event::{Event, fact};
use crate::model::base::figures::Quantity;
use crate::model::base::ids::MovementId;
use crate::model::base::refusal::{FieldProblem, Refusal};
use crate::model::inventory::stock::MovementReason;
use crate::model::inventory::transfer::{Resolution, Transfer, TransferState};
use crate::rules::inventory::stock::{Incoming, StockContext};
use crate::rules::inventory::transfer::ReceiveTransfer;
use crate::rules::inventory::transfer::send::{moves, sent_from_here};

/// Receives the pieces that arrived. The rest stays in transit until the sender settles it.
///
/// # Errors
/// `validation_failed` (also a sku that was not sent), `insufficient_role`, `not_found`,
/// `invalid_state`, `over_receipt`.
pub fn receive(
    cmd: &ReceiveTransfer,
    transfer: &Transfer,
    movement_ids: Vec<MovementId>,
    context: &StockContext<'_>,
) -> Result<Event<fact::TransferChanged>, Refusal> {
    cmd.check()?;
    context.authorization.in_stock_room()?;
    let transfer = context.book.transfers.get(&transfer.transfer_id).unwrap_or(transfer);
    if transfer.to_store_id != context.rules.store_id {
        return Err(Refusal::NotFound("transfer"));
    }
    if transfer.state != TransferState::InTransit {
        // What is missing is settled by the sender, so nothing is left to do here.
        let state = transfer.state.name().to_owned();
        return Err(Refusal::InvalidState { state, allowed: Vec::new() });
    }
    sent(cmd, transfer)?;
    let mut after = transfer.clone();
    let mut moves = moves(&transfer.transfer_id, movement_ids, context);
    for line in &mut after.lines {
        let arrived = cmd.lines.iter().enumerate().find(|(_, arrived)| arrived.sku == line.sku);
        let (place, qty) = arrived.map_or((0, Quantity::ZERO), |(place, arrived)| (place, arrived.qty));
        line.receive(qty).map_err(|refused| refused.at_line(place))?;
        if let Some(qty) = line.received_qty.filter(|qty| *qty > 0) {
            let price = Incoming::Priced(line.in_cost);
            moves.bring(&line.sku, line.line_no, qty, price, MovementReason::TransferIn)?;
        }
    }
    let rows = moves.done();
    after.state = TransferState::Received;
    after.received_by = Some(context.authorization.caller.user_id.clone());
    after.received_at = Some(context.now);
    after.business_date = context.today();
    Ok(Event::new(fact::TransferChanged { transfer: after }, rows))
}

fn sent(cmd: &ReceiveTransfer, transfer: &Transfer) -> Result<(), Refusal> {
    let foreign = |(_, line): &(usize, &crate::rules::inventory::transfer::NewTransferLine)| {
        !transfer.lines.iter().any(|sent| sent.sku == line.sku)
    };
    let problems: Vec<FieldProblem> = cmd
        .lines
        .iter()
        .enumerate()
        .filter(foreign)
        .map(|(place, _)| FieldProblem {
            path: format!("lines[{place}].sku"),
            problem: "was not sent".to_owned(),
        })
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(Refusal::ValidationFailed(problems)) }
}

/// Step of the sender when it learns of the receipt: nothing moves, unless it had called the transfer off. Then the
/// goods leave again, since they are elsewhere, and both stores are notified.
///
/// # Errors
/// `not_found` (another store's), `invalid_state` (known already), `validation_failed`.
pub fn meet(
    transfer: &Transfer,
    received: &Transfer,
    movement_ids: Vec<MovementId>,
    context: &StockContext<'_>,
) -> Result<Event<fact::TransferChanged>, Refusal> {
    let known = sent_from_here(transfer, context)?;
    let lost = known.state == TransferState::Cancelled;
    if !lost && known.state != TransferState::InTransit {
        return Err(known.state.refusal());
    }
    let mut after = Transfer {
        state: TransferState::Received,
        received_by: received.received_by.clone(),
        received_at: received.received_at,
        cancel_lost: lost,
        ..known.clone()
    };
    for line in &mut after.lines {
        let arrived = received.lines.iter().find(|arrived| arrived.sku == line.sku);
        line.receive(arrived.and_then(|arrived| arrived.received_qty).unwrap_or(Quantity::ZERO))?;
    }
    let mut moves = moves(&known.transfer_id, movement_ids, context);
    if lost {
        after.business_date = context.today();
        for line in &mut after.lines {
            let moved = moves.send(&line.sku, line.line_no, line.qty, MovementReason::TransferOut)?;
            // The goods travel at the cost they leave with now; the arrived pieces are a part of it.
            line.cost = moved.cost.saturating_neg();
            line.receive(line.received_qty.unwrap_or(Quantity::ZERO))?;
        }
    }
    Ok(Event::new(fact::TransferChanged { transfer: after }, moves.done()))
}

/// Step of the receiver when the sender reports that pieces were found here: they come in.
///
/// `settled` is the sender's document; pieces that this store's own row has resolved came in before. If nothing comes
/// in, the day stays that of the receipt.
///
/// # Errors
/// `not_found`, `validation_failed`.
pub fn found_here(
    transfer: &Transfer,
    settled: &Transfer,
    movement_ids: Vec<MovementId>,
    context: &StockContext<'_>,
) -> Result<Event<fact::TransferChanged>, Refusal> {
    let known = context.book.transfers.get(&transfer.transfer_id).unwrap_or(transfer);
    if known.to_store_id != context.rules.store_id {
        return Err(Refusal::NotFound("transfer"));
    }
    let mut after = known.clone();
    let mut moves = moves(&known.transfer_id, movement_ids, context);
    for line in &mut after.lines {
        let resolved_line = settled.lines.iter().find(|resolved_line| resolved_line.sku == line.sku);
        let parts = resolved_line.map(|resolved_line| resolved_line.resolved.as_slice()).unwrap_or_default();
        for part in parts.iter().skip(line.resolved.len()) {
            if part.resolution == Resolution::FoundAtDestination {
                let price = Incoming::Priced(part.cost);
                moves.bring(&line.sku, line.line_no, part.qty, price, MovementReason::TransferIn)?;
                after.business_date = context.today();
            }
            line.resolved.push(part.clone());
        }
    }
    Ok(Event::new(fact::TransferChanged { transfer: after }, moves.done()))
}
