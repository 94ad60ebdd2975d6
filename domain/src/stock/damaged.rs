//! Goods that were put aside as damaged, and how they leave.

use super::{Moves, Stock};
use crate::ids::Sku;
use crate::ledger::LedgerBook;
use crate::money::{figure, half_up, product, sum};
use crate::refusal::{Refusal, ShortItem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a document takes goods from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StockPlace {
    /// What can be sold.
    #[default]
    OnHand,
    /// What was put aside.
    Damaged,
}

impl Stock {
    /// `n` damaged pieces leave, with their part of what all of them cost; the last take the rest.
    ///
    /// # Errors
    /// `insufficient_stock`.
    pub(crate) fn take_damaged(&mut self, n: i64) -> Result<i64, Refusal> {
        if n > self.damaged {
            return Err(short(&self.sku, self.damaged, n));
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
    pub(crate) fn put_damaged(&mut self, n: i64, cost: i64) -> Result<(), Refusal> {
        self.damaged = sum("stock", [self.damaged, n])?;
        self.damaged_value = sum("stock", [self.damaged_value, cost])?;
        Ok(())
    }
}

impl Moves<'_> {
    /// Damaged pieces leave: no movement of what is on hand.
    pub(crate) fn send_damaged(&mut self, sku: &Sku, n: i64) -> Result<i64, Refusal> {
        let at = self.at();
        let row = self.row(sku);
        row.updated_at = at;
        row.take_damaged(n)
    }

    /// They are there again, at the cost that they left with.
    pub(crate) fn bring_damaged(&mut self, sku: &Sku, n: i64, cost: i64) -> Result<(), Refusal> {
        let at = self.at();
        let row = self.row(sku);
        row.updated_at = at;
        row.put_damaged(n, cost)
    }
}

/// Whether so many damaged pieces are there.
///
/// # Errors
/// `insufficient_stock` with every sku of which there is less.
pub(crate) fn enough_damaged<'a>(
    asked: impl Iterator<Item = (&'a Sku, i64)>,
    book: &LedgerBook,
) -> Result<(), Refusal> {
    let mut sums: BTreeMap<&Sku, i64> = BTreeMap::new();
    for (sku, n) in asked {
        let sum = sums.entry(sku).or_default();
        *sum = sum.saturating_add(n);
    }
    let there = |sku: &Sku| book.stock.get(sku).map_or(0, |row| row.damaged);
    let items: Vec<ShortItem> = sums
        .into_iter()
        .filter(|(sku, n)| there(sku) < *n)
        .map(|(sku, n)| ShortItem { sku: sku.0.clone(), on_hand: there(sku), requested: n })
        .collect();
    if items.is_empty() { Ok(()) } else { Err(Refusal::InsufficientStock { items }) }
}

fn short(sku: &Sku, there: i64, n: i64) -> Refusal {
    let item = ShortItem { sku: sku.0.clone(), on_hand: there, requested: n };
    Refusal::InsufficientStock { items: vec![item] }
}
