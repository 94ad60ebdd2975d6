//! Sales, returns and exchanges.

use crate::model::base::figures::Money;
use crate::model::selling::payment::POINTS;
use crate::model::selling::returns::Disposition;
use crate::rules::books::posting::entry::Draft;
use crate::rules::books::posting::plan::{
    Account, COST_CORRECTION, COST_OF_GOODS, DAMAGED, DISCOUNTS, EXCHANGE_CLEARING, INVENTORY, LOYALTY,
    OUTPUT_TAX, POINTS_DEFERRED, POINTS_LIABILITY, RETURNS, ROUNDING, SALES, THROWN_AWAY,
};
use crate::rules::books::posting::{
    Mapped, PointsEffect, PointsPolicy, Returned, SaleLine, Sold, TaxMode, Tendered,
};
use crate::rules::selling::tax::tax;

pub(super) fn sale(sold: &Sold, accounts: &Mapped) -> Draft {
    let mut draft = Draft::default();
    let by_points = |payment: &&Tendered| payment.method == POINTS;
    for payment in sold.payments.iter().filter(|payment| !by_points(payment)) {
        let account = accounts.method(&payment.method);
        draft
            .debit(account, payment.amount)
            .debit(account, payment.rounding)
            .credit(ROUNDING, payment.rounding);
    }
    spent(&mut draft, face(&sold.payments), &sold.points);
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
fn without_tax(line: &SaleLine, mode: TaxMode) -> Money {
    match mode {
        TaxMode::OnTop => line.gross,
        TaxMode::Contained => {
            let contained = Money::try_from(tax(line.gross, line.rate_bp.into(), true)).unwrap_or_default();
            line.gross.saturating_sub(contained)
        }
    }
}

/// Amount that points paid, or that was given back in points.
fn face(money: &[Tendered]) -> Money {
    let by_points = money.iter().filter(|money| money.method == POINTS);
    by_points.map(|money| money.amount).sum()
}

/// Points as a tender: the pool gives the amount that it held for them; the rest of their face value was never owed.
fn spent(draft: &mut Draft, face: Money, points: &PointsEffect) {
    let released = points.released.unwrap_or(face);
    draft.debit(POINTS_LIABILITY, released).debit(earning(points.policy), face.saturating_sub(released));
}

/// Account to which earning points is charged.
pub(super) fn earning(policy: PointsPolicy) -> Account {
    match policy {
        PointsPolicy::Deferral => POINTS_DEFERRED,
        PointsPolicy::Expense => LOYALTY,
    }
}

pub(super) fn returned(back: &Returned, accounts: &Mapped) -> Draft {
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
    for refund in back.refunds.iter().filter(|refund| refund.method != POINTS) {
        paid_out(&mut draft, refund, accounts);
    }
    let face = face(&back.refunds);
    let value = back.points.back_value.unwrap_or(face);
    draft.credit(POINTS_LIABILITY, value).credit(earning(back.points.policy), face.saturating_sub(value));
    draft.transfer(POINTS_LIABILITY, earning(back.points.policy), back.points.reversed_value);
    draft
}

fn paid_out(draft: &mut Draft, refund: &Tendered, accounts: &Mapped) {
    let account = accounts.method(&refund.method);
    draft.credit(account, refund.amount).credit(account, refund.rounding).debit(ROUNDING, refund.rounding);
}

/// The sale that an exchange paid is voided: money back by the method it came from.
pub(super) fn exchange_given_back(refund: &Tendered, accounts: &Mapped) -> Draft {
    let mut draft = Draft::default();
    paid_out(&mut draft, refund, accounts);
    draft.debit(EXCHANGE_CLEARING, refund.amount);
    draft
}

/// A wrong button: both methods as they should have been from the start.
pub(super) fn tender_corrected(wrong: &Tendered, right: &Tendered, accounts: &Mapped) -> Draft {
    let mut draft = Draft::default();
    paid_out(&mut draft, wrong, accounts);
    let account = accounts.method(&right.method);
    draft.debit(account, right.amount).debit(account, right.rounding).credit(ROUNDING, right.rounding);
    draft
}
