//! Sales, voids, tenders and returns come back.

use crate::model::base::event;
use crate::model::base::event::fact;
use crate::model::base::figures::Money;
use crate::model::base::ids::ShiftId;
use crate::model::base::refusal::Refusal;
use crate::model::books::shift::{Shift, ShiftState, ShiftTotals};
use crate::model::inventory::stock::MovementReason;
use crate::model::selling::payment::{EXCHANGE, ReversedPayment};
use crate::model::selling::returns::{Disposition, Return, ReturnState, SaleAfter};
use crate::model::selling::transaction::{Payment, Transaction, TransactionState};
use crate::rules::hub::recovery::{Book, Events, Head, Recover, Rows, one};
use crate::rules::selling::returns::{refunded, unrefunded};
use crate::wire::record::{ReturnRecord, TenderCorrected, TransactionPaid, TransactionVoided};
use std::collections::BTreeSet;

fn over(state: TransactionState) -> bool {
    matches!(state, TransactionState::Paid | TransactionState::Voided)
}

/// Whether a payment was accepted by then, and so is in the sums.
fn counted(begun: Option<&Transaction>, payment: &Payment) -> bool {
    let mut known = begun.into_iter().flat_map(|basket| &basket.payments);
    known.any(|known| known.payment_id == payment.payment_id && known.counts())
}

/// Amount that a return had paid for a basket and that goes back as money, now that the basket is gone.
fn exchanged_back(refunds: &[ReversedPayment], totals: &mut ShiftTotals) -> Result<(), Refusal> {
    for back in refunds.iter().filter(|back| back.exchange) {
        totals.add_refund(EXCHANGE, back.amount.saturating_neg(), Money::ZERO)?;
        totals.add_refund(&back.method, back.amount, back.rounding)?;
    }
    Ok(())
}

impl Recover for TransactionPaid {
    fn recover<R: Rows>(self, head: &Head<'_>, book: &mut Book<'_, R>) -> Events<R::Error> {
        let Self { transaction, lines, points, .. } = self;
        let begun = book.sale(&transaction.transaction_id)?;
        if begun.as_ref().is_some_and(|sale| over(sale.state)) {
            return Ok(None);
        }
        let document = ("transaction", transaction.transaction_id.as_str(), &transaction.cashier_id);
        let movements = head.movements(document, MovementReason::Sale, &lines, |line_no| {
            transaction.items.iter().find(|line| line.line_no == line_no).map(|line| &line.sku)
        });
        let known = |payment: &&Payment| !payment.counts() && counted(begun.as_ref(), payment);
        let taken_back = transaction.payments.iter().filter(known).collect();
        let (elsewhere, taken_back) = book.untaken(begun.as_ref(), &transaction.shift_id, taken_back)?;
        let shift = book.shift_of(&transaction, |totals| {
            // Payments of a restored basket were counted when they were made.
            let new = transaction.payments.iter().filter(|payment| !counted(begun.as_ref(), payment));
            taken_back.iter().for_each(|payment| totals.untake(payment));
            totals.take(&new.cloned().collect::<Vec<_>>())?;
            totals.add_sale(&transaction)
        })?;
        let rows = event::Rows {
            counters: vec![book.counters(&transaction.register_id)?],
            account: book.credited(&points)?,
            points,
            shifts: std::iter::once(shift).chain(elsewhere).collect(),
            ..book.stocked(movements, false)?
        };
        Ok(one(fact::TransactionPaid { transaction }, rows))
    }
}

