//! A sale, and its returned part (docs/arithmetic.md#returns-and-refunds, docs/arithmetic.md#points).

use super::priced;
use crate::trade::figures::EARN_PER;
use crate::trade::plan::Sale;

struct SoldLine {
    qty: i64,
    price: i64,
    tax: i64,
    /// Pieces that came back so far.
    back: i64,
}

struct Paid {
    method: &'static str,
    amount: i64,
    refunded: i64,
}

/// A sale after its returns so far.
pub struct Sold {
    pub customer: Option<String>,
    /// Its total.
    pub total: i64,
    /// Its points, if nothing was returned.
    pub earned: i64,
    lines: Vec<SoldLine>,
    paid: Vec<Paid>,
    refunded: i64,
    reversed: i64,
}

impl Sold {
    /// A sale without returns.
    pub fn of(sale: &Sale) -> Self {
        let line = |line: &crate::trade::month::Line| {
            let (_, tax) = priced(line);
            SoldLine { qty: line.qty, price: line.price, tax, back: 0 }
        };
        let lines: Vec<SoldLine> = sale.lines.iter().map(line).collect();
        let total = lines.iter().map(|line| line.qty * line.price + line.tax).sum();
        let paid = |payment: crate::trade::plan::Payment| Paid {
            method: payment.method,
            amount: payment.amount,
            refunded: 0,
        };
        let mut sold = Self {
            customer: sale.customer.clone(),
            total,
            earned: 0,
            lines,
            paid: sale.payments(total).into_iter().map(paid).collect(),
            refunded: 0,
            reversed: 0,
        };
        sold.earned = sold.kept();
        sold
    }

    /// Amount of it that points paid.
    pub fn by_points(&self) -> i64 {
        self.paid.iter().filter(|paid| paid.method == "points").map(|paid| paid.amount).sum()
    }

    /// Returned points by now: in proportion to the refunds, rounded down once for all.
    fn points_back(&self) -> i64 {
        (i128::from(self.by_points()) * i128::from(self.refunded) / i128::from(self.total.max(1))) as i64
    }

    /// Points that the rest of the sale earns: on the remaining amount without the part paid with points.
    fn kept(&self) -> i64 {
        let left = self.total - self.refunded - (self.by_points() - self.points_back());
        if self.customer.is_some() { left / EARN_PER } else { 0 }
    }

    /// Gross and tax of the next `qty` pieces of a line: their amount, less what was returned before.
    pub fn part(&mut self, sold_line: usize, qty: i64) -> (i64, i64) {
        let Some(line) = sold_line.checked_sub(1).and_then(|place| self.lines.get_mut(place)) else {
            return (0, 0);
        };
        let so_far = |pieces: i64| (i128::from(line.tax) * i128::from(pieces) / i128::from(line.qty)) as i64;
        let tax = so_far(line.back + qty) - so_far(line.back);
        line.back += qty;
        (qty * line.price, tax)
    }

    /// Methods of a refund of `amount`: points in proportion; the rest in the order of payment, each up to its payment,
    /// cash last.
    pub fn refund(&mut self, amount: i64) -> Vec<(&'static str, i64)> {
        self.refunded += amount;
        let mut rest = amount;
        let mut parts = Vec::new();
        let points = self.points_back();
        for turn in ["points", "", "cash"] {
            let its_turn = |paid: &&mut Paid| match paid.method {
                "points" | "cash" => paid.method == turn,
                _ => turn.is_empty(),
            };
            for paid in self.paid.iter_mut().filter(its_turn) {
                let most = if turn == "points" { points } else { paid.amount };
                let part = rest.min(most - paid.refunded);
                paid.refunded += part;
                rest -= part;
                parts.push((paid.method, part));
            }
        }
        parts
    }

    /// Points that the rest of the sale would not have earned, and that were not taken back before.
    pub fn reverse(&mut self) -> i64 {
        let lost = self.earned - self.kept() - self.reversed;
        self.reversed += lost;
        lost
    }
}
