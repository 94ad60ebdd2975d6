//! The sender: writes down, sends, calls off.

use crate::model::base::event::{Event, Rows, fact};
use crate::model::base::figures::Money;
use crate::model::base::ids::{MovementId, Sku, TransferId};
use crate::model::base::refusal::Refusal;
use crate::model::inventory::product::Product;
use crate::model::inventory::stock::MovementReason;
use crate::model::inventory::transfer::{Transfer, TransferLine, TransferState};
use crate::rules::inventory::product::tracked;
use crate::rules::inventory::stock::{Incoming, Moves, StockContext};
use crate::rules::inventory::transfer::NewTransfer;
use crate::wire::feed::StoreDown;
use crate::wire::record;
use std::collections::BTreeMap;

/// Receiver of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Receiver {
    /// A store in head office's list: it can receive the goods.
    Listed,
    /// A name that the sender entered: the arrival of the goods will not be recorded, so that sending them is a
    /// write-off.
    Unlisted,
}

/// Checks that goods may be sent to a store. `destination` is head office's record of the store; `list_is_here` is
/// whether head office has sent any store. Without the list, the sender's input is accepted.
///
/// # Errors
/// `validation_failed` for a destination that does not exist or is disabled.
pub fn check_destination(destination: Option<&StoreDown>, list_is_here: bool) -> Result<Receiver, Refusal> {
    let problem = match destination {
        None if list_is_here => "is not a known store: check its id, or synchronise first",
        Some(store) if store.disabled => {
            "is a store that head office disabled: it can't receive the transfer"
        }
        Some(_) => return Ok(Receiver::Listed),
        None => return Ok(Receiver::Unlisted),
    };
    Err(Refusal::field("to_store_id", problem))
}

/// Creates a transfer and, unless it is a draft, sends it: stock leaves at once.
///
/// `products` holds at least the catalogue's rows of its skus, `movement_ids` one ID per line.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `unknown_sku`, `insufficient_stock`, `approval_required`.
pub fn create(
    cmd: &NewTransfer,
    receiver: Receiver,
    id: TransferId,
    movement_ids: Vec<MovementId>,
    products: &BTreeMap<Sku, Product>,
    context: &StockContext<'_>,
) -> Result<Event<fact::TransferChanged>, Refusal> {
    cmd.check(&context.rules.store_id)?;
    context.authorization.in_stock_room()?;
    let found = tracked(cmd.lines.iter().map(|line| &line.sku), products)?;
    let lines = (1_u32..).zip(cmd.lines.iter().zip(found));
    let transfer = Transfer {
        transfer_id: id,
        state: TransferState::Draft,
        from_store_id: context.rules.store_id.clone(),
        to_store_id: cmd.to_store_id.clone(),
        lines: lines
            .map(|(line_no, (line, product))| TransferLine {
                line_no,
                sku: product.sku.clone(),
                name: product.name.clone(),
                qty: line.qty,
                ..TransferLine::default()
            })
            .collect(),
        note: cmd.note.clone(),
        business_date: context.today(),
        created_by: context.authorization.caller.user_id.clone(),
        created_at: context.now,
        sent_at: None,
        received_by: None,
        received_at: None,
        cancelled_at: None,
        cancel_lost: false,
        warnings: Vec::new(),
    };
    record::document_fits("lines", &transfer, transfer.lines.len())?;
    if cmd.draft.unwrap_or(false) {
        return Ok(Event::of(fact::TransferChanged { transfer }));
    }
    leave(transfer, receiver, movement_ids, context)
}

/// Sends a draft.
///
/// # Errors
/// `insufficient_role`, `not_found` (another store's), `invalid_state`, `insufficient_stock`,
/// `approval_required`.
pub fn send(
    transfer: &Transfer,
    receiver: Receiver,
    movement_ids: Vec<MovementId>,
    context: &StockContext<'_>,
) -> Result<Event<fact::TransferChanged>, Refusal> {
    context.authorization.in_stock_room()?;
    let transfer = sent_from_here(transfer, context)?;
    if transfer.state != TransferState::Draft {
        return Err(transfer.state.refusal());
    }
    leave(transfer.clone(), receiver, movement_ids, context)
}

fn leave(
    mut transfer: Transfer,
    receiver: Receiver,
    movement_ids: Vec<MovementId>,
    context: &StockContext<'_>,
) -> Result<Event<fact::TransferChanged>, Refusal> {
    context.require_on_hand(transfer.lines.iter().map(|line| (&line.sku, line.qty)))?;
    let mut moves = moves(&transfer.transfer_id, movement_ids, context);
    for line in &mut transfer.lines {
        let moved = moves.send(&line.sku, line.line_no, line.qty, MovementReason::TransferOut)?;
        line.cost = moved.cost.saturating_neg();
    }
    let written_off = match receiver {
        Receiver::Listed => None,
        Receiver::Unlisted => {
            let cost = transfer.lines.iter().fold(Money::ZERO, |sum, line| sum.saturating_add(line.cost));
            context
                .write_off(cost, "a transfer of this cost to a store that is not in the list of stores")?
                .written_off
        }
    };
    let rows = Rows { written_off, ..moves.done() };
    transfer.state = TransferState::InTransit;
    transfer.sent_at = Some(context.now);
    transfer.business_date = context.today();
    Ok(Event::new(fact::TransferChanged { transfer }, rows))
}

/// Calls a transfer off before the other store received it; the goods are back at their cost.
///
/// # Errors
/// `insufficient_role`, `not_found`, `invalid_state`, `validation_failed`.
pub fn cancel(
    transfer: &Transfer,
    movement_ids: Vec<MovementId>,
    context: &StockContext<'_>,
) -> Result<Event<fact::TransferChanged>, Refusal> {
    context.authorization.in_stock_room()?;
    let transfer = sent_from_here(transfer, context)?;
    let after = Transfer {
        state: TransferState::Cancelled,
        cancelled_at: Some(context.now),
        business_date: context.today(),
        ..transfer.clone()
    };
    let mut moves = moves(&transfer.transfer_id, movement_ids, context);
    match transfer.state {
        TransferState::Draft => {}
        TransferState::InTransit => {
            for line in after.lines.iter().rev() {
                let back = Incoming::Back(line.cost);
                moves.bring(&line.sku, line.line_no, line.qty, back, MovementReason::TransferOut)?;
            }
        }
        state => return Err(state.refusal()),
    }
    Ok(Event::new(fact::TransferChanged { transfer: after }, moves.done()))
}

/// The transfer as the book has it, if this store sent it.
pub(super) fn sent_from_here<'a>(
    transfer: &'a Transfer,
    context: &StockContext<'a>,
) -> Result<&'a Transfer, Refusal> {
    let known = context.book.transfers.get(&transfer.transfer_id).unwrap_or(transfer);
    let own = &context.rules.store_id;
    if known.from_store_id == *own {
        return Ok(known);
    }
    if known.to_store_id == *own {
        let problem = format!("comes from store {}: only that store can do this", known.from_store_id);
        return Err(Refusal::field("transfer_id", problem));
    }
    Err(Refusal::NotFound("transfer"))
}

pub(super) fn moves<'m>(
    id: &'m TransferId,
    ids: Vec<MovementId>,
    context: &'m StockContext<'_>,
) -> Moves<'m> {
    context.moves("transfer", id.as_str(), ids)
}