impl Recover for TransactionVoided {
    fn recover<R: Rows>(self, head: &Head<'_>, book: &mut Book<'_, R>) -> Events<R::Error> {
        let Self { transaction, lines, refunds, points, hold, .. } = self;
        let before = book.sale(&transaction.transaction_id)?;
        if before.as_ref().is_some_and(|sale| sale.state == TransactionState::Voided) {
            return Ok(None);
        }
        if let Some(hold) = hold {
            return Ok(one(fact::HoldVoided { hold, transaction }, event::Rows::default()));
        }
        if transaction.receipt_no.is_none() {
            let accepted = before.iter().flat_map(|basket| &basket.payments);
            let accepted = accepted.filter(|payment| payment.counts()).collect();
            let (elsewhere, accepted) = book.untaken(before.as_ref(), &transaction.shift_id, accepted)?;
            let shift = book.shift_of(&transaction, |totals| {
                accepted.iter().for_each(|payment| totals.untake(payment));
                exchanged_back(&refunds, totals)?;
                totals.void(&transaction);
                Ok(())
            })?;
            let shifts = std::iter::once(shift).chain(elsewhere).collect();
            let rows = event::Rows { shifts, ..event::Rows::default() };
            return Ok(one(fact::TransactionVoided { transaction, refunds }, rows));
        }
        let document = ("transaction", transaction.transaction_id.as_str(), &transaction.cashier_id);
        let movements = head.movements(document, MovementReason::SaleVoid, &lines, |line_no| {
            transaction.items.iter().find(|line| line.line_no == line_no).map(|line| &line.sku)
        });
        let shift = book.shift_of(&transaction, |totals| {
            let accepted = before.iter().flat_map(|sale| &sale.payments).filter(|payment| payment.counts());
            accepted.into_iter().for_each(|payment| totals.untake(payment));
            exchanged_back(&refunds, totals)?;
            totals.uncomplete(&transaction);
            Ok(())
        })?;
        let after = book.after(&transaction.transaction_id)?;
        let after = SaleAfter { voided: true, ..after.unwrap_or_else(|| SaleAfter::of(&transaction)) };
        let rows = event::Rows {
            account: book.credited(&points)?,
            points,
            after: Some(Box::new(after)),
            shifts: vec![shift],
            ..book.stocked(movements, false)?
        };
        Ok(one(fact::SaleVoided { refunds, transaction }, rows))
    }
}

impl Recover for TenderCorrected {
    fn recover<R: Rows>(self, _head: &Head<'_>, book: &mut Book<'_, R>) -> Events<R::Error> {
        let Self { transaction, wrong, right, .. } = self;
        let before = book.sale(&transaction.transaction_id)?;
        let known = before.iter().flat_map(|sale| &sale.payments);
        if known.clone().any(|payment| right.contains(&payment.payment_id)) {
            return Ok(None);
        }
        let wrong_one = known.into_iter().find(|payment| payment.payment_id == wrong && payment.counts());
        let shift = book.shift_of(&transaction, |totals| {
            wrong_one.into_iter().for_each(|payment| totals.untake(payment));
            let new = transaction.payments.iter().filter(|payment| right.contains(&payment.payment_id));
            totals.take(&new.cloned().collect::<Vec<_>>())
        })?;
        let mut after = SaleAfter::of(&transaction);
        if let Some(known) = book.after(&transaction.transaction_id)? {
            for paid in &mut after.paid {
                if let Some(before) = known.paid.iter().find(|before| before.method == paid.method) {
                    (paid.refunded, paid.refunded_rounding) = (before.refunded, before.refunded_rounding);
                }
            }
            after = SaleAfter { paid: after.paid, ..known };
        }
        Ok(one(
            fact::TenderCorrected { transaction, wrong },
            event::Rows { after: Some(Box::new(after)), shifts: vec![shift], ..event::Rows::default() },
        ))
    }
}

impl Recover for ReturnRecord {
    fn recover<R: Rows>(self, head: &Head<'_>, book: &mut Book<'_, R>) -> Events<R::Error> {
        let Self { document: back, lines, points, .. } = self;
        let voided = head.kind == "return.voided";
        let known = book.posted_return(&back.return_id)?;
        if known.is_some_and(|known| !voided || known.state == ReturnState::Voided) {
            return Ok(None);
        }
        let after = book.after_of(&back)?.map(|(sale, mut after)| {
            if voided {
                unrefunded(&back, &points, &mut after);
            } else {
                refunded(&back, &sale, &mut after);
            }
            Box::new(after)
        });
        let document = ("return", back.return_id.as_str(), &back.cashier_id);
        let movements = head.movements(document, MovementReason::Return, &lines, |line_no| {
            back.items.iter().find(|line| line.line_no == line_no).map(|line| &line.sku)
        });
        let moved = book.aside(&back, book.stocked(movements, false)?, if voided { -1 } else { 1 })?;
        let shift = book.shift_at(&back, |totals| {
            if voided {
                totals.unrefund(&back);
                return Ok(());
            }
            totals.refund(&back)
        })?;
        let counters = book.counters(&back.register_id)?;
        let rows = event::Rows {
            after,
            counters: if voided { Vec::new() } else { vec![counters] },
            account: book.credited(&points)?,
            points,
            shifts: vec![shift],
            ..moved
        };
        if voided {
            return Ok(one(fact::ReturnVoided { document: back }, rows));
        }
        Ok(one(fact::ReturnPosted { document: back }, rows))
    }
}

