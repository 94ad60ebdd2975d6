//! Shifts: one person, one drawer, one business date; sums are kept while it runs.

use crate::ids::{CashId, RegisterId, ShiftId, StoreId, UserId};
use crate::refusal::Refusal;
use crate::time::UtcMs;
use crate::user::{Caller, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

mod book;
mod cash;
mod close;
mod command;
mod recount;
mod totals;
mod view;

pub use book::ShiftBook;
pub use cash::{CashKind, CashMovement, MoveCash, ReverseCash, end, move_cash, reverse_cash};
pub use close::{SHIFT_CLOSED, close};
pub use command::{COUNTS_MAX, CloseShift, DENOMINATIONS_MAX, Denomination, MethodCount, OpenShift};
pub use recount::{RECOUNTS_MAX, Recount, RecountShift, day_of, recount};
pub use totals::Cash;
pub use view::{ShiftSummary, ShiftView, blind, overdue, summary, view};

/// Where a shift is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShiftState {
    /// It sells.
    Open,
    /// Blind end: no more sales, not yet counted.
    Ended,
    /// Counted and closed.
    Closed,
    /// The store was restored while it was open: to be read, never to be sold in again.
    Interrupted,
}

/// What one payment method took in and gave back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct MethodTotals {
    /// Σ (amount + rounding) of accepted payments.
    pub sales: i64,
    /// Σ (amount + rounding) of refunds.
    pub refunds: i64,
    /// Accepted payments.
    pub sales_count: i64,
    /// Refunds.
    pub refunds_count: i64,
}

/// What was sold and came back at one tax rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TaxTotals {
    /// The rate in basis points.
    pub tax_rate_bp: u32,
    /// Σ of the lines sold, without tax.
    pub base: i64,
    /// Σ their tax.
    pub tax: i64,
    /// Σ of the lines that came back, without tax.
    pub returns_base: i64,
    /// Σ their tax.
    pub returns_tax: i64,
}

/// Running sums of a shift; equal to what replaying its transactions gives.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ShiftTotals {
    /// Completed sales.
    pub sales_count: i64,
    /// Pieces in them.
    pub items_count: i64,
    /// Σ qty × price.
    pub gross_sales: i64,
    /// Σ discounts.
    pub discounts: i64,
    /// Σ tax.
    pub tax: i64,
    /// Σ totals.
    pub total: i64,
    /// Σ cash rounding of accepted payments: only what completes a sale is rounded.
    pub rounding: i64,
    /// Return documents.
    pub returns_count: i64,
    /// Σ their refunds.
    pub returns_total: i64,
    /// Σ tax given back.
    pub returns_tax: i64,
    /// Σ cash rounding of their refunds.
    pub returns_rounding: i64,
    /// Voided sales.
    pub voids_count: i64,
    /// Σ their totals.
    pub voids_total: i64,
    /// Lines sold at another price than the catalogue's.
    pub price_overrides: i64,
    /// By payment method; cash counts here too.
    pub by_method: BTreeMap<String, MethodTotals>,
    /// By tax rate, the lowest first.
    pub by_tax: Vec<TaxTotals>,
    /// Cash put in.
    pub pay_in: i64,
    /// Cash taken out for costs.
    pub pay_out: i64,
    /// Cash brought to the safe.
    pub drops: i64,
    /// First receipt number of the shift.
    pub first_receipt: Option<String>,
    /// Last receipt number of the shift.
    pub last_receipt: Option<String>,
}

/// A shift with its running sums.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shift {
    /// `shf_…`
    pub shift_id: ShiftId,
    /// The shop.
    pub store_id: StoreId,
    /// The till.
    pub register_id: RegisterId,
    /// From opening; all that is done in it has that date.
    pub business_date: jiff::civil::Date,
    /// Where it is in its life.
    pub state: ShiftState,
    /// Who opened it.
    pub opened_by: UserId,
    /// When.
    pub opened_at: UtcMs,
    /// Cash in the drawer at opening.
    pub opening_float: i64,
    /// Who closed it.
    pub closed_by: Option<UserId>,
    /// When.
    pub closed_at: Option<UtcMs>,
    /// Cash counted at close.
    pub counted_cash: Option<i64>,
    /// Expected cash at close.
    pub expected_cash: Option<i64>,
    /// counted − expected.
    pub variance: Option<i64>,
    /// Counted amounts of the other methods, by method.
    pub counts: BTreeMap<String, i64>,
    /// How the cash was counted.
    pub denominations: Vec<Denomination>,
    /// When it was ended blind.
    pub ended_at: Option<UtcMs>,
    /// Who approved its variance, where somebody had to.
    pub approved_by: Option<UserId>,
    /// Later counts; the first stays.
    pub recounts: Vec<Recount>,
    /// Cash movements that were taken back.
    pub reversed: BTreeSet<CashId>,
    /// Its Z number, one counter per register.
    pub z_no: Option<u64>,
    /// A note.
    pub note: Option<String>,
    /// Running sums.
    pub totals: ShiftTotals,
}

impl ShiftState {
    /// The state's name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Ended => "ended",
            Self::Closed => "closed",
            Self::Interrupted => "interrupted",
        }
    }

    /// The steps that are possible from here (docs/arithmetic.md#states-of-documents).
    pub fn steps(self) -> &'static [&'static str] {
        match self {
            Self::Open => &["sell", "end", "close"],
            Self::Ended => &["close"],
            Self::Closed => &["recount"],
            Self::Interrupted => &["recount"],
        }
    }

    /// `invalid_state`, saying what is possible instead.
    pub fn refusal(self) -> Refusal {
        let allowed = self.steps().iter().map(|step| (*step).to_owned()).collect();
        Refusal::InvalidState { state: self.name().to_owned(), allowed }
    }
}

/// Whether `caller` may act on `shift`: one's own, managers any.
///
/// # Errors
/// `insufficient_role`.
pub fn may_run(caller: &Caller, shift: &Shift) -> Result<(), Refusal> {
    let own = caller.role == Role::Cashier && caller.user_id == shift.opened_by;
    if own || caller.role.manages() { Ok(()) } else { Err(Refusal::InsufficientRole) }
}

/// Whether `caller` may sell in `shift`, and the shift still sells.
///
/// # Errors
/// `insufficient_role`, `invalid_state`.
pub fn may_sell(caller: &Caller, shift: &Shift) -> Result<(), Refusal> {
    may_run(caller, shift)?;
    if shift.state == ShiftState::Open { Ok(()) } else { Err(shift.state.refusal()) }
}
