//! Payments and refunds, by method, and their settlement; cash rounding is included.

use crate::office::reports::figure::{Figure, count, nothing, sum};
use crate::office::reports::report::{DAY, Report, STORE, Source, group, text};

const PAYMENTS_COUNT: Figure = count("payments_count", "SUM(d.payments_count)");
const SALES: Figure = sum("sales", "SUM(d.total + d.rounding)");
const REFUNDS: Figure = sum("refunds", "SUM(d.refunds + d.refunds_rounding)");
const NET: Figure = sum("net", "SUM(d.total + d.rounding - (d.refunds + d.refunds_rounding))");
const SETTLED: Figure = sum("settled", "SUM(d.settled)");
const OPEN: Figure = sum("open", "SUM(d.is_open)");
const LATE: Option<(&str, &str)> =
    Some(("d.payments_count + d.returns_count", "d.total + d.rounding - (d.refunds + d.refunds_rounding)"));

/// Payments, and the part that others have paid out since: posted, or still to come. Their fees are on the
/// day whose settlement has them.
static METHODS: Source = Source {
    from: "(SELECT store_id, business_date, entry_date, method, payments_count, total, rounding, returns_count, \
           refunds, refunds_rounding, 0 AS settled, 0 AS fees, 0 AS is_open FROM sales_methods \
           UNION ALL SELECT i.store_id, i.business_date, COALESCE(j.entry_date, i.business_date), i.method, \
           0, 0, 0, 0, 0, 0, CASE WHEN i.state = 'posted' THEN i.amount ELSE 0 END, 0, \
           CASE WHEN i.state IN ('open', 'matched') THEN i.amount ELSE 0 END \
           FROM settlement_items i LEFT JOIN journal j ON j.store_id = i.store_id AND j.cause_key = i.event_id \
           WHERE i.kind IN ('payment', 'refund') \
           UNION ALL SELECT s.store_id, s.settlement_date, s.settlement_date, COALESCE(m.method, s.method, ''), \
           0, 0, 0, 0, 0, 0, 0, COALESCE(m.fee, s.fee), 0 FROM match_slices s LEFT JOIN slice_methods m \
           ON m.store_id = s.store_id AND m.settlement_date = s.settlement_date AND m.match_id = s.match_id \
           WHERE s.posted = 1) d",
    dated: true,
    late: LATE,
    figures: &[PAYMENTS_COUNT, SALES, REFUNDS, NET, SETTLED, sum("fees", "SUM(d.fees)"), OPEN],
};
/// Payments by cashier. Settled amounts belong to no cashier.
static CASHIERS: Source = Source {
    from: "sales_methods d",
    dated: true,
    late: LATE,
    figures: &[PAYMENTS_COUNT, SALES, REFUNDS, NET, nothing("settled"), nothing("fees"), nothing("open")],
};

/// `GET /api/reports/payments`
pub static PAYMENTS: Report = Report {
    name: "payments",
    groups: &[
        group!("day", [DAY], &METHODS, &METHODS),
        group!("store", [STORE], &METHODS, &METHODS),
        group!("method", [text("method", "d.method")], &METHODS, &METHODS),
        group!("cashier", [text("cashier_id", "d.cashier_id")], &CASHIERS, &METHODS),
    ],
    chart: &["sales"],
};
