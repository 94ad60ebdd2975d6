//! The three-way match: an invoice against the received and the ordered goods.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::Sku;
use crate::model::base::money::{half_up, product, spread};
use crate::model::books::payables::{InvoiceLine, MatchException, MatchExceptionKind as Kind, ReceiptRef};
use crate::rules::books::payables::{BilledLine, OpenReceipt, Tolerance, match_line};
use std::collections::BTreeMap;

/// A receipt's line, or the part of it that was received for one line of an order, with the data that matching needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiptLine {
    pub at: ReceiptRef,
    /// Supplier that delivered. `None` if none was recorded.
    pub supplier_id: Option<String>,
    /// Order of the goods. Null for none.
    pub po_id: Option<String>,
    pub po_line_no: Option<u32>,
    /// SKU of the product.
    pub sku: Sku,
    /// Part that is not billed and did not go back.
    pub open: OpenReceipt,
    /// Its price per piece.
    pub unit_cost: Money,
    /// The order's; `None` if it came without one.
    pub order_cost: Option<Money>,
    /// Total cost of this many pieces, if the order, or a receipt without an order, states a total: a price per piece
    /// is then too coarse to compare.
    pub total: Option<LineTotal>,
    /// Whether its cost was unknown at the receipt.
    pub cost_missing: bool,
}

/// Total cost of a number of pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineTotal {
    /// Total cost of the pieces.
    pub value: Money,
    pub qty: Quantity,
}

impl LineTotal {
    /// Cost of `n` of the pieces.
    fn of(self, n: Quantity) -> Money {
        let part = half_up(product(self.value, n), self.qty.max(Quantity::new(1)).into());
        Money::saturating_from(part)
    }
}

/// A person accepts an exception.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// Line number. Null for the whole invoice.
    pub line_no: Option<u32>,
    pub kind: Kind,
    /// Reason why the exception is accepted.
    pub reason: String,
    /// User who accepted it.
    pub by: String,
}

/// Data that an invoice is compared with.
#[derive(Debug, Clone, Copy)]
pub struct MatchContext<'a> {
    /// Supplier of the invoice.
    pub supplier_id: &'a str,
    /// Lines of receipts, the oldest first: those that the invoice names, and those of the orders and receipts that it
    /// names.
    pub receipts: &'a [ReceiptLine],
    /// Tolerance for differences of price.
    pub tolerance: Tolerance,
    /// Goods without an order stop an invoice.
    pub no_order_stops: bool,
    /// The supplier's usual rate, or `None` if none is set.
    pub usual_rate_bp: Option<u32>,
    /// Another invoice of the supplier has the same total within days.
    pub suspect: bool,
    /// Exceptions that are accepted now.
    pub accepted: &'a [Accepted],
    /// Exceptions that were found before: accepted ones stay accepted, and those raised by a person stay.
    pub before: &'a [MatchException],
}

/// Result of a match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Matched {
    /// The lines, laid on receipts.
    pub lines: Vec<InvoiceLine>,
    /// Differences from order and receipt.
    pub exceptions: Vec<MatchException>,
}

impl Matched {
    /// Cost of all exceptions of the invoice that are accepted, by any user at any time; 0 if nothing with a cost is
    /// accepted now.
    pub fn accepted_cost(&self, now: &[Accepted]) -> Money {
        let cost = |counts: &dyn Fn(&MatchException) -> bool| {
            let found = self.exceptions.iter().filter(|found| counts(found));
            found.map(|found| found.amount).sum::<Money>()
        };
        let is_new = |found: &MatchException| {
            now.iter().any(|one| one.line_no == found.line_no && one.kind == found.kind)
        };
        if cost(&is_new) == 0 { Money::ZERO } else { cost(&|found| found.accepted_by.is_some()) }
    }
}

