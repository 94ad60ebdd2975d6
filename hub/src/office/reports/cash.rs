//! Cash of shifts: pay-ins and pay-outs, the expected and the counted cash.

use crate::office::reports::figure::{Figure, count, nothing, sum};
use crate::office::reports::report::{DAY, Report, STORE, Source, group, text};

const SHIFTS: [Figure; 12] = [
    count("shifts", "SUM(d.shifts)"),
    sum("opening_float", "SUM(d.opening_float)"),
    sum("sales", "SUM(d.sales)"),
    sum("refunds", "SUM(d.refunds)"),
    sum("pay_in", "SUM(d.pay_in)"),
    sum("pay_out", "SUM(d.pay_out)"),
    sum("drops", "SUM(d.drops)"),
    sum("expected", "SUM(d.expected)"),
    sum("counted", "SUM(d.counted)"),
    sum("variance", "SUM(d.counted - d.expected)"),
    count("recounts", "SUM(d.recounts)"),
    sum("deposited", "SUM(d.deposited)"),
];
const LATE: Option<(&str, &str)> =
    Some(("CASE WHEN d.counted <> 0 OR d.expected <> 0 THEN 1 ELSE 0 END", "d.counted - d.expected"));

/// Cash of shifts as stores reported it, and of shifts that head office counted: their entries have the count
/// and the expected amount.
macro_rules! cash {
    () => {
        "cash_days UNION ALL SELECT j.store_id, s.business_date, j.entry_date, s.shift_id, s.register_id, s.opened_by, \
         0, 0, 0, 0, 0, 0, 0, COALESCE(l.credit - l.debit, 0), COALESCE(c.debit - c.credit, 0), 0, 0 \
         FROM exceptions x JOIN journal j ON j.store_id = x.store_id AND j.cause_key = x.exception_id || ':settle' \
         LEFT JOIN journal_lines l ON l.store_id = j.store_id AND l.entry_no = j.entry_no AND l.account = '1010' \
         LEFT JOIN journal_lines c ON c.store_id = j.store_id AND c.entry_no = j.entry_no AND c.account = '1020' \
         JOIN shifts s ON s.store_id = j.store_id AND s.shift_id = j.cause_id WHERE x.code = 'shift_interrupted'"
    };
}

/// A bag is a day's, not a till's: of shifts there is nothing banked.
static OF_SHIFTS: Source = Source {
    from: concat!("(SELECT * FROM ", cash!(), ") d"),
    dated: true,
    late: LATE,
    figures: &with_banked(nothing("banked")),
};
/// With the bank's count of the deposits of each day; a reversed deposit never arrived there.
static DAYS: Source = Source {
    from: concat!(
        "(SELECT c.*, 0 AS banked FROM (SELECT * FROM ",
        cash!(),
        ") c UNION ALL SELECT i.store_id, i.business_date, \
           COALESCE(j.entry_date, i.business_date), '', '', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, i.amount - p.difference \
           FROM settlement_items i LEFT JOIN journal j ON j.store_id = i.store_id AND j.cause_key = i.event_id \
           JOIN match_items p ON p.store_id = i.store_id AND p.item_id = i.item_id \
           JOIN settlement_matches m ON m.match_id = p.match_id AND m.rule <> 'contra' \
           WHERE i.kind = 'deposit' AND i.state IN ('matched', 'posted')) d"
    ),
    dated: true,
    late: LATE,
    figures: &with_banked(sum("banked", "SUM(d.banked)")),
};

/// The figures of shifts, and the part of their cash that the bank has.
const fn with_banked(banked: Figure) -> [Figure; 13] {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = SHIFTS;
    [a, b, c, d, e, f, g, h, i, j, k, l, banked]
}

/// `GET /api/reports/cash`
pub static CASH: Report = Report {
    name: "cash",
    groups: &[
        group!("day", [DAY], &DAYS, &DAYS),
        group!("store", [STORE], &DAYS, &DAYS),
        group!("register", [STORE, text("register_id", "d.register_id")], &OF_SHIFTS, &DAYS),
        group!("cashier", [text("cashier_id", "d.cashier_id")], &OF_SHIFTS, &DAYS),
        group!("shift", [STORE, text("shift_id", "d.shift_id")], &OF_SHIFTS, &DAYS),
    ],
    chart: &["variance"],
};
