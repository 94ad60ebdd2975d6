//! Shifts: one person answers for one drawer on one business date; sums are kept while it runs.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{CashId, RegisterId, ShiftId, StoreId, TransactionId, UserId};
use crate::model::base::limits::{CASH_MAX, FIGURE_MAX, METHOD_BYTES_MAX};
use crate::model::base::refusal::Refusal;
use crate::model::base::settings::{Rules, Terms};
use crate::model::base::time::UtcMs;
use crate::model::books::register::Counters;
use crate::model::selling::transaction::Transaction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

mod totals;
pub use totals::Cash;

/// State of a shift.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShiftState {
    /// Open for sales.
    Open,
    /// Ended without a count: no more sales, and not counted yet.
    Ended,
    /// Counted and closed.
    Closed,
    /// Interrupted by a restore of the store while it was open. It can be read, but not be used to sell.
    Interrupted,
}

/// Payments and refunds by one payment method. A figure above 9,007,199,254,740,991 is null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct MethodTotals {
    /// Sum of amount + rounding of the accepted payments, in minor currency units.
    pub sales: Money,
    /// Sum of amount + rounding of the refunds, in minor currency units.
    pub refunds: Money,
    /// Number of accepted payments.
    pub sales_count: i64,
    /// Number of refunds.
    pub refunds_count: i64,
}

/// Sales and returns at one tax rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TaxTotals {
    /// The rate in basis points.
    pub tax_rate_bp: u32,
    /// Sum of the sold lines without tax, in minor currency units.
    pub base: Money,
    /// Tax of `base`, in minor currency units.
    pub tax: Money,
    /// Sum of the returned lines without tax, in minor currency units.
    pub returns_base: Money,
    /// Tax of `returns_base`, in minor currency units.
    pub returns_tax: Money,
}

/// Running sums of a shift; equal to the result of replaying its transactions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ShiftTotals {
    /// Number of completed sales.
    pub sales_count: i64,
    /// Number of pieces in the completed sales.
    pub items_count: Quantity,
    /// Sum of quantity × price of the sold lines, in minor currency units.
    pub gross_sales: Money,
    /// Sum of the discounts, in minor currency units.
    pub discounts: Money,
    /// Sum of the tax of the sales, in minor currency units.
    pub tax: Money,
    /// Sum of the totals.
    pub total: Money,
    /// Sum of the cash rounding of accepted payments: only the payment that completes a sale is rounded.
    pub rounding: Money,
    /// Number of returns.
    pub returns_count: i64,
    /// Sum of their refunds.
    pub returns_total: Money,
    /// Sum of the tax given back.
    pub returns_tax: Money,
    /// Sum of the cash rounding of their refunds.
    pub returns_rounding: Money,
    /// Number of voided sales.
    pub voids_count: i64,
    /// Sum of the totals of the voided sales, in minor currency units.
    pub voids_total: Money,
    /// Number of lines sold at another price than the catalogue's.
    pub price_overrides: i64,
    /// By payment method; cash counts here too.
    pub by_method: BTreeMap<String, MethodTotals>,
    /// By tax rate, the lowest first.
    pub by_tax: Vec<TaxTotals>,
    /// Cash paid into the drawer for other reasons than a sale, in minor currency units.
    pub pay_in: Money,
    /// Cash paid out of the drawer for costs.
    pub pay_out: Money,
    /// Cash moved from the drawer to the safe.
    pub drops: Money,
    /// First receipt number of the shift.
    pub first_receipt: Option<String>,
    /// Last receipt number of the shift.
    pub last_receipt: Option<String>,
}

/// A shift with its running sums.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shift {
    /// ID of the shift, `shf_…`.
    pub shift_id: ShiftId,
    /// Store of the shift.
    pub store_id: StoreId,
    /// Register where the shift was opened. Its Z number is of this register.
    pub register_id: RegisterId,
    /// Registers where the shift stands now, in order, if that is not `register_id` alone. Empty while it is suspended.
    #[serde(default)]
    pub moved_to: Option<Vec<RegisterId>>,
    /// Business date of the opening. All documents of the shift have this date.
    pub business_date: jiff::civil::Date,
    /// State of the shift.
    pub state: ShiftState,
    /// User who opened the shift.
    pub opened_by: UserId,
    /// When the shift was opened.
    pub opened_at: UtcMs,
    /// Cash in the drawer at the opening, in minor currency units.
    pub opening_float: Money,
    /// User who closed the shift.
    pub closed_by: Option<UserId>,
    /// When the shift was closed. Null if it is not closed.
    pub closed_at: Option<UtcMs>,
    /// Cash counted at close.
    pub counted_cash: Option<Money>,
    /// Expected cash at close.
    pub expected_cash: Option<Money>,
    /// Variance at close: counted − expected.
    pub variance: Option<Money>,
    /// Counted amounts of the other methods, by method.
    pub counts: BTreeMap<String, Money>,
    /// Notes and coins as they were counted.
    pub denominations: Vec<Denomination>,
    /// When the shift was ended without a count. Null if it was not.
    pub ended_at: Option<UtcMs>,
    /// User who approved its variance. Null if no approval was needed.
    pub approved_by: Option<UserId>,
    /// Later counts. The count at close is kept.
    pub recounts: Vec<Recount>,
    /// Cash movements that were reversed.
    pub reversed: BTreeSet<CashId>,
    /// Its Z number, one counter per register.
    pub z_no: Option<u64>,
    pub note: Option<String>,
    /// Terms with which the shift was opened, and which it keeps, if head office had set some. Null if the settings
    /// file's apply.
    #[serde(default)]
    pub terms: Option<Terms>,
    pub totals: ShiftTotals,
}

