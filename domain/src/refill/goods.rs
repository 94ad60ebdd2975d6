//! Goods come back: receipts, returns to suppliers, transfers, adjustments, counts, first stock.

use super::{Book, Head, Rows};
use crate::adjustment::AdjustmentState;
use crate::event::Event;
use crate::ids::{MovementId, Sku, UserId};
use crate::ledger::DeliveryNote;
use crate::record::{
    AdjustmentPosted, LineEffect, OpnamePosted, ReceivingPosted, StockMoved, SupplierReturnPosted,
    TransferRecord,
};
use crate::returns::Return;
use crate::stock::{Movement, MovementReason, Stock, StockPlace, average};
use std::collections::BTreeMap;

type Events<E> = Result<Vec<Event>, E>;

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
                unit_cost: average(effect.cost.saturating_abs(), effect.qty.saturating_abs().max(1)),
                user_id: user_id.clone(),
                at: self.now,
                negative: effect.balance_after < 0,
            })
        };
        effects.iter().filter_map(one).collect()
    }

    /// What a return, or its void, moved.
    pub(super) fn returned(&self, back: &Return, effects: &[LineEffect]) -> Vec<Movement> {
        let document = ("return", back.return_id.as_str(), &back.cashier_id);
        self.movements(document, MovementReason::Return, effects, |line_no| {
            back.items.iter().find(|line| line.line_no == line_no).map(|line| &line.sku)
        })
    }
}

