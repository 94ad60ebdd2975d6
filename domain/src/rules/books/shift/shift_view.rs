//! A shift and its summary as the interface shows them.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{RegisterId, ShiftId, StoreId, UserId};
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::books::shift::{Cash, MethodTotals, Recount, Shift, ShiftState, TaxTotals};
use crate::model::people::user::Role;
use crate::model::selling::payment::CASH;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// Whether a shift is still open after its business date has ended.
pub fn overdue(shift: &Shift, now: UtcMs, rules: &Rules) -> bool {
    !matches!(shift.state, ShiftState::Closed | ShiftState::Interrupted)
        && rules.business_date(now) > shift.business_date
}

/// A shift as the API shows it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Shift")]
pub struct ShiftView<'a> {
    /// ID of the shift, `shf_…`.
    shift_id: &'a ShiftId,
    /// Store of the shift.
    store_id: &'a StoreId,
    /// Register where the shift was opened.
    register_id: &'a RegisterId,
    /// Registers where the shift stands: several share its drawer, and none means that it is suspended.
    register_ids: &'a [RegisterId],
    /// Business date of the opening. All documents of the shift have this date.
    business_date: jiff::civil::Date,
    /// Whether the shift is still open after its business date has ended.
    overdue: bool,
    /// State of the shift.
    state: ShiftState,
    /// User who opened the shift.
    opened_by: &'a UserId,
    /// When the shift was opened.
    opened_at: UtcMs,
    /// Cash in the drawer at the opening, in minor currency units.
    opening_float: Money,
    /// User who closed the shift. Null until it is closed.
    closed_by: Option<&'a UserId>,
    /// When the shift was closed. Null until then.
    closed_at: Option<UtcMs>,
    /// Cash counted at the close, in minor currency units. Null until the shift is closed.
    counted_cash: Option<Money>,
    /// Cash expected in the drawer at the close, in minor currency units. Null until the shift is closed.
    expected_cash: Option<Money>,
    /// Variance at the close: `counted_cash` − `expected_cash`, in minor currency units. Null until the shift is
    /// closed.
    variance: Option<Money>,
    /// When the shift was ended without a count. Null if it was not.
    ended_at: Option<UtcMs>,
    /// User who approved its variance. Null if no approval was needed.
    approved_by: Option<&'a UserId>,
    /// Later counts. The count at close is kept.
    recounts: &'a [Recount],
    /// Z number, one counter per register. Null until the shift has one.
    z_no: Option<u64>,
    /// Note of the close, in free text. Null for none.
    note: Option<&'a str>,
}

/// A shift with its sums, by method and by drawer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ShiftSummary<'a> {
    /// The shift.
    shift: ShiftView<'a>,
    #[serde(flatten)]
    sums: ShiftSums<'a>,
}

/// A shift's sums, by method and by drawer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ShiftSums<'a> {
    /// Number of completed sales.
    sales_count: i64,
    /// Number of pieces in the completed sales.
    items_count: Quantity,
    /// Sum of quantity × price of the sold lines, in minor currency units.
    gross_sales: Money,
    /// Sum of the discounts, in minor currency units.
    discounts: Money,
    /// Sum of the tax of the sales, in minor currency units.
    tax: Money,
    /// Sum of the totals of the sales, without cash rounding, in minor currency units.
    total: Money,
    /// Sum of the cash rounding of the payments, in minor currency units. `by_method` contains it, `total` does not.
    rounding: Money,
    /// Net sales: `total` − `tax`, in minor currency units.
    net_sales: Money,
    /// Number of returns.
    returns_count: i64,
    /// Sum of the refunds, without cash rounding, in minor currency units.
    returns_total: Money,
    /// Sum of the tax of the returned lines, in minor currency units.
    returns_tax: Money,
    /// Sum of the cash rounding of the refunds, in minor currency units. `by_method` contains it, `returns_total` does
    /// not.
    returns_rounding: Money,
    /// Number of voided sales.
    voids_count: i64,
    /// Sum of the totals of the voided sales, in minor currency units.
    voids_total: Money,
    /// Number of lines sold at a price that differs from the catalogue's.
    price_overrides: i64,
    /// Totals by payment method. Null while they are hidden from the cashier until the shift is closed
    /// (`shifts.blind`).
    by_method: Option<Vec<MethodSummary<'a>>>,
    /// Sales and returns at each tax rate.
    by_tax: &'a [TaxTotals],
    /// Cash in the drawer. Null while it is hidden from the cashier until the shift is closed (`shifts.blind`).
    cash: Option<Cash>,
    /// First receipt number of the shift. Null if it has none.
    first_receipt: Option<&'a str>,
    /// Last receipt number of the shift. Null if it has none.
    last_receipt: Option<&'a str>,
}

