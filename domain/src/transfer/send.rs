//! The sender: writes down, sends, calls off.

use super::{NewTransfer, Transfer, TransferLine, TransferState};
use crate::business_date::business_date;
use crate::event::Event;
use crate::ids::{MovementId, Sku, TransferId};
use crate::ledger::{LedgerBook, short};
use crate::mandate::Mandate;
use crate::product::{Product, tracked};
use crate::record;
use crate::refusal::Refusal;
use crate::settings::{NegativeStock, Rules};
use crate::stock::{Document, Incoming, MovementReason, Moves};
use crate::time::UtcMs;
use std::collections::BTreeMap;

/// Writes a transfer down and, unless it is a draft, sends it: stock leaves at once.
///
/// `products` holds at least the catalogue's rows of its skus, `movement_ids` one id per line.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `unknown_sku`, `insufficient_stock`.
#[expect(clippy::too_many_arguments, reason = "a rule gets all that it may know as arguments")]
pub fn create(
    cmd: &NewTransfer,
    id: TransferId,
    movement_ids: Vec<MovementId>,
    now: UtcMs,
    mandate: &Mandate<'_>,
    products: &BTreeMap<Sku, Product>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event, Refusal> {
    cmd.check(&rules.store_id)?;
    mandate.in_stock_room()?;
    let stores = &rules.policy.stores;
    if !stores.is_empty() && !stores.contains(&cmd.to_store_id) {
        return Err(Refusal::field("to_store_id", "is not a store of this company"));
    }
    let found = tracked(cmd.lines.iter().map(|line| &line.sku), products)?;
    let lines = (1_u32..).zip(cmd.lines.iter().zip(found));
    let transfer = Transfer {
        transfer_id: id,
        state: TransferState::Draft,
        from_store_id: rules.store_id.clone(),
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
        business_date: business_date(now, &rules.timezone, rules.day_start),
        created_by: mandate.caller.user_id.clone(),
        created_at: now,
        sent_at: None,
        received_by: None,
        received_at: None,
        cancelled_at: None,
        cancel_lost: false,
    };
    record::document_fits("lines", &transfer, transfer.lines.len())?;
    if cmd.draft.unwrap_or(false) {
        let (movements, stock) = (Vec::new(), Vec::new());
        return Ok(Event::TransferChanged { transfer: Box::new(transfer), movements, stock });
    }
    leave(transfer, movement_ids, now, mandate, rules, book)
}

/// Sends a draft.
///
/// # Errors
/// `insufficient_role`, `not_found` (another store's), `invalid_state`, `insufficient_stock`.
pub fn send(
    transfer: &Transfer,
    movement_ids: Vec<MovementId>,
    now: UtcMs,
    mandate: &Mandate<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event, Refusal> {
    mandate.in_stock_room()?;
    let transfer = own(transfer, rules, book)?;
    if transfer.state != TransferState::Draft {
        return Err(transfer.state.refusal());
    }
    leave(transfer.clone(), movement_ids, now, mandate, rules, book)
}

fn leave(
    mut transfer: Transfer,
    movement_ids: Vec<MovementId>,
    now: UtcMs,
    mandate: &Mandate<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event, Refusal> {
    if rules.negative_stock == NegativeStock::Reject {
        let asked: Vec<(&Sku, i64)> = transfer.lines.iter().map(|line| (&line.sku, line.qty)).collect();
        short(&asked, book)?;
    }
    let id = transfer.transfer_id.clone();
    let mut moves = Moves::new(book, document(&id, mandate, now), movement_ids);
    for line in &mut transfer.lines {
        let moved = moves.send(&line.sku, line.line_no, line.qty, MovementReason::TransferOut)?;
        line.cost = moved.cost.saturating_neg();
    }
    let (movements, stock) = moves.done();
    transfer.state = TransferState::InTransit;
    transfer.sent_at = Some(now);
    transfer.business_date = business_date(now, &rules.timezone, rules.day_start);
    Ok(Event::TransferChanged { transfer: Box::new(transfer), movements, stock })
}

/// Calls a transfer off before the other store received it; the goods are back at their cost.
///
/// # Errors
/// `insufficient_role`, `not_found`, `invalid_state`, `validation_failed`.
pub fn cancel(
    transfer: &Transfer,
    movement_ids: Vec<MovementId>,
    now: UtcMs,
    mandate: &Mandate<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event, Refusal> {
    mandate.in_stock_room()?;
    let transfer = own(transfer, rules, book)?;
    let mut after = Transfer { state: TransferState::Cancelled, cancelled_at: Some(now), ..transfer.clone() };
    let id = transfer.transfer_id.clone();
    let mut moves = Moves::new(book, document(&id, mandate, now), movement_ids);
    match transfer.state {
        TransferState::Draft => {}
        TransferState::InTransit => {
            for line in after.lines.iter().rev() {
                let back = Incoming::Back(line.cost);
                moves.bring(&line.sku, line.line_no, line.qty, back, MovementReason::TransferOut)?;
            }
            after.business_date = business_date(now, &rules.timezone, rules.day_start);
        }
        state => return Err(state.refusal()),
    }
    let (movements, stock) = moves.done();
    Ok(Event::TransferChanged { transfer: Box::new(after), movements, stock })
}

/// The transfer as the book has it, if this store sent it.
pub(super) fn own<'a>(
    transfer: &'a Transfer,
    rules: &Rules,
    book: &'a LedgerBook,
) -> Result<&'a Transfer, Refusal> {
    let known = book.transfers.get(&transfer.transfer_id).unwrap_or(transfer);
    if known.from_store_id == rules.store_id { Ok(known) } else { Err(Refusal::NotFound("transfer")) }
}

pub(super) fn document<'a>(id: &'a TransferId, mandate: &Mandate<'a>, now: UtcMs) -> Document<'a> {
    Document { kind: "transfer", id: id.as_str(), user_id: &mandate.caller.user_id, at: now }
}
