//! Adjusts, approves, rejects, reverses.

use super::{Adjustment, AdjustmentLine, AdjustmentState, NewAdjustment, post};
use crate::event::Event;
use crate::ids::{AdjustmentId, MovementId, Sku};
use crate::product::{Product, tracked};
use crate::record;
use crate::refusal::{NeedsApproval, Refusal};
use crate::stock::StockRoom;
use std::collections::BTreeMap;

/// Posts an adjustment, or leaves it for a manager.
///
/// `products` holds at least the catalogue's rows of its skus, `movement_ids` one id per line.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `unknown_sku`, `approval_required` (above the limit),
/// `insufficient_stock`.
pub fn adjust(
    cmd: &NewAdjustment,
    id: AdjustmentId,
    movement_ids: Vec<MovementId>,
    products: &BTreeMap<Sku, Product>,
    room: &StockRoom<'_>,
) -> Result<Event, Refusal> {
    cmd.check()?;
    room.mandate.in_stock_room()?;
    let found = tracked(cmd.lines.iter().map(|line| &line.sku), products)?;
    let lines = (1_u32..).zip(cmd.lines.iter().zip(found));
    let mut lines: Vec<AdjustmentLine> = lines
        .map(|(line_no, (line, product))| AdjustmentLine {
            line_no,
            sku: product.sku.clone(),
            name: product.name.clone(),
            qty: line.qty,
            cost: 0,
            correction: 0,
            balance_after: None,
        })
        .collect();
    let value = post::estimate(&mut lines, cmd.bucket, room.book)?;
    let above = post::above(room.rules.policy.adjustment_value, &lines);
    let waits = cmd.request_approval.unwrap_or(false);
    if above && !waits {
        let limit = room.rules.policy.adjustment_value;
        room.mandate.manager_for(|| {
            NeedsApproval::of("an adjustment of this value").beyond(value, limit, "approval.adjustment_value")
        })?;
    }
    let mut adjustment = Adjustment {
        adjustment_id: id,
        state: if waits { AdjustmentState::Pending } else { AdjustmentState::Posted },
        store_id: room.rules.store_id.clone(),
        reason: cmd.reason,
        bucket: cmd.bucket,
        lines,
        value,
        note: cmd.note.clone(),
        business_date: room.today(),
        created_by: room.mandate.caller.user_id.clone(),
        created_at: room.now,
        decided_by: room.mandate.approved_by().filter(|_| above),
        decided_at: None,
    };
    record::document_fits("lines", &adjustment, adjustment.lines.len())?;
    let (movements, stock) =
        if waits { Default::default() } else { post::forwards(&mut adjustment, movement_ids, room)? };
    Ok(Event::AdjustmentChanged { adjustment: Box::new(adjustment), movements, stock })
}

/// Posts a pending adjustment, at the stock of now.
///
/// # Errors
/// `insufficient_role`, `invalid_state`, `insufficient_stock`, `validation_failed`.
pub fn approve(
    adjustment: &Adjustment,
    movement_ids: Vec<MovementId>,
    room: &StockRoom<'_>,
) -> Result<Event, Refusal> {
    let mut adjustment = pending(adjustment, room)?;
    let (movements, stock) = post::forwards(&mut adjustment, movement_ids, room)?;
    adjustment.state = AdjustmentState::Posted;
    adjustment.business_date = room.today();
    decided(&mut adjustment, room);
    Ok(Event::AdjustmentChanged { adjustment: Box::new(adjustment), movements, stock })
}

/// Rejects a pending adjustment.
///
/// # Errors
/// `insufficient_role`, `invalid_state`.
pub fn reject(adjustment: &Adjustment, room: &StockRoom<'_>) -> Result<Event, Refusal> {
    let mut adjustment = pending(adjustment, room)?;
    adjustment.state = AdjustmentState::Rejected;
    decided(&mut adjustment, room);
    let (movements, stock) = (Vec::new(), Vec::new());
    Ok(Event::AdjustmentChanged { adjustment: Box::new(adjustment), movements, stock })
}

/// Takes a posted adjustment back.
///
/// # Errors
/// `insufficient_role`, `invalid_state`, `insufficient_stock` (what was found is gone, in a store that does not
/// go below zero), `validation_failed`.
pub fn reverse(
    adjustment: &Adjustment,
    movement_ids: Vec<MovementId>,
    room: &StockRoom<'_>,
) -> Result<Event, Refusal> {
    room.managers_only()?;
    let adjustment = room.book.adjustments.get(&adjustment.adjustment_id).unwrap_or(adjustment);
    if adjustment.state != AdjustmentState::Posted {
        return Err(adjustment.state.refusal());
    }
    let (movements, stock) = post::backwards(adjustment, movement_ids, room)?;
    let mut adjustment = Adjustment { state: AdjustmentState::Reversed, ..adjustment.clone() };
    decided(&mut adjustment, room);
    Ok(Event::AdjustmentChanged { adjustment: Box::new(adjustment), movements, stock })
}

/// The adjustment, if it waits: the book's row is the truth.
fn pending(adjustment: &Adjustment, room: &StockRoom<'_>) -> Result<Adjustment, Refusal> {
    room.managers_only()?;
    let waiting = room.book.adjustments.get(&adjustment.adjustment_id);
    match waiting.map_or(adjustment.state, |waiting| waiting.state) {
        AdjustmentState::Pending => Ok(waiting.unwrap_or(adjustment).clone()),
        state => Err(state.refusal()),
    }
}

fn decided(adjustment: &mut Adjustment, room: &StockRoom<'_>) {
    adjustment.decided_by = Some(room.mandate.caller.user_id.clone());
    adjustment.decided_at = Some(room.now);
}
