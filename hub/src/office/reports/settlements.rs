//! Payouts expected for each day of a store, and their settlement.

use crate::office::reports::figure::{Figure, count, nothing, sum};
use crate::office::reports::report::{DAY, Report, STORE, Source, group, text};

const EXPECTED: Figure = sum("expected", "SUM(d.expected)");
const MATCHED: Figure = sum("matched", "SUM(d.matched)");
const FEE: Figure = sum("fee", "SUM(d.fee)");
const NET: Figure = sum("net", "SUM(d.net)");
const OPEN: Figure = sum("open", "SUM(d.is_open)");
const CARRIED: Figure = sum("carried", "SUM(d.carried)");
const EXCEPTIONS: Figure = count("exceptions", "SUM(d.exceptions)");

/// Expected amounts of each day of a store by method, with fees and exceptions. A bag or a supplier's payment
/// that the bank reports settles no sale and is left out.
macro_rules! of_items {
    ($more:literal) => {
        concat!(
            "(SELECT store_id, settlement_date AS business_date, settlement_date AS entry_date, method, \
             amount AS expected, CASE WHEN state IN ('matched', 'posted') THEN amount ELSE 0 END AS matched, \
             CASE WHEN state = 'open' THEN amount ELSE 0 END AS is_open, \
             CASE WHEN state = 'open' AND carried_until IS NOT NULL THEN amount ELSE 0 END AS carried, \
             0 AS exceptions, 0 AS fee, 0 AS net, 0 AS approved FROM settlement_items WHERE kind IN ('payment', 'refund') \
             UNION ALL SELECT store_id, business_date, business_date, COALESCE(method, ''), 0, 0, 0, 0, 1, 0, 0, 0 \
             FROM settlement_exceptions WHERE state = 'open' AND store_id IS NOT NULL AND business_date IS NOT NULL \
             UNION ALL SELECT s.store_id, s.settlement_date, s.settlement_date, COALESCE(p.method, s.method, ''), \
             0, 0, 0, 0, 0, COALESCE(p.fee, s.fee), COALESCE(p.net, s.net), 0 FROM match_slices s \
             LEFT JOIN slice_methods p ON p.store_id = s.store_id AND p.settlement_date = s.settlement_date \
             AND p.match_id = s.match_id WHERE EXISTS (SELECT 1 FROM match_items m JOIN settlement_items i \
             ON i.store_id = m.store_id AND i.item_id = m.item_id WHERE m.match_id = s.match_id \
             AND i.kind IN ('payment', 'refund'))",
            $more,
            ") d"
        )
    };
}

/// Approved are whole days: it is of no method.
static METHODS: Source = Source {
    from: of_items!(""),
    dated: true,
    late: None,
    figures: &[EXPECTED, MATCHED, FEE, NET, OPEN, CARRIED, EXCEPTIONS, nothing("approved")],
};
static DAYS: Source = Source {
    from: of_items!(
        " UNION ALL SELECT store_id, business_date, business_date, '', 0, 0, 0, 0, 0, 0, 0, 1 \
         FROM settlements WHERE state = 'approved'"
    ),
    dated: true,
    late: None,
    figures: &[EXPECTED, MATCHED, FEE, NET, OPEN, CARRIED, EXCEPTIONS, count("approved", "SUM(d.approved)")],
};

/// `GET /api/reports/settlements`
pub static SETTLEMENTS: Report = Report {
    name: "settlements",
    groups: &[
        group!("day", [DAY], &DAYS, &DAYS),
        group!("store", [STORE], &DAYS, &DAYS),
        group!("method", [text("method", "d.method")], &METHODS, &DAYS),
    ],
    chart: &["expected", "matched"],
};
