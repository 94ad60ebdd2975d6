//! How returns and their voids change the row of a sale.

use crate::model::people::points::{PointsEntry, PointsReason};
use crate::model::selling::returns::{Return, SaleAfter, span};
use crate::model::selling::transaction::Transaction;

/// Counts a stored return in, as its document says.
pub(crate) fn refunded(back: &Return, sale: &Transaction, after: &mut SaleAfter) {
    for line in &back.items {
        let Some(line_no) = line.sold_line_no else { continue };
        let sold = sale.items.iter().find(|sold| sold.line_no == line_no).map_or(line.qty, |sold| sold.qty);
        if span::pieces(&line.pieces) == line.qty {
            after.mark(line_no, sold, &line.pieces);
        } else {
            // The document does not say which.
            after.take(line_no, sold, line.qty);
        }
    }
    back.refunds.iter().for_each(|refund| crate::rules::selling::returns::money::count(after, refund));
    after.refunded = after.refunded.saturating_add(back.refund_total);
    after.points_reversed = after.points_reversed.saturating_add(back.points_reversed);
    after.points_back = after.points_back.saturating_add(back.points_back);
    after.gave_back(back.points_back);
}

/// Counts a return out again that was voided; `points` are the void's entries.
pub(crate) fn unrefunded(back: &Return, points: &[PointsEntry], after: &mut SaleAfter) {
    for line in &back.items {
        let Some(line_no) = line.sold_line_no else { continue };
        after.free(line_no, &line.pieces);
    }
    after.refunded = after.refunded.saturating_sub(back.refund_total);
    for refund in &back.refunds {
        after.take_back_refund(refund);
    }
    after.points_back = after.points_back.saturating_sub(back.points_back);
    after.points_reversed = after.points_reversed.saturating_sub(back.points_reversed);
    let taken = points.iter().filter(|entry| entry.reason == PointsReason::Redeem);
    after.points_lots.extend(taken.flat_map(|entry| entry.lots.iter().cloned()));
}