/// Compares an invoice's lines with receipts and orders. It may be run again: the same lines give the same result.
pub fn three_way(lines: &[InvoiceLine], context: &MatchContext<'_>) -> Matched {
    let receipts = context.receipts.iter().map(|receipt| (receipt.part(), receipt.open.qty));
    let mut desk = Desk { context, open: receipts.collect(), found: Vec::new() };
    let mut laid = desk.lay(lines);
    // Pieces that lines name themselves come before the allocation of the rest: `lay` has left these aside.
    for line in &mut laid {
        desk.compare(line);
    }
    if context.suspect {
        desk.note(None, Kind::DuplicateSuspect, Figures::default());
    }
    let by_hand = context.before.iter().filter(|found| found.kind == Kind::ByHand);
    desk.found.extend(by_hand.cloned());
    let mut exceptions = desk.found;
    for found in &mut exceptions {
        context.accept(found);
    }
    Matched { lines: laid, exceptions }
}

/// A receipt's line, and the line of the order that this part of it came for.
type ReceiptPart = (ReceiptRef, Option<u32>);

impl ReceiptLine {
    fn part(&self) -> ReceiptPart {
        (self.at.clone(), self.po_line_no)
    }
}

impl MatchContext<'_> {
    /// The part of a receipt that a line names: by its line of the order, else the first.
    fn receipt(&self, line: &InvoiceLine) -> Option<&ReceiptLine> {
        let at = line.receipt()?;
        let mut parts = self.receipts.iter().filter(|receipt| receipt.at == at);
        let first = parts.clone().next();
        parts.find(|receipt| receipt.po_line_no == line.po_line_no).or(first)
    }

    /// Whether a line names a receipt with pieces for several lines of its order, and names no such line.
    fn is_of_several(&self, line: &InvoiceLine) -> bool {
        let parts = |at| self.receipts.iter().filter(|receipt| receipt.at == at).count();
        line.po_line_no.is_none() && line.receipt().is_some_and(|at| parts(at) > 1)
    }

    /// Applies an acceptance, from now or before. It holds for the amount that it was given for, and for less.
    fn accept(&self, found: &mut MatchException) {
        let now = self.accepted.iter().find(|one| one.line_no == found.line_no && one.kind == found.kind);
        if let Some(now) = now {
            found.reason = Some(now.reason.clone());
            found.accepted_by = Some(now.by.clone());
            return;
        }
        let before = self
            .before
            .iter()
            .find(|one| one.line_no == found.line_no && one.kind == found.kind && one.amount >= found.amount);
        if let Some(before) = before.filter(|before| before.accepted_by.is_some()) {
            found.reason.clone_from(&before.reason);
            found.accepted_by.clone_from(&before.accepted_by);
        }
    }

    fn stops(&self, kind: Kind) -> bool {
        match kind {
            Kind::QtyOver
            | Kind::NotReceived
            | Kind::PriceOver
            | Kind::WrongSupplier
            | Kind::DuplicateSuspect
            | Kind::ByHand => true,
            Kind::NoOrder => self.no_order_stops,
            Kind::PriceUnder | Kind::CostMissing | Kind::TaxRate => false,
        }
    }
}

/// Figures of an exception. What is expected and actual is money, pieces or a rate, by its kind.
#[derive(Debug, Clone, Copy, Default)]
struct Figures {
    amount: Money,
    expected: Option<i64>,
    actual: Option<i64>,
}

impl Figures {
    fn of(amount: i128, expected: impl Into<i64>, actual: impl Into<i64>) -> Self {
        let amount = Money::saturating_from(amount);
        Self { amount, expected: Some(expected.into()), actual: Some(actual.into()) }
    }
}

struct Desk<'a> {
    context: &'a MatchContext<'a>,
    /// Pieces of each part of a receipt's line that no line has taken yet.
    open: BTreeMap<ReceiptPart, Quantity>,
    found: Vec<MatchException>,
}

