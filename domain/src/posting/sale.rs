//! Sales, returns and exchanges.

use super::entry::Draft;
use super::fact::{Money, PointsEffect, PointsPolicy, Returned, SaleLine, Sold, TaxMode};
use super::plan::{
    Account, COST_CORRECTION, COST_OF_GOODS, DAMAGED, DISCOUNTS, EXCHANGE_CLEARING, INVENTORY, LOYALTY,
    OUTPUT_TAX, POINTS_DEFERRED, POINTS_LIABILITY, RETURNS, ROUNDING, SALES, THROWN_AWAY,
};
use crate::payment::POINTS;
use crate::returns::Disposition;
use crate::tax::tax;

pub(super) fn sale(sold: &Sold) -> Draft {
    let mut draft = Draft::default();
    for payment in &sold.payments {
        if payment.method == POINTS {
            spent(&mut draft, payment.amount, &sold.points);
        } else {
            draft
                .debit(Account::of_method(&payment.method), payment.amount)
                .debit(Account::of_method(&payment.method), payment.rounding)
                .credit(ROUNDING, payment.rounding);
        }
    }
    for line in &sold.sale_lines {
        let gross = without_tax(line, sold.tax);
        let discounted = line.gross.saturating_sub(line.discount);
        let net = match sold.tax {
            TaxMode::OnTop => discounted,
            TaxMode::Contained => discounted.saturating_sub(line.tax),
        };
        draft.credit(SALES, gross).debit(DISCOUNTS, gross.saturating_sub(net)).credit(OUTPUT_TAX, line.tax);
        // Mirrored by a void, whose goods may find the stock below zero.
        draft.transfer(COST_OF_GOODS, INVENTORY, line.cost);
        draft.transfer(INVENTORY, COST_CORRECTION, line.correction);
    }
    draft.transfer(earning(sold.points.policy), POINTS_LIABILITY, sold.points.earned_value);
    draft
}

/// The shelf price without the tax that it contains.
fn without_tax(line: &SaleLine, mode: TaxMode) -> i64 {
    match mode {
        TaxMode::OnTop => line.gross,
        TaxMode::Contained => {
            let contained = i64::try_from(tax(line.gross, line.rate_bp, true)).unwrap_or(0);
            line.gross.saturating_sub(contained)
        }
    }
}

/// Points as a tender: the pool gives what it held for them, the rest of their face was never owed.
fn spent(draft: &mut Draft, face: i64, points: &PointsEffect) {
    let released = match points.policy {
        PointsPolicy::Deferral => points.released,
        PointsPolicy::Expense => face,
    };
    draft.debit(POINTS_LIABILITY, released).debit(POINTS_DEFERRED, face.saturating_sub(released));
}

/// Where earning points is charged.
pub(super) fn earning(policy: PointsPolicy) -> Account {
    match policy {
        PointsPolicy::Deferral => POINTS_DEFERRED,
        PointsPolicy::Expense => LOYALTY,
    }
}

pub(super) fn returned(back: &Returned) -> Draft {
    let mut draft = Draft::default();
    for line in &back.return_lines {
        draft.debit(RETURNS, line.refund.saturating_sub(line.tax)).debit(OUTPUT_TAX, line.tax);
        let into = match line.disposition {
            Disposition::Restock => INVENTORY,
            Disposition::Damaged | Disposition::Vendor => DAMAGED,
            Disposition::None => THROWN_AWAY,
        };
        draft.transfer(into, COST_OF_GOODS, line.cost);
        draft.transfer(COST_CORRECTION, into, line.correction);
    }
    for refund in &back.refunds {
        if refund.method == POINTS {
            let value = match back.points.policy {
                PointsPolicy::Deferral => back.points.back_value,
                PointsPolicy::Expense => refund.amount,
            };
            draft
                .credit(POINTS_LIABILITY, value)
                .credit(POINTS_DEFERRED, refund.amount.saturating_sub(value));
        } else {
            paid_out(&mut draft, refund);
        }
    }
    draft.transfer(POINTS_LIABILITY, earning(back.points.policy), back.points.reversed_value);
    draft
}

fn paid_out(draft: &mut Draft, refund: &Money) {
    draft
        .credit(Account::of_method(&refund.method), refund.amount)
        .credit(Account::of_method(&refund.method), refund.rounding)
        .debit(ROUNDING, refund.rounding);
}

/// The sale that an exchange paid is voided: money back by the method it came from.
pub(super) fn exchange_given_back(refund: &Money) -> Draft {
    let mut draft = Draft::default();
    paid_out(&mut draft, refund);
    draft.debit(EXCHANGE_CLEARING, refund.amount);
    draft
}

/// A wrong button: both methods as they should have been from the start.
pub(super) fn tender_corrected(wrong: &Money, right: &Money) -> Draft {
    let mut draft = Draft::default();
    paid_out(&mut draft, wrong);
    draft
        .debit(Account::of_method(&right.method), right.amount)
        .debit(Account::of_method(&right.method), right.rounding)
        .credit(ROUNDING, right.rounding);
    draft
}
