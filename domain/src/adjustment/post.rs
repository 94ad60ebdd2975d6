//! Moves the stock of an adjustment.

use super::{Adjustment, AdjustmentLine};
use crate::ids::{MovementId, Sku};
use crate::ledger::{LedgerBook, short};
use crate::money::{product, sum};
use crate::refusal::Refusal;
use crate::settings::{NegativeStock, Rules};
use crate::stock::{Document, Incoming, Movement, MovementReason, Moves, Stock};

/// What the stock says of it today: an estimate.
pub(super) fn estimate(lines: &mut [AdjustmentLine], book: &LedgerBook) -> Result<i64, Refusal> {
    for line in lines.iter_mut() {
        let mut row = book.row(&line.sku);
        line.cost = cost(line, &mut row)?;
    }
    sum("lines", lines.iter().map(|line| line.cost))
}

fn cost(line: &AdjustmentLine, row: &mut Stock) -> Result<i64, Refusal> {
    let moved = if line.qty < 0 {
        row.take_out(line.qty.saturating_neg())?
    } else {
        row.take_in(line.qty, Incoming::Found)?
    };
    Ok(moved.cost)
}

/// Whether the shop has what goes out, where it keeps nothing below zero.
pub(super) fn enough(out: &[(&Sku, i64)], rules: &Rules, book: &LedgerBook) -> Result<(), Refusal> {
    if rules.negative_stock == NegativeStock::Reject { short(out, book) } else { Ok(()) }
}

/// What goes out.
pub(super) fn outs(adjustment: &Adjustment) -> Vec<(&Sku, i64)> {
    let outs = adjustment.lines.iter().filter(|line| line.qty < 0);
    outs.map(|line| (&line.sku, line.qty.saturating_neg())).collect()
}

/// Moves every line, outs at the average, finds without a cost.
pub(super) fn forwards(
    adjustment: &mut Adjustment,
    ids: Vec<MovementId>,
    document: Document<'_>,
    book: &LedgerBook,
) -> Result<(Vec<Movement>, Vec<Stock>), Refusal> {
    let mut moves = Moves::new(book, document, ids);
    for line in &mut adjustment.lines {
        let AdjustmentLine { line_no, qty, .. } = *line;
        let moved = if qty < 0 {
            moves.send(&line.sku, line_no, qty.saturating_neg(), MovementReason::Adjustment)?
        } else {
            moves.bring(&line.sku, line_no, qty, Incoming::Found, MovementReason::Adjustment)?
        };
        (line.cost, line.correction) = (moved.cost, moved.correction);
        line.balance_after = Some(moved.balance_after);
    }
    adjustment.value = sum("lines", adjustment.lines.iter().map(|line| line.cost))?;
    Ok(moves.done())
}

/// Takes every line back, the last first: what went out comes in at the cost it left with.
pub(super) fn backwards(
    adjustment: &Adjustment,
    ids: Vec<MovementId>,
    document: Document<'_>,
    book: &LedgerBook,
) -> Result<(Vec<Movement>, Vec<Stock>), Refusal> {
    let mut moves = Moves::new(book, document, ids);
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

/// Whether the shop's limit asks for a manager: the larger of value and cost price of the goods.
pub(super) fn above(limit: i64, lines: &[AdjustmentLine]) -> bool {
    let value =
        lines.iter().fold(0_i128, |sum, line| sum.saturating_add(product(line.cost.saturating_abs(), 1)));
    limit > 0 && value > i128::from(limit)
}
