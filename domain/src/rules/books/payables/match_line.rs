//! Whether one line bills the received pieces, at the ordered price.

use crate::model::base::figures::{BasisPoints, Money, Quantity};
use crate::model::books::payables::MatchExceptionKind;

/// Greatest difference of a price from the order's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tolerance {
    /// Basis points of the order's price.
    pub bp: BasisPoints,
    /// Or this amount, if that is more.
    pub amount: Money,
}

impl Tolerance {
    /// The most that a piece may differ.
    pub fn allowed(self, order_cost: Money) -> Money {
        let part = self.bp.of(order_cost);
        Money::saturating_from(part).max(self.amount)
    }
}

/// Billed figures of a line, and those that are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BilledLine {
    /// The order's price per piece; without an order the receipt's.
    pub order_cost: Money,
    /// The invoice's price per piece.
    pub billed_cost: Money,
    /// Pieces of the invoice.
    pub billed_qty: Quantity,
    /// Pieces that came and are not billed.
    pub open_qty: Quantity,
}

/// Allowed and actual differences of a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineMatch {
    /// The most that a piece may differ.
    pub allowed: Money,
    /// In the order in which they are reported.
    pub exceptions: Vec<MatchExceptionKind>,
}

/// Compares quantity and price.
pub fn match_line(line: &BilledLine, tolerance: Tolerance) -> LineMatch {
    let allowed = tolerance.allowed(line.order_cost);
    let over = line.billed_cost.saturating_sub(line.order_cost);
    let quantity = match line.open_qty {
        open if open <= 0 => Some(MatchExceptionKind::NotReceived),
        open if line.billed_qty > open => Some(MatchExceptionKind::QtyOver),
        _ => None,
    };
    let price = if over > allowed {
        Some(MatchExceptionKind::PriceOver)
    } else if over.saturating_neg() > allowed {
        Some(MatchExceptionKind::PriceUnder)
    } else {
        None
    };
    LineMatch { allowed, exceptions: quantity.into_iter().chain(price).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use MatchExceptionKind::{NotReceived, PriceOver, PriceUnder, QtyOver};

    /// The vectors Q1 to Q5, and a price below the order's.
    #[test]
    fn quantity_and_price_are_compared_within_what_is_allowed() {
        for (note, order_cost, billed_cost, billed_qty, open_qty, (bp, amount), allowed, exceptions) in [
            ("Q1: within 2 %", 9000, 9180, 96, 96, (200, 0), 180, &[][..]),
            ("Q2: above 2 %", 9000, 9181, 96, 96, (200, 0), 180, &[PriceOver][..]),
            ("Q3: more than came", 9000, 9000, 100, 96, (200, 0), 180, &[QtyOver][..]),
            ("Q4: nothing came, and dearer", 9000, 9300, 10, 0, (200, 0), 180, &[NotReceived, PriceOver][..]),
            ("Q5: an amount beats a small percentage", 100, 105, 1, 1, (200, 5), 5, &[][..]),
            ("cheaper by what is allowed", 9000, 8820, 1, 1, (200, 0), 180, &[][..]),
            ("cheaper by more", 9000, 8819, 1, 1, (200, 0), 180, &[PriceUnder][..]),
        ] {
            let [billed_qty, open_qty] = [billed_qty, open_qty].map(Quantity::new);
            let line = BilledLine {
                order_cost: order_cost.into(),
                billed_cost: billed_cost.into(),
                billed_qty,
                open_qty,
            };
            let expected = LineMatch { allowed: allowed.into(), exceptions: exceptions.to_vec() };
            assert_eq!(
                match_line(&line, Tolerance { bp: BasisPoints::new(bp), amount: amount.into() }),
                expected,
                "{note}"
            );
        }
    }
}
