//! What was paid and given back, by method; cash rounding is in it.

use crate::office::reports::figure::sum;
use crate::office::reports::report::{DAY, Report, STORE, Source, group, text};

static METHODS: Source = Source {
    from: "sales_methods d",
    dated: true,
    late: Some((
        "d.payments_count + d.returns_count",
        "d.total + d.rounding - (d.refunds + d.refunds_rounding)",
    )),
    figures: &[
        sum("payments_count", "SUM(d.payments_count)"),
        sum("sales", "SUM(d.total + d.rounding)"),
        sum("refunds", "SUM(d.refunds + d.refunds_rounding)"),
        sum("net", "SUM(d.total + d.rounding - (d.refunds + d.refunds_rounding))"),
    ],
};

/// `GET /api/reports/payments`
pub static PAYMENTS: Report = Report {
    name: "payments",
    groups: &[
        group!("day", [DAY], &METHODS, &METHODS),
        group!("store", [STORE], &METHODS, &METHODS),
        group!("method", [text("method", "d.method")], &METHODS, &METHODS),
        group!("cashier", [text("cashier_id", "d.cashier_id")], &METHODS, &METHODS),
    ],
    chart: &["sales"],
};
