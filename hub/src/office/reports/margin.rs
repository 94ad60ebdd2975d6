//! Margin: revenue of goods less their cost, without tax and less returns.

use crate::office::reports::figure::{Figure, count, derived, sum};
use crate::office::reports::report::{
    CATEGORY, DAY, Report, STORE, Source, by_supplier, group, of_products, text,
};

const FIGURES: [Figure; 6] = [
    count("items_count", "SUM(d.items_count)"),
    sum("net_sales", "SUM(d.net_sales)"),
    sum("cost", "SUM(d.cost)"),
    sum("correction", "SUM(d.correction)"),
    sum("margin", "SUM(d.net_sales - d.cost - d.correction)"),
    derived("margin_bp", |row| row.share_bp("margin", "net_sales")),
];

/// Sales and returns by category, and corrections of cost by their cause.
static CATEGORIES: Source = Source {
    from: "(SELECT store_id, business_date, entry_date, category, items_count, \
           total - tax - (refund - refund_tax) AS net_sales, cost - refund_cost AS cost, 0 AS correction, \
           sales_count + returns_count AS documents FROM sales_categories \
           UNION ALL SELECT s.store_id, s.business_date, s.entry_date, COALESCE(p.category, ''), 0, 0, 0, \
           s.correction, 0 FROM stock_days s LEFT JOIN products p ON p.sku = s.sku WHERE s.correction <> 0) d",
    dated: true,
    late: Some(("d.documents", "d.net_sales - d.cost - d.correction")),
    figures: &FIGURES,
};

/// Figures by product.
macro_rules! margin {
    () => {
        concat!(
            "(SELECT store_id, sku, items_count, total - tax - (refund - refund_tax) AS net_sales, \
             cost - refund_cost AS cost, 0 AS correction FROM ",
            of_products!("items_count, total, tax, refund, refund_tax, cost, refund_cost"),
            " sold UNION ALL SELECT store_id, sku, 0, 0, 0, correction FROM stock_days \
             WHERE correction <> 0 AND {day} >= $1 AND {day} <= $2)"
        )
    };
}

static PRODUCTS: Source =
    Source { from: concat!(margin!(), " d"), dated: false, late: None, figures: &FIGURES };
/// Figures with the supplier that each product is ordered from.
static SUPPLIERS: Source =
    Source { from: by_supplier!(margin!()), dated: false, late: None, figures: &FIGURES };

/// `GET /api/reports/margin`
pub static MARGINS: Report = Report {
    name: "margin",
    groups: &[
        group!("day", [DAY], &CATEGORIES, &CATEGORIES),
        group!("store", [STORE], &CATEGORIES, &CATEGORIES),
        group!("sku", [text("sku", "d.sku")], &PRODUCTS, &CATEGORIES),
        group!("category", [CATEGORY], &CATEGORIES, &CATEGORIES),
        group!("supplier", [text("supplier_id", "d.supplier_id")], &SUPPLIERS, &CATEGORIES),
    ],
    chart: &["net_sales", "margin"],
};