impl Desk<'_> {
    fn note(&mut self, line_no: Option<u32>, kind: Kind, figures: Figures) {
        let Figures { amount, expected, actual } = figures;
        self.found.push(MatchException {
            line_no,
            kind,
            stops: self.context.stops(kind),
            amount,
            expected,
            actual,
            reason: None,
            accepted_by: None,
        });
    }

    /// Allocates lines that name an order or a receipt and a product to lines of receipts, the oldest first. A line
    /// that spans several is split; the added parts get numbers of their own, at the end.
    fn lay(&self, lines: &[InvoiceLine]) -> Vec<InvoiceLine> {
        let mut open = self.open.clone();
        let to_lay = |line: &InvoiceLine| {
            line.is_goods() && (line.receipt().is_none() || self.context.is_of_several(line))
        };
        for line in lines.iter().filter(|line| !to_lay(line)) {
            let receipt = self.context.receipt(line);
            if let Some(left) = receipt.and_then(|receipt| open.get_mut(&receipt.part())) {
                *left = left.saturating_sub(line.qty).max(Quantity::ZERO);
            }
        }
        let mut next_no = lines.iter().map(|line| line.line_no).max().unwrap_or(0);
        let (mut laid, mut added) = (Vec::new(), Vec::new());
        for line in lines {
            let places = if to_lay(line) { self.places(line, &mut open) } else { Vec::new() };
            let mut parts = split(line, &places).into_iter();
            laid.extend(parts.next());
            for mut part in parts {
                next_no = next_no.saturating_add(1);
                part.line_no = next_no;
                added.push(part);
            }
        }
        laid.extend(added);
        laid
    }

    /// Receipts that have a line's pieces, with the number of pieces at each.
    fn places(
        &self,
        line: &InvoiceLine,
        open: &mut BTreeMap<ReceiptPart, Quantity>,
    ) -> Vec<(ReceiptLine, Quantity)> {
        let named = |receipt: &&ReceiptLine| {
            let order = line.po_id.is_none() || line.po_id == receipt.po_id;
            let order_line = line.po_line_no.is_none() || line.po_line_no == receipt.po_line_no;
            let of = line.receiving_id.as_ref().is_none_or(|id| *id == receipt.at.receiving_id)
                && line.receiving_line_no.is_none_or(|line_no| line_no == receipt.at.line_no);
            let store = line.store_id.is_empty() || line.store_id == receipt.at.store_id;
            let sku = line.sku.as_ref().is_none_or(|sku| *sku == receipt.sku);
            let names_some = line.po_id.is_some() || line.receiving_id.is_some();
            names_some && order && order_line && of && store && sku
        };
        let (mut left, mut places) = (line.qty, Vec::new());
        for receipt in self.context.receipts.iter().filter(named) {
            let Some(there) = open.get_mut(&receipt.part()) else { continue };
            let part = left.min(*there);
            if part > 0 {
                *there = there.saturating_sub(part);
                left = left.saturating_sub(part);
                places.push((receipt.clone(), part));
            }
        }
        places
    }

    fn compare(&mut self, line: &mut InvoiceLine) {
        if !line.is_goods() {
            line.matched_qty = Quantity::ZERO;
            return;
        }
        let line_no = Some(line.line_no);
        let context = self.context;
        let receipt = context.receipt(line);
        let left = receipt.and_then(|receipt| self.open.get_mut(&receipt.part()));
        let open_qty = left.as_ref().map_or(Quantity::ZERO, |left| **left);
        line.matched_qty = line.qty.min(open_qty).max(Quantity::ZERO);
        if let Some(left) = left {
            *left = left.saturating_sub(line.matched_qty);
        }
        let (billed, tolerance, each) = compared(line, receipt, open_qty, context.tolerance);
        for kind in match_line(&billed, tolerance).exceptions {
            let figures = match kind {
                Kind::PriceOver | Kind::PriceUnder => {
                    let over = billed.billed_cost.saturating_sub(billed.order_cost).max(Money::ZERO);
                    Figures::of(product(over, each), billed.order_cost, billed.billed_cost)
                }
                _ => {
                    let over = line.qty.saturating_sub(open_qty.max(Quantity::ZERO));
                    Figures::of(product(over, line.unit_cost), open_qty, line.qty)
                }
            };
            self.note(line_no, kind, figures);
        }
        if let Some(receipt) = receipt {
            self.compare_receipt(line_no, receipt);
        }
        if let Some(usual) = context.usual_rate_bp.filter(|usual| *usual != line.tax_rate_bp) {
            self.note(line_no, Kind::TaxRate, Figures::of(0, usual, line.tax_rate_bp));
        }
    }

    fn compare_receipt(&mut self, line_no: Option<u32>, receipt: &ReceiptLine) {
        if receipt.order_cost.is_none() {
            self.note(line_no, Kind::NoOrder, Figures::default());
        }
        if receipt.cost_missing {
            self.note(line_no, Kind::CostMissing, Figures::default());
        }
        if receipt.supplier_id.as_ref().is_some_and(|id| id != self.context.supplier_id) {
            self.note(line_no, Kind::WrongSupplier, Figures::default());
        }
    }
}

