//! Moves the stock of an adjustment.

use crate::model::base::event::Rows;
use crate::model::base::figures::Money;
use crate::model::base::ids::MovementId;
use crate::model::base::money::sum;
use crate::model::base::refusal::Refusal;
use crate::model::books::ledger::LedgerBook;
use crate::model::inventory::adjustment::{Adjustment, AdjustmentLine};
use crate::model::inventory::stock::{MovementReason, Stock, StockPlace};
use crate::rules::inventory::stock::{Incoming, StockContext, enough_damaged};

/// Kind of cause that its movements name.
const KIND: &str = "adjustment";

/// Estimate by the current stock.
pub(super) fn estimate(
    lines: &mut [AdjustmentLine],
    bucket: StockPlace,
    book: &LedgerBook,
) -> Result<Money, Refusal> {
    if bucket == StockPlace::Damaged {
        enough_damaged(lines.iter().map(|line| (&line.sku, line.qty.saturating_neg())), book)?;
    }
    for line in lines.iter_mut() {
        let mut row = book.row(&line.sku);
        line.cost = match bucket {
            StockPlace::OnHand => cost(line, &mut row)?,
            StockPlace::Damaged => row.take_damaged(line.qty.saturating_neg())?.saturating_neg(),
        };
    }
    sum("lines", lines.iter().map(|line| line.cost))
}

fn cost(line: &AdjustmentLine, row: &mut Stock) -> Result<Money, Refusal> {
    let moved = if line.qty < 0 {
        row.take_out(line.qty.saturating_neg())?
    } else {
        row.take_in(line.qty, Incoming::Found)?
    };
    Ok(moved.cost)
}

/// Moves every line, outs at the average, finds without a cost.
pub(super) fn forwards(
    adjustment: &mut Adjustment,
    ids: Vec<MovementId>,
    context: &StockContext<'_>,
) -> Result<Rows, Refusal> {
    if adjustment.bucket == StockPlace::Damaged {
        return damaged(adjustment, ids, context);
    }
    let outs = adjustment.lines.iter().filter(|line| line.qty < 0);
    context.require_on_hand(outs.map(|line| (&line.sku, line.qty.saturating_neg())))?;
    let mut moves = context.moves(KIND, adjustment.adjustment_id.as_str(), ids);
    for line in &mut adjustment.lines {
        let AdjustmentLine { line_no, qty, .. } = *line;
        let moved = if qty < 0 {
            moves.send(&line.sku, line_no, qty.saturating_neg(), MovementReason::Adjustment)?
        } else {
            moves.bring(&line.sku, line_no, qty, Incoming::Found, MovementReason::Adjustment)?
        };
        (line.cost, line.correction) = (moved.cost, moved.correction);
        line.balance_after = Some(moved.balance_after);
        if adjustment.keep {
            moves.bring_damaged(&line.sku, qty.saturating_neg(), line.cost.saturating_neg())?;
        }
    }
    adjustment.value = sum("lines", adjustment.lines.iter().map(|line| line.cost))?;
    Ok(moves.done())
}

/// Damaged goods leave: the stock on hand does not move.
fn damaged(
    adjustment: &mut Adjustment,
    ids: Vec<MovementId>,
    context: &StockContext<'_>,
) -> Result<Rows, Refusal> {
    enough_damaged(adjustment.lines.iter().map(|line| (&line.sku, line.qty.saturating_neg())), context.book)?;
    let mut moves = context.moves(KIND, adjustment.adjustment_id.as_str(), ids);
    for line in &mut adjustment.lines {
        line.cost = moves.send_damaged(&line.sku, line.qty.saturating_neg())?.saturating_neg();
    }
    adjustment.value = sum("lines", adjustment.lines.iter().map(|line| line.cost))?;
    Ok(moves.done())
}

/// Reverses every line, the last first: pieces that left come in at the cost they left with.
pub(super) fn backwards(
    adjustment: &Adjustment,
    ids: Vec<MovementId>,
    context: &StockContext<'_>,
) -> Result<Rows, Refusal> {
    if adjustment.bucket == StockPlace::Damaged {
        let mut moves = context.moves(KIND, adjustment.adjustment_id.as_str(), ids);
        for line in &adjustment.lines {
            moves.bring_damaged(&line.sku, line.qty.saturating_neg(), line.cost.saturating_neg())?;
        }
        return Ok(moves.done());
    }
    if adjustment.keep {
        return back_to_shelf(adjustment, ids, context);
    }
    let outs = adjustment.lines.iter().filter(|line| line.qty > 0);
    context.require_by_policy(outs.map(|line| (&line.sku, line.qty)))?;
    let mut moves = context.moves(KIND, adjustment.adjustment_id.as_str(), ids);
    for line in adjustment.lines.iter().rev() {
        let n = line.qty.saturating_abs();
        if line.qty < 0 {
            let back = Incoming::Back(line.cost.saturating_neg());
            moves.bring(&line.sku, line.line_no, n, back, MovementReason::Adjustment)?;
        } else {
            moves.send(&line.sku, line.line_no, n, MovementReason::Adjustment)?;
        }
    }
    Ok(moves.done())
}

/// Goods that were put aside can be sold after all: at today's value of the damaged ones.
fn back_to_shelf(
    adjustment: &Adjustment,
    ids: Vec<MovementId>,
    context: &StockContext<'_>,
) -> Result<Rows, Refusal> {
    enough_damaged(adjustment.lines.iter().map(|line| (&line.sku, line.qty.saturating_neg())), context.book)?;
    let mut moves = context.moves(KIND, adjustment.adjustment_id.as_str(), ids);
    for line in adjustment.lines.iter().rev() {
        let n = line.qty.saturating_neg();
        let back = Incoming::Back(moves.send_damaged(&line.sku, n)?);
        moves.bring(&line.sku, line.line_no, n, back, MovementReason::Adjustment)?;
    }
    Ok(moves.done())
}

/// Cost of the moved pieces, in either direction.
pub(super) fn moved(lines: &[AdjustmentLine]) -> Money {
    lines.iter().fold(Money::ZERO, |sum, line| sum.saturating_add(line.cost.saturating_abs()))
}
