//! Sales, voids, tenders and returns come back.

use super::{Book, Head, Rows};
use crate::event::Event;
use crate::ids::ShiftId;
use crate::payment::EXCHANGE;
use crate::record::{ReturnRecord, TenderCorrected, TransactionPaid, TransactionVoided};
use crate::returns::{Disposition, Return, ReturnState, SaleAfter, refunded, unrefunded};
use crate::shift::{Shift, ShiftState, ShiftTotals};
use crate::stock::{MovementReason, Stock};
use crate::transaction::{Payment, Transaction, TransactionState};
use std::collections::BTreeSet;

type Events<E> = Result<Vec<Event>, E>;

fn over(state: TransactionState) -> bool {
    matches!(state, TransactionState::Paid | TransactionState::Voided)
}

/// Whether a payment was accepted by then.
fn counted(begun: Option<&Transaction>, payment: &Payment) -> bool {
    let mut known = begun.into_iter().flat_map(|basket| &basket.payments);
    known.any(|known| known.payment_id == payment.payment_id && known.counts())
}

impl<R: Rows> Book<'_, R> {
    pub(super) fn paid(&mut self, head: &Head<'_>, record: TransactionPaid) -> Events<R::Error> {
        let TransactionPaid { transaction, lines, points, .. } = record;
        let begun = self.sale(&transaction.transaction_id)?;
        if begun.as_ref().is_some_and(|sale| over(sale.state)) {
            return Ok(Vec::new());
        }
        let document = ("transaction", transaction.transaction_id.as_str(), &transaction.cashier_id);
        let movements = head.movements(document, MovementReason::Sale, &lines, |line_no| {
            transaction.items.iter().find(|line| line.line_no == line_no).map(|line| &line.sku)
        });
        let shift = self.shift_of(&transaction, |totals| {
            // What a restored basket had been paid was counted when it was.
            let new = transaction.payments.iter().filter(|payment| !counted(begun.as_ref(), payment));
            totals.take(&new.cloned().collect::<Vec<_>>())?;
            totals.complete(&transaction)
        })?;
        Ok(vec![Event::TransactionPaid {
            stock: self.stocked(&movements, false)?,
            movements,
            counters: self.counters(&transaction.register_id, None)?,
            account: self.credited(&points)?,
            points,
            shift: Box::new(shift),
            transaction: Box::new(transaction),
        }])
    }

    pub(super) fn voided(&mut self, head: &Head<'_>, record: TransactionVoided) -> Events<R::Error> {
        let TransactionVoided { transaction, lines, refunds, points, .. } = record;
        let before = self.sale(&transaction.transaction_id)?;
        if before.as_ref().is_some_and(|sale| sale.state == TransactionState::Voided) {
            return Ok(Vec::new());
        }
        if transaction.receipt_no.is_none() {
            let shift = self.shift_of(&transaction, |totals| {
                let accepted = before.iter().flat_map(|basket| &basket.payments);
                accepted.filter(|payment| payment.counts()).try_for_each(|payment| totals.untake(payment))?;
                totals.void(&transaction)
            })?;
            let (transaction, shift) = (Box::new(transaction), Box::new(shift));
            return Ok(vec![Event::TransactionVoided { transaction, refunds, shift }]);
        }
        let document = ("transaction", transaction.transaction_id.as_str(), &transaction.cashier_id);
        let movements = head.movements(document, MovementReason::SaleVoid, &lines, |line_no| {
            transaction.items.iter().find(|line| line.line_no == line_no).map(|line| &line.sku)
        });
        let shift = self.shift_of(&transaction, |totals| {
            let accepted = before.iter().flat_map(|sale| &sale.payments).filter(|payment| payment.counts());
            accepted.into_iter().try_for_each(|payment| totals.untake(payment))?;
            for back in refunds.iter().filter(|back| back.exchange) {
                totals.give_back(EXCHANGE, back.amount.saturating_neg(), 0)?;
                totals.give_back(&back.method, back.amount, back.rounding)?;
            }
            totals.uncomplete(&transaction)
        })?;
        let after = self.after(&transaction.transaction_id)?;
        let after = SaleAfter { voided: true, ..after.unwrap_or_else(|| SaleAfter::of(&transaction)) };
        Ok(vec![Event::SaleVoided {
            stock: self.stocked(&movements, false)?,
            movements,
            account: self.credited(&points)?,
            points,
            after: Box::new(after),
            refunds,
            shift: Box::new(shift),
            transaction: Box::new(transaction),
        }])
    }

    pub(super) fn corrected(&mut self, record: &TenderCorrected) -> Events<R::Error> {
        let TenderCorrected { transaction, wrong, right, .. } = record;
        let before = self.sale(&transaction.transaction_id)?;
        let known = before.iter().flat_map(|sale| &sale.payments);
        if known.clone().any(|payment| right.contains(&payment.payment_id)) {
            return Ok(Vec::new());
        }
        let wrong_one = known.into_iter().find(|payment| payment.payment_id == *wrong && payment.counts());
        let shift = self.shift_of(transaction, |totals| {
            wrong_one.map_or(Ok(()), |payment| totals.untake(payment))?;
            let new = transaction.payments.iter().filter(|payment| right.contains(&payment.payment_id));
            totals.take(&new.cloned().collect::<Vec<_>>())
        })?;
        let mut after = SaleAfter::of(transaction);
        if let Some(known) = self.after(&transaction.transaction_id)? {
            for paid in &mut after.paid {
                let same = known.paid.iter().find(|before| before.method == paid.method);
                paid.refunded = same.map_or(0, |before| before.refunded);
            }
            after = SaleAfter { paid: after.paid, ..known };
        }
        let (transaction, wrong) = (Box::new(transaction.clone()), wrong.clone());
        Ok(vec![Event::TenderCorrected {
            transaction,
            wrong,
            after: Box::new(after),
            shift: Box::new(shift),
        }])
    }

    pub(super) fn returned(&mut self, head: &Head<'_>, record: ReturnRecord) -> Events<R::Error> {
        let ReturnRecord { document: back, lines, points, .. } = record;
        if self.posted_return(&back.return_id)?.is_some() {
            return Ok(Vec::new());
        }
        let after = self.after_of(&back)?.map(|(sale, mut after)| {
            refunded(&back, &sale, &mut after);
            Box::new(after)
        });
        let movements = head.returned(&back, &lines);
        let stock = self.aside(&back, self.stocked(&movements, false)?, 1)?;
        let shift = self.shift_at(&back, |totals| totals.refund(&back))?;
        Ok(vec![Event::ReturnPosted {
            after,
            movements,
            stock,
            counters: self.counters(&back.register_id, None)?,
            account: self.credited(&points)?,
            points,
            shift: Box::new(shift),
            document: Box::new(back),
        }])
    }

    pub(super) fn return_voided(&mut self, head: &Head<'_>, record: ReturnRecord) -> Events<R::Error> {
        let ReturnRecord { document: back, lines, points, .. } = record;
        if self.posted_return(&back.return_id)?.is_some_and(|known| known.state == ReturnState::Voided) {
            return Ok(Vec::new());
        }
        let after = self.after_of(&back)?.map(|(_, mut after)| {
            unrefunded(&back, &points, &mut after);
            Box::new(after)
        });
        let movements = head.returned(&back, &lines);
        let stock = self.aside(&back, self.stocked(&movements, false)?, -1)?;
        let shift = self.shift_at(&back, |totals| totals.unrefund(&back))?;
        Ok(vec![Event::ReturnVoided {
            after,
            movements,
            stock,
            account: self.credited(&points)?,
            points,
            shift: Box::new(shift),
            document: Box::new(back),
        }])
    }

    /// What became of a return's sale before it.
    fn after_of(&self, back: &Return) -> Result<Option<(Transaction, SaleAfter)>, R::Error> {
        let Some(id) = &back.transaction_id else { return Ok(None) };
        let Some(sale) = self.sale(id)? else { return Ok(None) };
        let after = self.after(id)?.unwrap_or_else(|| SaleAfter::of(&sale));
        Ok(Some((sale, after)))
    }

    /// Goods that are kept aside move no stock, but its rows.
    fn aside(&self, back: &Return, mut stock: Vec<Stock>, sign: i64) -> Result<Vec<Stock>, R::Error> {
        let kept = |disposition| matches!(disposition, Disposition::Damaged | Disposition::Vendor);
        for line in back.items.iter().filter(|line| line.track_stock && kept(line.disposition)) {
            let place = stock.iter().position(|row| row.sku == line.sku);
            let mut row = match place {
                Some(place) => stock.swap_remove(place),
                None => self.row(&line.sku)?,
            };
            row.damaged = row.damaged.saturating_add(line.qty.saturating_mul(sign));
            row.damaged_value = row.damaged_value.saturating_add(line.cost.saturating_mul(sign));
            stock.push(row);
        }
        Ok(stock)
    }

    fn shift_of(
        &self,
        sale: &Transaction,
        count: impl FnOnce(&mut ShiftTotals) -> Result<(), crate::refusal::Refusal>,
    ) -> Result<Shift, R::Error> {
        let mut like = Self::unknown(&sale.shift_id, &sale.cashier_id, sale.created_at);
        (like.store_id, like.register_id) = (sale.store_id.clone(), sale.register_id.clone());
        like.business_date = sale.business_date;
        self.counting(like, count)
    }

    fn shift_at(
        &self,
        back: &Return,
        count: impl FnOnce(&mut ShiftTotals) -> Result<(), crate::refusal::Refusal>,
    ) -> Result<Shift, R::Error> {
        let mut like = Self::unknown(&back.shift_id, &back.cashier_id, back.created_at);
        (like.store_id, like.register_id) = (back.store_id.clone(), back.register_id.clone());
        like.business_date = back.business_date;
        self.counting(like, count)
    }

    /// The shift with what happened in it counted; `like`: where its own record is missing for ever. The
    /// sums of a closed one are as they were told. Sums out of range stay as they are.
    pub(super) fn counting(
        &self,
        like: Shift,
        count: impl FnOnce(&mut ShiftTotals) -> Result<(), crate::refusal::Refusal>,
    ) -> Result<Shift, R::Error> {
        let shift = self.shift(&like.shift_id)?.unwrap_or(like);
        let mut totals = shift.totals.clone();
        if shift.state == ShiftState::Closed || count(&mut totals).is_err() {
            return Ok(shift);
        }
        Ok(Shift { totals, ..shift })
    }
}

impl<R: Rows> Book<'_, R> {
    /// A shift of which nothing is known but that it was.
    pub(super) fn unknown(id: &ShiftId, by: &crate::ids::UserId, at: crate::time::UtcMs) -> Shift {
        Shift {
            shift_id: id.clone(),
            store_id: crate::ids::StoreId::default(),
            register_id: crate::ids::RegisterId::default(),
            business_date: jiff::civil::Date::default(),
            state: ShiftState::Interrupted,
            opened_by: by.clone(),
            opened_at: at,
            opening_float: 0,
            closed_by: None,
            closed_at: None,
            counted_cash: None,
            expected_cash: None,
            variance: None,
            counts: std::collections::BTreeMap::new(),
            denominations: Vec::new(),
            ended_at: None,
            approved_by: None,
            recounts: Vec::new(),
            reversed: BTreeSet::new(),
            z_no: None,
            note: None,
            totals: ShiftTotals::default(),
        }
    }
}
