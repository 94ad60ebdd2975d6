//! Returns and voids of a paid sale: the row that they contend for.

use crate::model::base::figures::{Money, Points, Quantity};
use crate::model::base::ids::TransactionId;
use crate::model::people::points::LotPart;
use crate::model::selling::payment::Paid;
use crate::model::selling::returns::{Refund, Span, span};
use crate::model::selling::transaction::{Line, Transaction, TransactionState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Returned pieces of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineReturned {
    /// Line of the sale.
    pub line_no: u32,
    /// Returned pieces of the line.
    pub pieces: Vec<Span>,
}

impl LineReturned {
    /// Pieces of a line that came back in other stores, as the hub reported: the first pieces.
    fn elsewhere(line: &Line) -> Option<Self> {
        let pieces = vec![Span { start: 0, end: line.returned_qty.get() }];
        (line.returned_qty > 0).then_some(Self { line_no: line.line_no, pieces })
    }
}

/// A sale after its completion: returned per line, refunded per method. A sale without a row is as
/// it was sold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SaleAfter {
    pub transaction_id: TransactionId,
    /// Returned pieces, one entry per line with any.
    pub returned: Vec<LineReturned>,
    /// Sum of the refunds.
    pub refunded: Money,
    /// Amounts that each method paid and gave back, in the order of use.
    pub paid: Vec<Paid>,
    /// Earned points that returns took back.
    pub points_reversed: Points,
    /// Spent points that returns gave back.
    pub points_back: Points,
    /// Lots that its points payments took from and that are still out.
    pub points_lots: Vec<LotPart>,
    pub voided: bool,
}

impl SaleAfter {
    /// The row of a sale that nothing happened to yet.
    pub fn of(sale: &Transaction) -> Self {
        let mut paid: Vec<Paid> = Vec::new();
        for payment in sale.payments.iter().filter(|payment| payment.counts()) {
            let rounding = payment.rounding.saturating_add(payment.origin_rounding);
            match paid.iter_mut().find(|method| method.method == payment.settled_method()) {
                Some(method) => {
                    method.amount = method.amount.saturating_add(payment.amount);
                    method.rounding = method.rounding.saturating_add(rounding);
                }
                None => {
                    let method = payment.settled_method().to_owned();
                    paid.push(Paid { amount: payment.amount, rounding, ..Paid::nothing(method) });
                }
            }
        }
        Self {
            transaction_id: sale.transaction_id.clone(),
            returned: Vec::new(),
            refunded: Money::ZERO,
            paid,
            points_reversed: Points::ZERO,
            points_back: Points::ZERO,
            points_lots: sale.points_lots.clone(),
            voided: sale.state == TransactionState::Voided,
        }
    }

    /// Row of a sale that this store does not have, from the returns in the sale itself, as the hub reported them.
    pub fn from_sale(sale: &Transaction) -> Self {
        let returned = sale.items.iter().filter_map(LineReturned::elsewhere).collect();
        Self { returned, ..Self::of(sale) }
    }

    /// Pieces of a line that came back.
    pub fn returned(&self, line_no: u32) -> Quantity {
        let line = self.returned.iter().find(|line| line.line_no == line_no);
        line.map_or(Quantity::ZERO, |line| span::pieces(&line.pieces))
    }

    /// Returns `n` more pieces of a line of `qty`, or fewer if fewer are left.
    pub(crate) fn take(&mut self, line_no: u32, qty: Quantity, n: Quantity) -> Vec<Span> {
        if let Some(line) = self.returned.iter_mut().find(|line| line.line_no == line_no) {
            return span::take(&mut line.pieces, qty, n);
        }
        let mut pieces = Vec::new();
        let taken = span::take(&mut pieces, qty, n);
        if !taken.is_empty() {
            self.returned.push(LineReturned { line_no, pieces });
        }
        taken
    }

    /// Marks pieces of a line of `qty` as gone; for those that are gone already others, where any are left.
    pub(crate) fn mark(&mut self, line_no: u32, qty: Quantity, pieces: &[Span]) {
        let place = self.returned.iter().position(|line| line.line_no == line_no);
        let mut line = match place {
            Some(place) => self.returned.swap_remove(place),
            None => LineReturned { line_no, pieces: Vec::new() },
        };
        span::mark(&mut line.pieces, qty, pieces);
        if !line.pieces.is_empty() {
            self.returned.push(line);
        }
        self.returned.sort_by_key(|line| line.line_no);
    }

    /// Counts money that went back, also by a method that paid nothing.
    pub(crate) fn pay_back(&mut self, method: &str, amount: Money, rounding: Money) {
        match self.paid.iter_mut().find(|paid| paid.method == method) {
            Some(paid) => paid.count_refund(amount, rounding),
            None => {
                let mut paid = Paid::nothing(method.to_owned());
                paid.count_refund(amount, rounding);
                self.paid.push(paid);
            }
        }
    }

    /// Counts money out again: its return was voided.
    pub(crate) fn take_back_refund(&mut self, refund: &Refund) {
        if let Some(paid) = self.paid.iter_mut().find(|paid| paid.method == refund.method) {
            paid.count_refund(refund.amount.saturating_neg(), refund.rounding.saturating_neg());
        }
    }

    /// Frees pieces of a line: their return was voided.
    pub(crate) fn free(&mut self, line_no: u32, pieces: &[Span]) {
        if let Some(line) = self.returned.iter_mut().find(|line| line.line_no == line_no) {
            span::free(&mut line.pieces, pieces);
        }
        self.returned.retain(|line| !line.pieces.is_empty());
    }

    /// Points went back into the lots that they came from, the last taken first.
    pub(crate) fn gave_back(&mut self, points: Points) {
        let mut left = points;
        while left > 0 {
            let Some(part) = self.points_lots.last_mut() else { break };
            let back = part.points.min(left);
            left = left.saturating_sub(back);
            part.points = part.points.saturating_sub(back);
            if part.points == 0 {
                self.points_lots.pop();
            }
        }
    }

    /// Adds the later returns and voids to a sale as it was completed.
    pub fn show(&self, sale: &mut Transaction) {
        sale.refunded = self.refunded;
        for line in &mut sale.items {
            line.returned_qty = self.returned(line.line_no);
        }
    }
}
