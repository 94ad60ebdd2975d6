//! Stock at the end of a day in the books: the present stock, without the days and the months after it.

use crate::office::reports::figure::{Figures, count, derived_amount, sum};
use crate::office::reports::report::{CATEGORY, Report, STORE, Source, group, text};
use domain::model::base::money::half_up;

fn average_cost(row: &Figures<'_>) -> Option<i64> {
    let (pieces, value) = (row.get("on_hand"), row.get("value"));
    let average = half_up(i128::from(value), i128::from(pieces));
    i64::try_from(average).ok().filter(|_| pieces > 0)
}

/// `$1` is the day, `$2` the last one of its month. Goods on their way are in the book of their sender.
static GOODS: Source = Source {
    from: "(SELECT g.*, COALESCE(p.category, '') AS category FROM (\
           SELECT store_id, sku, qty, value, 0 AS damaged_qty, 0 AS damaged_value, 0 AS transit_qty, \
           0 AS transit_value FROM stock \
           UNION ALL SELECT store_id, sku, 0, 0, qty, value, 0, 0 FROM damaged \
           UNION ALL SELECT store_id, sku, -qty, -value, -damaged_qty, -damaged_value, 0, 0 FROM stock_months \
           WHERE entry_month > SUBSTR($2, 1, 7) \
           UNION ALL SELECT store_id, sku, -qty, -value, -damaged_qty, -damaged_value, 0, 0 FROM stock_days \
           WHERE entry_date > $1 AND entry_date <= $2 \
           UNION ALL SELECT store_id, sku, 0, 0, 0, 0, qty, value FROM transit \
           UNION ALL SELECT store_id, sku, 0, 0, 0, 0, -qty, -value FROM transit_days WHERE entry_date > $1\
           ) g LEFT JOIN products p ON p.sku = g.sku) d",
    dated: false,
    late: None,
    figures: &[
        count("on_hand", "SUM(d.qty)"),
        sum("value", "SUM(d.value)"),
        derived_amount("average_cost", average_cost),
        count("in_transit", "SUM(d.transit_qty)"),
        sum("in_transit_value", "SUM(d.transit_value)"),
        count("damaged", "SUM(d.damaged_qty)"),
        sum("damaged_value", "SUM(d.damaged_value)"),
    ],
};

/// `GET /api/reports/stock`
pub static STOCK: Report = Report {
    name: "stock",
    groups: &[
        group!("store", [STORE], &GOODS, &GOODS),
        group!("sku", [text("sku", "d.sku")], &GOODS, &GOODS),
        group!("category", [CATEGORY], &GOODS, &GOODS),
    ],
    chart: &["value"],
};
