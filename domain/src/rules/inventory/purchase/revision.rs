//! Changes of an order that was sent.

use crate::model::base::fields::Fields;
use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::Sku;
use crate::model::base::limits::{ITEMS_MAX, PRICE_MAX, QTY_MAX};
use crate::model::base::money::{figure, half_up, product};
use crate::model::base::refusal::{FieldProblem, Refusal};
use crate::model::inventory::purchase::{OrderLine, PurchaseOrder};
use crate::rules::inventory::purchase::OrderStep;
use crate::rules::inventory::receiving::check_total;
use crate::rules::inventory::stock::average;
use jiff::civil::Date;
use std::collections::BTreeSet;

/// Text of the refusal of a line without a price.
pub const COST_NEEDED: &str = "is needed: the supplier's price list has no cost";

/// Line of a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisedLine {
    /// Number of the line. Null adds a line at the end.
    pub line_no: Option<u32>,
    /// SKU of the product.
    pub sku: Sku,
    pub qty: Quantity,
    /// Price per piece in minor currency units. Defaults to the price that the line has; for a new line or another
    /// product, to the supplier's price list.
    pub unit_cost: Option<Money>,
    /// Total cost of all pieces, in place of a price per piece.
    pub line_total: Option<Money>,
    /// Expected delivery date of this line. Null if it is the order's.
    pub expected_at: Option<Date>,
}

/// Cost of a line of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineCost {
    pub unit_cost: Money,
    /// Total cost of all pieces, if one was given.
    pub line_total: Option<Money>,
}

impl LineCost {
    /// Cost that a line states: its total, or its price per piece. `None` if it states neither.
    ///
    /// # Errors
    /// `validation_failed` for both, or a figure out of range.
    pub fn requested(
        place: usize,
        qty: Quantity,
        (unit_cost, line_total): (Option<Money>, Option<Money>),
    ) -> Result<Option<Self>, Refusal> {
        let mut fields = Fields::default();
        check_total(&mut fields, format!("lines[{place}].line_total"), (line_total, unit_cost));
        fields.done()?;
        Ok(match (line_total, unit_cost) {
            (Some(total), _) => {
                Some(Self { unit_cost: average(total, qty.max(Quantity::new(1))), line_total })
            }
            (None, Some(unit_cost)) => Some(Self::each(unit_cost)),
            (None, None) => None,
        })
    }

    /// A price per piece.
    pub fn each(unit_cost: Money) -> Self {
        Self { unit_cost, line_total: None }
    }

    /// Cost of a line whose quantity becomes `qty`, at its present price.
    fn of(line: &OrderLine, qty: Quantity) -> Self {
        let scaled = |total| half_up(product(total, qty), i128::from(line.qty.max(Quantity::new(1))));
        let line_total = line.line_total.map(|total| Money::saturating_from(scaled(total)));
        Self { unit_cost: line.unit_cost, line_total }
    }
}

/// Revision of an order that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// Number of the revision that it changes.
    pub revision: u32,
    /// All lines that are expected. An omitted line is closed.
    pub lines: Vec<RevisedLine>,
    /// Expected delivery date. Null if it does not change.
    pub expected_at: Option<Date>,
    /// Note in free text. Null if it does not change.
    pub note: Option<String>,
}

/// Checks that each line has its figures, and that no two have the same product at the same price.
///
/// # Errors
/// `validation_failed` with every line that is wrong.
pub fn check_lines<'a>(
    lines: impl ExactSizeIterator<Item = (&'a Sku, Quantity, Money)>,
) -> Result<(), Refusal> {
    if !(1..=ITEMS_MAX).contains(&lines.len()) {
        return Err(Refusal::field("lines", "must have 1 to 500 entries"));
    }
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    for (place, (sku, qty, unit_cost)) in lines.enumerate() {
        let mut problem = |field: &str, problem: &str| {
            let path = format!("lines[{place}].{field}");
            wrong.push(FieldProblem { path, problem: problem.to_owned() });
        };
        if !(1..=QTY_MAX).contains(&qty) {
            problem("qty", "must be 1 to 1000000");
        }
        if !(0..=PRICE_MAX).contains(&unit_cost) {
            problem("unit_cost", "must be 0 to 1000000000000");
        }
        if !seen.insert((sku, unit_cost)) {
            problem("sku", "must not be on another line at the same price");
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Refusal::ValidationFailed(wrong)) }
}

