//! Lost goods, by reason: a positive value is a loss, a negative one was found.

use crate::office::reports::figure::{Figure, count, derived, hidden, sum};
use crate::office::reports::report::{CATEGORY, DAY, Report, STORE, Source, group, text};

/// The value that was lost for a reason.
macro_rules! of_reason {
    ($reason:literal) => {
        sum($reason, concat!("SUM(CASE WHEN d.reason = '", $reason, "' THEN d.lost ELSE 0 END)"))
    };
}

const FIGURES: [Figure; 13] = [
    of_reason!("theft"),
    of_reason!("loss"),
    of_reason!("damaged"),
    of_reason!("expired"),
    of_reason!("sample"),
    of_reason!("count_difference"),
    of_reason!("correction"),
    of_reason!("found"),
    of_reason!("transfer_loss"),
    count("pieces", "SUM(d.pieces)"),
    sum("total", "SUM(d.lost)"),
    derived("sales_bp", |row| row.share_bp("total", "net_sales")),
    hidden("net_sales", "SUM(d.net_sales)"),
];

/// Losses in transit are those of the books: they have no other day.
static WHOLE: Source = Source {
    from: "(SELECT s.store_id, s.business_date, s.entry_date, s.sku, COALESCE(p.category, '') AS category, s.reason, \
           -(s.value + s.damaged_value) AS lost, -(s.qty + s.damaged_qty) AS pieces, 0 AS net_sales \
           FROM stock_days s LEFT JOIN products p ON p.sku = s.sku WHERE s.reason IN \
           ('theft', 'loss', 'damaged', 'expired', 'sample', 'count_difference', 'correction', 'found') \
           UNION ALL SELECT store_id, entry_date, entry_date, '', '', 'transfer_loss', debit - credit, 0, 0 \
           FROM ledger_days WHERE account = '5140' \
           UNION ALL SELECT store_id, business_date, entry_date, '', '', '', 0, 0, \
           total - tax - (returns_total - returns_tax) FROM sales_days) d",
    dated: true,
    late: Some(("CASE WHEN d.lost <> 0 THEN 1 ELSE 0 END", "d.lost")),
    figures: &FIGURES,
};
/// Products are not notified of losses on the way.
static PRODUCTS: Source = Source {
    from: "(SELECT s.store_id, s.business_date, s.entry_date, s.sku, COALESCE(p.category, '') AS category, s.reason, \
           -(s.value + s.damaged_value) AS lost, -(s.qty + s.damaged_qty) AS pieces, 0 AS net_sales \
           FROM stock_days s LEFT JOIN products p ON p.sku = s.sku WHERE s.reason IN \
           ('theft', 'loss', 'damaged', 'expired', 'sample', 'count_difference', 'correction', 'found') \
           UNION ALL SELECT store_id, business_date, entry_date, sku, category, '', 0, 0, \
           total - tax - (refund - refund_tax) FROM sales_skus) d",
    dated: true,
    late: None,
    figures: &FIGURES,
};

/// `GET /api/reports/shrinkage`
pub static SHRINKAGE: Report = Report {
    name: "shrinkage",
    groups: &[
        group!("day", [DAY], &WHOLE, &WHOLE),
        group!("store", [STORE], &WHOLE, &WHOLE),
        group!("sku", [text("sku", "d.sku")], &PRODUCTS, &WHOLE),
        group!("category", [CATEGORY], &PRODUCTS, &WHOLE),
        group!("reason", [text("reason", "d.reason")], &WHOLE, &WHOLE),
    ],
    chart: &["total"],
};
