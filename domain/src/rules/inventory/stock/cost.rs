//! Cost of goods: moving average, also with negative stock (docs/arithmetic.md#cost-of-stock).
//!
//! `q` on hand, `v` their value, `u` the last unit cost. Always: `v = 0` where `q = 0`, `v` is 0 or
//! has the sign of `q`, and Σ cost − Σ correction = `v`.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::money::{figure, half_up, product};
use crate::model::base::refusal::Refusal;
use crate::model::inventory::stock::{Movement, Stock};

/// Path reported when a figure leaves the range.
const PATH: &str = "stock";

/// Cost of goods that come in. Costs are not below zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Incoming {
    /// A price of their own: a receipt, a transfer, the opening stock.
    Priced(Money),
    /// The cost they left with: a return, a void, a cancelled transfer.
    Back(Money),
    /// No cost: found, counted, returned without a receipt.
    Found,
}

/// Effect of a movement on the books.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved {
    /// Signed cost of the moved pieces.
    pub cost: Money,
    /// Correction of the estimated cost of pieces that were sold below zero stock, booked to cost of goods now, in
    /// minor currency units.
    pub correction: Money,
}

impl Stock {
    /// `n` pieces (above 0) go out.
    ///
    /// # Errors
    /// `validation_failed` when quantity or value leaves the range of figures; nothing changed.
    pub fn take_out(&mut self, n: Quantity) -> Result<Moved, Refusal> {
        let (q, v) = (self.qty, i128::from(self.value));
        let u = self.unit_cost();
        let cost = if q <= 0 {
            product(n, u)
        } else if n < q {
            half_up(product(self.value, n), i128::from(q))
        } else {
            v.saturating_add(product(n.saturating_sub(q), u))
        };
        let qty = figure(PATH, i128::from(q).saturating_sub(i128::from(n)))?;
        let value = figure(PATH, v.saturating_sub(cost))?;
        let cost = figure(PATH, cost.saturating_neg())?;
        self.rest_at(qty, value, u);
        Ok(Moved { cost, correction: Money::ZERO })
    }

    /// `n` pieces (above 0) come in.
    ///
    /// # Errors
    /// `validation_failed` when quantity or value leaves the range of figures; nothing changed.
    pub fn take_in(&mut self, n: Quantity, incoming: Incoming) -> Result<Moved, Refusal> {
        let u = self.unit_cost();
        let gap = Gap::covered_by(self, n);
        let cost = match incoming {
            Incoming::Priced(cost) | Incoming::Back(cost) => i128::from(cost),
            Incoming::Found if self.qty > 0 => half_up(product(self.value, n), i128::from(self.qty)),
            Incoming::Found => gap.estimate.saturating_add(product(n.saturating_sub(gap.covered), u)),
        };
        let qty = figure(PATH, i128::from(self.qty).saturating_add(i128::from(n)))?;
        let plain = i128::from(self.value).saturating_add(cost);
        let correction = match incoming {
            Incoming::Found => 0,
            Incoming::Priced(_) => gap.correction(n, cost, qty, plain, false),
            Incoming::Back(_) => gap.correction(n, cost, qty, plain, true),
        };
        let value = figure(PATH, plain.saturating_sub(correction))?;
        let moved = Moved { cost: figure(PATH, cost)?, correction: figure(PATH, correction)? };
        let paid = matches!(incoming, Incoming::Priced(_));
        let unit = if paid { figure(PATH, half_up(cost, i128::from(n)))? } else { u };
        self.rest_at(qty, value, unit);
        Ok(moved)
    }

    /// Takes back a movement: the row gets what it gave, or gives what it got, in pieces and in value.
    ///
    /// If some of the pieces were sold meanwhile, the remaining value may not fit the remaining pieces: then the pieces
    /// that replace them correct it ([`Self::cut_excess`]).
    ///
    /// # Errors
    /// `validation_failed` when quantity or value leaves the range of figures; nothing changed.
    pub(crate) fn take_back(&mut self, n: Quantity, moved: Moved) -> Result<(Quantity, Moved), Refusal> {
        let qty = figure(PATH, i128::from(self.qty).saturating_sub(i128::from(n)))?;
        let change = i128::from(moved.cost).saturating_sub(i128::from(moved.correction));
        let value = figure(PATH, i128::from(self.value).saturating_sub(change))?;
        self.rest_at(qty, value, self.unit_cost());
        let (cost, correction) = (moved.cost.saturating_neg(), moved.correction.saturating_neg());
        Ok((n.saturating_neg(), Moved { cost, correction }))
    }

