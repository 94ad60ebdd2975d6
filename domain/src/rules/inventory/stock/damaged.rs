//! Goods that were put aside as damaged, and how they leave.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::Sku;
use crate::model::base::money::{figure, half_up, product, sum};
use crate::model::base::refusal::{Refusal, ShortItem, ShortStock};
use crate::model::books::ledger::LedgerBook;
use crate::model::inventory::stock::Stock;
use crate::rules::inventory::stock::Moves;
use std::collections::BTreeMap;

impl Stock {
    /// Removes `n` damaged pieces, with their part of the cost of all of them; the last piece takes the rest.
    ///
    /// # Errors
    /// `insufficient_stock`.
    pub(crate) fn take_damaged(&mut self, n: Quantity) -> Result<Money, Refusal> {
        if n > self.damaged {
            return Err(Refusal::InsufficientStock { items: vec![short(None, &self.sku, self.damaged, n)] });
        }
        let cost = if n == self.damaged {
            self.damaged_value
        } else {
            figure("lines", half_up(product(self.damaged_value, n), i128::from(self.damaged)))?
        };
        self.put_damaged(n.saturating_neg(), cost.saturating_neg())?;
        Ok(cost)
    }

    /// So many pieces of this cost are put aside; below 0: they leave.
    pub(crate) fn put_damaged(&mut self, n: Quantity, cost: Money) -> Result<(), Refusal> {
        self.damaged = sum("stock", [self.damaged, n])?;
        self.damaged_value = sum("stock", [self.damaged_value, cost])?;
        Ok(())
    }
}

impl Moves<'_> {
    /// Removes damaged pieces: the stock on hand does not move.
    pub(crate) fn send_damaged(&mut self, sku: &Sku, n: Quantity) -> Result<Money, Refusal> {
        let at = self.at();
        let row = self.row(sku);
        row.updated_at = at;
        row.take_damaged(n)
    }

    /// Adds pieces again, at the cost at which they were removed.
    pub(crate) fn bring_damaged(&mut self, sku: &Sku, n: Quantity, cost: Money) -> Result<(), Refusal> {
        let at = self.at();
        let row = self.row(sku);
        row.updated_at = at;
        row.put_damaged(n, cost)
    }
}

/// Whether there are enough damaged pieces for the lines of a document.
///
/// # Errors
/// `insufficient_stock` with every sku that has too little, and its first line.
pub(crate) fn enough_damaged<'a>(
    asked: impl Iterator<Item = (&'a Sku, Quantity)>,
    book: &LedgerBook,
) -> Result<(), Refusal> {
    let mut sums: BTreeMap<&Sku, (usize, Quantity)> = BTreeMap::new();
    for (place, (sku, n)) in asked.enumerate() {
        let (_, sum) = sums.entry(sku).or_insert((place, Quantity::ZERO));
        *sum = sum.saturating_add(n);
    }
    let there = |sku: &Sku| book.stock.get(sku).map_or(Quantity::ZERO, |row| row.damaged);
    let items: Vec<ShortItem> = sums
        .into_iter()
        .filter(|(sku, (_, n))| there(sku) < *n)
        .map(|(sku, (place, n))| short(Some(place), sku, there(sku), n))
        .collect();
    if items.is_empty() { Ok(()) } else { Err(Refusal::InsufficientStock { items }) }
}

fn short(place: Option<usize>, sku: &Sku, there: Quantity, requested: Quantity) -> ShortItem {
    let path = place.map(|place| format!("lines[{place}].qty"));
    ShortItem { path, sku: sku.0.clone(), stock: ShortStock::Damaged(there), requested }
}
