//! Stock at the end of a day in the books: that of now, without the days and the months after it.

use crate::office::reports::figure::{Figure, Figures, derived, sum};
use crate::office::reports::report::{Report, STORE, Source, group, text};
use domain::model::base::money::half_up;

/// `$1` is the day, `$2` the last one of its month.
macro_rules! stock {
    ($transit:literal) => {
        concat!(
            "(SELECT g.*, COALESCE(p.category, '') AS category FROM (\
             SELECT store_id, sku, qty, value, 0 AS damaged_qty, 0 AS damaged_value, 0 AS transit FROM stock \
             UNION ALL SELECT store_id, sku, 0, 0, qty, value, 0 FROM damaged \
             UNION ALL SELECT store_id, sku, -qty, -value, -damaged_qty, -damaged_value, 0 FROM stock_months \
             WHERE entry_month > SUBSTR($2, 1, 7) \
             UNION ALL SELECT store_id, sku, -qty, -value, -damaged_qty, -damaged_value, 0 FROM stock_days \
             WHERE entry_date > $1 AND entry_date <= $2",
            $transit,
            ") g LEFT JOIN products p ON p.sku = g.sku) d"
        )
    };
}

fn average_cost(row: &Figures<'_>) -> Option<i64> {
    let (pieces, value) = (row.get("on_hand"), row.get("value"));
    let average = half_up(i128::from(value), i128::from(pieces));
    i64::try_from(average).ok().filter(|_| pieces > 0)
}

const ON_HAND: Figure = sum("on_hand", "SUM(d.qty)");
const VALUE: Figure = sum("value", "SUM(d.value)");
const AVERAGE_COST: Figure = derived("average_cost", average_cost);
const DAMAGED: Figure = sum("damaged", "SUM(d.damaged_qty)");
const DAMAGED_VALUE: Figure = sum("damaged_value", "SUM(d.damaged_value)");

/// Goods on their way are in the book of their sender, without a product.
static STORES: Source = Source {
    from: stock!(
        " UNION ALL SELECT store_id, '', 0, 0, 0, 0, debit - credit FROM ledger_days \
         WHERE account = '1220' AND entry_date <= $1"
    ),
    dated: false,
    late: None,
    figures: &[
        ON_HAND,
        VALUE,
        AVERAGE_COST,
        sum("in_transit_value", "SUM(d.transit)"),
        DAMAGED,
        DAMAGED_VALUE,
    ],
};
static PRODUCTS: Source = Source {
    from: stock!(""),
    dated: false,
    late: None,
    figures: &[ON_HAND, VALUE, AVERAGE_COST, DAMAGED, DAMAGED_VALUE],
};

/// `GET /api/reports/stock`
pub static STOCK: Report = Report {
    name: "stock",
    groups: &[
        group!("store", [STORE], &STORES, &STORES),
        group!("sku", [text("sku", "d.sku")], &PRODUCTS, &STORES),
        group!("category", [text("category", "d.category")], &PRODUCTS, &STORES),
    ],
    chart: &["value"],
};
