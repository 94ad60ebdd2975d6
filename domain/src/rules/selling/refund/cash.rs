//! Cash rounding of refunds: taken back cumulatively, so that the parts of a sale never pay out more cash than the sale
//! brought.

use crate::model::base::figures::Money;
use crate::model::base::settings::RoundingMode;
use crate::model::selling::payment::{CASH, Paid};
use crate::rules::selling::payment::{Direction, cash_rounding};

/// Amount that rounding adds to a cash refund of `amount`, after each method `paid` and refunded before it.
///
/// A is the refunded part of the cash amount so far, including this refund, and C the cash that the sale brought. After
/// each refund min(C, R(A)) is paid out in total, and C once the whole amount is refunded. Only an amount beyond the
/// cash of the sale is rounded without it.
pub fn cash_back(paid: &[Paid], amount: Money, step: Money, mode: RoundingMode) -> i128 {
    let cash = paid.iter().find(|method| method.method == CASH);
    let [sold, rounding, back, back_rounding] = cash.map_or([0; 4], |cash| {
        [cash.amount, cash.rounding, cash.refunded, cash.refunded_rounding].map(i128::from)
    });
    let amount = i128::from(amount);
    let brought = sold.saturating_add(rounding);
    // Other methods may have given back more than they paid: that is a part of the cash amount.
    let beyond = |method: &Paid| i128::from(method.refunded.saturating_sub(method.amount).max(Money::ZERO));
    let others = paid.iter().filter(|method| method.method != CASH).map(beyond);
    let others = others.fold(0_i128, i128::saturating_add).min(sold.saturating_sub(back).max(0));
    let after = back.saturating_add(others).saturating_add(amount);
    let rounded = |amount: i128, direction| {
        let whole = Money::saturating_from(amount);
        amount.saturating_add(cash_rounding(whole, step, mode, direction))
    };
    let paid_out = if after >= sold {
        brought.saturating_add(rounded(after.saturating_sub(sold), Direction::Refund))
    } else {
        brought.min(rounded(after, Direction::Sale))
    };
    let before = back.saturating_add(back_rounding).saturating_add(others);
    paid_out.saturating_sub(before).max(0).saturating_sub(amount)
}
