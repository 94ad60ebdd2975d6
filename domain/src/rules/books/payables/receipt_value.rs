//! Open pieces of a receipt's line, and the value of a part of them.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::money::share;

/// Part of a receipt's line that is not billed and did not go back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenReceipt {
    pub qty: Quantity,
    /// Value of these pieces in 2020.
    pub value: Money,
}

/// A part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Part {
    pub qty: Quantity,
    /// Value that it takes out of 2020.
    pub value: Money,
}

impl OpenReceipt {
    /// Takes this many pieces, or all there are: the last ones take all that is open, others ⌊value × qty / open⌋.
    pub fn take(&mut self, qty: Quantity) -> Part {
        let qty = qty.clamp(Quantity::ZERO, self.qty.max(Quantity::ZERO));
        let value = if qty == self.qty {
            self.value
        } else {
            Money::try_from(share(self.value, qty, self.qty)).unwrap_or(self.value)
        };
        self.qty = self.qty.saturating_sub(qty);
        self.value = self.value.saturating_sub(value);
        Part { qty, value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vector Q6.
    #[test]
    fn the_last_part_takes_what_is_open() {
        for (qty, cost, parts, values) in [
            (3, 10_000, &[1, 1, 1][..], &[3333, 3333, 3334][..]),
            (96, 864_000, &[96][..], &[864_000][..]),
            (10, 5, &[4, 4, 4][..], &[2, 2, 1][..]),
            (0, 7, &[1][..], &[7][..]),
        ] {
            let mut open = OpenReceipt { qty: Quantity::new(qty), value: cost.into() };
            let taken: Vec<Money> = parts.iter().map(|part| open.take(Quantity::new(*part)).value).collect();
            assert_eq!(taken, values, "{qty} for {cost}");
            assert_eq!(open.value, 0);
        }
    }
}
