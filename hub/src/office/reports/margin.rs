//! What goods brought beyond what they cost, without tax and less what came back.

use crate::office::reports::figure::{Figure, derived, sum};
use crate::office::reports::report::{DAY, Report, STORE, Source, by_supplier, group, text};

const FIGURES: [Figure; 6] = [
    sum("items_count", "SUM(d.items_count)"),
    sum("net_sales", "SUM(d.net_sales)"),
    sum("cost", "SUM(d.cost)"),
    sum("correction", "SUM(d.correction)"),
    sum("margin", "SUM(d.net_sales - d.cost - d.correction)"),
    derived("margin_bp", |row| row.share_bp("margin", "net_sales")),
];

/// Sales and returns by product, and corrections of cost by what brought them.
macro_rules! margin {
    () => {
        "(SELECT store_id, business_date, entry_date, sku, category, items_count, \
         total - tax - (refund - refund_tax) AS net_sales, cost - refund_cost AS cost, 0 AS correction, \
         sales_count + returns_count AS documents FROM sales_skus \
         UNION ALL SELECT s.store_id, s.business_date, s.entry_date, s.sku, COALESCE(p.category, ''), 0, 0, 0, \
         s.correction, 0 FROM stock_days s LEFT JOIN products p ON p.sku = s.sku WHERE s.correction <> 0)"
    };
}

static MARGIN: Source = Source {
    from: concat!(margin!(), " d"),
    dated: true,
    late: Some(("d.documents", "d.net_sales - d.cost - d.correction")),
    figures: &FIGURES,
};
/// The same with the supplier that each product is ordered from.
static SUPPLIERS: Source =
    Source { from: by_supplier!(margin!()), dated: true, late: None, figures: &FIGURES };

/// `GET /api/reports/margin`
pub static MARGINS: Report = Report {
    name: "margin",
    groups: &[
        group!("day", [DAY], &MARGIN, &MARGIN),
        group!("store", [STORE], &MARGIN, &MARGIN),
        group!("sku", [text("sku", "d.sku")], &MARGIN, &MARGIN),
        group!("category", [text("category", "d.category")], &MARGIN, &MARGIN),
        group!("supplier", [text("supplier_id", "d.supplier_id")], &SUPPLIERS, &MARGIN),
    ],
    chart: &["net_sales", "margin"],
};
