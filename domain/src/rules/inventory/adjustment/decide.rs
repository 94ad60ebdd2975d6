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
    context: &StockContext<'_>,
) -> Result<Event<fact::AdjustmentChanged>, Refusal> {
    cmd.check()?;
    context.authorization.in_stock_room()?;
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
    let value = post::estimate(&mut lines, cmd.bucket, context.book)?;
    let waits = cmd.request_approval.unwrap_or(false);
    let allowed = match waits {
        true => Allowed::default(),
        false => context.write_off(post::moved(&lines), "adjusting stock by this value on one day")?,
    };
    let mut adjustment = Adjustment {
        adjustment_id: id,
        state: if waits { AdjustmentState::Pending } else { AdjustmentState::Posted },
        store_id: context.rules.store_id.clone(),
        reason: cmd.reason,
        bucket: cmd.bucket,
        keep: cmd.keep,
        lines,
        value,
        note: cmd.note.clone(),
        business_date: context.today(),
        created_by: context.authorization.caller.user_id.clone(),
        created_at: context.now,
        decided_by: allowed.approved_by,
        decided_at: None,
    };
    record::document_fits("lines", &adjustment, adjustment.lines.len())?;
    let rows = if waits { Rows::default() } else { post::forwards(&mut adjustment, movement_ids, context)? };
    Ok(Event::new(fact::AdjustmentChanged { adjustment }, Rows { written_off: allowed.written_off, ..rows }))
}

/// Posts a pending adjustment, at the stock of now.
///
/// # Errors
/// `insufficient_role`, `invalid_state`, `insufficient_stock`, `validation_failed`.
pub fn approve(
    adjustment: &Adjustment,
    movement_ids: Vec<MovementId>,
    context: &StockContext<'_>,
) -> Result<Event<fact::AdjustmentChanged>, Refusal> {
    let mut adjustment = pending(adjustment, context)?;
    let rows = post::forwards(&mut adjustment, movement_ids, context)?;
    adjustment.state = AdjustmentState::Posted;
    adjustment.business_date = context.today();
    decided(&mut adjustment, context);
    Ok(Event::new(fact::AdjustmentChanged { adjustment }, rows))
}

/// Rejects a pending adjustment.
///
/// # Errors
/// `insufficient_role`, `invalid_state`.
pub fn reject(
    adjustment: &Adjustment,
    context: &StockContext<'_>,
) -> Result<Event<fact::AdjustmentChanged>, Refusal> {
    let mut adjustment = pending(adjustment, context)?;
    adjustment.state = AdjustmentState::Rejected;
    adjustment.business_date = context.today();
    decided(&mut adjustment, context);
    Ok(Event::of(fact::AdjustmentChanged { adjustment }))
}

/// Reverses a posted adjustment.
///
/// # Errors
/// `insufficient_role`, `invalid_state`, `insufficient_stock` (the found pieces are gone, in a store without negative
/// stock), `validation_failed`.
pub fn reverse(
    adjustment: &Adjustment,
    movement_ids: Vec<MovementId>,
    context: &StockContext<'_>,
) -> Result<Event<fact::AdjustmentChanged>, Refusal> {
    context.managers_only()?;
    let adjustment = context.book.adjustments.get(&adjustment.adjustment_id).unwrap_or(adjustment);
    if adjustment.state != AdjustmentState::Posted {
        return Err(adjustment.state.refusal());
    }
    let rows = post::backwards(adjustment, movement_ids, context)?;
    let (state, business_date) = (AdjustmentState::Reversed, context.today());
    let mut adjustment = Adjustment { state, business_date, ..adjustment.clone() };
    decided(&mut adjustment, context);
    Ok(Event::new(fact::AdjustmentChanged { adjustment }, rows))
}

/// The adjustment, if it waits: the book's row is the truth.
fn pending(adjustment: &Adjustment, context: &StockContext<'_>) -> Result<Adjustment, Refusal> {
    context.managers_only()?;
    let waiting = context.book.adjustments.get(&adjustment.adjustment_id);
    match waiting.map_or(adjustment.state, |waiting| waiting.state) {
        AdjustmentState::Pending => Ok(waiting.unwrap_or(adjustment).clone()),
        state => Err(state.refusal()),
    }
}

fn decided(adjustment: &mut Adjustment, context: &StockContext<'_>) {
    adjustment.decided_by = Some(context.authorization.caller.user_id.clone());
    adjustment.decided_at = Some(context.now);
}
