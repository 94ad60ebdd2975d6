//! Pieces and value of goods, by the reason of the movement: on the shelf, and among those that are damaged or wait for
//! their supplier.

use crate::projection::rollups::{RollupRecord, month};
use crate::table::rollup::{DAMAGED, RollupSums, STOCK_DAYS, STOCK_MONTHS};
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::Sku;
use domain::model::inventory::adjustment::AdjustmentState;
use domain::model::inventory::stock::{MovementReason, StockPlace};
use domain::model::selling::returns::{Disposition, ReturnLine};
use domain::wire::record::{AdjustmentPosted, AnyPayload, Move};

/// Adds the movements of a record.
pub(super) fn fold(sums: &mut RollupSums, reported: &RollupRecord<'_>) {
    let payload = &reported.event.payload;
    for (place, moved) in reported.event.effect.moves.iter().enumerate() {
        let figures =
            [("qty", moved.qty.get()), ("value", moved.value.get()), ("correction", moved.correction.get())];
        add(sums, reported, &moved.sku, reason(payload, place), figures);
    }
    for (sku, qty, value) in damaged(payload, &reported.event.effect.moves) {
        add(
            sums,
            reported,
            sku,
            reason(payload, 0),
            [("damaged_qty", qty.get()), ("damaged_value", value.get())],
        );
        let key = vec![reported.store_id.into(), sku.as_str().into()];
        sums.add(&DAMAGED, key, [("qty", qty.get()), ("value", value.get())]);
    }
}

fn add<const N: usize>(
    sums: &mut RollupSums,
    reported: &RollupRecord<'_>,
    sku: &Sku,
    reason: &str,
    figures: [(&str, i64); N],
) {
    sums.add(&STOCK_DAYS, reported.key([sku.as_str().into(), reason.into()]), figures);
    let (_, entry_date) = reported.days;
    let key = vec![reported.store_id.into(), month(entry_date).into(), sku.as_str().into(), reason.into()];
    sums.add(&STOCK_MONTHS, key, figures);
}

/// Reason of a record's movement of goods; `place` is the movement's place in it.
fn reason(payload: &AnyPayload, place: usize) -> &'static str {
    match payload {
        AnyPayload::TransactionPaid(_) => "sale",
        AnyPayload::TransactionVoided(_) => "sale_void",
        AnyPayload::ReturnPosted(_) => "return",
        AnyPayload::ReturnVoided(_) => "return_void",
        AnyPayload::ReceivingPosted(_) => "receiving",
        AnyPayload::ReceivingReversed(_) => "receiving_reversal",
        AnyPayload::SupplierReturnPosted(_) => "supplier_return",
        AnyPayload::AdjustmentPosted(it) => it.adjustment.reason.name(),
        AnyPayload::OpnamePosted(_) => "count_difference",
        AnyPayload::StockMoved(it) => {
            let opens = it.movements.get(place).is_some_and(|moved| moved.reason == MovementReason::Opening);
            if opens { "opening" } else { "unexplained" }
        }
        _ => "transfer",
    }
}

/// Pieces and value that were added to the damaged goods, or removed from them.
fn damaged<'a>(payload: &'a AnyPayload, moves: &'a [Move]) -> Vec<(&'a Sku, Quantity, Money)> {
    match payload {
        AnyPayload::ReturnPosted(it) => put_aside(&it.document.items, 1),
        AnyPayload::ReturnVoided(it) => put_aside(&it.document.items, -1),
        AnyPayload::AdjustmentPosted(it) => adjusted(it, moves),
        AnyPayload::SupplierReturnPosted(it) if it.document.bucket == StockPlace::Damaged => {
            let lines = it.document.lines.iter();
            lines
                .map(|line| (&line.sku, line.qty.saturating_neg(), line.stock_cost.saturating_neg()))
                .collect()
        }
        _ => Vec::new(),
    }
}

fn put_aside(lines: &[ReturnLine], sign: i64) -> Vec<(&Sku, Quantity, Money)> {
    let aside = |line: &&ReturnLine| matches!(line.disposition, Disposition::Damaged | Disposition::Vendor);
    let part = |line: &'_ ReturnLine| {
        (line.qty.saturating_mul(sign), line.cost.saturating_sub(line.correction).saturating_mul(sign))
    };
    lines.iter().filter(aside).map(|line| (&line.sku, part(line).0, part(line).1)).collect()
}

fn adjusted<'a>(it: &'a AdjustmentPosted, moves: &'a [Move]) -> Vec<(&'a Sku, Quantity, Money)> {
    let sign = match it.adjustment.state {
        AdjustmentState::Posted => 1,
        AdjustmentState::Reversed => -1,
        AdjustmentState::Pending | AdjustmentState::Rejected => return Vec::new(),
    };
    if it.adjustment.bucket == StockPlace::Damaged {
        let lines = it.adjustment.lines.iter();
        return lines
            .map(|line| (&line.sku, line.qty.saturating_mul(sign), line.cost.saturating_mul(sign)))
            .collect();
    }
    if !it.keep {
        return Vec::new();
    }
    // Pieces that leave the shelf are damaged goods from then on, at their cost.
    let cost = |moved: &Move| moved.value.saturating_add(moved.correction);
    moves.iter().map(|moved| (&moved.sku, moved.qty.saturating_neg(), cost(moved).saturating_neg())).collect()
}
