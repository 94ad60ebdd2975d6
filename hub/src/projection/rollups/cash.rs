//! Cash of shifts, and deposits.

use crate::projection::rollups::RollupRecord;
use crate::projection::rollups::sale::till;
use crate::table::rollup::{CASH_DAYS, Part, RollupSums};
use domain::model::base::figures::Money;
use domain::model::books::deposit::Deposit;
use domain::model::books::shift::{CashKind, CashMovement, Shift};
use domain::model::selling::payment::CASH;
use domain::model::selling::transaction::{Payment, Transaction};

fn key(reported: &RollupRecord<'_>, [shift, register, cashier]: [&str; 3]) -> Vec<Part> {
    reported.key([shift.into(), register.into(), cashier.into()])
}

fn of_shift(reported: &RollupRecord<'_>, shift: &Shift) -> Vec<Part> {
    key(reported, [shift.shift_id.as_str(), shift.register_id.as_str(), shift.opened_by.as_str()])
}

/// A payment of a sale, if it is cash.
pub(super) fn paid(
    sums: &mut RollupSums,
    reported: &RollupRecord<'_>,
    sale: &Transaction,
    payment: &Payment,
    sign: i64,
) {
    if payment.method == CASH {
        let taken = payment.amount.saturating_add(payment.rounding).saturating_mul(sign);
        sums.add(&CASH_DAYS, key(reported, till(sale)), [("sales", taken.get())]);
    }
}

/// A refund by this method in a shift, at a till and by a user, if it is cash.
pub(super) fn refunded(
    sums: &mut RollupSums,
    reported: &RollupRecord<'_>,
    of: [&str; 3],
    (method, amount, rounding): (&str, Money, Money),
) {
    if method == CASH {
        sums.add(&CASH_DAYS, key(reported, of), [("refunds", amount.saturating_add(rounding).get())]);
    }
}

pub(super) fn opened(sums: &mut RollupSums, reported: &RollupRecord<'_>, shift: &Shift) {
    let figures = [("shifts", 1), ("opening_float", shift.opening_float.get())];
    sums.add(&CASH_DAYS, of_shift(reported, shift), figures);
}

/// A shift was counted: adds the difference to the figures that were known before.
pub(super) fn counted(sums: &mut RollupSums, reported: &RollupRecord<'_>, shift: &Shift, recounts: i64) {
    let count = reported.counted.unwrap_or_default();
    let figures =
        [("expected", count.expected.get()), ("counted", count.counted.get()), ("recounts", recounts)];
    sums.add(&CASH_DAYS, of_shift(reported, shift), figures);
}

pub(super) fn moved(sums: &mut RollupSums, reported: &RollupRecord<'_>, movement: &CashMovement) {
    let figure = match movement.kind {
        CashKind::PayIn => "pay_in",
        CashKind::PayOut => "pay_out",
        CashKind::Drop => "drops",
        CashKind::NoSale => return,
    };
    let of = [movement.shift_id.as_str(), movement.register_id.as_str(), movement.user_id.as_str()];
    sums.add(&CASH_DAYS, key(reported, of), [(figure, movement.amount.get())]);
}

/// Cash on its way to the bank.
pub(super) fn deposited(sums: &mut RollupSums, reported: &RollupRecord<'_>, deposit: &Deposit) {
    sums.add(
        &CASH_DAYS,
        key(reported, ["", "", deposit.user_id.as_str()]),
        [("deposited", deposit.amount.get())],
    );
}
