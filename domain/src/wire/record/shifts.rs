//! Records of shifts, cash and days.

use crate::model::base::ids::RegisterId;
use crate::model::books::day::{Day, ReopenedDay};
use crate::model::books::deposit::{Deposit, SafeOpening};
use crate::model::books::shift::{CashMovement, Shift};
use crate::model::hub::stamp::Stamp;
use crate::wire::record::effect::of_store;
use crate::wire::record::{About, AnyPayload, Effect, Payload, text};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// Payload of `shift.opened`, `shift.moved`, `shift.closed` and `shift.recounted`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShiftRecord {
    /// Business date to which the record belongs.
    pub business_date: Date,
    /// The shift with its sums.
    pub shift: Shift,
}

impl Payload for ShiftRecord {
    fn about(&self) -> About {
        About::day(self.business_date, self.shift.expected_cash.unwrap_or_default())
    }

    fn effect(&self, _kind: &str, store_id: &str) -> Result<Effect, String> {
        of_store(self.shift.store_id.as_str(), store_id).map(|()| Effect::default())
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CashMoved {
    /// Business date to which the record belongs.
    pub business_date: Date,
    pub movement: CashMovement,
}

impl Payload for CashMoved {
    fn about(&self) -> About {
        About::day(self.business_date, self.movement.amount)
    }

    fn effect(&self, _kind: &str, _store_id: &str) -> Result<Effect, String> {
        Ok(Effect { shift_id: Some(self.movement.shift_id.clone()), ..Effect::default() })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CashDeposited {
    /// Business date of the deposit.
    pub business_date: Date,
    pub deposit: Deposit,
}

impl Payload for CashDeposited {
    fn about(&self) -> About {
        About::day(self.business_date, self.deposit.amount)
    }
}

impl Payload for SafeOpening {
    fn about(&self) -> About {
        About::day(self.business_date, self.amount)
    }
}

impl Payload for Day {
    fn about(&self) -> About {
        About::day(self.business_date, 0)
    }
}

impl Payload for ReopenedDay {
    fn about(&self) -> About {
        About::day(self.business_date, 0)
    }
}

/// Payload of `receipts.skipped`: numbers that a restored store knows it will never give.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiptsSkipped {
    /// Register of the numbers.
    pub register_id: RegisterId,
    pub series: String,
    pub from: u64,
    pub to: u64,
}

impl Payload for ReceiptsSkipped {
    fn about(&self) -> About {
        About::default()
    }
}

/// The record of an opened shift.
pub fn shift_opened(stamp: &Stamp, shift: &Shift) -> String {
    text(stamp, AnyPayload::ShiftOpened, record(shift))
}

/// The record of a shift that was suspended, or moved to other registers.
pub fn shift_moved(stamp: &Stamp, shift: &Shift) -> String {
    text(stamp, AnyPayload::ShiftMoved, record(shift))
}

/// The record of a closed shift.
pub fn shift_closed(stamp: &Stamp, shift: &Shift) -> String {
    text(stamp, AnyPayload::ShiftClosed, record(shift))
}

/// The record of an interrupted shift that was counted at last, with the day that this counts for.
pub fn shift_counted(stamp: &Stamp, shift: &Shift, business_date: Date) -> String {
    text(stamp, AnyPayload::ShiftClosed, ShiftRecord { business_date, shift: shift.clone() })
}

/// The record of what is in the safe when the books begin.
pub fn safe_opened(stamp: &Stamp, opening: &SafeOpening) -> String {
    text(stamp, AnyPayload::SafeOpened, opening.clone())
}

/// The record of a recounted shift; the new count is its last, and says which day it counts for.
pub fn shift_recounted(stamp: &Stamp, shift: &Shift) -> String {
    let business_date = shift.recounts.last().map_or(shift.business_date, |recount| recount.business_date);
    text(stamp, AnyPayload::ShiftRecounted, ShiftRecord { business_date, shift: shift.clone() })
}

fn record(shift: &Shift) -> ShiftRecord {
    ShiftRecord { business_date: shift.business_date, shift: shift.clone() }
}

/// The record of a cash movement.
pub fn cash_moved(stamp: &Stamp, movement: &CashMovement) -> String {
    let business_date = movement.business_date;
    text(stamp, AnyPayload::CashMoved, CashMoved { business_date, movement: movement.clone() })
}

/// The record of cash that left for the bank.
pub fn cash_deposited(stamp: &Stamp, deposit: &Deposit) -> String {
    let business_date = deposit.business_date;
    text(stamp, AnyPayload::CashDeposited, CashDeposited { business_date, deposit: deposit.clone() })
}

/// The record of a sealed day; the day itself is its payload.
pub fn day_sealed(stamp: &Stamp, day: &Day) -> String {
    text(stamp, AnyPayload::DaySealed, day.clone())
}

/// The record of a day that is open again.
pub fn day_reopened(stamp: &Stamp, day: &ReopenedDay) -> String {
    text(stamp, AnyPayload::DayReopened, day.clone())
}

/// The record of skipped receipt numbers.
pub fn receipts_skipped(stamp: &Stamp, skipped: &ReceiptsSkipped) -> String {
    text(stamp, AnyPayload::ReceiptsSkipped, skipped.clone())
}