impl Shift {
    /// The rules that count in the shift, given the present ones.
    pub fn rules(&self, now: &Arc<Rules>) -> Arc<Rules> {
        self.terms.as_ref().map_or_else(|| Arc::clone(now), |terms| Arc::new(now.under(terms)))
    }

    /// Registers where the shift stands; none while it is suspended.
    pub fn registers(&self) -> &[RegisterId] {
        self.moved_to.as_deref().unwrap_or(std::slice::from_ref(&self.register_id))
    }

    /// Whether the shift stands at this register.
    pub fn stands_at(&self, register: &RegisterId) -> bool {
        self.registers().contains(register)
    }

    /// Whether several registers share the shift's drawer.
    pub fn is_shared(&self) -> bool {
        self.registers().len() > 1
    }
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

    /// `invalid_state`, with the possible steps.
    pub fn refusal(self) -> Refusal {
        let allowed = self.steps().iter().map(|step| (*step).to_owned()).collect();
        Refusal::InvalidState { state: self.name().to_owned(), allowed }
    }
}

/// A shift, the counters of its registers, and its unfinished transactions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShiftBook {
    /// The shift with its running sums.
    pub shift: Shift,
    /// The last numbers of the registers where it stands.
    pub counters: Vec<Counters>,
    /// The receipt series of the current epoch ([`crate::model::books::register::series`]).
    pub series: String,
    /// Its open and partially paid transactions.
    pub open: BTreeMap<TransactionId, Transaction>,
    /// Number of refused counts by users who must not see the expected cash. Its limit prevents that they find the cash
    /// out by trying. A restart begins at 0; the audit log has all attempts.
    pub blind_tries: u32,
}

/// Kind of a cash movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CashKind {
    /// Cash paid into the drawer for other reasons than a sale.
    PayIn,
    /// Cash paid out of the drawer for costs.
    PayOut,
    /// Cash moved from the drawer to the safe.
    Drop,
    /// The drawer was opened without moving cash.
    NoSale,
}

impl CashKind {
    /// The kind's name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::PayIn => "pay_in",
            Self::PayOut => "pay_out",
            Self::Drop => "drop",
            Self::NoSale => "no_sale",
        }
    }
}

/// Cash movement without a sale.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CashMovement {
    /// ID of the cash movement, `csh_…`.
    pub cash_id: CashId,
    /// Shift of the movement.
    pub shift_id: ShiftId,
    /// Register of the movement.
    pub register_id: RegisterId,
    /// Business date of the shift.
    pub business_date: jiff::civil::Date,
    /// Kind of the movement.
    #[serde(rename = "type")]
    pub kind: CashKind,
    /// Amount in minor currency units. Negative if it reverses another movement.
    pub amount: Money,
    /// Movement that this one reverses. Null for none.
    pub reverses: Option<CashId>,
    /// Reason given for the movement.
    pub reason: String,
    /// Reason code, from the shop's list of reasons. Null for none.
    pub reason_code: Option<String>,
    /// Number of the bag of a drop. Null for none.
    pub bag_no: Option<String>,
    /// User who recorded the movement.
    pub user_id: UserId,
    /// When the movement was recorded.
    pub at: UtcMs,
}

/// Number of notes or coins of one value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Denomination {
    /// Value of one note or coin in minor currency units.
    #[schemars(range(min = 1, max = CASH_MAX))]
    pub value: Money,
    /// Number of notes or coins.
    #[schemars(range(min = 0, max = FIGURE_MAX))]
    pub count: i64,
}

/// Counted amount of a payment method other than cash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MethodCount {
    /// Payment method: `card`, …
    #[schemars(length(min = 1, max = METHOD_BYTES_MAX))]
    pub method: String,
    /// Counted amount in minor currency units.
    #[schemars(range(min = 0, max = CASH_MAX))]
    pub amount: Money,
}

/// A recount of a closed shift.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recount {
    /// Counted cash of the previous count, in minor currency units.
    pub before: Money,
    /// Cash counted this time, in minor currency units.
    pub counted_cash: Money,
    /// Variance of this count: `counted_cash` less the expected cash, in minor currency units.
    pub variance: Money,
    /// Reason given for the count.
    pub reason: String,
    /// Business date of the difference: the shift's, or a later one if that day is sealed.
    pub business_date: jiff::civil::Date,
    /// User who recorded the count.
    pub user_id: UserId,
    /// When the shift was counted again.
    pub at: UtcMs,
}
