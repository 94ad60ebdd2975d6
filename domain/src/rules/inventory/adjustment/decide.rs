//! Adjusts, approves, rejects, reverses.

use crate::model::base::event::{Event, Rows, fact};
use crate::model::base::figures::Money;
use crate::model::base::ids::{AdjustmentId, MovementId, Sku};
use crate::model::base::refusal::Refusal;
use crate::model::inventory::adjustment::{Adjustment, AdjustmentLine, AdjustmentState};
use crate::model::inventory::product::Product;
use crate::rules::inventory::adjustment::{NewAdjustment, post};
use crate::rules::inventory::product::tracked;
use crate::rules::inventory::stock::{Allowed, StockContext};
use crate::wire::record;
use std::collections::BTreeMap;

/// Posts an adjustment, or leaves it for a manager.
///
/// `products` holds at least the catalogue's rows of its skus, `movement_ids` one ID per line.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `unknown_sku`, `approval_required` (above the limit),
/// `insufficient_stock`.
pub fn adjust(
    cmd: &NewAdjustment,
    id: AdjustmentId,
    movement_ids: Vec<MovementId>,
    products: &BTreeMap<Sku, Product>,
    room: &StockContext<'_>,
) -> Result<Event<fact::AdjustmentChanged>, Refusal> {
    cmd.check()?;
    room.authorization.in_stock_room()?;
    let found = tracked(cmd.lines.iter().map(|line| &line.sku), products)?;
    let lines = (1_u32..).zip(cmd.lines.iter().zip(found));
    let mut lines: Vec<AdjustmentLine> = lines
        .map(|(line_no, (line, product))| AdjustmentLine {
            line_no,
            sku: product.sku.clone(),
            name: product.name.clone(),
            qty: line.qty,
            cost: Money::ZERO,
            correction: Money::ZERO,
            balance_after: None,
        })
        .collect();
    let value = post::estimate(&mut lines, cmd.bucket, room.book)?;
    let waits = cmd.request_approval.unwrap_or(false);
    let allowed = match waits {
        true => Allowed::default(),
        false => room.write_off(post::moved(&lines), "adjusting stock by this value on one day")?,
    };
    let mut adjustment = Adjustment {
        adjustment_id: id,
        state: if waits { AdjustmentState::Pending } else { AdjustmentState::Posted },
        store_id: room.rules.store_id.clone(),
        reason: cmd.reason,
        bucket: cmd.bucket,
        keep: cmd.keep,
        lines,
        value,
        note: cmd.note.clone(),
        business_date: room.today(),
        created_by: room.authorization.caller.user_id.clone(),
        created_at: room.now,
        decided_by: allowed.approved_by,
        decided_at: None,
    };
    record::document_fits("lines", &adjustment, adjustment.lines.len())?;
    let rows = if waits { Rows::default() } else { post::forwards(&mut adjustment, movement_ids, room)? };
    Ok(Event::new(fact::AdjustmentChanged { adjustment }, Rows { written_off: allowed.written_off, ..rows }))
}

/// Posts a pending adjustment, at the stock of now.
///
/// # Errors
/// `insufficient_role`, `invalid_state`, `insufficient_stock`, `validation_failed`.
pub fn approve(
    adjustment: &Adjustment,
    movement_ids: Vec<MovementId>,
    room: &StockContext<'_>,
) -> Result<Event<fact::AdjustmentChanged>, Refusal> {
    let mut adjustment = pending(adjustment, room)?;
    let rows = post::forwards(&mut adjustment, movement_ids, room)?;
    adjustment.state = AdjustmentState::Posted;
    adjustment.business_date = room.today();
    decided(&mut adjustment, room);
    Ok(Event::new(fact::AdjustmentChanged { adjustment }, rows))
}

/// Rejects a pending adjustment.
///
/// # Errors
/// `insufficient_role`, `invalid_state`.
pub fn reject(
    adjustment: &Adjustment,
    room: &StockContext<'_>,
) -> Result<Event<fact::AdjustmentChanged>, Refusal> {
    let mut adjustment = pending(adjustment, room)?;
    adjustment.state = AdjustmentState::Rejected;
    adjustment.business_date = room.today();
    decided(&mut adjustment, room);
    Ok(Event::of(fact::AdjustmentChanged { adjustment }))
}

/// Takes a posted adjustment back.
///
/// # Errors
/// `insufficient_role`, `invalid_state`, `insufficient_stock` (the found pieces are gone, in a store without negative
/// stock), `validation_failed`.
pub fn reverse(
    adjustment: &Adjustment,
    movement_ids: Vec<MovementId>,
    room: &StockContext<'_>,
) -> Result<Event<fact::AdjustmentChanged>, Refusal> {
    room.managers_only()?;
    let adjustment = room.book.adjustments.get(&adjustment.adjustment_id).unwrap_or(adjustment);
    if adjustment.state != AdjustmentState::Posted {
        return Err(adjustment.state.refusal());
    }
    let rows = post::backwards(adjustment, movement_ids, room)?;
    let (state, business_date) = (AdjustmentState::Reversed, room.today());
    let mut adjustment = Adjustment { state, business_date, ..adjustment.clone() };
    decided(&mut adjustment, room);
    Ok(Event::new(fact::AdjustmentChanged { adjustment }, rows))
}

/// The adjustment, if it waits: the book's row is the truth.
fn pending(adjustment: &Adjustment, room: &StockContext<'_>) -> Result<Adjustment, Refusal> {
    room.managers_only()?;
    let waiting = room.book.adjustments.get(&adjustment.adjustment_id);
    match waiting.map_or(adjustment.state, |waiting| waiting.state) {
        AdjustmentState::Pending => Ok(waiting.unwrap_or(adjustment).clone()),
        state => Err(state.refusal()),
    }
}

fn decided(adjustment: &mut Adjustment, room: &StockContext<'_>) {
    adjustment.decided_by = Some(room.authorization.caller.user_id.clone());
    adjustment.decided_at = Some(room.now);
}
