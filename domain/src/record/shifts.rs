//! Records of shifts, cash and days.

use super::text;
use crate::day::{Day, ReopenedDay};
use crate::deposit::{Deposit, SafeOpening};
use crate::event::Stamp;
use crate::ids::RegisterId;
use crate::shift::{CashMovement, Shift};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// Payload of `shift.opened`, `shift.closed` and `shift.recounted`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShiftRecord {
    /// The day it counts for.
    pub business_date: Date,
    /// The shift with its sums.
    pub shift: Shift,
}

/// Payload of `cash.moved`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CashMoved {
    /// The day it counts for.
    pub business_date: Date,
    /// What moved.
    pub movement: CashMovement,
}

/// Payload of `cash.deposited`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CashDeposited {
    /// The day it counts for.
    pub business_date: Date,
    /// The deposit.
    pub deposit: Deposit,
}

/// Payload of `receipts.skipped`: numbers that a restored store knows it will never give.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiptsSkipped {
    /// The till.
    pub register_id: RegisterId,
    /// Its series.
    pub series: String,
    /// The first number.
    pub from: u64,
    /// The last number.
    pub to: u64,
}

/// The record of an opened shift.
pub fn shift_opened(stamp: &Stamp, shift: &Shift) -> String {
    text(stamp, "shift.opened", record(shift))
}

/// The record of a closed shift.
pub fn shift_closed(stamp: &Stamp, shift: &Shift) -> String {
    text(stamp, "shift.closed", record(shift))
}

/// The record of an interrupted shift that was counted at last, with the day that this counts for.
pub fn shift_counted(stamp: &Stamp, shift: &Shift, business_date: Date) -> String {
    text(stamp, "shift.closed", ShiftRecord { business_date, shift: shift.clone() })
}

/// The record of what lies in the safe when the books begin.
pub fn safe_opened(stamp: &Stamp, opening: &SafeOpening) -> String {
    text(stamp, "safe.opened", opening)
}

/// The record of a recounted shift; the new count is its last, and says which day it counts for.
pub fn shift_recounted(stamp: &Stamp, shift: &Shift) -> String {
    let business_date = shift.recounts.last().map_or(shift.business_date, |recount| recount.business_date);
    text(stamp, "shift.recounted", ShiftRecord { business_date, shift: shift.clone() })
}

fn record(shift: &Shift) -> ShiftRecord {
    ShiftRecord { business_date: shift.business_date, shift: shift.clone() }
}

/// The record of a cash movement.
pub fn cash_moved(stamp: &Stamp, movement: &CashMovement) -> String {
    let business_date = movement.business_date;
    text(stamp, "cash.moved", CashMoved { business_date, movement: movement.clone() })
}

/// The record of cash that left for the bank.
pub fn cash_deposited(stamp: &Stamp, deposit: &Deposit) -> String {
    let business_date = deposit.business_date;
    text(stamp, "cash.deposited", CashDeposited { business_date, deposit: deposit.clone() })
}

/// The record of a sealed day; the day itself is its payload.
pub fn day_sealed(stamp: &Stamp, day: &Day) -> String {
    text(stamp, "day.sealed", day)
}

/// The record of a day that is open again.
pub fn day_reopened(stamp: &Stamp, day: &ReopenedDay) -> String {
    text(stamp, "day.reopened", day)
}

/// The record of skipped receipt numbers.
pub fn receipts_skipped(stamp: &Stamp, skipped: &ReceiptsSkipped) -> String {
    text(stamp, "receipts.skipped", skipped)
}
