//! A sale, and how much of it came back (arithmetic.md 4 and 5).

use super::priced;
use crate::figures::EARN_PER;
use crate::plan::Sale;

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
    /// Who bought.
    pub customer: Option<String>,
    /// What it came to.
    pub total: i64,
    /// Points of it, nothing returned.
    pub earned: i64,
    lines: Vec<SoldLine>,
    paid: Vec<Paid>,
    refunded: i64,
    reversed: i64,
}

impl Sold {
    /// Nothing has come back.
    pub fn of(sale: &Sale) -> Self {
        let line = |line: &crate::month::Line| {
            let (_, tax) = priced(line);
            SoldLine { qty: line.qty, price: line.price, tax, back: 0 }
        };
        let lines: Vec<SoldLine> = sale.lines.iter().map(line).collect();
        let total = lines.iter().map(|line| line.qty * line.price + line.tax).sum();
        let paid = |payment: crate::plan::Payment| Paid {
            method: payment.method,
            amount: payment.amount,
            refunded: 0,
        };
        Self {
            customer: sale.customer.clone(),
            total,
            earned: if sale.customer.is_some() { total / EARN_PER } else { 0 },
            lines,
            paid: sale.pay.payments(total).into_iter().map(paid).collect(),
            refunded: 0,
            reversed: 0,
        }
    }

    /// Gross and tax of the next `qty` pieces of a line: what so many come to, less what came back before.
    pub fn part(&mut self, sold_line: usize, qty: i64) -> (i64, i64) {
        let Some(line) = sold_line.checked_sub(1).and_then(|place| self.lines.get_mut(place)) else {
            return (0, 0);
        };
        let so_far = |pieces: i64| (i128::from(line.tax) * i128::from(pieces) / i128::from(line.qty)) as i64;
        let tax = so_far(line.back + qty) - so_far(line.back);
        line.back += qty;
        (qty * line.price, tax)
    }

    /// How `amount` goes back: in the order of payment, each up to what it paid, cash last.
    pub fn refund(&mut self, amount: i64) -> Vec<(&'static str, i64)> {
        self.refunded += amount;
        let mut rest = amount;
        let mut parts = Vec::new();
        for cash in [false, true] {
            for paid in self.paid.iter_mut().filter(|paid| (paid.method == "cash") == cash) {
                let part = rest.min(paid.amount - paid.refunded);
                paid.refunded += part;
                rest -= part;
                parts.push((paid.method, part));
            }
        }
        parts
    }

    /// Points that the rest of the sale would not have earned, and that were not taken back before.
    pub fn reverse(&mut self) -> i64 {
        let kept = if self.customer.is_some() { (self.total - self.refunded) / EARN_PER } else { 0 };
        let lost = self.earned - kept - self.reversed;
        self.reversed += lost;
        lost
    }
}
