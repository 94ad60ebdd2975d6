//! Returns, whole and by product, category, method and tax rate.

use crate::projection::rollups::RollupRecord;
use crate::projection::rollups::cash;
use crate::projection::rollups::sale::Seen;
use crate::table::rollup::{
    RollupSums, SALES_CATEGORIES, SALES_METHODS, SALES_SKU_MONTHS, SALES_SKUS, SALES_TAXES,
};
use domain::model::selling::returns::{Return, ReturnLine};

/// Adds a return, or takes it off.
pub(super) fn fold(sums: &mut RollupSums, reported: &RollupRecord<'_>, back: &Return, sign: i64) {
    let part = |figure: i64| figure.saturating_mul(sign);
    let cashier = back.cashier_id.as_str();
    let figures = [
        ("returns_count", sign),
        ("returns_total", part(back.refund_total.get())),
        ("returns_tax", part(back.tax.get())),
        ("returns_rounding", part(back.rounding.get())),
    ];
    reported.add_whole(sums, (back.created_at, back.register_id.as_str(), cashier), figures);
    let mut seen = Seen::new(sign);
    for (position, item) in (0_i64..).zip(&back.items) {
        let tax_code = reported.stored.and_then(|stored| stored.tax_codes.get(&position));
        line(sums, reported, (item, tax_code.map_or("", String::as_str)), &mut seen);
    }
    for refund in &back.refunds {
        let figures = [
            ("returns_count", seen.once(SALES_METHODS.table, &refund.method)),
            ("refunds", part(refund.amount.get())),
            ("refunds_rounding", part(refund.rounding.get())),
        ];
        sums.add(&SALES_METHODS, reported.key([refund.method.as_str().into(), cashier.into()]), figures);
        let of = [back.shift_id.as_str(), back.register_id.as_str(), cashier];
        cash::refunded(
            sums,
            reported,
            of,
            (&refund.method, refund.amount.saturating_mul(sign), refund.rounding.saturating_mul(sign)),
        );
    }
}

fn line(
    sums: &mut RollupSums,
    reported: &RollupRecord<'_>,
    (line, tax_code): (&ReturnLine, &str),
    seen: &mut Seen,
) {
    let sign = seen.sign;
    let part = |figure: i64| figure.saturating_mul(sign);
    let figures = |count: i64| {
        [
            ("returns_count", count),
            ("returned_qty", part(line.qty.get())),
            ("refund", part(line.refund.get())),
            ("refund_tax", part(line.tax.get())),
            ("refund_cost", part(line.cost.get())),
        ]
    };
    let (sku, category) = (line.sku.as_str(), reported.category(&line.sku));
    let key = reported.key([sku.into(), category.into()]);
    let count = seen.once(SALES_SKUS.table, sku);
    sums.add(&SALES_SKUS, key, figures(count));
    sums.add(&SALES_SKU_MONTHS, reported.key_of_months([sku.into(), category.into()]), figures(count));
    let key = reported.key([category.into()]);
    sums.add(&SALES_CATEGORIES, key, figures(seen.once(SALES_CATEGORIES.table, category)));
    let rate = i64::from(line.tax_rate_bp);
    let figures = [
        ("returns_count", seen.once(SALES_TAXES.table, &format!("{tax_code} {rate}"))),
        ("returns_base", part(line.refund.saturating_sub(line.tax).get())),
        ("returns_tax", part(line.tax.get())),
    ];
    sums.add(&SALES_TAXES, reported.key([tax_code.into(), rate.into()]), figures);
}
