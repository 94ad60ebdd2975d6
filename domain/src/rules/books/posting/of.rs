//! Facts of documents: the figures that a record's payload posts.

use crate::model::base::figures::Money;
use crate::model::books::shift::{CashKind, CashMovement, Shift};
use crate::model::inventory::adjustment::{Adjustment, AdjustmentState};
use crate::model::inventory::opname::OpnameLine;
use crate::model::inventory::stock::StockPlace;
use crate::model::inventory::supplier_return::SupplierReturn;
use crate::model::selling::payment::ReversedPayment;
use crate::model::selling::returns::Return;
use crate::model::selling::transaction::{Payment, Transaction};
use crate::rules::books::posting::{
    Fact, Mapped, PointsEffect, ReturnLine, Returned, SaleLine, Sold, TaxMode, Tendered,
};
use crate::wire::record::LineEffect;

fn mode(contained: bool) -> TaxMode {
    if contained { TaxMode::Contained } else { TaxMode::OnTop }
}

impl Sold {
    fn of(sale: &Transaction, effects: &[LineEffect], payments: Vec<Tendered>, points: PointsEffect) -> Self {
        let correction = |line_no: u32| {
            let effect = effects.iter().find(|effect| effect.line_no == line_no);
            effect.map_or(Money::ZERO, |effect| effect.correction)
        };
        let line = |line: &crate::model::selling::transaction::Line| SaleLine {
            gross: line.price.times(line.qty),
            discount: line.discount,
            tax: line.tax,
            rate_bp: line.tax_rate_bp,
            cost: line.cost.unwrap_or(Money::ZERO),
            correction: correction(line.line_no),
        };
        let sale_lines = sale.items.iter().map(line).collect();
        Self { tax: mode(sale.prices_include_tax), sale_lines, payments, points }
    }
}

fn money(payment: &Payment) -> Tendered {
    Tendered { method: payment.method.clone(), amount: payment.amount, rounding: payment.rounding }
}

pub fn of_sale(sale: &Transaction, points: PointsEffect) -> Fact {
    let payments = sale.payments.iter().filter(|payment| payment.counts()).map(money).collect();
    Fact::Sale(Sold::of(sale, &[], payments, points))
}

/// A voided transaction: the mirror of its sale, if it was one, and the reversal of an exchange.
pub fn of_void(
    sale: &Transaction,
    effects: &[LineEffect],
    refunds: &[ReversedPayment],
    points: PointsEffect,
) -> Vec<Fact> {
    let mut facts = Vec::new();
    if sale.receipt_no.is_some() {
        let given = |payment: &&Payment| refunds.iter().any(|back| back.payment_id == payment.payment_id);
        let payments = sale.payments.iter().filter(given).map(money).collect();
        facts.push(Fact::Void(Sold::of(sale, effects, payments, points)));
    }
    let exchanged = refunds.iter().filter(|back| back.exchange).map(|back| {
        let ReversedPayment { method, amount, rounding, .. } = back.clone();
        Fact::ExchangeGivenBack(Tendered { method, amount, rounding })
    });
    facts.extend(exchanged);
    facts
}

/// A corrected tender: reverses the wrong payment and adds the right ones.
pub fn of_correction(wrong: &Payment, right: &[Payment]) -> Vec<Fact> {
    let mut rounding = wrong.rounding;
    right
        .iter()
        .map(|payment| Fact::TenderCorrected {
            amount: payment.amount,
            from: wrong.method.clone(),
            to: payment.method.clone(),
            // Once, whatever the number of payments that take its place.
            from_rounding: std::mem::take(&mut rounding),
            to_rounding: payment.rounding,
        })
        .collect()
}

pub fn of_return(back: &Return, points: PointsEffect) -> Fact {
    Fact::Return(returned(back, points))
}

pub fn of_return_void(back: &Return, points: PointsEffect) -> Fact {
    Fact::ReturnVoided(returned(back, points))
}

fn returned(back: &Return, points: PointsEffect) -> Returned {
    let line = |line: &crate::model::selling::returns::ReturnLine| ReturnLine {
        refund: line.refund,
        tax: line.tax,
        cost: line.cost,
        disposition: line.disposition,
        correction: line.correction,
    };
    let refund = |refund: &crate::model::selling::returns::Refund| Tendered {
        method: refund.method.clone(),
        amount: refund.amount,
        rounding: refund.rounding,
    };
    Returned {
        tax: mode(back.prices_include_tax),
        return_lines: back.items.iter().map(line).collect(),
        refunds: back.refunds.iter().map(refund).collect(),
        points,
    }
}

pub fn of_opening(shift: &Shift) -> Fact {
    Fact::ShiftOpened { opening_float: shift.opening_float }
}

pub fn of_close(shift: &Shift) -> Fact {
    Fact::ShiftClosed {
        expected: shift.expected_cash.unwrap_or(Money::ZERO),
        counted: shift.counted_cash.unwrap_or(Money::ZERO),
    }
}

/// The last recount of a shift; `None` if it was not recounted.
pub fn of_recount(shift: &Shift) -> Option<Fact> {
    let recount = shift.recounts.last()?;
    Some(Fact::ShiftRecounted { before: recount.before, counted: recount.counted_cash })
}

/// Fact of a cash movement.
pub fn of_cash(movement: &CashMovement, accounts: &Mapped) -> Fact {
    let out = movement.kind == CashKind::PayOut;
    let account = movement.reason_code.as_ref().and_then(|code| accounts.cash_reason(code, out));
    Fact::CashMoved { kind: movement.kind, amount: movement.amount, account }
}

/// An adjustment, or its reversal with its own movements; empty while nothing moved.
///
/// `keep`: the goods are put aside as damaged; pieces that go back to the shelf while stock is negative correct earlier
/// estimates.
pub fn of_adjustment(
    adjustment: &Adjustment,
    effects: &[LineEffect],
    keep: bool,
    accounts: &Mapped,
) -> Vec<Fact> {
    let gone = match adjustment.state {
        AdjustmentState::Posted => adjustment.value.saturating_neg(),
        AdjustmentState::Reversed => adjustment.value,
        AdjustmentState::Pending | AdjustmentState::Rejected => return Vec::new(),
    };
    if adjustment.bucket == StockPlace::Damaged {
        let account = accounts.mapped_reason(adjustment.reason);
        return vec![Fact::DamagedWrittenOff { value: gone, account }];
    }
    let moved = |of: fn(&LineEffect) -> Money| effects.iter().map(of).sum::<Money>();
    let (value, correction) = (moved(|effect| effect.cost), moved(|effect| effect.correction));
    if keep {
        return vec![Fact::MovedToDamaged { value: value.saturating_neg(), correction }];
    }
    vec![Fact::Adjustment { reason: adjustment.reason, value, correction }]
}

/// Goods that went back to their supplier before they were invoiced; head office knows which were.
pub fn of_supplier_return(document: &SupplierReturn) -> Fact {
    let SupplierReturn { claim, stock_cost, bucket, .. } = *document;
    Fact::SupplierReturned { claim, stock_cost, bucket, invoiced: false, tax: Money::ZERO }
}

/// Posted lines of a count.
pub fn of_opname(lines: &[OpnameLine]) -> Fact {
    let values = lines.iter().map(|line| line.variance_value.unwrap_or(Money::ZERO));
    Fact::Opname { variance_value: values.sum() }
}
