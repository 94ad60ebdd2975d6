//! Points of members that are still redeemable, at the end of each month in the books until a day.

use crate::office::reports::figure::{Figure, count, sum};
use crate::office::reports::report::{Report, Source, group, text};

/// Points and their value, by month; `$1` is the day.
macro_rules! moved {
    () => {
        "(SELECT SUBSTR(entry_date, 1, 7) AS month, points_earned AS earned, \
         points_redeemed - points_returned AS redeemed, points_reversed AS reversed, points_expired AS expired, \
         points_adjusted AS adjusted, points_earned - points_redeemed + points_returned - points_reversed \
         - points_expired + points_adjusted AS points, 0 AS value FROM member_days \
         WHERE entry_date <= $1 AND entry_date <= $2 AND (store_id = $3 OR $3 = '') \
         UNION ALL SELECT SUBSTR(entry_date, 1, 7), 0, 0, 0, 0, 0, 0, credit - debit FROM ledger_days \
         WHERE account = '2040' AND entry_date <= $1 AND (store_id = $3 OR $3 = '')) u"
    };
}

const FIGURES: [Figure; 7] = [
    count("points", "SUM(d.points)"),
    sum("value", "SUM(d.value)"),
    count("earned", "SUM(d.earned)"),
    count("redeemed", "SUM(d.redeemed)"),
    count("reversed", "SUM(d.reversed)"),
    count("expired", "SUM(d.expired)"),
    count("adjusted", "SUM(d.adjusted)"),
];

/// Points and value are those at the end of the month.
static MONTHS: Source = Source {
    from: concat!(
        "(SELECT $3 AS store_id, u.month, SUM(u.earned) AS earned, SUM(u.redeemed) AS redeemed, \
         SUM(u.reversed) AS reversed, SUM(u.expired) AS expired, SUM(u.adjusted) AS adjusted, \
         SUM(SUM(u.points)) OVER (ORDER BY u.month) AS points, \
         SUM(SUM(u.value)) OVER (ORDER BY u.month) AS value FROM ",
        moved!(),
        " GROUP BY u.month) d"
    ),
    dated: false,
    late: None,
    figures: &FIGURES,
};
static WHOLE: Source = Source {
    from: concat!("(SELECT $3 AS store_id, u.* FROM ", moved!(), ") d"),
    dated: false,
    late: None,
    figures: &FIGURES,
};

/// `GET /api/reports/points-liability`
pub static POINTS_LIABILITY: Report = Report {
    name: "points-liability",
    groups: &[group!("month", [text("month", "d.month")], &MONTHS, &WHOLE)],
    chart: &["value"],
};
