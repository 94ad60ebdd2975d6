//! Who works in the stock room, when, by which rules and over which book.

use crate::model::base::figures::Quantity;
use crate::model::base::ids::{MovementId, Sku};
use crate::model::base::refusal::{Refusal, ShortItem, ShortStock};
use crate::model::base::settings::{NegativeStock, Rules};
use crate::model::base::time::UtcMs;
use crate::model::books::ledger::LedgerBook;
use crate::model::people::authorization::{Authorization, allow};
use crate::rules::books::day::dated;
use crate::rules::inventory::stock::{Document, Moves};
use jiff::civil::Date;
use std::collections::BTreeMap;

/// Context of the rule of every stock document.
#[derive(Debug, Clone, Copy)]
pub struct StockContext<'a> {
    /// When the document is recorded.
    pub now: UtcMs,
    /// Authorization of the caller.
    pub authorization: Authorization<'a>,
    pub rules: &'a Rules,
    pub book: &'a LedgerBook,
}

impl<'a> StockContext<'a> {
    /// Checks that the caller is a manager.
    ///
    /// # Errors
    /// `insufficient_role`.
    pub(crate) fn managers_only(&self) -> Result<(), Refusal> {
        allow(self.authorization.caller.role.manages())
    }

    /// Business date at this time.
    pub(crate) fn today(&self) -> Date {
        dated(self.now, self.rules, self.book)
    }

    /// Checks that the outgoing pieces are on hand, if the settings allow no negative stock.
    ///
    /// # Errors
    /// `insufficient_stock` with every sku that has too little.
    pub(crate) fn require_by_policy<'s>(
        &self,
        out: impl Iterator<Item = (&'s Sku, Quantity)>,
    ) -> Result<(), Refusal> {
        match self.rules.negative_stock {
            NegativeStock::Reject => check_on_hand(&out.collect::<Vec<_>>(), self.book),
            NegativeStock::Allow => Ok(()),
        }
    }

    /// Checks that the pieces that a user writes off or sends away are on hand, whatever the settings: only a sale,
    /// whose goods are in a customer's hand, and the reversal of a document may make stock negative.
    ///
    /// # Errors
    /// `insufficient_stock` with every sku that has too little.
    pub(crate) fn require_on_hand<'s>(
        &self,
        out: impl Iterator<Item = (&'s Sku, Quantity)>,
    ) -> Result<(), Refusal> {
        check_on_hand(&out.collect::<Vec<_>>(), self.book)
    }

    /// Moves stock in the name of a document; `ids` has one ID per movement.
    pub(crate) fn moves<'m>(&'m self, kind: &'static str, id: &'m str, ids: Vec<MovementId>) -> Moves<'m> {
        let document = Document { kind, id, user_id: &self.authorization.caller.user_id, at: self.now };
        Moves::new(self.book, document, ids)
    }
}

/// Checks that pieces are on hand.
///
/// # Errors
/// `insufficient_stock` with every sku that has too little.
pub(crate) fn check_on_hand(asked: &[(&Sku, Quantity)], book: &LedgerBook) -> Result<(), Refusal> {
    let mut sums: BTreeMap<&Sku, Quantity> = BTreeMap::new();
    for (sku, requested) in asked {
        let sum = sums.entry(sku).or_default();
        *sum = sum.saturating_add(*requested);
    }
    let items: Vec<ShortItem> = sums
        .into_iter()
        .map(|(sku, requested)| (sku, book.stock.get(sku).map_or(Quantity::ZERO, |row| row.qty), requested))
        .filter(|(_, there, requested)| there < requested)
        .map(|(sku, there, requested)| ShortItem {
            path: None,
            sku: sku.0.clone(),
            stock: ShortStock::OnHand(there),
            requested,
        })
        .collect();
    if items.is_empty() { Ok(()) } else { Err(Refusal::InsufficientStock { items }) }
}