impl<R: Rows> Book<'_, R> {
    pub(super) fn received(&mut self, head: &Head<'_>, record: ReceivingPosted) -> Events<R::Error> {
        let receiving = record.receiving;
        if self.receiving(&receiving.receiving_id)?.is_some() {
            return Ok(Vec::new());
        }
        let moved = receiving.lines.iter().filter(|line| line.qty != 0).map(|line| LineEffect {
            line_no: line.line_no,
            balance_after: line.balance_after,
            cost: line.cost,
            correction: line.correction,
            qty: line.qty,
        });
        let effects: Vec<LineEffect> = moved.collect();
        let document = ("receiving", receiving.receiving_id.as_str(), &receiving.created_by);
        let movements = head.movements(document, MovementReason::Receiving, &effects, |line_no| {
            receiving.lines.iter().find(|line| line.line_no == line_no).map(|line| &line.sku)
        });
        let stock = self.stocked(&movements, true)?;
        Ok(vec![Event::ReceivingPosted { receiving: Box::new(receiving), movements, stock }])
    }

    pub(super) fn reversed(&mut self, head: &Head<'_>, record: ReceivingPosted) -> Events<R::Error> {
        let ReceivingPosted { receiving, lines, .. } = record;
        let known = self.receiving(&receiving.receiving_id)?;
        if known.is_some_and(|known| known.state == receiving.state) {
            return Ok(Vec::new());
        }
        let document = ("receiving", receiving.receiving_id.as_str(), &receiving.created_by);
        let movements = head.movements(document, MovementReason::Receiving, &lines, |line_no| {
            receiving.lines.iter().find(|line| line.line_no == line_no).map(|line| &line.sku)
        });
        let (stock, freed) = (self.stocked(&movements, false)?, DeliveryNote::of(&receiving));
        Ok(vec![Event::ReceivingReversed { receiving: Box::new(receiving), freed, movements, stock }])
    }

    pub(super) fn sent_back(&mut self, head: &Head<'_>, record: SupplierReturnPosted) -> Events<R::Error> {
        let document = record.document;
        if self.rows.has_supplier_return(&document.supplier_return_id)? {
            return Ok(Vec::new());
        }
        if document.bucket == StockPlace::Damaged {
            let lines = document.lines.iter().map(|line| (&line.sku, line.qty, line.stock_cost));
            let stock = self.less_damaged(lines)?;
            let movements = Vec::new();
            return Ok(vec![Event::SupplierReturnPosted { document: Box::new(document), movements, stock }]);
        }
        let moved = document.lines.iter().map(|line| LineEffect {
            line_no: line.line_no,
            balance_after: line.balance_after,
            cost: line.stock_cost.saturating_neg(),
            correction: 0,
            qty: line.qty.saturating_neg(),
        });
        let effects: Vec<LineEffect> = moved.collect();
        let of = ("supplier_return", document.supplier_return_id.as_str(), &document.created_by);
        let movements = head.movements(of, MovementReason::Receiving, &effects, |line_no| {
            document.lines.iter().find(|line| line.line_no == line_no).map(|line| &line.sku)
        });
        let stock = self.stocked(&movements, false)?;
        Ok(vec![Event::SupplierReturnPosted { document: Box::new(document), movements, stock }])
    }

    pub(super) fn transferred(
        &mut self,
        head: &Head<'_>,
        kind: &str,
        record: TransferRecord,
    ) -> Events<R::Error> {
        let TransferRecord { transfer, lines, .. } = record;
        if self.transfer(&transfer.transfer_id)?.is_some_and(|known| known == transfer) {
            return Ok(Vec::new());
        }
        // Of what was sent, cancelled or written off the sender tells; of what came, the receiver.
        let came = kind == "transfer.received"
            || (kind == "transfer.resolved" && lines.iter().any(|line| line.qty > 0));
        let reason = if came { MovementReason::TransferIn } else { MovementReason::TransferOut };
        let by = transfer.received_by.as_ref().filter(|_| came).unwrap_or(&transfer.created_by);
        let document = ("transfer", transfer.transfer_id.as_str(), by);
        let movements = head.movements(document, reason, &lines, |line_no| {
            transfer.lines.iter().find(|line| line.line_no == line_no).map(|line| &line.sku)
        });
        let stock = self.stocked(&movements, came)?;
        Ok(vec![Event::TransferChanged { transfer: Box::new(transfer), movements, stock }])
    }

    pub(super) fn adjusted(&mut self, head: &Head<'_>, record: AdjustmentPosted) -> Events<R::Error> {
        let AdjustmentPosted { adjustment, lines, .. } = record;
        if self.rows.adjustment(&adjustment.adjustment_id)? == Some(adjustment.state.name()) {
            return Ok(Vec::new());
        }
        if adjustment.bucket == StockPlace::Damaged {
            let sign = match adjustment.state {
                AdjustmentState::Posted => -1,
                AdjustmentState::Reversed => 1,
                _ => 0,
            };
            let part = |figure: i64| figure.saturating_mul(sign);
            let lines = adjustment.lines.iter().map(|line| (&line.sku, part(line.qty), part(line.cost)));
            let (stock, movements) = (self.less_damaged(lines)?, Vec::new());
            return Ok(vec![Event::AdjustmentChanged { adjustment: Box::new(adjustment), movements, stock }]);
        }
        let by = adjustment.decided_by.as_ref().unwrap_or(&adjustment.created_by);
        let document = ("adjustment", adjustment.adjustment_id.as_str(), by);
        let movements = head.movements(document, MovementReason::Adjustment, &lines, |line_no| {
            adjustment.lines.iter().find(|line| line.line_no == line_no).map(|line| &line.sku)
        });
        let stock = self.stocked(&movements, false)?;
        Ok(vec![Event::AdjustmentChanged { adjustment: Box::new(adjustment), movements, stock }])
    }

    /// The stock rows without these damaged pieces and what they cost.
    fn less_damaged<'a>(
        &self,
        lines: impl Iterator<Item = (&'a Sku, i64, i64)>,
    ) -> Result<Vec<Stock>, R::Error> {
        let mut rows: BTreeMap<&Sku, Stock> = BTreeMap::new();
        for (sku, n, cost) in lines {
            let mut row = rows.remove(sku).map_or_else(|| self.row(sku), Ok)?;
            row.damaged = row.damaged.saturating_sub(n);
            row.damaged_value = row.damaged_value.saturating_sub(cost);
            rows.insert(sku, row);
        }
        Ok(rows.into_values().collect())
    }

    pub(super) fn counted(&mut self, head: &Head<'_>, record: OpnamePosted) -> Events<R::Error> {
        let OpnamePosted { opname, lines, part, .. } = record;
        let id = opname.opname_id.clone();
        if part == 1 && !self.counts.contains(&id) && self.rows.has_posted(&id)? {
            return Ok(Vec::new());
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
        let stock = self.stocked(&movements, false)?;
        Ok(vec![Event::OpnameChanged { opname: Box::new(opname), lines, movements, stock }])
    }

    pub(super) fn moved(&mut self, record: StockMoved) -> Events<R::Error> {
        let stock = self.stocked(&record.movements, true)?;
        Ok(vec![Event::StockOpened { movements: record.movements, stock }])
    }
}
