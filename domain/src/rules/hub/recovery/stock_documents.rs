//! Goods come back: receipts, returns to suppliers, transfers, adjustments, counts, first stock.

use crate::model::base::event;
use crate::model::base::event::fact;
use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{MovementId, Sku, UserId};
use crate::model::books::ledger::DeliveryNote;
use crate::model::inventory::adjustment::AdjustmentState;
use crate::model::inventory::stock::{Movement, MovementReason, Stock, StockPlace};
use crate::rules::hub::recovery::{Book, Events, Head, Recover, Rows, one};
use crate::rules::inventory::stock::average;
use crate::wire::record::{
    AdjustmentPosted, LineEffect, OpnamePosted, ReceivingPosted, StockMoved, SupplierReturnPosted,
    TransferRecord,
};
use std::collections::BTreeMap;

impl Head<'_> {
    /// The movements behind a record's effects. `of` finds the sku of a line.
    pub(super) fn movements<'a>(
        &self,
        (kind, id, user_id): (&str, &str, &UserId),
        reason: MovementReason,
        effects: &[LineEffect],
        of: impl Fn(u32) -> Option<&'a Sku>,
    ) -> Vec<Movement> {
        let one = |effect: &LineEffect| {
            let sku = of(effect.line_no)?;
            Some(Movement {
                // Of an event that is unique for ever: the same again whenever it comes back.
                movement_id: MovementId(format!("mov_{}_{}", self.event_id, effect.line_no)),
                sku: sku.clone(),
                qty: effect.qty,
                cost: effect.cost,
                correction: effect.correction,
                balance_after: effect.balance_after,
                reason,
                reference_type: kind.to_owned(),
                reference_id: id.to_owned(),
                line_no: effect.line_no,
                unit_cost: average(
                    effect.cost.saturating_abs(),
                    effect.qty.saturating_abs().max(Quantity::new(1)),
                ),
                user_id: user_id.clone(),
                at: self.now,
                negative: effect.balance_after < 0,
            })
        };
        effects.iter().filter_map(one).collect()
    }
}

impl<R: Rows> Book<'_, R> {
    /// The stock rows without these damaged pieces and their cost.
    fn less_damaged<'a>(
        &self,
        lines: impl Iterator<Item = (&'a Sku, Quantity, Money)>,
    ) -> Result<event::Rows, R::Error> {
        let mut rows: BTreeMap<&Sku, Stock> = BTreeMap::new();
        for (sku, n, cost) in lines {
            let mut row = rows.remove(sku).map_or_else(|| self.row(sku), Ok)?;
            row.damaged = row.damaged.saturating_sub(n);
            row.damaged_value = row.damaged_value.saturating_sub(cost);
            rows.insert(sku, row);
        }
        Ok(event::Rows::of_stock(Vec::new(), rows.into_values().collect()))
    }
}

impl Recover for ReceivingPosted {
    fn recover<R: Rows>(self, head: &Head<'_>, book: &mut Book<'_, R>) -> Events<R::Error> {
        let Self { receiving, lines, .. } = self;
        let known = book.receiving(&receiving.receiving_id)?;
        let reversed = head.kind == "receiving.reversed";
        if known.is_some_and(|known| !reversed || known.state == receiving.state) {
            return Ok(None);
        }
        let moved = receiving.lines.iter().filter(|line| line.qty != 0).map(|line| LineEffect {
            line_no: line.line_no,
            balance_after: line.balance_after,
            cost: line.cost,
            correction: line.correction,
            qty: line.qty,
        });
        let effects = if reversed { lines } else { moved.collect() };
        let document = ("receiving", receiving.receiving_id.as_str(), &receiving.created_by);
        let movements = head.movements(document, MovementReason::Receiving, &effects, |line_no| {
            receiving.lines.iter().find(|line| line.line_no == line_no).map(|line| &line.sku)
        });
        let rows = book.stocked(movements, !reversed)?;
        if reversed {
            let freed = DeliveryNote::of(&receiving);
            return Ok(one(fact::ReceivingReversed { receiving, freed }, rows));
        }
        Ok(one(fact::ReceivingPosted { receiving }, rows))
    }
}

impl Recover for SupplierReturnPosted {
    fn recover<R: Rows>(self, head: &Head<'_>, book: &mut Book<'_, R>) -> Events<R::Error> {
        let document = self.document;
        if book.rows.has_document(document.supplier_return_id.as_str())? {
            return Ok(None);
        }
        if document.bucket == StockPlace::Damaged {
            let lines = document.lines.iter().map(|line| (&line.sku, line.qty, line.stock_cost));
            let rows = book.less_damaged(lines)?;
            return Ok(one(fact::SupplierReturnPosted { document }, rows));
        }
        let moved = document.lines.iter().map(|line| LineEffect {
            line_no: line.line_no,
            balance_after: line.balance_after,
            cost: line.stock_cost.saturating_neg(),
            correction: Money::ZERO,
            qty: line.qty.saturating_neg(),
        });
        let effects: Vec<LineEffect> = moved.collect();
        let of = ("supplier_return", document.supplier_return_id.as_str(), &document.created_by);
        let movements = head.movements(of, MovementReason::Receiving, &effects, |line_no| {
            document.lines.iter().find(|line| line.line_no == line_no).map(|line| &line.sku)
        });
        let rows = book.stocked(movements, false)?;
        Ok(one(fact::SupplierReturnPosted { document }, rows))
    }
}

