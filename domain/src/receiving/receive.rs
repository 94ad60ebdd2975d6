//! Receives a supplier's goods into stock, at their cost.

use super::{NewReceiving, NewReceivingLine, Receiving, ReceivingLine};
use crate::event::Event;
use crate::ids::{MovementId, ReceivingId, Sku};
use crate::ledger::{DeliveryNote, LedgerBook};
use crate::money::{figure, product as times, sum};
use crate::product::{Product, tracked};
use crate::record;
use crate::refusal::Refusal;
use crate::stock::{Incoming, Moved, Movement, MovementReason, Stock, StockRoom};
use std::collections::BTreeMap;

/// Posts a receiving document that names no order.
///
/// `products` holds at least the catalogue's rows of the command's skus, `movement_ids` one id per
/// line; a sku without a row in the book starts at zero with its product's cost.
///
/// # Errors
/// `insufficient_role`, `unknown_sku` (all of them), `duplicate` (delivery note),
/// `validation_failed`.
pub fn receive(
    cmd: &NewReceiving,
    id: ReceivingId,
    movement_ids: Vec<MovementId>,
    products: &BTreeMap<Sku, Product>,
    room: &StockRoom<'_>,
) -> Result<Event, Refusal> {
    if cmd.po_id.is_some() {
        // A limit that can't be checked is not waved through.
        return Err(super::order::unknown());
    }
    post(cmd, id, movement_ids, products, room)
}

/// The receipt, with or without an order whose limits were checked.
pub(super) fn post(
    cmd: &NewReceiving,
    id: ReceivingId,
    movement_ids: Vec<MovementId>,
    products: &BTreeMap<Sku, Product>,
    room: &StockRoom<'_>,
) -> Result<Event, Refusal> {
    cmd.check()?;
    room.mandate.in_stock_room()?;
    if movement_ids.len() != cmd.lines.len() {
        return Err(Refusal::field("lines", "each line needs a movement id"));
    }
    let found = tracked(cmd.lines.iter().map(|line| &line.sku), products)?;
    new_note(cmd, room.book)?;
    let mut rows: BTreeMap<Sku, Stock> = BTreeMap::new();
    let mut lines = Vec::with_capacity(found.len());
    let mut movements = Vec::with_capacity(found.len());
    let asked = (1_u32..).zip(cmd.lines.iter().zip(found));
    for ((line_no, (asked, product)), movement_id) in asked.zip(movement_ids) {
        let known = || room.book.stock.get(&product.sku).cloned();
        let row = rows
            .entry(product.sku.clone())
            .or_insert_with(|| known().unwrap_or_else(|| Stock::seed(product)));
        let (line, moved) = accept(line_no, asked, product, row)?;
        if line.qty > 0 {
            row.updated_at = room.now;
            movements.push(movement(&line, moved, movement_id, &id, room));
        }
        lines.push(line);
    }
    let receiving = document(cmd, id, lines, room)?;
    record::document_fits("lines", &receiving, receiving.lines.len())?;
    let moved = |row: &Stock| movements.iter().any(|movement| movement.sku == row.sku);
    let stock = rows.into_values().filter(moved).collect();
    Ok(Event::ReceivingPosted { receiving: Box::new(receiving), movements, stock })
}

fn document(
    cmd: &NewReceiving,
    id: ReceivingId,
    lines: Vec<ReceivingLine>,
    room: &StockRoom<'_>,
) -> Result<Receiving, Refusal> {
    Ok(Receiving {
        receiving_id: id,
        state: "posted".to_owned(),
        store_id: room.rules.store_id.clone(),
        po_id: cmd.po_id.clone(),
        supplier_id: cmd.supplier_id.clone(),
        delivery_note_no: cmd.delivery_note_no.clone(),
        reference: cmd.reference.clone(),
        total_cost: sum("lines", lines.iter().map(|line| line.cost))?,
        lines,
        note: cmd.note.clone(),
        business_date: room.today(),
        created_by: room.mandate.caller.user_id.clone(),
        created_at: room.now,
    })
}

fn new_note(cmd: &NewReceiving, book: &LedgerBook) -> Result<(), Refusal> {
    let note = DeliveryNote::new(cmd.supplier_id.as_deref(), cmd.delivery_note_no.as_deref());
    match note.and_then(|note| book.delivery_notes.get(&note)) {
        Some(id) => Err(Refusal::Duplicate { what: "a receipt of this delivery note", id: id.0.clone() }),
        None => Ok(()),
    }
}

/// Takes a line's accepted pieces into stock; without a cost of their own at the average.
fn accept(
    line_no: u32,
    asked: &NewReceivingLine,
    product: &Product,
    row: &mut Stock,
) -> Result<(ReceivingLine, Moved), Refusal> {
    let unit_cost = asked.unit_cost.unwrap_or_else(|| row.unit_cost());
    let cost = figure("lines", times(asked.qty, unit_cost))?;
    let moved = if asked.qty > 0 {
        row.take_in(asked.qty, Incoming::Priced(cost))?
    } else {
        Moved { cost: 0, correction: 0 }
    };
    let line = ReceivingLine {
        line_no,
        sku: product.sku.clone(),
        name: product.name.clone(),
        qty: asked.qty,
        rejected_qty: asked.rejected_qty.unwrap_or(0),
        unit_cost,
        cost,
        correction: moved.correction,
        balance_after: row.qty,
        cost_missing: asked.unit_cost.is_none() && unit_cost == 0,
        note: asked.note.clone(),
    };
    Ok((line, moved))
}

fn movement(
    line: &ReceivingLine,
    moved: Moved,
    movement_id: MovementId,
    id: &ReceivingId,
    room: &StockRoom<'_>,
) -> Movement {
    Movement {
        movement_id,
        sku: line.sku.clone(),
        qty: line.qty,
        cost: moved.cost,
        correction: moved.correction,
        balance_after: line.balance_after,
        reason: MovementReason::Receiving,
        reference_type: "receiving".to_owned(),
        reference_id: id.0.clone(),
        line_no: line.line_no,
        unit_cost: line.unit_cost,
        user_id: room.mandate.caller.user_id.clone(),
        at: room.now,
        negative: line.balance_after < 0,
    }
}
