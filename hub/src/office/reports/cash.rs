//! Cash of shifts: what was put in and taken out, what should have been there and what was counted.

use crate::office::reports::figure::sum;
use crate::office::reports::report::{DAY, Report, STORE, Source, group, text};

static DAYS: Source = Source {
    from: "cash_days d",
    dated: true,
    late: Some(("CASE WHEN d.counted <> 0 OR d.expected <> 0 THEN 1 ELSE 0 END", "d.counted - d.expected")),
    figures: &[
        sum("shifts", "SUM(d.shifts)"),
        sum("opening_float", "SUM(d.opening_float)"),
        sum("sales", "SUM(d.sales)"),
        sum("refunds", "SUM(d.refunds)"),
        sum("pay_in", "SUM(d.pay_in)"),
        sum("pay_out", "SUM(d.pay_out)"),
        sum("drops", "SUM(d.drops)"),
        sum("expected", "SUM(d.expected)"),
        sum("counted", "SUM(d.counted)"),
        sum("variance", "SUM(d.counted - d.expected)"),
        sum("recounts", "SUM(d.recounts)"),
        sum("deposited", "SUM(d.deposited)"),
    ],
};

/// `GET /api/reports/cash`
pub static CASH: Report = Report {
    name: "cash",
    groups: &[
        group!("day", [DAY], &DAYS, &DAYS),
        group!("store", [STORE], &DAYS, &DAYS),
        group!("register", [STORE, text("register_id", "d.register_id")], &DAYS, &DAYS),
        group!("cashier", [text("cashier_id", "d.cashier_id")], &DAYS, &DAYS),
        group!("shift", [STORE, text("shift_id", "d.shift_id")], &DAYS, &DAYS),
    ],
    chart: &["variance"],
};
