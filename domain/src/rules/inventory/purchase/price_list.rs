//! The price list row that counts, and the supplier's terms that an order does not meet.

use crate::model::base::figures::{Money, Quantity};
use crate::model::inventory::purchase::{OrderLine, OrderWarning, OrderWarningCode};
use crate::model::inventory::supplier_price::SupplierPrice;
use jiff::civil::Date;
use std::cmp::Reverse;

/// The row of one supplier and product that counts for a quantity on a day: the highest `min_qty` that the quantity
/// reaches, then the latest `from`. A quantity below all of them gets the lowest one.
pub fn in_force<'a>(
    rows: impl IntoIterator<Item = &'a SupplierPrice>,
    qty: Quantity,
    day: Date,
) -> Option<&'a SupplierPrice> {
    let rank = |row: &&SupplierPrice| {
        let reached = row.min_qty <= qty;
        let near = if reached { row.min_qty } else { row.min_qty.saturating_neg() };
        (reached, near, row.from, Reverse(row.row_id.clone()))
    };
    rows.into_iter().filter(|row| row.counts_on(day)).max_by_key(rank)
}

/// The row by which a product is bought: the row of the supplier that any of its prices of that day prefers, else the
/// cheapest for that quantity, then the lower ID. `rows` are the product's rows, of active suppliers.
pub fn cheapest_supplier(rows: &[SupplierPrice], qty: Quantity, day: Date) -> Option<&SupplierPrice> {
    let mut suppliers: Vec<&str> = rows.iter().map(|row| row.supplier_id.as_str()).collect();
    suppliers.sort_unstable();
    suppliers.dedup();
    let of = |supplier: &str| in_force(rows.iter().filter(|row| row.supplier_id == supplier), qty, day);
    let found: Vec<&SupplierPrice> = suppliers.into_iter().filter_map(of).collect();
    let says_so = |row: &SupplierPrice| row.preferred && row.counts_on(day);
    let is_preferred = |supplier: &str| rows.iter().any(|row| row.supplier_id == supplier && says_so(row));
    let preferred = found.iter().copied().find(|row| is_preferred(&row.supplier_id));
    preferred.or_else(|| found.into_iter().min_by_key(|row| (row.unit_cost, row.supplier_id.clone())))
}

/// A supplier's terms for an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Terms {
    /// Least total that the supplier delivers, in minor currency units.
    pub min_order_total: Option<Money>,
}

/// Terms of the supplier that an order does not meet; `row` gives the row of the price list that counts for a line.
pub fn warnings<'a>(
    lines: &[OrderLine],
    total: Money,
    terms: Terms,
    row: impl Fn(&OrderLine) -> Option<&'a SupplierPrice>,
) -> Vec<OrderWarning> {
    let mut found = Vec::new();
    for line in lines.iter().filter(|line| !line.closed) {
        let Some(row) = row(line) else { continue };
        let mut warn = |code, expected| {
            found.push(OrderWarning { code, line_no: Some(line.line_no), expected });
        };
        if line.qty.checked_rem(row.pack_qty).is_some_and(|rest| rest != 0) {
            warn(OrderWarningCode::NotAPack, row.pack_qty.get());
        }
        if line.qty < row.min_qty {
            warn(OrderWarningCode::BelowMinQty, row.min_qty.get());
        }
    }
    if let Some(expected) = terms.min_order_total.filter(|least| total < *least) {
        found.push(OrderWarning {
            code: OrderWarningCode::BelowMinOrderTotal,
            line_no: None,
            expected: expected.get(),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use crate::model::base::time::UtcMs;
    use crate::model::inventory::supplier_price::SupplierPriceState;
    use jiff::civil::date;

    fn row(row_id: &str, supplier_id: &str, unit_cost: i64, min_qty: i64) -> SupplierPrice {
        SupplierPrice {
            row_id: row_id.to_owned(),
            supplier_id: supplier_id.to_owned(),
            sku: "A".into(),
            supplier_sku: None,
            unit_cost: unit_cost.into(),
            min_qty: min_qty.into(),
            pack_qty: Quantity::new(12),
            from: None,
            to: None,
            lead_time_days: None,
            preferred: false,
            state: SupplierPriceState::Active,
            updated_at: UtcMs(0),
        }
    }

    #[test]
    fn the_highest_quantity_that_is_reached_counts_then_the_latest_day() {
        let day = date(2026, 11, 20);
        let newer = SupplierPrice { from: Some(date(2026, 11, 15)), ..row("spp_3", "s", 85, 10) };
        let future = SupplierPrice { from: Some(date(2026, 12, 1)), ..row("spp_4", "s", 10, 10) };
        let ended = SupplierPrice { to: Some(date(2026, 11, 19)), ..row("spp_5", "s", 10, 10) };
        let off = SupplierPrice { state: SupplierPriceState::Inactive, ..row("spp_6", "s", 10, 10) };
        let rows = [row("spp_1", "s", 100, 5), row("spp_2", "s", 90, 10), newer, future, ended, off];
        for (qty, cost) in [(1, 100), (5, 100), (9, 100), (10, 85), (500, 85)] {
            assert_eq!(in_force(&rows, Quantity::new(qty), day).unwrap().unit_cost, cost, "{qty}");
        }
        assert_eq!(in_force(&[], Quantity::new(1), day), None);
    }

    #[test]
    fn the_preferred_supplier_sells_then_the_cheapest_then_the_lower_id() {
        let day = date(2026, 11, 20);
        let (one, many) = (Quantity::new(1), Quantity::new(100));
        let mut rows =
            vec![row("spp_1", "sup_b", 90, 1), row("spp_2", "sup_a", 90, 1), row("spp_3", "sup_c", 95, 1)];
        assert_eq!(cheapest_supplier(&rows, one, day).unwrap().supplier_id, "sup_a");
        rows.push(row("spp_4", "sup_c", 80, 100));
        assert_eq!(cheapest_supplier(&rows, many, day).unwrap().supplier_id, "sup_c");
        rows.push(SupplierPrice { preferred: true, ..row("spp_5", "sup_d", 200, 1) });
        assert_eq!(cheapest_supplier(&rows, many, day).unwrap().supplier_id, "sup_d");
        // Also by the price of a quantity that does not repeat the preference.
        rows.push(row("spp_6", "sup_d", 150, 50));
        assert_eq!(cheapest_supplier(&rows, many, day).unwrap().row_id, "spp_6");
        // An expired price prefers no supplier.
        for row in rows.iter_mut().filter(|row| row.preferred) {
            row.to = Some(date(2020, 1, 1));
        }
        assert_eq!(cheapest_supplier(&rows, one, day).unwrap().supplier_id, "sup_a");
    }

    #[test]
    fn missing_items_of_an_order_are_reported_and_refuse_nothing() {
        let price = row("spp_1", "s", 100, 24);
        let line = |line_no, qty| OrderLine { line_no, qty: Quantity::new(qty), ..OrderLine::default() };
        let lines = [line(1, 24), line(2, 13)];
        let found =
            warnings(&lines, Money::new(3_700), Terms { min_order_total: Some(Money::new(5_000)) }, |_| {
                Some(&price)
            });
        let listed: Vec<_> = found.iter().map(|one| (one.code, one.line_no, one.expected)).collect();
        assert_eq!(
            listed,
            [
                (OrderWarningCode::NotAPack, Some(2), 12),
                (OrderWarningCode::BelowMinQty, Some(2), 24),
                (OrderWarningCode::BelowMinOrderTotal, None, 5_000),
            ]
        );
        assert!(warnings(&lines, Money::new(5_000), Terms::default(), |_| None).is_empty());
    }
}