impl Recover for TransferRecord {
    fn recover<R: Rows>(self, head: &Head<'_>, book: &mut Book<'_, R>) -> Events<R::Error> {
        let Self { transfer, lines, .. } = self;
        if book.transfer(&transfer.transfer_id)?.is_some_and(|known| known == transfer) {
            return Ok(None);
        }
        // The sender's records report what was sent, cancelled or written off; the receiver's records report what was
        // received.
        let came = head.kind == "transfer.received"
            || (head.kind == "transfer.resolved" && lines.iter().any(|line| line.qty > 0));
        let reason = if came { MovementReason::TransferIn } else { MovementReason::TransferOut };
        let by = transfer.received_by.as_ref().filter(|_| came).unwrap_or(&transfer.created_by);
        let document = ("transfer", transfer.transfer_id.as_str(), by);
        let movements = head.movements(document, reason, &lines, |line_no| {
            transfer.lines.iter().find(|line| line.line_no == line_no).map(|line| &line.sku)
        });
        let rows = book.stocked(movements, came)?;
        Ok(one(fact::TransferChanged { transfer }, rows))
    }
}

impl Recover for AdjustmentPosted {
    fn recover<R: Rows>(self, head: &Head<'_>, book: &mut Book<'_, R>) -> Events<R::Error> {
        let Self { adjustment, lines, keep, .. } = self;
        if book.rows.adjustment(&adjustment.adjustment_id)? == Some(adjustment.state.name()) {
            return Ok(None);
        }
        if adjustment.bucket == StockPlace::Damaged {
            let sign = match adjustment.state {
                AdjustmentState::Posted => -1,
                AdjustmentState::Reversed => 1,
                _ => 0,
            };
            let lines = adjustment
                .lines
                .iter()
                .map(|line| (&line.sku, line.qty.saturating_mul(sign), line.cost.saturating_mul(sign)));
            let rows = book.less_damaged(lines)?;
            return Ok(one(fact::AdjustmentChanged { adjustment }, rows));
        }
        let by = adjustment.decided_by.as_ref().unwrap_or(&adjustment.created_by);
        let document = ("adjustment", adjustment.adjustment_id.as_str(), by);
        let movements = head.movements(document, MovementReason::Adjustment, &lines, |line_no| {
            adjustment.lines.iter().find(|line| line.line_no == line_no).map(|line| &line.sku)
        });
        let mut rows = book.stocked(movements, false)?;
        if keep {
            put_aside(&mut rows);
        }
        Ok(one(fact::AdjustmentChanged { adjustment }, rows))
    }
}

/// Moves the pieces that left the shelf to the damaged ones, at their cost, and those that came back out of them.
fn put_aside(rows: &mut event::Rows) {
    for movement in &rows.movements {
        for row in rows.stock.iter_mut().filter(|row| row.sku == movement.sku) {
            row.damaged = row.damaged.saturating_sub(movement.qty);
            row.damaged_value = row.damaged_value.saturating_sub(movement.cost);
        }
    }
}

impl Recover for OpnamePosted {
    fn recover<R: Rows>(self, head: &Head<'_>, book: &mut Book<'_, R>) -> Events<R::Error> {
        let Self { opname, lines, part, .. } = self;
        let id = opname.opname_id.clone();
        if part == 1 && !book.counts.contains(&id) && book.rows.has_posted(&id)? {
            return Ok(None);
        }
        let differing = || (1_u32..).zip(&lines).filter(|(_, line)| line.movement_id.is_some());
        let moved = differing().map(|(line_no, line)| LineEffect {
            line_no,
            balance_after: line.balance_after.unwrap_or_default(),
            cost: line.variance_value.unwrap_or_default(),
            correction: line.correction,
            qty: line.variance(),
        });
        let effects: Vec<LineEffect> = moved.collect();
        let by = opname.ended_by.as_ref().unwrap_or(&opname.created_by);
        let of = ("opname", id.as_str(), by);
        let movements = head.movements(of, MovementReason::Opname, &effects, |line_no| {
            differing().find(|(found, _)| *found == line_no).map(|(_, line)| &line.sku)
        });
        let rows = book.stocked(movements, false)?;
        Ok(one(fact::OpnameChanged { opname, lines }, rows))
    }
}

impl Recover for StockMoved {
    fn recover<R: Rows>(self, _head: &Head<'_>, book: &mut Book<'_, R>) -> Events<R::Error> {
        let rows = book.stocked(self.movements, true)?;
        Ok(one(fact::StockOpened {}, rows))
    }
}
