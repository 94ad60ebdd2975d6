//! Terms of a statement source: its fees, and when payments are reported.

use crate::model::base::figures::{BasisPoints, Money};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most days from a payment to a line that has its reference.
const LATE_DAYS_MAX: i32 = 90;
/// Most days by which a line may be dated before the payment with its reference: time zones differ, and some banks use
/// the value date.
const EARLY_DAYS_MAX: i32 = 3;

/// Kind of source: a payment provider or a bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "StatementSourceKind")]
pub enum SourceKind {
    /// A provider, which reports payments or batches.
    Provider,
    /// A bank, which reports what reached the account.
    Bank,
}

impl SourceKind {
    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Provider => "provider",
            Self::Bank => "bank",
        }
    }
}

/// Treatment of the fee of a refunded payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeeOnRefunds {
    /// The provider keeps the fee.
    #[default]
    Kept,
    /// The provider returns the fee.
    Returned,
}

/// Settlement terms of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// Kind of source: a payment provider or a bank.
    pub kind: SourceKind,
    /// Fee rate of each payment, in basis points. `None` if fees are as reported.
    pub fee_rate_bp: Option<BasisPoints>,
    /// Fixed fee of each payment, added to the rate.
    pub fee_fixed: Money,
    /// Greatest accepted difference of a fee, in minor currency units.
    pub fee_tolerance: Money,
    /// Treatment of the fee of refunds.
    pub fee_on_refunds: FeeOnRefunds,
    /// Most days from a payment to its line.
    pub window_days: i32,
    /// Number of days after which a payment that was not reported is overdue.
    pub lag_days: i32,
}

impl Terms {
    /// Expected fee of an amount; 0 if fees are as reported.
    pub fn fee(&self, amount: Money) -> Money {
        let Some(rate) = self.fee_rate_bp else { return Money::ZERO };
        if amount < 0 && self.fee_on_refunds == FeeOnRefunds::Kept {
            return Money::ZERO;
        }
        let by_rate = rate.of(amount);
        let fixed = self.fee_fixed.saturating_mul(amount.signum());
        Money::saturating_from(by_rate).saturating_add(fixed)
    }

    /// Whether a fee is as expected. Each of the `count` payments may add a rounding difference of half a unit.
    pub(super) fn is_near(&self, fee: i128, expected: i128, count: i64) -> bool {
        let rounded = i128::from(count).saturating_add(1).checked_div(2).unwrap_or(0);
        fee.saturating_sub(expected).saturating_abs()
            <= i128::from(self.fee_tolerance).saturating_add(rounded)
    }

    /// Whether a line dated `date` may belong to a payment of `day`.
    pub fn in_window(&self, date: Date, day: Date) -> bool {
        (0..=self.window_days).contains(&days_between(day, date))
    }

    /// Whether a line dated `date` may belong to a payment of `day` that has the same reference.
    pub(super) fn in_named_window(&self, date: Date, day: Date) -> bool {
        (-EARLY_DAYS_MAX..=self.window_days).contains(&days_between(day, date))
    }

    /// Whether a line dated `date` that has the reference of a payment of `day` comes after the window.
    pub(super) fn is_late(&self, date: Date, day: Date) -> bool {
        let days = days_between(day, date);
        days > self.window_days && days <= LATE_DAYS_MAX
    }

    /// Whether an item of `day` should have been reported: its source has reported up to `lag_days` after it, or its
    /// window is over.
    pub fn is_overdue(&self, day: Date, reported_to: Option<Date>, today: Date) -> bool {
        reported_to.is_some_and(|to| days_between(day, to) >= self.lag_days)
            || days_between(day, today) > self.window_days
    }

    /// The earliest day of a payment that a line dated `date` may belong to.
    pub(super) fn first_day(&self, date: Date) -> Date {
        date.checked_sub(jiff::Span::new().days(self.window_days.clamp(0, 3_650))).unwrap_or(Date::MIN)
    }
}

/// Days between two dates, negative if `to` is before `from`.
fn days_between(from: Date, to: Date) -> i32 {
    to.since(from).map_or(i32::MAX, |span| span.get_days())
}
