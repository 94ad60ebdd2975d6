//! Who works in the stock room, when, by which rules and over which book.

use super::{Document, Moves};
use crate::day::dated;
use crate::ids::{MovementId, Sku};
use crate::ledger::{LedgerBook, short};
use crate::mandate::{Mandate, allow};
use crate::refusal::Refusal;
use crate::settings::{NegativeStock, Rules};
use crate::time::UtcMs;
use jiff::civil::Date;

/// What the rule of every stock document is asked with.
#[derive(Debug, Clone, Copy)]
pub struct StockRoom<'a> {
    /// When.
    pub now: UtcMs,
    /// Who.
    pub mandate: Mandate<'a>,
    /// By which rules.
    pub rules: &'a Rules,
    /// Over which book.
    pub book: &'a LedgerBook,
}

impl<'a> StockRoom<'a> {
    /// # Errors
    /// `insufficient_role` for all but managers.
    pub(crate) fn managers_only(&self) -> Result<(), Refusal> {
        allow(self.mandate.caller.role.manages())
    }

    /// The day that counts.
    pub(crate) fn today(&self) -> Date {
        dated(self.now, self.rules, self.book)
    }

    /// Whether the shop has what goes out, where it keeps nothing below zero.
    ///
    /// # Errors
    /// `insufficient_stock` with every sku of which there is less.
    pub(crate) fn enough<'s>(&self, out: impl Iterator<Item = (&'s Sku, i64)>) -> Result<(), Refusal> {
        match self.rules.negative_stock {
            NegativeStock::Reject => short(&out.collect::<Vec<_>>(), self.book),
            NegativeStock::Allow => Ok(()),
        }
    }

    /// Whether the shop has what somebody writes off or sends away: only a sale, whose goods are in a customer's hand,
    /// and what takes a document back may go below zero.
    ///
    /// # Errors
    /// `insufficient_stock` with every sku of which there is less.
    pub(crate) fn there<'s>(&self, out: impl Iterator<Item = (&'s Sku, i64)>) -> Result<(), Refusal> {
        short(&out.collect::<Vec<_>>(), self.book)
    }

    /// Moves stock in the name of a document; `ids` has one id per movement.
    pub(crate) fn moves<'m>(&'m self, kind: &'static str, id: &'m str, ids: Vec<MovementId>) -> Moves<'m> {
        let document = Document { kind, id, user_id: &self.mandate.caller.user_id, at: self.now };
        Moves::new(self.book, document, ids)
    }
}
