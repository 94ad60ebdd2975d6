//! The sold share of the stock and the receipts, by days in the books.

use crate::office::reports::figure::{Figure, Figures, count, derived, share_bp};
use crate::office::reports::report::{CATEGORY, Report, STORE, Source, by_supplier, group, text};
use domain::model::base::money::{half_up, product};

macro_rules! moved {
    () => {
        "(SELECT g.*, COALESCE(p.category, '') AS category FROM (\
         SELECT store_id, sku, '' AS reason, qty AS opening, qty AS closing, 0 AS moved FROM stock \
         UNION ALL SELECT store_id, sku, '', -qty, -qty, 0 FROM stock_days WHERE entry_date > $2 \
         UNION ALL SELECT store_id, sku, reason, -qty, 0, qty FROM stock_days \
         WHERE entry_date >= $1 AND entry_date <= $2) g LEFT JOIN products p ON p.sku = g.sku)"
    };
}

const FIGURES: [Figure; 8] = [
    count("opening_qty", "SUM(d.opening)"),
    count(
        "received_qty",
        "SUM(CASE WHEN d.reason IN ('receiving', 'receiving_reversal') THEN d.moved ELSE 0 END)",
    ),
    count("sold_qty", "SUM(CASE WHEN d.reason IN ('sale', 'sale_void') THEN -d.moved ELSE 0 END)"),
    count("returned_qty", "SUM(CASE WHEN d.reason IN ('return', 'return_void') THEN d.moved ELSE 0 END)"),
    count(
        "other_qty",
        "SUM(CASE WHEN d.reason NOT IN ('receiving', 'receiving_reversal', 'sale', 'sale_void', 'return', \
             'return_void') THEN d.moved ELSE 0 END)",
    ),
    count("closing_qty", "SUM(d.closing)"),
    derived("sell_through_bp", sell_through_bp),
    derived("days_of_stock", days_of_stock),
];

static MOVED: Source = Source { from: concat!(moved!(), " d"), dated: false, late: None, figures: &FIGURES };
/// Figures with the supplier that each product is ordered from.
static SUPPLIERS: Source =
    Source { from: by_supplier!(moved!()), dated: false, late: None, figures: &FIGURES };

fn sell_through_bp(row: &Figures<'_>) -> Option<i64> {
    let sold = row.get("sold_qty").saturating_sub(row.get("returned_qty"));
    share_bp(sold, row.get("opening_qty").saturating_add(row.get("received_qty")))
}

/// Days that the final stock lasts at the rate of sales in the range. `None` if none were sold.
fn days_of_stock(row: &Figures<'_>) -> Option<i64> {
    let sold = row.get("sold_qty").saturating_sub(row.get("returned_qty"));
    let left = row.get("closing_qty").max(0);
    let days = (sold > 0).then(|| half_up(product(left, row.days), i128::from(sold)));
    days.and_then(|days| i64::try_from(days).ok())
}

/// `GET /api/reports/sell-through`
pub static SELL_THROUGH: Report = Report {
    name: "sell-through",
    groups: &[
        group!("sku", [text("sku", "d.sku")], &MOVED, &MOVED),
        group!("category", [CATEGORY], &MOVED, &MOVED),
        group!("store", [STORE], &MOVED, &MOVED),
        group!("supplier", [text("supplier_id", "d.supplier_id")], &SUPPLIERS, &MOVED),
    ],
    chart: &["sold_qty"],
};
