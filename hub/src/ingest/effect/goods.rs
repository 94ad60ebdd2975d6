//! Goods: receipts, transfers, adjustments, counts.

use super::{Document, Effect, Known, Move, Problem, moves, of_store};
use domain::record::{AdjustmentPosted, OpnamePosted, ReceivingPosted, SupplierReturnPosted, TransferRecord};

/// Goods came in; what each line moved is in the document.
pub(super) fn received(record: ReceivingPosted, store_id: &str) -> Result<Effect, Problem> {
    let receiving = record.receiving;
    of_store(receiving.store_id.as_str(), store_id)?;
    let one = |line: &domain::receiving::ReceivingLine| Move {
        sku: line.sku.clone(),
        qty: line.qty,
        value: line.cost.saturating_sub(line.correction),
    };
    let moves = receiving.lines.iter().filter(|line| line.qty != 0).map(one).collect();
    let known = Known::Receiving(receiving.receiving_id.0.clone());
    Ok(Effect { moves, ..Effect::of(Document::Receiving(Box::new(receiving))) }.giving(known))
}

/// A receipt was taken back.
pub(super) fn receiving_reversed(record: ReceivingPosted, store_id: &str) -> Result<Effect, Problem> {
    let receiving = record.receiving;
    of_store(receiving.store_id.as_str(), store_id)?;
    let line = |line_no| receiving.lines.iter().find(|line| line.line_no == line_no);
    let moves = moves(&record.lines, |line_no| line(line_no).map(|line| &line.sku))?;
    let known = Known::Receiving(receiving.receiving_id.0.clone());
    Ok(Effect { moves, ..Effect::of(Document::Reversed(Box::new(receiving))) }.needing(known))
}

/// Goods went back to where they came from.
pub(super) fn supplier_return(record: &SupplierReturnPosted, store_id: &str) -> Result<Effect, Problem> {
    of_store(record.document.store_id.as_str(), store_id)?;
    // What was put aside is not in the stock any more.
    if record.document.bucket == domain::stock::StockPlace::Damaged {
        return Ok(Effect::default());
    }
    let one = |line: &domain::supplier_return::SupplierReturnLine| Move {
        sku: line.sku.clone(),
        qty: line.qty.saturating_neg(),
        value: line.stock_cost.saturating_neg(),
    };
    Ok(Effect { moves: record.document.lines.iter().map(one).collect(), ..Effect::default() })
}

/// Goods on their way: each store tells what it moved, and its own document.
pub(super) fn transfer(kind: &str, record: TransferRecord, store_id: &str) -> Result<Effect, Problem> {
    let transfer = record.transfer;
    let sender = transfer.from_store_id.as_str() == store_id;
    if !sender {
        of_store(transfer.to_store_id.as_str(), store_id)?;
    }
    let line = |line_no| transfer.lines.iter().find(|line| line.line_no == line_no);
    let moves = moves(&record.lines, |line_no| line(line_no).map(|line| &line.sku))?;
    let known = Known::Transfer(transfer.transfer_id.0.clone());
    let effect = Effect { moves, ..Effect::of(Document::Transfer(Box::new(transfer))) };
    Ok(match (kind, sender) {
        ("transfer.sent", true) => effect.giving(known),
        (_, true) => effect,
        (_, false) => effect.needing(known),
    })
}

/// Stock was written off, found or corrected; a rejected adjustment has no effects.
pub(super) fn adjusted(record: &AdjustmentPosted, store_id: &str) -> Result<Effect, Problem> {
    let adjustment = &record.adjustment;
    of_store(adjustment.store_id.as_str(), store_id)?;
    let line = |line_no| adjustment.lines.iter().find(|line| line.line_no == line_no);
    let moves = moves(&record.lines, |line_no| line(line_no).map(|line| &line.sku))?;
    Ok(Effect { moves, ..Effect::default() })
}

/// A part of a posted count: only lines that differed moved.
pub(super) fn counted(record: &OpnamePosted, store_id: &str) -> Result<Effect, Problem> {
    of_store(record.opname.store_id.as_str(), store_id)?;
    let differing = record.lines.iter().filter(|line| line.movement_id.is_some());
    let one = |line: &domain::opname::OpnameLine| Move {
        sku: line.sku.clone(),
        qty: line.variance(),
        value: line.variance_value.unwrap_or(0).saturating_sub(line.correction),
    };
    Ok(Effect { moves: differing.map(one).collect(), ..Effect::default() })
}
