//! Sums of sales, computed here from the file alone: none of the product's code takes part.

use crate::month::{Line, Sale};
use std::collections::BTreeMap;

/// `tax.default_rate_bp` of the stores that these commands start.
pub const TAX_RATE_BP: i64 = 1_100;

/// Sums of completed sales.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figures {
    /// Completed sales.
    pub sales: i64,
    /// Their lines.
    pub lines: i64,
    /// Pieces.
    pub pieces: i64,
    /// Σ qty × price.
    pub subtotal: i64,
    /// Σ discounts.
    pub discount: i64,
    /// Σ tax.
    pub tax: i64,
    /// Σ totals.
    pub total: i64,
    /// Lines at another price than the catalogue's.
    pub overrides: i64,
}

impl Figures {
    /// Both together.
    pub fn add(&mut self, other: &Self) {
        self.sales += other.sales;
        self.lines += other.lines;
        self.pieces += other.pieces;
        self.subtotal += other.subtotal;
        self.discount += other.discount;
        self.tax += other.tax;
        self.total += other.total;
        self.overrides += other.overrides;
    }

    /// What a line has to come to: tax on top, half up (arithmetic.md 1).
    pub fn of_line(line: &Line, list_prices: &BTreeMap<String, i64>) -> Self {
        let Line { sku, qty, price } = line;
        let gross = qty * price;
        let tax = half_up(gross, TAX_RATE_BP);
        let overrides = i64::from(list_prices.get(sku) != Some(price));
        let (subtotal, total) = (gross, gross + tax);
        Self { lines: 1, pieces: *qty, subtotal, tax, total, overrides, ..Self::default() }
    }

    /// What a sale has to come to: the sum of its lines, each rounded by itself.
    pub fn of(sale: &Sale, list_prices: &BTreeMap<String, i64>) -> Self {
        let mut sum = Self { sales: 1, ..Self::default() };
        for line in &sale.lines {
            sum.add(&Self::of_line(line, list_prices));
        }
        sum
    }
}

/// `amount` × `rate_bp` / 10,000, half up, for amounts that are not negative.
fn half_up(amount: i64, rate_bp: i64) -> i64 {
    (2 * amount * rate_bp + 10_000) / 20_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tax_is_rounded_line_by_line() {
        let line = |qty, price| Line { sku: "A".into(), qty, price };
        let sale = Sale { name: "1".into(), lines: vec![line(1, 5), line(1, 5), line(1, 5)] };
        let sum = Figures::of(&sale, &BTreeMap::from([("A".into(), 5)]));
        assert_eq!((sum.subtotal, sum.tax, sum.total, sum.overrides), (15, 3, 18, 0));
        let sale = Sale { name: "2".into(), lines: vec![line(3, 5)] };
        let sum = Figures::of(&sale, &BTreeMap::from([("A".into(), 6)]));
        assert_eq!((sum.tax, sum.total, sum.pieces, sum.overrides), (2, 17, 3, 1));
    }

    #[test]
    fn half_a_unit_goes_up() {
        assert_eq!(half_up(50, 1_100), 6);
        assert_eq!(half_up(4, 1_100), 0);
        assert_eq!(half_up(0, 1_100), 0);
    }
}