/// Sum of quantity × unit cost; for a closed line, of the received pieces.
///
/// # Errors
/// `validation_failed` for a figure above the largest.
pub fn order_total(lines: &[OrderLine]) -> Result<Money, Refusal> {
    let part = |line: &OrderLine| {
        let qty = if line.closed { line.received_qty.max(Quantity::ZERO) } else { line.qty };
        i128::from(line.value_of(qty))
    };
    figure("lines", lines.iter().map(part).fold(0_i128, i128::saturating_add))
}

impl PurchaseOrder {
    /// The order as it is after a revision; `listed` returns the price list's terms for a line. The caller checks
    /// whether its total needs an approval.
    ///
    /// # Errors
    /// `invalid_state`, also for another revision than the current one; `validation_failed`.
    pub fn revised(
        &self,
        asked: &Revision,
        listed: impl Fn(&RevisedLine) -> Option<Money>,
    ) -> Result<Self, Refusal> {
        OrderStep::Revise.check(self)?;
        if asked.revision != self.revision {
            let state = self.state.name().to_owned();
            return Err(Refusal::StaleRevision { state, revision: self.revision });
        }
        let cost = |(place, line): (usize, &RevisedLine)| {
            let cost = LineCost::requested(place, line.qty, (line.unit_cost, line.line_total))?;
            let cost = cost.or_else(|| self.cost_of(line)).or_else(|| listed(line).map(LineCost::each));
            cost.ok_or_else(|| Refusal::field(format!("lines[{place}].unit_cost"), COST_NEEDED))
        };
        let costs = asked.lines.iter().enumerate().map(cost).collect::<Result<Vec<_>, _>>()?;
        check_lines(
            asked.lines.iter().zip(&costs).map(|(line, cost)| (&line.sku, line.qty, cost.unit_cost)),
        )?;
        let mut order = self.clone();
        for line in &mut order.lines {
            line.closed = true;
        }
        let mut next_no = self.lines.iter().map(|line| line.line_no).max().unwrap_or(0);
        let mut named = BTreeSet::new();
        for (place, (line, cost)) in asked.lines.iter().zip(costs).enumerate() {
            match line.line_no {
                Some(line_no) if !named.insert(line_no) => {
                    return Err(Refusal::field(format!("lines[{place}].line_no"), "appears twice"));
                }
                Some(line_no) => order.revise_line((place, line_no), line, cost)?,
                None => {
                    next_no = next_no.saturating_add(1);
                    order.lines.push(added(next_no, line, cost));
                }
            }
        }
        if order.lines.len() > ITEMS_MAX {
            return Err(Refusal::field("lines", "must have at most 500 entries, closed lines included"));
        }
        order.total = order_total(&order.lines)?;
        order.expected_at = asked.expected_at.or(self.expected_at);
        order.note = asked.note.clone().or_else(|| self.note.clone());
        order.revision = self.revision.saturating_add(1);
        order.proposed = None;
        order.settle();
        Ok(order)
    }

    /// Cost of the revised line. `None` if it is new, or gets another product.
    fn cost_of(&self, asked: &RevisedLine) -> Option<LineCost> {
        let line = self.lines.iter().find(|line| Some(line.line_no) == asked.line_no);
        line.filter(|line| line.sku == asked.sku).map(|line| LineCost::of(line, asked.qty))
    }

    fn revise_line(
        &mut self,
        (place, line_no): (usize, u32),
        asked: &RevisedLine,
        cost: LineCost,
    ) -> Result<(), Refusal> {
        let at = |field: &str| format!("lines[{place}].{field}");
        let line = self.lines.iter_mut().find(|line| line.line_no == line_no);
        let line = line.ok_or_else(|| Refusal::field(at("line_no"), "is not a line of the order"))?;
        if asked.qty < line.received_qty {
            return Err(Refusal::field(
                at("qty"),
                format!("must be at least {}, the quantity already received", line.received_qty),
            ));
        }
        if line.received_qty != 0 && (asked.sku != line.sku || cost != LineCost::of(line, asked.qty)) {
            return Err(Refusal::field(at("sku"), "and the price can't change after something was received"));
        }
        line.closed = false;
        line.sku = asked.sku.clone();
        line.qty = asked.qty;
        (line.unit_cost, line.line_total) = (cost.unit_cost, cost.line_total);
        line.expected_at = asked.expected_at;
        Ok(())
    }
}

