//! The plan of a month: sales as they come, and returns of the sales that they belong to.

use crate::trade::month::{Invoice, Line, Month};
use std::collections::{BTreeMap, HashMap};

mod pay;
mod spend;

pub use pay::{Pay, Payment};
pub use spend::{given, spend};

/// A transaction and a return carry at most this many lines; longer invoices are split.
pub const LINES_MAX: usize = 500;

/// An invoice, or a part of a long one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sale {
    /// Invoice number, with the part behind a dash.
    pub name: String,
    pub customer: Option<String>,
    /// At most [`LINES_MAX`].
    pub lines: Vec<Line>,
    /// Payment of the sale.
    pub pay: Pay,
    /// Points that pay first, up to half of it.
    pub points: i64,
}

impl Sale {
    /// Payments for `total`.
    pub fn payments(&self, total: i64) -> Vec<Payment> {
        let points = self.points.min(total / 2);
        let first = (points > 0).then_some(Payment { method: "points", amount: points, tendered: points });
        first.into_iter().chain(self.pay.payments(total - points)).collect()
    }
}

/// Pieces that come back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackLine {
    /// Which, how many, at which price.
    pub line: Line,
    /// The line of the sale, 1-based; `None` without a receipt.
    pub sold_line: Option<usize>,
}

/// The part of a cancellation that is returned together: for one sale, or without one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Back {
    /// Number of the cancellation, with the part behind a dash.
    pub name: String,
    /// The step of the sale; `None` without a receipt.
    pub sale: Option<usize>,
    /// The step of the return before it to the same sale: pieces come back in this order.
    pub after: Option<usize>,
    /// At most [`LINES_MAX`].
    pub lines: Vec<BackLine>,
}

/// One thing that a till does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Sale(Sale),
    Back(Back),
}

impl Step {
    /// Its name, here and in idempotency keys.
    pub fn name(&self) -> &str {
        match self {
            Self::Sale(sale) => &sale.name,
            Self::Back(back) => &back.name,
        }
    }
}

/// Pieces of a sold line that may still come back.
struct Left {
    step: usize,
    sold_line: usize,
    qty: i64,
}

/// Customer, product and price of a purchase.
type Bought<'a> = (Option<&'a str>, &'a str, i64);

/// The plan of a month in the making.
#[derive(Default)]
struct Planner<'a> {
    steps: Vec<Step>,
    left: HashMap<Bought<'a>, Vec<Left>>,
    sales: usize,
    /// The latest return to each sale.
    backs: HashMap<usize, usize>,
}

/// In the file's order: every step needs only earlier ones.
pub fn plan(month: &Month) -> Vec<Step> {
    let mut planner = Planner::default();
    for invoice in &month.invoices {
        if invoice.back { planner.back(invoice) } else { planner.sale(invoice) }
    }
    planner.steps
}

impl<'a> Planner<'a> {
    fn sale(&mut self, invoice: &'a Invoice) {
        for (part, lines) in invoice.lines.chunks(LINES_MAX).enumerate() {
            let step = self.steps.len();
            for (place, line) in lines.iter().enumerate() {
                let left = Left { step, sold_line: place + 1, qty: line.qty };
                self.left.entry(bought(invoice, line)).or_default().push(left);
            }
            self.steps.push(Step::Sale(Sale {
                name: format!("{}-{}", invoice.name, part + 1),
                customer: invoice.customer.clone(),
                lines: lines.to_vec(),
                pay: Pay::by_turns(self.sales),
                points: 0,
            }));
            self.sales += 1;
        }
    }

    /// One return for each sale with returned pieces, and one for pieces without a sale.
    fn back(&mut self, invoice: &'a Invoice) {
        let mut by_sale: BTreeMap<usize, Vec<BackLine>> = BTreeMap::new();
        let mut without = Vec::new();
        for line in &invoice.lines {
            match self.take(bought(invoice, line), line.qty) {
                Some((sale, sold_line)) => add(by_sale.entry(sale).or_default(), line, sold_line),
                None => without.push(BackLine { line: line.clone(), sold_line: None }),
            }
        }
        let mut parts: Vec<(Option<usize>, Vec<BackLine>)> =
            by_sale.into_iter().map(|(sale, lines)| (Some(sale), lines)).collect();
        parts.extend(without.chunks(LINES_MAX).map(|lines| (None, lines.to_vec())));
        for (part, (sale, lines)) in parts.into_iter().enumerate() {
            let after = sale.and_then(|sale| self.backs.insert(sale, self.steps.len()));
            let name = format!("{}-{}", invoice.name, part + 1);
            self.steps.push(Step::Back(Back { name, sale, after, lines }));
        }
    }

    /// The latest sale with this many pieces left, and the line that has them.
    fn take(&mut self, bought: Bought<'a>, qty: i64) -> Option<(usize, usize)> {
        let left = self.left.get_mut(&bought)?.iter_mut().rev().find(|left| left.qty >= qty)?;
        left.qty -= qty;
        Some((left.step, left.sold_line))
    }
}

fn bought<'a>(invoice: &'a Invoice, line: &'a Line) -> Bought<'a> {
    (invoice.customer.as_deref(), &line.sku, line.price)
}

/// A line of a sale is named once in a return.
fn add(lines: &mut Vec<BackLine>, line: &Line, sold_line: usize) {
    match lines.iter_mut().find(|there| there.sold_line == Some(sold_line)) {
        Some(there) => there.line.qty += line.qty,
        None => lines.push(BackLine { line: line.clone(), sold_line: Some(sold_line) }),
    }
}

#[cfg(test)]
mod tests;
