//! The sales report: paid and not voided, by day, hour, store, till, cashier, product, category, method, tax rate or
//! promotion.

use crate::office::reports::figure::{Figure, count, nothing, sum};
use crate::office::reports::report::{
    CATEGORY, DAY, Key, KeyKind, Report, STORE, Source, group, of_products, text, text_or_null,
};
use domain::rules::books::report::FIGURES;

const OF_DOCUMENTS: [Figure; FIGURES.len()] = [
    count("sales_count", "SUM(d.sales_count)"),
    count("items_count", "SUM(d.items_count)"),
    sum("gross_sales", "SUM(d.gross)"),
    sum("discounts", "SUM(d.discount)"),
    sum("tax", "SUM(d.tax)"),
    sum("total", "SUM(d.total)"),
    sum("rounding", "SUM(d.rounding)"),
    count("returns_count", "SUM(d.returns_count)"),
    sum("returns_total", "SUM(d.returns_total)"),
    sum("returns_rounding", "SUM(d.returns_rounding)"),
    sum("net_total", "SUM(d.total - d.returns_total)"),
];
/// Whole documents, each once.
static WHOLE: Source = Source {
    from: "sales_days d",
    dated: true,
    late: Some(("d.sales_count + d.returns_count", "d.total - d.returns_total")),
    figures: &OF_DOCUMENTS,
};
static HOURS: Source = Source { from: "sales_hours d", dated: true, late: None, figures: &OF_DOCUMENTS };
static CASHIERS: Source =
    Source { from: "sales_cashiers d", dated: true, late: None, figures: &OF_DOCUMENTS };

/// Goods have no cash rounding.
const OF_GOODS: [Figure; FIGURES.len()] = [
    count("sales_count", "SUM(d.sales_count)"),
    count("items_count", "SUM(d.items_count)"),
    sum("gross_sales", "SUM(d.gross)"),
    sum("discounts", "SUM(d.discount)"),
    sum("tax", "SUM(d.tax)"),
    sum("total", "SUM(d.total)"),
    nothing("rounding"),
    count("returns_count", "SUM(d.returns_count)"),
    sum("returns_total", "SUM(d.refund)"),
    nothing("returns_rounding"),
    sum("net_total", "SUM(d.total - d.refund)"),
];
static SKUS: Source = Source {
    from: concat!(
        of_products!("sales_count, items_count, gross, discount, tax, total, returns_count, refund"),
        " d"
    ),
    dated: false,
    late: None,
    figures: &OF_GOODS,
};
static CATEGORIES: Source =
    Source { from: "sales_categories d", dated: true, late: None, figures: &OF_GOODS };
/// Money has no pieces and no tax.
static METHODS: Source = Source {
    from: "sales_methods d",
    dated: true,
    late: None,
    figures: &[
        count("sales_count", "SUM(d.sales_count)"),
        nothing("items_count"),
        nothing("gross_sales"),
        nothing("discounts"),
        nothing("tax"),
        sum("total", "SUM(d.total)"),
        sum("rounding", "SUM(d.rounding)"),
        count("returns_count", "SUM(d.returns_count)"),
        sum("returns_total", "SUM(d.refunds)"),
        sum("returns_rounding", "SUM(d.refunds_rounding)"),
        sum("net_total", "SUM(d.total - d.refunds)"),
    ],
};
static TAXES: Source = Source {
    from: "sales_taxes d",
    dated: true,
    late: Some(("d.sales_count + d.returns_count", "d.tax - d.returns_tax")),
    figures: &[
        sum("base", "SUM(d.base)"),
        sum("tax", "SUM(d.tax)"),
        sum("returns_base", "SUM(d.returns_base)"),
        sum("returns_tax", "SUM(d.returns_tax)"),
    ],
};
static PROMOTIONS: Source = Source {
    from: "sales_promotions d",
    dated: true,
    late: Some(("d.uses", "d.net_sales")),
    figures: &[
        count("uses", "SUM(d.uses)"),
        sum("discounts", "SUM(d.discount)"),
        sum("net_sales", "SUM(d.net_sales)"),
    ],
};

/// `GET /api/reports/sales`
pub static SALES: Report = Report {
    name: "sales",
    groups: &[
        group!("day", [DAY], &WHOLE, &WHOLE),
        group!("hour", [text("hour", "d.hour")], &HOURS, &WHOLE),
        group!("store", [STORE], &WHOLE, &WHOLE),
        group!("register", [STORE, text("register_id", "d.register_id")], &CASHIERS, &WHOLE),
        group!("cashier", [text("cashier_id", "d.cashier_id")], &CASHIERS, &WHOLE),
        group!("sku", [text("sku", "d.sku")], &SKUS, &WHOLE),
        group!("category", [CATEGORY], &CATEGORIES, &WHOLE),
        group!("method", [text("method", "d.method")], &METHODS, &WHOLE),
        group!(
            "tax",
            [
                text_or_null("tax_code", "NULLIF(d.tax_code, '')"),
                Key { name: "tax_rate_bp", sql: "d.tax_rate_bp", kind: KeyKind::Number }
            ],
            &TAXES,
            &TAXES
        ),
        group!(
            "promotion",
            [
                text("promotion_id", "d.promotion_id"),
                Key {
                    name: "name",
                    sql: "(SELECT p.document FROM promotions p WHERE p.promotion_id = d.promotion_id)",
                    kind: KeyKind::NameOf,
                }
            ],
            &PROMOTIONS,
            &PROMOTIONS
        ),
    ],
    chart: &["total", "net_total", "tax", "net_sales"],
};