    /// Whether the value has the sign of the pieces, and is 0 if there are none.
    pub(crate) fn is_sound(&self) -> bool {
        self.value == 0 || (self.qty != 0 && (self.value > 0) == (self.qty > 0))
    }

    /// Takes out the value that can't be that of the pieces on hand: the cost of goods that were sold is corrected by it.
    /// 0 unless a movement was taken back.
    pub(crate) fn cut_excess(&mut self) -> Money {
        if self.is_sound() { Money::ZERO } else { std::mem::take(&mut self.value) }
    }

    /// The unit cost that pieces beyond the stock are estimated at.
    pub fn unit_cost(&self) -> Money {
        if self.qty > 0 { average(self.value, self.qty) } else { self.last_cost }
    }

    /// Value of `n` pieces at the average, to the unit: a share of the value, not pieces × a rounded cost.
    ///
    /// # Errors
    /// `validation_failed` for a figure above the largest.
    pub(crate) fn worth(&self, n: Quantity) -> Result<Money, Refusal> {
        let worth = if self.qty > 0 {
            half_up(product(self.value, n), i128::from(self.qty))
        } else {
            product(n, self.unit_cost())
        };
        figure(PATH, worth)
    }

    /// Moves as a movement of a recovered record says; `paid`: incoming pieces had a price of their own.
    pub(crate) fn replay(&mut self, movement: &Movement, paid: bool) {
        let value = movement.cost.saturating_sub(movement.correction);
        let (qty, value) = (self.qty.saturating_add(movement.qty), self.value.saturating_add(value));
        let unit =
            if paid && movement.qty > 0 { average(movement.cost, movement.qty) } else { self.unit_cost() };
        self.rest_at(qty, value, unit);
        self.updated_at = self.updated_at.max(movement.at);
    }

    /// Takes the figures after a movement; above zero the average is the last unit cost.
    fn rest_at(&mut self, qty: Quantity, value: Money, unit: Money) {
        (self.qty, self.value) = (qty, value);
        self.moves = self.moves.saturating_add(1);
        self.last_cost = if qty > 0 { average(value, qty) } else { unit };
    }
}

/// `half_up(value, qty)`: not above `value`, so it is a figure.
pub(crate) fn average(value: Money, qty: Quantity) -> Money {
    Money::try_from(half_up(value.into(), qty.into())).unwrap_or(value)
}

/// Pieces that left before they had arrived, and their estimated cost.
struct Gap {
    /// Number of pieces that an incoming movement covers.
    covered: Quantity,
    /// Amount at which those were estimated.
    estimate: i128,
}

impl Gap {
    fn covered_by(stock: &Stock, n: Quantity) -> Self {
        let short = stock.qty.saturating_neg().max(Quantity::ZERO);
        let covered = n.min(short);
        let whole = i128::from(stock.value).saturating_neg();
        let estimate = match covered {
            Quantity::ZERO => 0,
            all if all == short => whole,
            part => half_up(whole.saturating_mul(i128::from(part)), i128::from(short)),
        };
        Self { covered, estimate }
    }

    /// True cost of the covered pieces less their estimate, unless it may stay in the stock: below
    /// one unit per piece, or goods that come back into stock that stays below zero.
    fn correction(&self, n: Quantity, cost: i128, qty: Quantity, plain: i128, back: bool) -> i128 {
        if self.covered == 0 {
            return 0;
        }
        let rest = i128::from(n.saturating_sub(self.covered));
        let covered_cost = cost.saturating_sub(half_up(cost.saturating_mul(rest), i128::from(n)));
        let correction = covered_cost.saturating_sub(self.estimate);
        let dust = correction.saturating_abs() < i128::from(self.covered);
        let fits = qty != 0 && (plain == 0 || (plain > 0) == (qty > 0));
        if fits && (dust || (back && qty < 0)) { 0 } else { correction }
    }
}
