//! A completed sale in the model, with its returns piece by piece.

use super::book::{Basket, EARN_PER, Payment};

/// A line as it was sold, and which of its pieces were returned.
#[derive(Clone)]
pub struct SoldLine {
    pub sku: &'static str,
    pub qty: i64,
    pub price: i64,
    pub discount: i64,
    pub tax: i64,
    pub back: Vec<bool>,
}

/// Pieces: a line, and the index of a piece in it.
pub type Pieces = Vec<(usize, usize)>;

pub struct Sale {
    pub basket: Basket,
    pub lines: Vec<SoldLine>,
    /// Shift that the sale counts for.
    pub shift: String,
    /// Whether the remaining part of the sale would have earned points.
    pub earns: bool,
    pub earned: i64,
    pub voided: bool,
    /// Amounts paid and refunded by method, in order of use.
    pub paid: Vec<(&'static str, i64, i64)>,
    pub refunded: i64,
    pub reversed: i64,
    pub given: i64,
}

/// A return.
#[derive(Clone)]
pub struct Back {
    pub id: String,
    /// Index of the sale in the book.
    pub sale: usize,
    pub till: usize,
    pub shift: String,
    pub pieces: Pieces,
    pub tenders: Vec<Payment>,
    pub total: i64,
    pub reversed: i64,
    pub given: i64,
    pub voided: bool,
}

impl SoldLine {
    /// Returns the refund of the first `k` pieces, in whole amounts, so that all parts add up to the total.
    fn first(&self, k: i64) -> i64 {
        k * self.price - self.discount * k / self.qty + self.tax * k / self.qty
    }

    fn piece(&self, n: usize) -> i64 {
        self.first(n as i64 + 1) - self.first(n as i64)
    }
}

impl Sale {
    pub fn new(basket: Basket, shift: &str, earned: i64, earns: bool) -> Self {
        let mut paid: Vec<(&'static str, i64, i64)> = Vec::new();
        for &(method, amount) in &basket.payments {
            match paid.iter_mut().find(|(known, ..)| *known == method) {
                Some((_, sum, _)) => *sum += amount,
                None => paid.push((method, amount, 0)),
            }
        }
        let (lines, shift) = (basket.sold.clone(), shift.to_owned());
        let (voided, refunded, reversed, given) = (false, 0, 0, 0);
        Self { basket, lines, shift, earns, earned, voided, paid, refunded, reversed, given }
    }

    /// Returns the lowest pieces that have not been returned, or `None` if there are not enough.
    pub fn pieces(&self, asked: &[(usize, i64)]) -> Option<Pieces> {
        let mut pieces = Vec::new();
        for &(line, qty) in asked {
            let free = (0..self.lines[line].back.len()).filter(|&n| !self.lines[line].back[n]);
            let taken: Vec<_> = free.take(qty as usize).map(|n| (line, n)).collect();
            if (taken.len() as i64) < qty {
                return None;
            }
            pieces.extend(taken);
        }
        Some(pieces)
    }

    pub fn mark(&mut self, pieces: &Pieces, back: bool) {
        pieces.iter().for_each(|&(line, n)| self.lines[line].back[n] = back);
    }

    pub fn untouched(&self) -> bool {
        !self.lines.iter().any(|line| line.back.contains(&true))
    }

    /// Computes the refund of pieces: money by method, and points.
    pub fn give_back(&mut self, pieces: &Pieces) -> (i64, Vec<Payment>, i64, i64) {
        let total = pieces.iter().map(|&(line, n)| self.lines[line].piece(n)).sum();
        let tenders = self.tenders(total);
        self.mark(pieces, true);
        self.refunded += total;
        let by_points = self.basket.by_points();
        let left =
            self.basket.total - self.refunded - (by_points - by_points * self.refunded / self.basket.total);
        let kept = if self.earns { left / EARN_PER } else { 0 };
        let reversed = (self.earned - kept - self.reversed).max(0);
        let given =
            self.paid.iter().find(|(method, ..)| *method == "points").map_or(0, |row| row.2) - self.given;
        self.reversed += reversed;
        self.given += given;
        (total, tenders, reversed, given)
    }

    /// Splits the refund: points in proportion, then the other methods in order of use, cash last.
    fn tenders(&mut self, amount: i64) -> Vec<Payment> {
        let after = self.refunded + amount;
        let whole = self.basket.total;
        let (mut left, mut parts) = (amount, Vec::new());
        let rank = |method: &str| match method {
            "points" => 0,
            "cash" => 2,
            _ => 1,
        };
        for wanted in 0..3 {
            for (method, paid, back) in self.paid.iter_mut().filter(|(method, ..)| rank(method) == wanted) {
                let most = if wanted == 0 { *paid * after / whole - *back } else { *paid - *back };
                let part = most.min(left).max(0);
                *back += part;
                left -= part;
                parts.extend((part > 0).then_some((*method, part)));
            }
        }
        parts
    }

    /// Removes a return.
    pub fn forget(&mut self, back: &Back) {
        self.mark(&back.pieces, false);
        self.refunded -= back.total;
        self.reversed -= back.reversed;
        self.given -= back.given;
        for (method, amount) in &back.tenders {
            let row = self.paid.iter_mut().find(|(known, ..)| known == method);
            row.expect("a method that paid").2 -= amount;
        }
    }
}