impl<R: Rows> Book<'_, R> {
    /// State of a return's sale before it.
    fn after_of(&self, back: &Return) -> Result<Option<(Transaction, SaleAfter)>, R::Error> {
        let Some(id) = &back.transaction_id else { return Ok(None) };
        let Some(sale) = self.sale(id)? else { return Ok(None) };
        let after = self.after(id)?.unwrap_or_else(|| SaleAfter::of(&sale));
        Ok(Some((sale, after)))
    }

    /// Goods that are kept aside move no stock, but its rows.
    fn aside(&self, back: &Return, mut rows: event::Rows, sign: i64) -> Result<event::Rows, R::Error> {
        let stock = &mut rows.stock;
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
        Ok(rows)
    }

    /// Payments that are taken back of a basket: the shift in which they were taken without them, where that is another
    /// one than this; otherwise they are still to be taken back in this.
    fn untaken<'p>(
        &self,
        basket: Option<&Transaction>,
        here: &ShiftId,
        payments: Vec<&'p Payment>,
    ) -> Result<(Option<Shift>, Vec<&'p Payment>), R::Error> {
        match basket.filter(|basket| basket.shift_id != *here && !payments.is_empty()) {
            None => Ok((None, payments)),
            Some(basket) => {
                let without = |totals: &mut ShiftTotals| {
                    payments.iter().for_each(|payment| totals.untake(payment));
                    Ok(())
                };
                Ok((Some(self.shift_of(basket, without)?), Vec::new()))
            }
        }
    }

    fn shift_of(
        &self,
        sale: &Transaction,
        count: impl FnOnce(&mut ShiftTotals) -> Result<(), crate::model::base::refusal::Refusal>,
    ) -> Result<Shift, R::Error> {
        let mut like = Self::unknown(&sale.shift_id, &sale.cashier_id, sale.created_at);
        (like.store_id, like.register_id) = (sale.store_id.clone(), sale.register_id.clone());
        like.business_date = sale.business_date;
        self.counting(like, count)
    }

    fn shift_at(
        &self,
        back: &Return,
        count: impl FnOnce(&mut ShiftTotals) -> Result<(), crate::model::base::refusal::Refusal>,
    ) -> Result<Shift, R::Error> {
        let mut like = Self::unknown(&back.shift_id, &back.cashier_id, back.created_at);
        (like.store_id, like.register_id) = (back.store_id.clone(), back.register_id.clone());
        like.business_date = back.business_date;
        self.counting(like, count)
    }

    /// Adds the record to the totals of its shift; `like` is used if the shift's own record is missing for good. A
    /// closed shift was counted before this record was recovered, and the record of a close follows all records of its
    /// shift. Sums out of range stay unchanged.
    pub(super) fn counting(
        &self,
        like: Shift,
        count: impl FnOnce(&mut ShiftTotals) -> Result<(), crate::model::base::refusal::Refusal>,
    ) -> Result<Shift, R::Error> {
        let shift = self.shift(&like.shift_id)?.unwrap_or(like);
        let mut totals = shift.totals.clone();
        if count(&mut totals).is_err() {
            return Ok(shift);
        }
        Ok(Shift { totals, ..shift }.balanced())
    }
}

impl<R: Rows> Book<'_, R> {
    /// A shift of which only the existence is known.
    pub(super) fn unknown(
        id: &ShiftId,
        by: &crate::model::base::ids::UserId,
        at: crate::model::base::time::UtcMs,
    ) -> Shift {
        Shift {
            shift_id: id.clone(),
            store_id: crate::model::base::ids::StoreId::default(),
            register_id: crate::model::base::ids::RegisterId::default(),
            moved_to: None,
            business_date: jiff::civil::Date::default(),
            state: ShiftState::Interrupted,
            opened_by: by.clone(),
            opened_at: at,
            opening_float: Money::ZERO,
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
            terms: None,
            totals: ShiftTotals::default(),
        }
    }
}
