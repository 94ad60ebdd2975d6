//! Settles a paid sale: its goods go out, line by line.

use super::LedgerBook;
use crate::event::Event;
use crate::ids::{MovementId, Sku};
use crate::refusal::{Refusal, ShortItem};
use crate::sale::SaleDraft;
use crate::settings::{NegativeStock, Rules};
use crate::stock::{Movement, MovementReason, Stock, average};
use crate::time::UtcMs;
use crate::transaction::{Line, NEGATIVE_STOCK, Transaction};
use std::collections::BTreeMap;

/// Takes the sale's goods out of stock, at cost; lines of one sku in their order.
///
/// `movement_ids` has one id per line. A sku without a row in the book starts at zero.
///
/// # Errors
/// `insufficient_stock` with every short sku, where the store does not sell below zero;
/// `validation_failed` when a stock leaves the range of figures.
pub fn settle(
    draft: SaleDraft,
    movement_ids: Vec<MovementId>,
    now: UtcMs,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Event, Refusal> {
    let SaleDraft { mut transaction, shift, counters } = draft;
    if movement_ids.len() != transaction.items.len() {
        return Err(Refusal::field("items", "each line needs a movement id"));
    }
    if rules.negative_stock == NegativeStock::Reject {
        enough(&transaction, book)?;
    }
    let mut rows: BTreeMap<Sku, Stock> = BTreeMap::new();
    let mut movements = Vec::with_capacity(transaction.items.len());
    let mut items = std::mem::take(&mut transaction.items);
    for (line, id) in items.iter_mut().zip(movement_ids) {
        if line.track_stock {
            let row = rows.entry(line.sku.clone()).or_insert_with(|| book.row(&line.sku));
            movements.push(sell(line, row, id, &transaction, now)?);
        } else {
            line.cost = Some(0);
        }
    }
    transaction.items = items;
    let flagged = transaction.flags.iter().any(|flag| flag == NEGATIVE_STOCK);
    if !flagged && movements.iter().any(|movement| movement.negative) {
        transaction.flags.push(NEGATIVE_STOCK.to_owned());
    }
    Ok(Event::TransactionPaid {
        transaction: Box::new(transaction),
        movements,
        stock: rows.into_values().collect(),
        shift: Box::new(shift),
        counters,
    })
}

/// Each sku must cover the sum of its lines.
fn enough(sale: &Transaction, book: &LedgerBook) -> Result<(), Refusal> {
    let mut asked: Vec<(&Sku, i64)> = Vec::new();
    for line in sale.items.iter().filter(|line| line.track_stock) {
        match asked.iter_mut().find(|(sku, _)| **sku == line.sku) {
            Some((_, sum)) => *sum = sum.saturating_add(line.qty),
            None => asked.push((&line.sku, line.qty)),
        }
    }
    let items: Vec<ShortItem> = asked
        .into_iter()
        .map(|(sku, requested)| ShortItem {
            sku: sku.0.clone(),
            on_hand: book.stock.get(sku).map_or(0, |row| row.qty),
            requested,
        })
        .filter(|item| item.on_hand < item.requested)
        .collect();
    if items.is_empty() { Ok(()) } else { Err(Refusal::InsufficientStock { items }) }
}

fn sell(
    line: &mut Line,
    row: &mut Stock,
    id: MovementId,
    sale: &Transaction,
    now: UtcMs,
) -> Result<Movement, Refusal> {
    let moved = row.take_out(line.qty)?;
    row.updated_at = now;
    let cost = moved.cost.saturating_neg();
    line.cost = Some(cost);
    Ok(Movement {
        movement_id: id,
        sku: line.sku.clone(),
        qty: line.qty.saturating_neg(),
        cost: moved.cost,
        correction: moved.correction,
        balance_after: row.qty,
        reason: MovementReason::Sale,
        reference_type: "transaction".to_owned(),
        reference_id: sale.transaction_id.0.clone(),
        line_no: line.line_no,
        unit_cost: average(cost, line.qty),
        user_id: sale.cashier_id.clone(),
        at: now,
        negative: row.qty < 0,
    })
}
