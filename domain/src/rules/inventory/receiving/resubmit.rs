//! Corrects a receipt that head office could not post: the receipt is taken back at its own figures and a corrected one
//! takes its place, in one commit. So the stock moves by the difference, whatever was sold meanwhile, and head office gets
//! the same sums whether it posts both records of the old receipt or neither.

use crate::model::base::event::{Event, fact};
use crate::model::base::figures::Quantity;
use crate::model::base::ids::{MovementId, ReceivingId, Sku};
use crate::model::base::refusal::Refusal;
use crate::model::inventory::product::Product;
use crate::model::inventory::purchase::PurchaseOrder;
use crate::model::inventory::receiving::Receiving;
use crate::model::inventory::stock::MovementReason;
use crate::rules::inventory::receiving::reverse::{check_posted, reversed};
use crate::rules::inventory::receiving::{NewReceiving, receive_order};
use crate::rules::inventory::stock::{Moved, StockContext};
use std::collections::BTreeMap;

/// A receipt that is corrected, or the command of the corrected one, with its order and the IDs of its movements.
#[derive(Debug, Clone)]
pub struct Side<'a, T> {
    pub of: &'a T,
    /// Order that it names.
    pub order: Option<&'a PurchaseOrder>,
    /// One ID for each line.
    pub movement_ids: Vec<MovementId>,
}

/// Both halves of a correction, in the order in which they happen.
#[derive(Debug, Clone)]
pub struct Corrected {
    /// The receipt that head office could not post is taken back.
    pub reversed: Event<fact::ReceivingReversed>,
    /// The receipt that takes its place.
    pub posted: Event<fact::ReceivingPosted>,
}

/// Replaces a posted receipt by a corrected one.
///
/// # Errors
/// `insufficient_role`, `invalid_state`, the refusals of [`receive_order`], `insufficient_stock` for fewer pieces than
/// before where the store keeps nothing below zero, `validation_failed` if a product is left out whose pieces were sold
/// meanwhile at another cost.
pub fn resubmit(
    old: Side<'_, Receiving>,
    new: Side<'_, NewReceiving>,
    id: ReceivingId,
    products: &BTreeMap<Sku, Product>,
    context: &StockContext<'_>,
) -> Result<Corrected, Refusal> {
    context.managers_only()?;
    check_posted(old.of, context)?;
    let fewer = fewer(old.of, new.of);
    context.require_by_policy(fewer.iter().map(|(sku, n)| (*sku, *n)).filter(|(_, n)| *n > 0))?;
    let mut reversed = take_back(old, context)?;
    reversed.fact.receiving.replaced_by = Some(id.clone());
    let mut book = context.book.clone();
    book.evolve(&reversed.clone().into());
    let after = StockContext { book: &book, ..*context };
    let mut posted = receive_order(new.of, new.order, id, new.movement_ids, products, &after)?;
    posted.fact.receiving.resubmits = Some(reversed.fact.receiving.receiving_id.clone());
    let left_out = reversed.rows.stock.iter().filter(|row| !row.is_sound());
    let mut left_out = left_out.filter(|row| posted.rows.stock.iter().all(|later| later.sku != row.sku));
    match left_out.next() {
        Some(row) => Err(Refusal::field("lines", left_out_problem(&row.sku))),
        None => Ok(Corrected { reversed, posted }),
    }
}

fn left_out_problem(sku: &Sku) -> String {
    format!(
        "must keep {}: pieces of it were sold since at a cost that only its own line can correct; receive at least one \
         piece of it, then adjust its stock",
        sku.as_str()
    )
}

/// The receipt is taken back at its own figures, the last line first.
fn take_back(
    old: Side<'_, Receiving>,
    context: &StockContext<'_>,
) -> Result<Event<fact::ReceivingReversed>, Refusal> {
    let receiving = old.of;
    let mut moves = context.moves("receiving", receiving.receiving_id.as_str(), old.movement_ids);
    for line in receiving.lines.iter().rev().filter(|line| line.qty > 0) {
        let moved = Moved { cost: line.cost, correction: line.correction };
        moves.take_back(&line.sku, line.line_no, (line.qty, moved), MovementReason::Receiving)?;
    }
    Ok(reversed(receiving, old.order, moves.done(), context))
}

/// How many fewer pieces of each product the corrected receipt has; more are below 0.
fn fewer<'a>(old: &'a Receiving, new: &NewReceiving) -> BTreeMap<&'a Sku, Quantity> {
    let mut fewer: BTreeMap<&Sku, Quantity> = BTreeMap::new();
    for line in &old.lines {
        let all = fewer.entry(&line.sku).or_default();
        *all = all.saturating_add(line.qty);
    }
    for line in &new.lines {
        if let Some(all) = fewer.get_mut(&line.sku) {
            *all = all.saturating_sub(line.qty);
        }
    }
    fewer
}
