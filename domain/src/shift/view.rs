//! A shift and its summary as the interface shows them.

use super::{Cash, MethodTotals, Shift, ShiftState};
use crate::business_date::business_date;
use crate::payment::CASH;
use crate::settings::Rules;
use crate::time::UtcMs;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Whether a shift is still open after its business date has ended.
pub fn overdue(shift: &Shift, now: UtcMs, rules: &Rules) -> bool {
    !matches!(shift.state, ShiftState::Closed | ShiftState::Interrupted)
        && business_date(now, &rules.timezone, rules.day_start) > shift.business_date
}

/// The shift as the interface shows it.
pub fn view(shift: &Shift, now: UtcMs, rules: &Rules) -> Value {
    json!({
        "shift_id": shift.shift_id,
        "store_id": shift.store_id,
        "register_id": shift.register_id,
        "business_date": shift.business_date,
        "overdue": overdue(shift, now, rules),
        "state": shift.state,
        "opened_by": shift.opened_by,
        "opened_at": shift.opened_at,
        "opening_float": shift.opening_float,
        "closed_by": shift.closed_by,
        "closed_at": shift.closed_at,
        "counted_cash": shift.counted_cash,
        "expected_cash": shift.expected_cash,
        "variance": shift.variance,
        "z_no": shift.z_no,
        "note": shift.note,
    })
}

/// The shift with its sums, by method and by drawer.
pub fn summary(shift: &Shift, now: UtcMs, rules: &Rules) -> Value {
    let totals = &shift.totals;
    let cash = Cash::of(shift);
    let methods: BTreeSet<&str> =
        totals.by_method.keys().chain(shift.counts.keys()).map(String::as_str).chain([CASH]).collect();
    json!({
        "shift": view(shift, now, rules),
        "sales_count": totals.sales_count,
        "items_count": totals.items_count,
        "gross_sales": totals.gross_sales,
        "discounts": totals.discounts,
        "tax": totals.tax,
        "total": totals.total,
        "net_sales": totals.total.saturating_sub(totals.tax),
        "returns_count": totals.returns_count,
        "returns_total": totals.returns_total,
        "returns_tax": totals.returns_tax,
        "voids_count": totals.voids_count,
        "voids_total": totals.voids_total,
        "price_overrides": totals.price_overrides,
        "by_method": methods.into_iter().map(|method| by_method(shift, method)).collect::<Vec<_>>(),
        "cash": cash,
        "first_receipt": totals.first_receipt,
        "last_receipt": totals.last_receipt,
    })
}

fn by_method(shift: &Shift, method: &str) -> Value {
    let MethodTotals { sales, refunds } = shift.totals.by_method.get(method).copied().unwrap_or_default();
    let net = sales.saturating_sub(refunds);
    let (counted, variance) = if method == CASH {
        (shift.counted_cash, shift.variance)
    } else {
        let counted = shift.counts.get(method).copied();
        (counted, counted.map(|counted| counted.saturating_sub(net)))
    };
    json!({
        "method": method,
        "sales": sales,
        "refunds": refunds,
        "net": net,
        "counted": counted,
        "variance": variance,
    })
}
