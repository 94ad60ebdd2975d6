//! Receives a supplier's goods into stock, at their cost.

use crate::model::base::event::{Event, Rows, fact};
use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{MovementId, ReceivingId, Sku};
use crate::model::base::limits::LINE_VALUE_MAX;
use crate::model::base::money::{figure, product as times, sum};
use crate::model::base::refusal::Refusal;
use crate::model::books::ledger::{DeliveryNote, LedgerBook, stated_note};
use crate::model::inventory::product::Product;
use crate::model::inventory::receiving::{Receiving, ReceivingLine};
use crate::model::inventory::stock::{Movement, MovementReason, Stock};
use crate::rules::inventory::product::tracked;
use crate::rules::inventory::receiving::{NewReceiving, NewReceivingLine};
use crate::rules::inventory::stock::{Incoming, Moved, StockContext, average};
use crate::wire::record;
use std::collections::BTreeMap;

/// Posts a receiving document that names no order.
///
/// `products` holds at least the catalogue's rows of the command's skus, `movement_ids` one ID per
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
    context: &StockContext<'_>,
) -> Result<Event<fact::ReceivingPosted>, Refusal> {
    if cmd.po_id.is_some() {
        // A limit that can't be checked is not waved through.
        return Err(crate::rules::inventory::receiving::order::unknown());
    }
    post(cmd, id, movement_ids, products, context)
}

/// The receipt, with or without an order whose limits were checked.
pub(super) fn post(
    cmd: &NewReceiving,
    id: ReceivingId,
    movement_ids: Vec<MovementId>,
    products: &BTreeMap<Sku, Product>,
    context: &StockContext<'_>,
) -> Result<Event<fact::ReceivingPosted>, Refusal> {
    cmd.check()?;
    context.authorization.in_stock_room()?;
    if movement_ids.len() != cmd.lines.len() {
        return Err(Refusal::field("lines", "each line needs a movement id"));
    }
    let found = tracked(cmd.lines.iter().map(|line| &line.sku), products)?;
    new_note(cmd, context.book)?;
    let mut rows: BTreeMap<Sku, Stock> = BTreeMap::new();
    let mut lines = Vec::with_capacity(found.len());
    let mut movements = Vec::with_capacity(found.len());
    let asked = (1_u32..).zip(cmd.lines.iter().zip(found));
    for ((line_no, (asked, product)), movement_id) in asked.zip(movement_ids) {
        let known = || context.book.stock.get(&product.sku).cloned();
        let row = rows
            .entry(product.sku.clone())
            .or_insert_with(|| known().unwrap_or_else(|| Stock::seed(product)));
        let (line, moved) = accept(line_no, asked, product, row)?;
        if line.qty > 0 {
            row.updated_at = context.now;
            movements.push(movement(&line, moved, movement_id, &id, context));
        }
        lines.push(line);
    }
    let receiving = document(cmd, id, lines, context)?;
    record::document_fits("lines", &receiving, receiving.lines.len())?;
    let moved = |row: &Stock| movements.iter().any(|movement| movement.sku == row.sku);
    let stock = rows.into_values().filter(moved).collect();
    Ok(Event::new(fact::ReceivingPosted { receiving }, Rows::of_stock(movements, stock)))
}

fn document(
    cmd: &NewReceiving,
    id: ReceivingId,
    lines: Vec<ReceivingLine>,
    context: &StockContext<'_>,
) -> Result<Receiving, Refusal> {
    Ok(Receiving {
        receiving_id: id,
        state: "posted".to_owned(),
        store_id: context.rules.store_id.clone(),
        po_id: cmd.po_id.clone(),
        supplier_id: cmd.supplier_id.clone(),
        delivery_note_no: stated_note(cmd.delivery_note_no.as_deref()).map(str::to_owned),
        reference: cmd.reference.clone(),
        total_cost: sum("lines", lines.iter().map(|line| line.cost))?,
        lines,
        note: cmd.note.clone(),
        resubmits: None,
        replaced_by: None,
        business_date: context.today(),
        created_by: context.authorization.caller.user_id.clone(),
        created_at: context.now,
        warnings: Vec::new(),
    })
}

fn new_note(cmd: &NewReceiving, book: &LedgerBook) -> Result<(), Refusal> {
    let note = DeliveryNote::new(cmd.supplier_id.as_deref(), cmd.delivery_note_no.as_deref());
    match note.and_then(|note| book.delivery_notes.get(&note)) {
        Some(id) => Err(Refusal::Duplicate { what: "a receipt of this delivery note", id: id.0.clone() }),
        None => Ok(()),
    }
}

/// Takes a line's accepted pieces into stock at the paid price, or at the average if they have no cost of their own.
fn accept(
    line_no: u32,
    asked: &NewReceivingLine,
    product: &Product,
    row: &mut Stock,
) -> Result<(ReceivingLine, Moved), Refusal> {
    // Left if the receipt that this one replaces was taken back.
    let excess = if asked.qty > 0 { row.cut_excess() } else { Money::ZERO };
    let (unit_cost, cost) = match (asked.line_total, asked.unit_cost) {
        (Some(total), _) => (average(total, asked.qty.max(Quantity::new(1))), total),
        (None, Some(unit_cost)) => (unit_cost, figure("lines", times(asked.qty, unit_cost))?),
        (None, None) => (row.unit_cost(), row.worth(asked.qty)?),
    };
    let known = asked.line_total.is_some() || asked.unit_cost.is_some();
    if cost.saturating_abs() > LINE_VALUE_MAX {
        let cell = if asked.line_total.is_some() { "line_total" } else { "unit_cost" };
        let path = format!("lines[{}].{cell}", line_no.saturating_sub(1));
        let problem = format!(
            "makes the line worth {cost}; at most {LINE_VALUE_MAX}: check {cell} and qty for extra digits"
        );
        return Err(Refusal::field(path, problem));
    }
    let moved = if asked.qty > 0 {
        let moved = row.take_in(asked.qty, Incoming::Priced(cost))?;
        Moved { correction: moved.correction.saturating_add(excess), ..moved }
    } else {
        Moved { cost: Money::ZERO, correction: Money::ZERO }
    };
    let line = ReceivingLine {
        line_no,
        sku: product.sku.clone(),
        name: product.name.clone(),
        qty: asked.qty,
        rejected_qty: asked.rejected_qty.unwrap_or(Quantity::ZERO),
        unit_cost,
        cost,
        correction: moved.correction,
        balance_after: row.qty,
        cost_missing: !known && cost == 0 && unit_cost == 0,
        note: asked.note.clone(),
    };
    Ok((line, moved))
}

fn movement(
    line: &ReceivingLine,
    moved: Moved,
    movement_id: MovementId,
    id: &ReceivingId,
    context: &StockContext<'_>,
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
        user_id: context.authorization.caller.user_id.clone(),
        at: context.now,
        negative: line.balance_after < 0,
    }
}
