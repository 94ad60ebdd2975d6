//! Adjusts, approves, rejects, reverses.

use super::{Adjustment, AdjustmentLine, AdjustmentState, NewAdjustment, post};
use crate::business_date::business_date;
use crate::event::Event;
use crate::ids::{AdjustmentId, MovementId, Sku};
use crate::ledger::LedgerBook;
use crate::mandate::{Mandate, allow};
use crate::product::{Product, tracked};
use crate::record;
use crate::refusal::Refusal;
use crate::settings::Rules;
use crate::stock::Document;
use crate::time::UtcMs;
use std::collections::BTreeMap;

/// Posts an adjustment, or leaves it for a manager.
///
/// `products` holds at least the catalogue's rows of its skus, `movement_ids` one id per line.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `unknown_sku`, `approval_required` (above the limit),
/// `insufficient_stock` where the store keeps nothing below zero.
#[expect(clippy::too_many_arguments, reason = "a rule gets all that it may know as arguments")]
pub fn adjust(
    cmd: &NewAdjustment,
    id: AdjustmentId,
    movement_ids: Vec<MovementId>,
    now: UtcMs,
    mandate: &Mandate<'_>,
    products: &BTreeMap<Sku, Product>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event, Refusal> {
    cmd.check()?;
    mandate.in_stock_room()?;
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
    let value = post::estimate(&mut lines, book)?;
    let above = post::above(rules.policy.adjustment_value, &lines);
    let waits = cmd.request_approval.unwrap_or(false);
    if above && !waits {
        mandate.manager()?;
    }
    let mut adjustment = Adjustment {
        adjustment_id: id,
        state: if waits { AdjustmentState::Pending } else { AdjustmentState::Posted },
        store_id: rules.store_id.clone(),
        reason: cmd.reason,
        lines,
        value,
        note: cmd.note.clone(),
        business_date: business_date(now, &rules.timezone, rules.day_start),
        created_by: mandate.caller.user_id.clone(),
        created_at: now,
        decided_by: mandate.approved_by().filter(|_| above),
        decided_at: None,
    };
    record::document_fits("lines", &adjustment, adjustment.lines.len())?;
    let (mut movements, mut stock) = (Vec::new(), Vec::new());
    if !waits {
        post::enough(&post::outs(&adjustment), rules, book)?;
        let id = adjustment.adjustment_id.clone();
        let document = document(&id, mandate, now);
        (movements, stock) = post::forwards(&mut adjustment, movement_ids, document, book)?;
    }
    Ok(Event::AdjustmentChanged { adjustment: Box::new(adjustment), movements, stock })
}

/// Posts a pending adjustment, at the stock of now.
///
/// # Errors
/// `insufficient_role`, `invalid_state`, `insufficient_stock`, `validation_failed`.
pub fn approve(
    adjustment: &Adjustment,
    movement_ids: Vec<MovementId>,
    now: UtcMs,
    mandate: &Mandate<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event, Refusal> {
    let mut adjustment = pending(adjustment, mandate, book)?;
    post::enough(&post::outs(&adjustment), rules, book)?;
    let id = adjustment.adjustment_id.clone();
    let document = document(&id, mandate, now);
    let (movements, stock) = post::forwards(&mut adjustment, movement_ids, document, book)?;
    adjustment.state = AdjustmentState::Posted;
    adjustment.business_date = business_date(now, &rules.timezone, rules.day_start);
    decided(&mut adjustment, mandate, now);
    Ok(Event::AdjustmentChanged { adjustment: Box::new(adjustment), movements, stock })
}

/// Rejects a pending adjustment.
///
/// # Errors
/// `insufficient_role`, `invalid_state`.
pub fn reject(
    adjustment: &Adjustment,
    now: UtcMs,
    mandate: &Mandate<'_>,
    book: &LedgerBook,
) -> Result<Event, Refusal> {
    let mut adjustment = pending(adjustment, mandate, book)?;
    adjustment.state = AdjustmentState::Rejected;
    decided(&mut adjustment, mandate, now);
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
    now: UtcMs,
    mandate: &Mandate<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event, Refusal> {
    allow(mandate.caller.role.manages())?;
    let adjustment = book.adjustments.get(&adjustment.adjustment_id).unwrap_or(adjustment);
    if adjustment.state != AdjustmentState::Posted {
        return Err(adjustment.state.refusal());
    }
    let out = adjustment.lines.iter().map(|line| (&line.sku, line.qty)).filter(|(_, qty)| *qty > 0);
    post::enough(&out.collect::<Vec<_>>(), rules, book)?;
    let id = adjustment.adjustment_id.clone();
    let (movements, stock) = post::backwards(adjustment, movement_ids, document(&id, mandate, now), book)?;
    let mut adjustment = Adjustment { state: AdjustmentState::Reversed, ..adjustment.clone() };
    decided(&mut adjustment, mandate, now);
    Ok(Event::AdjustmentChanged { adjustment: Box::new(adjustment), movements, stock })
}

/// The adjustment, if it waits: the book's row is the truth.
fn pending(adjustment: &Adjustment, mandate: &Mandate<'_>, book: &LedgerBook) -> Result<Adjustment, Refusal> {
    allow(mandate.caller.role.manages())?;
    let waiting = book.adjustments.get(&adjustment.adjustment_id);
    match waiting.map_or(adjustment.state, |waiting| waiting.state) {
        AdjustmentState::Pending => Ok(waiting.unwrap_or(adjustment).clone()),
        state => Err(state.refusal()),
    }
}

fn decided(adjustment: &mut Adjustment, mandate: &Mandate<'_>, now: UtcMs) {
    adjustment.decided_by = Some(mandate.caller.user_id.clone());
    adjustment.decided_at = Some(now);
}

fn document<'a>(id: &'a AdjustmentId, mandate: &Mandate<'a>, now: UtcMs) -> Document<'a> {
    Document { kind: "adjustment", id: id.as_str(), user_id: &mandate.caller.user_id, at: now }
}