/// Billed and ordered figures of a line to compare: price by price, or sum by sum if there is a total for all pieces.
/// The last figure is the number of times that a difference counts.
fn compared(
    line: &InvoiceLine,
    receipt: Option<&ReceiptLine>,
    open_qty: Quantity,
    tolerance: Tolerance,
) -> (BilledLine, Tolerance, Money) {
    let billed_qty = line.qty;
    if let Some(total) = receipt.and_then(|receipt| receipt.total) {
        let (order_cost, billed_cost) = (total.of(line.qty), line.net);
        // A share of a total is rounded.
        let amount = tolerance.amount.saturating_mul(line.qty.get()).max(Money::new(1));
        let billed = BilledLine { order_cost, billed_cost, billed_qty, open_qty };
        return (billed, Tolerance { amount, ..tolerance }, 1.into());
    }
    let order_cost = receipt.map(|receipt| receipt.order_cost.unwrap_or(receipt.unit_cost));
    // Without a receipt there is no price to compare with either.
    let order_cost = order_cost.unwrap_or(line.unit_cost);
    (
        BilledLine { order_cost, billed_cost: line.unit_cost, billed_qty, open_qty },
        tolerance,
        line.qty.get().into(),
    )
}

/// Splits a line, each part on its place; the last part has the pieces without a place. Net and tax are spread over the
/// pieces.
fn split(line: &InvoiceLine, places: &[(ReceiptLine, Quantity)]) -> Vec<InvoiceLine> {
    if places.is_empty() {
        return vec![line.clone()];
    }
    let placed = places.iter().map(|(_, qty)| *qty).sum();
    let rest = line.qty.saturating_sub(placed).max(Quantity::ZERO);
    let mut pieces: Vec<Quantity> = places.iter().map(|(_, qty)| *qty).collect();
    if rest > 0 {
        pieces.push(rest);
    }
    let (nets, taxes) = (spread(line.net, &pieces), spread(line.tax, &pieces));
    let receipts = places.iter().map(|(receipt, _)| Some(receipt)).chain([None]);
    let figures = pieces.iter().zip(nets.into_iter().zip(taxes));
    let part =
        |(qty, (net, tax)): (&Quantity, (Money, Money))| InvoiceLine { qty: *qty, net, tax, ..line.clone() };
    figures.map(part).zip(receipts).map(|(part, receipt)| at_receipt(part, receipt)).collect()
}

/// The part of a line that is on this receipt.
fn at_receipt(part: InvoiceLine, receipt: Option<&ReceiptLine>) -> InvoiceLine {
    let Some(receipt) = receipt else { return part };
    InvoiceLine {
        store_id: receipt.at.store_id.clone(),
        receiving_id: Some(receipt.at.receiving_id.clone()),
        receiving_line_no: Some(receipt.at.line_no),
        po_id: receipt.po_id.clone(),
        po_line_no: receipt.po_line_no,
        sku: Some(receipt.sku.clone()),
        ..part
    }
}

#[cfg(test)]
mod tests;
