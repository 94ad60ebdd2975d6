//! Receives against a purchase order: its limits line by line, its prices, its supplier.

use crate::model::base::event::{Event, fact};
use crate::model::base::figures::{BasisPoints, Money, Quantity};
use crate::model::base::ids::{MovementId, ReceivingId, Sku};
use crate::model::base::refusal::Refusal;
use crate::model::books::ledger::LedgerBook;
use crate::model::inventory::product::Product;
use crate::model::inventory::purchase::{OrderLine, OrderProgress, OrderState, PurchaseOrder};
use crate::model::inventory::receiving::Receiving;
use crate::rules::inventory::receiving::receive::post;
use crate::rules::inventory::receiving::{NewReceiving, NewReceivingLine, receive};
use crate::rules::inventory::stock::StockContext;
use std::collections::{BTreeMap, BTreeSet};

/// Posts a receiving document, against `order` if the command names one. The rows of the event include the progress of
/// the order.
///
/// Goods of an order or line that is closed or cancelled are received all the same, without a limit, and the receipt
/// reports them to head office.
///
/// # Errors
/// The errors of [`receive()`]; `validation_failed` for an order that was never sent here, another supplier or a sku
/// that was not ordered; `over_receipt`.
pub fn receive_order(
    cmd: &NewReceiving,
    order: Option<&PurchaseOrder>,
    id: ReceivingId,
    movement_ids: Vec<MovementId>,
    products: &BTreeMap<Sku, Product>,
    context: &StockContext<'_>,
) -> Result<Event<fact::ReceivingPosted>, Refusal> {
    let Some(po_id) = &cmd.po_id else {
        return receive(cmd, id, movement_ids, products, context);
    };
    let known = |order: &&PurchaseOrder| {
        order.po_id == *po_id && order.store_id == context.rules.store_id && order.was_sent()
    };
    let order = order.filter(known).ok_or_else(unknown)?;
    let mut cmd = cmd.clone();
    if *cmd.supplier_id.get_or_insert_with(|| order.supplier_id.clone()) != order.supplier_id {
        return Err(Refusal::field("supplier_id", "is not the supplier of the order"));
    }
    let mut progress = context.book.progress(order);
    for (place, line) in cmd.lines.iter_mut().enumerate() {
        let (rejected, tolerance) =
            (line.rejected_qty.unwrap_or(Quantity::ZERO), context.rules.policy.over_tolerance_bp);
        let before = progress.clone();
        let known = match awaits(order, &line.sku) {
            true => progress.receive(order, &line.sku, line.qty, rejected, tolerance),
            false => Ok(progress.count(order, &line.sku, line.qty, rejected) || is_over(order)),
        };
        if !known.map_err(|refused| refused.at_line(place))? {
            return Err(Refusal::field(format!("lines[{place}].sku"), "is not in the order"));
        }
        at_ordered_cost(line, order, (&before, &progress));
    }
    let mut event = post(&cmd, id, movement_ids, products, context)?;
    event.rows.progress = Some(Box::new(progress));
    Ok(event)
}

/// A line without a cost gets the cost of the order: that of the order lines which its pieces fill, if the product has
/// several prices there. If the order has a total for the line, each receipt takes its share, and the last pieces take
/// the rest.
fn at_ordered_cost(
    line: &mut NewReceivingLine,
    order: &PurchaseOrder,
    (before, after): (&OrderProgress, &OrderProgress),
) {
    if line.unit_cost.is_some() || line.line_total.is_some() || line.qty == 0 {
        return;
    }
    let of_sku = || order.lines.iter().filter(|ordered| ordered.sku == line.sku);
    let unit_costs: BTreeSet<Money> = of_sku().map(|ordered| ordered.unit_cost).collect();
    if unit_costs.len() > 1 || of_sku().any(|ordered| ordered.line_total.is_some()) {
        let parts = of_sku().map(|ordered| {
            let value = |progress: &OrderProgress| ordered.value_of(progress.received(ordered));
            value(after).saturating_sub(value(before))
        });
        line.line_total = Some(parts.sum());
    } else {
        line.unit_cost = unit_costs.first().copied();
    }
}

/// Nothing more is expected of it at all.
fn is_over(order: &PurchaseOrder) -> bool {
    matches!(order.state, OrderState::Closed | OrderState::Cancelled)
}

/// The most pieces that may be received of a line in total. `None` if nothing more is expected: then there is no limit.
pub fn order_limit(order: &PurchaseOrder, line: &OrderLine, tolerance_bp: BasisPoints) -> Option<Quantity> {
    let of = super::OrderLine { ordered: line.qty, received: line.received_qty, rejected: line.rejected_qty };
    awaits(order, &line.sku).then(|| of.limit(tolerance_bp))
}

/// Whether pieces of a product are compared with the order: unless every line of it is closed, or the whole order.
fn awaits(order: &PurchaseOrder, sku: &Sku) -> bool {
    let mut lines = order.lines.iter().filter(|line| line.sku == *sku).peekable();
    !is_over(order) && (lines.peek().is_none() || lines.any(|line| !line.closed))
}

/// Whether a document may name a supplier: `known` if head office has sent it, `list_is_here` if it has
/// sent any. Without its list the person who receives the goods knows best.
///
/// # Errors
/// `validation_failed`.
pub fn check_supplier(known: bool, list_is_here: bool) -> Result<(), Refusal> {
    if known || !list_is_here {
        return Ok(());
    }
    let problem = "is not a known supplier: omit it, or choose one of the list";
    Err(Refusal::field("supplier_id", problem))
}

/// Remaining receipts of an order after the reversal of this one.
pub fn taken_back(receiving: &Receiving, order: &PurchaseOrder, book: &LedgerBook) -> OrderProgress {
    let mut progress = book.progress(order);
    for line in &receiving.lines {
        progress.take_back(order, &line.sku, line.qty, line.rejected_qty);
    }
    progress
}

pub(super) fn unknown() -> Refusal {
    Refusal::field("po_id", "is not an order that was sent to this store")
}