fn added(line_no: u32, line: &RevisedLine, cost: LineCost) -> OrderLine {
    OrderLine {
        line_no,
        sku: line.sku.clone(),
        qty: line.qty,
        unit_cost: cost.unit_cost,
        line_total: cost.line_total,
        expected_at: line.expected_at,
        ..OrderLine::default()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use crate::model::base::time::UtcMs;
    use crate::model::inventory::purchase::tests::order;
    use crate::model::inventory::purchase::{LineState, OrderState};

    fn line(line_no: Option<u32>, sku: &str, qty: i64, unit_cost: i64) -> RevisedLine {
        RevisedLine {
            line_no,
            sku: sku.into(),
            qty: qty.into(),
            unit_cost: Some(unit_cost.into()),
            line_total: None,
            expected_at: None,
        }
    }

    fn revision(revision: u32, lines: Vec<RevisedLine>) -> Revision {
        Revision { revision, lines, expected_at: None, note: None }
    }

    fn unlisted(_: &RevisedLine) -> Option<Money> {
        None
    }

    fn sent() -> PurchaseOrder {
        let mut order = order(&[("A", 10), ("B", 5)]);
        order.receive(&"A".into(), 4.into());
        order.settle();
        order
    }

    #[test]
    fn lines_are_changed_closed_and_added() {
        let lines = vec![line(Some(1), "A", 6, 10), line(None, "C", 3, 20)];
        let order = sent().revised(&revision(0, lines), unlisted).unwrap();
        assert_eq!(
            (order.revision, order.total, order.state),
            (1, 120.into(), OrderState::PartiallyReceived)
        );
        let lines: Vec<_> =
            order.lines.iter().map(|line| (line.line_no, line.qty.get(), line.state)).collect();
        assert_eq!(lines, [(1, 6, LineState::Partial), (2, 5, LineState::Closed), (3, 3, LineState::Open)]);
        let done = sent().revised(&revision(0, vec![line(Some(1), "A", 4, 10)]), unlisted).unwrap();
        assert_eq!((done.state, done.total), (OrderState::Received, 40.into()));
    }

    #[test]
    fn a_line_with_received_pieces_keeps_product_and_price() {
        for (lines, path) in [
            (vec![line(Some(1), "A", 3, 10)], "lines[0].qty"),
            (vec![line(Some(1), "A", 10, 11)], "lines[0].sku"),
            (vec![line(Some(1), "C", 10, 10)], "lines[0].sku"),
            (vec![line(Some(9), "A", 10, 10)], "lines[0].line_no"),
            (vec![line(Some(2), "B", 5, 10), line(Some(2), "B", 5, 11)], "lines[1].line_no"),
            (vec![line(None, "C", 1, 10), line(None, "C", 1, 10)], "lines[1].sku"),
            (vec![line(None, "C", 0, 10)], "lines[0].qty"),
            (vec![], "lines"),
        ] {
            let outcome = sent().revised(&revision(0, lines.clone()), unlisted);
            let Err(Refusal::ValidationFailed(wrong)) = outcome else { panic!("{lines:?}") };
            assert_eq!(wrong.first().unwrap().path, path);
        }
        let stale = sent().revised(&revision(7, vec![line(Some(1), "A", 10, 10)]), unlisted);
        let state = "partially_received".to_owned();
        assert_eq!(stale, Err(Refusal::StaleRevision { state, revision: 0 }));
    }

    #[test]
    fn a_total_is_kept_scaled_and_counted() {
        let mut before = order(&[("A", 12)]);
        let total = |line_no, qty, line_total| RevisedLine {
            unit_cost: None,
            line_total,
            ..line(line_no, "A", qty, 0)
        };
        let ordered = before
            .revised(&revision(0, vec![total(Some(1), 12, Some(Money::new(100_000)))]), unlisted)
            .unwrap();
        let cost = |order: &PurchaseOrder| {
            let line = order.lines.first().unwrap();
            (line.unit_cost, line.line_total, order.total)
        };
        assert_eq!(cost(&ordered), (8_333.into(), Some(100_000.into()), 100_000.into()));
        let shares: Vec<i64> =
            (0..=12).map(|n| ordered.lines.first().unwrap().value_of(n.into()).get()).collect();
        assert_eq!(
            (shares.get(1), shares.get(11), shares.get(12)),
            (Some(&8_333), Some(&91_666), Some(&100_000))
        );
        before = ordered;
        before.receive(&"A".into(), 6.into());
        before.settle();
        let more = before.revised(&revision(1, vec![total(Some(1), 24, None)]), unlisted).unwrap();
        assert_eq!(cost(&more), (8_333.into(), Some(200_000.into()), 200_000.into()));
        let dearer =
            before.revised(&revision(1, vec![total(Some(1), 24, Some(Money::new(200_001)))]), unlisted);
        assert!(matches!(dearer, Err(Refusal::ValidationFailed(_))), "some came already");
        let both = RevisedLine { unit_cost: Some(Money::new(1)), ..total(Some(1), 12, Some(Money::new(1))) };
        let Err(Refusal::ValidationFailed(wrong)) = before.revised(&revision(1, vec![both]), unlisted) else {
            panic!("a total beside a price per piece")
        };
        assert_eq!(wrong.first().unwrap().path, "lines[0].line_total");
    }

    #[test]
    fn a_price_that_is_left_out_is_the_lines_own_and_of_another_product_the_lists() {
        let unpriced = |line_no, sku| RevisedLine { unit_cost: None, ..line(line_no, sku, 6, 0) };
        let listed = |line: &RevisedLine| (line.sku.as_str() == "C").then_some(20.into());
        let lines = vec![unpriced(Some(1), "A"), unpriced(Some(2), "C"), line(None, "C", 1, 21)];
        let order = sent().revised(&revision(0, lines), listed).unwrap();
        let costs: Vec<Money> = order.lines.iter().map(|line| line.unit_cost).collect();
        assert_eq!((costs, order.total), ([10, 20, 21].map(Money::new).into(), (60 + 120 + 21).into()));
        for line in [unpriced(None, "A"), unpriced(Some(2), "D")] {
            let outcome = sent().revised(&revision(0, vec![line]), listed);
            let Err(Refusal::ValidationFailed(wrong)) = outcome else { panic!("{outcome:?}") };
            assert_eq!(wrong.first().unwrap().path, "lines[0].unit_cost");
        }
    }

    #[test]
    fn a_proposed_revision_counts_once_somebody_else_approves_it() {
        use crate::model::people::user::Role;
        use crate::rules::inventory::purchase::{Approval, Approver};
        let four_eyes = Approval { limit: Money::ZERO, four_eyes: true };
        let by = |by: &'static str| Approver { by, role: Role::HoPurchasing };
        let before =
            PurchaseOrder { total: Money::new(150), approved_total: Some(Money::new(150)), ..sent() };
        assert!(before.with_proposed(four_eyes, by("usr_3")).is_err(), "nothing is proposed");
        let unpriced = RevisedLine { unit_cost: None, ..line(None, "C", 7, 0) };
        let asked = revision(0, vec![line(Some(1), "A", 10, 10), line(Some(2), "B", 9, 10), unpriced]);
        let revised = before.revised(&asked, |_| Some(Money::new(3))).unwrap();
        let waiting = before.proposing(&asked, &revised, ("usr_2", "more", UtcMs(5)));
        assert_eq!((waiting.total, waiting.revision, &waiting.lines), (150.into(), 0, &before.lines));
        let proposed = waiting.proposed.clone().unwrap();
        assert_eq!(
            (proposed.total, proposed.lines.iter().map(|line| line.unit_cost).sum::<Money>()),
            (211.into(), 23.into())
        );
        for wrote in ["usr_1", "usr_2"] {
            let refused = waiting.with_proposed(four_eyes, by(wrote));
            assert_eq!(refused, Err(Refusal::OwnApproval), "{wrote}");
        }
        let order = waiting.with_proposed(four_eyes, by("usr_3")).unwrap();
        assert_eq!((order.total, order.revision, order.approved_total), (211.into(), 1, Some(211.into())));
        assert_eq!((order.approved_by.as_deref(), order.proposed), (Some("usr_3"), None));
        let mut refused = waiting;
        refused.reject(four_eyes, by("usr_2"), "after all not".to_owned()).unwrap();
        assert_eq!((refused.proposed, refused.state), (None, OrderState::PartiallyReceived));
    }
}
