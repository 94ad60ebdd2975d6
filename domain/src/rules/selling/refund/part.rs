//! The returned part of one line: part(k) = f(all so far) − f(all before).

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::money::{product, share};
use crate::model::base::refusal::Refusal;
use crate::model::selling::transaction::Line;

/// A line as it was sold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SoldLine {
    /// Pieces, at least 1.
    pub qty: Quantity,
    /// Unit price in minor currency units.
    pub price: Money,
    /// Sum of the discounts, the basket's share included.
    pub discount: Money,
    /// Tax on, or contained in, the line's net.
    pub tax: Money,
    /// Whether the price contained the tax.
    pub contained: bool,
}

/// Amounts that some pieces of a line give back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RefundPart {
    /// Pieces × price.
    pub gross: Money,
    /// Their part of the discount.
    pub discount: Money,
    /// Their part of the tax.
    pub tax: Money,
    /// gross − discount + tax (contained: without + tax).
    pub refund: Money,
}

impl RefundPart {
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            gross: self.gross.saturating_add(other.gross),
            discount: self.discount.saturating_add(other.discount),
            tax: self.tax.saturating_add(other.tax),
            refund: self.refund.saturating_add(other.refund),
        }
    }
}

impl SoldLine {
    /// The line of a sale.
    pub fn of(line: &Line, contained: bool) -> Self {
        let Line { qty, price, discount, tax, .. } = *line;
        Self { qty, price, discount, tax, contained }
    }

    /// Amounts that `qty` more pieces give back after `returned` came back before.
    ///
    /// # Errors
    /// `return_exceeds_sold`.
    pub fn part(&self, returned: Quantity, qty: Quantity) -> Result<RefundPart, Refusal> {
        let after = returned.saturating_add(qty);
        if qty < 0 || returned < 0 || after > self.qty {
            return Err(Refusal::ReturnExceedsSold(Vec::new()));
        }
        let (before, after) = (self.back(returned), self.back(after));
        Ok(RefundPart {
            gross: after.gross.saturating_sub(before.gross),
            discount: after.discount.saturating_sub(before.discount),
            tax: after.tax.saturating_sub(before.tax),
            refund: after.refund.saturating_sub(before.refund),
        })
    }

    /// Amounts that the first `k` pieces gave back in all. A sold line's figures are below 2^53.
    fn back(&self, k: Quantity) -> RefundPart {
        let part =
            |whole: Money| Money::try_from(share(whole, k, self.qty.max(Quantity::new(1)))).unwrap_or(whole);
        let gross = Money::saturating_from(product(k, self.price));
        let (discount, tax) = (part(self.discount), part(self.tax));
        let net = gross.saturating_sub(discount);
        let refund = if self.contained { net } else { net.saturating_add(tax) };
        RefundPart { gross, discount, tax, refund }
    }
}

/// The cost that comes back with `n` more of a line's `qty` pieces after `returned` did before.
pub fn cost_back(cost: Money, qty: Quantity, returned: Quantity, n: Quantity) -> Money {
    let back = |k: Quantity| Money::try_from(share(cost, k, qty.max(Quantity::new(1)))).unwrap_or(cost);
    back(returned.saturating_add(n)).saturating_sub(back(returned))
}