/// Payments and refunds by one payment method, with the counted amount.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MethodSummary<'a> {
    /// Payment method: `cash`, `card`, …
    method: &'a str,
    /// Number of accepted payments.
    sales_count: i64,
    /// Sum of amount + rounding of the accepted payments, in minor currency units.
    sales: Money,
    /// Number of refunds.
    refunds_count: i64,
    /// Sum of amount + rounding of the refunds, in minor currency units.
    refunds: Money,
    /// Net amount: `sales` − `refunds`, in minor currency units.
    net: Money,
    /// Amount counted at the close, in minor currency units. Null if the method was not counted.
    counted: Option<Money>,
    /// Variance: `counted` less the expected amount, in minor currency units. Null if the method was not counted.
    variance: Option<Money>,
}

/// The shift as the interface shows it.
pub fn view(shift: &Shift, now: UtcMs, rules: &Rules) -> Value {
    serde_json::to_value(of(shift, now, rules)).unwrap_or_default()
}

fn of<'a>(shift: &'a Shift, now: UtcMs, rules: &Rules) -> ShiftView<'a> {
    ShiftView {
        shift_id: &shift.shift_id,
        store_id: &shift.store_id,
        register_id: &shift.register_id,
        register_ids: shift.registers(),
        business_date: shift.business_date,
        overdue: overdue(shift, now, rules),
        state: shift.state,
        opened_by: &shift.opened_by,
        opened_at: shift.opened_at,
        opening_float: shift.opening_float,
        closed_by: shift.closed_by.as_ref(),
        closed_at: shift.closed_at,
        counted_cash: shift.counted_cash,
        expected_cash: shift.expected_cash,
        variance: shift.variance,
        ended_at: shift.ended_at,
        approved_by: shift.approved_by.as_ref(),
        recounts: &shift.recounts,
        z_no: shift.z_no,
        note: shift.note.as_deref(),
    }
}

/// The shift with its sums, by method and by drawer.
pub fn summary(shift: &Shift, now: UtcMs, rules: &Rules) -> Value {
    let summary = ShiftSummary { shift: of(shift, now, rules), sums: sums(shift) };
    serde_json::to_value(summary).unwrap_or_default()
}

/// The sums as the shift's owner keeps them, nothing hidden.
pub fn sums(shift: &Shift) -> ShiftSums<'_> {
    let totals = &shift.totals;
    ShiftSums {
        sales_count: totals.sales_count,
        items_count: totals.items_count,
        gross_sales: totals.gross_sales,
        discounts: totals.discounts,
        tax: totals.tax,
        total: totals.total,
        rounding: totals.rounding,
        net_sales: totals.total.saturating_sub(totals.tax),
        returns_count: totals.returns_count,
        returns_total: totals.returns_total,
        returns_tax: totals.returns_tax,
        returns_rounding: totals.returns_rounding,
        voids_count: totals.voids_count,
        voids_total: totals.voids_total,
        price_overrides: totals.price_overrides,
        by_method: Some(by_method(shift)),
        by_tax: &totals.by_tax,
        cash: Some(Cash::of(shift)),
        first_receipt: totals.first_receipt.as_deref(),
        last_receipt: totals.last_receipt.as_deref(),
    }
}

/// Totals taken in, given back and counted, by payment method.
pub fn by_method(shift: &Shift) -> Vec<MethodSummary<'_>> {
    let used = shift.totals.by_method.keys().chain(shift.counts.keys());
    let methods: BTreeSet<&str> = used.map(String::as_str).chain([CASH]).collect();
    methods.into_iter().map(|method| of_method(shift, method)).collect()
}

fn of_method<'a>(shift: &Shift, method: &'a str) -> MethodSummary<'a> {
    let of = shift.totals.by_method.get(method).copied().unwrap_or_default();
    let MethodTotals { sales, refunds, sales_count, refunds_count } = of;
    let net = sales.saturating_sub(refunds);
    let (counted, variance) = if method == CASH {
        (shift.counted_cash, shift.variance)
    } else {
        let counted = shift.counts.get(method).copied();
        (counted, counted.map(|counted| counted.saturating_sub(net)))
    };
    MethodSummary { method, sales_count, sales, refunds_count, refunds, net, counted, variance }
}

/// Hides what a cashier must not know before the count, in a [`view`] or a [`summary`].
pub fn blind(mut shown: Value, shift: &Shift, role: Role, rules: &Rules) -> Value {
    if !rules.policy.blind || role.manages() || shift.state == ShiftState::Closed {
        return shown;
    }
    for path in ["/expected_cash", "/variance", "/shift/expected_cash", "/shift/variance", "/cash/expected"] {
        if let Some(figure) = shown.pointer_mut(path) {
            *figure = Value::Null;
        }
    }
    // The sums of each method reveal the same.
    for sums in ["/by_method", "/cash"] {
        if let Some(sums) = shown.pointer_mut(sums) {
            *sums = Value::Null;
        }
    }
    shown
}
