//! Value of goods on hand: moving average, also with negative stock, computed from docs/arithmetic.md#cost-of-stock
//! again, independently of the product.

/// Goods of one product.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StockValue {
    pub qty: i64,
    /// Their value.
    pub value: i64,
    /// Last cost of a piece.
    unit: i64,
}

/// Kinds of incoming goods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coming {
    /// Bought, at this total cost.
    Bought(i64),
    /// At the cost they left with.
    Back(i64),
    /// Without a cost of their own.
    Unpriced,
}

/// `a` / `b`, half up and mirrored below zero.
fn half_up(a: i128, b: i128) -> i64 {
    let rounded = (2 * a.abs() + b) / (2 * b);
    (a.signum() * rounded) as i64
}

/// `value` × `part` / `whole`, half up.
fn share(value: i64, part: i64, whole: i64) -> i64 {
    half_up(i128::from(value) * i128::from(part), i128::from(whole))
}

impl StockValue {
    /// `n` pieces leave; returns their cost.
    pub fn leave(&mut self, n: i64) -> i64 {
        if self.qty > 0 {
            self.unit = share(self.value, 1, self.qty);
        }
        let cost = match self.qty {
            q if n < q => share(self.value, n, q),
            q if n == q => self.value,
            q if q > 0 => self.value + (n - q) * self.unit,
            _ => n * self.unit,
        };
        self.value -= cost;
        self.qty -= n;
        if self.qty > 0 {
            self.unit = share(self.value, 1, self.qty);
        }
        cost
    }

    /// `n` pieces come; returns their cost, and the correction of pieces issued at an estimate while stock was
    /// negative.
    pub fn come(&mut self, n: i64, coming: Coming) -> (i64, i64) {
        let (short, estimate) = if self.qty < 0 { (-self.qty, -self.value) } else { (0, 0) };
        let covered = n.min(short);
        let of_covered = if covered == short { estimate } else { share(estimate, covered, short) };
        let cost = match coming {
            Coming::Bought(cost) | Coming::Back(cost) => cost,
            Coming::Unpriced if self.qty > 0 => share(self.value, n, self.qty),
            Coming::Unpriced => of_covered + (n - covered) * self.unit,
        };
        let real = if n == covered { cost } else { cost - share(cost, n - covered, n) };
        let mut correction = if covered > 0 { real - of_covered } else { 0 };
        let (qty, value) = (self.qty + n, self.value + cost);
        let fits = qty != 0 && (value == 0 || value.signum() == qty.signum());
        let dust = correction.abs() < covered;
        let back_below = matches!(coming, Coming::Back(_)) && qty < 0;
        if coming == Coming::Unpriced || (fits && (dust || back_below)) {
            correction = 0;
        }
        (self.qty, self.value) = (qty, value - correction);
        if self.qty > 0 {
            self.unit = share(self.value, 1, self.qty);
        } else if matches!(coming, Coming::Bought(_)) {
            self.unit = share(cost, 1, n);
        }
        (cost, correction)
    }
}

#[cfg(test)]
mod tests {
    use super::Coming::{Back, Bought, Unpriced};
    use super::*;

    /// A move, and (cost, correction, qty, value) after it.
    type Move = (i64, Option<Coming>, (i64, i64, i64, i64));

    fn walk(start: (i64, i64, i64), moves: &[Move]) {
        let mut stock = StockValue { qty: start.0, value: start.1, unit: start.2 };
        for (qty, coming, after) in moves {
            let (cost, correction) = match coming {
                Some(coming) => stock.come(*qty, *coming),
                None => (-stock.leave(-qty), 0),
            };
            assert_eq!((cost, correction, stock.qty, stock.value), *after, "{qty} {coming:?} from {start:?}");
        }
    }

    /// Vectors G1–G11 of docs/arithmetic.md#cost-of-stock, by their names.
    #[test]
    fn the_specification_s_moves_come_out() {
        let bought = |cost| Some(Bought(cost));
        let g1 = [(10, bought(10_000), (10_000, 0, 10, 10_000)), (-4, None, (-4_000, 0, 6, 6_000))];
        walk((0, 0, 0), &g1);
        walk(
            (6, 6_000, 1_000),
            &[(6, bought(7_200), (7_200, 0, 12, 13_200)), (-5, None, (-5_500, 0, 7, 7_700))],
        );
        let thirds = [
            (-1, None, (-3_333, 0, 2, 6_667)),
            (-1, None, (-3_334, 0, 1, 3_333)),
            (-1, None, (-3_333, 0, 0, 0)),
        ];
        walk((3, 10_000, 3_333), &thirds);
        let below = [(-7, None, (-7_000, 0, -5, -5_000)), (20, bought(24_000), (24_000, 1_000, 15, 18_000))];
        walk((2, 2_000, 1_000), &below);
        walk((0, 0, 0), &[(-5, None, (0, 0, -5, 0)), (20, bought(24_000), (24_000, 6_000, 15, 18_000))]);
        walk((7, 100, 14), &[(-20, None, (-282, 0, -13, -182)), (20, Some(Back(282)), (282, 0, 7, 100))]);
        let back = [(-2, None, (-2_000, 0, 8, 8_000)), (12, bought(18_000), (18_000, 0, 20, 26_000))];
        walk((10, 10_000, 1_000), &back);
        walk((20, 26_000, 1_300), &[(2, Some(Back(2_000)), (2_000, 0, 22, 28_000))]);
        walk((-3, -3_000, 1_000), &[(5, Some(Unpriced), (5_000, 0, 2, 2_000))]);
        walk((9, 9_000, 1_000), &[(1, bought(0), (0, 0, 10, 9_000))]);
    }
}
