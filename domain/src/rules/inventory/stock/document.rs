//! Moves stock in the name of a document.

use crate::model::base::event::Rows;
use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{MovementId, Sku, UserId};
use crate::model::base::refusal::Refusal;
use crate::model::base::time::UtcMs;
use crate::model::books::ledger::LedgerBook;
use crate::model::inventory::stock::{Movement, MovementReason, Stock};
use crate::rules::inventory::stock::{Incoming, Moved, average};
use std::collections::BTreeMap;

/// The document that moves stock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Document<'a> {
    /// `transaction`, `return`, …
    pub(crate) kind: &'static str,
    /// ID of the document.
    pub(crate) id: &'a str,
    /// User who recorded the document.
    pub(crate) user_id: &'a UserId,
    /// When the document was recorded.
    pub(crate) at: UtcMs,
}

/// Result of a line's movement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Noted {
    /// Cost of the pieces, signed.
    pub(crate) cost: Money,
    /// Correction of earlier costs.
    pub(crate) correction: Money,
    /// Pieces on hand after the movement.
    pub(crate) balance_after: Quantity,
}

/// Stock rows and movements of one commit: lines of one sku move in their order.
pub(crate) struct Moves<'a> {
    book: &'a LedgerBook,
    document: Document<'a>,
    ids: std::vec::IntoIter<MovementId>,
    rows: BTreeMap<Sku, Stock>,
    movements: Vec<Movement>,
}

impl<'a> Moves<'a> {
    pub(crate) fn new(book: &'a LedgerBook, document: Document<'a>, ids: Vec<MovementId>) -> Self {
        let (rows, movements) = (BTreeMap::new(), Vec::new());
        Self { book, document, ids: ids.into_iter(), rows, movements }
    }

    /// When the document moves the stock.
    pub(crate) fn at(&self) -> UtcMs {
        self.document.at
    }

    /// The present row of a sku.
    pub(crate) fn row(&mut self, sku: &Sku) -> &mut Stock {
        self.rows.entry(sku.clone()).or_insert_with(|| self.book.row(sku))
    }

    /// `n` pieces (above 0) go out.
    pub(crate) fn send(
        &mut self,
        sku: &Sku,
        line_no: u32,
        n: Quantity,
        reason: MovementReason,
    ) -> Result<Noted, Refusal> {
        let moved = self.row(sku).take_out(n)?;
        self.note(sku, line_no, n.saturating_neg(), moved, reason)
    }

    /// `n` pieces (above 0) come in.
    pub(crate) fn bring(
        &mut self,
        sku: &Sku,
        line_no: u32,
        n: Quantity,
        incoming: Incoming,
        reason: MovementReason,
    ) -> Result<Noted, Refusal> {
        let moved = self.row(sku).take_in(n, incoming)?;
        self.note(sku, line_no, n, moved, reason)
    }

    /// A movement of `n` pieces is taken back at its own figures.
    pub(crate) fn take_back(
        &mut self,
        sku: &Sku,
        line_no: u32,
        (n, moved): (Quantity, Moved),
        reason: MovementReason,
    ) -> Result<Noted, Refusal> {
        let (qty, moved) = self.row(sku).take_back(n, moved)?;
        self.note(sku, line_no, qty, moved, reason)
    }

    /// Notes a movement that the row has made itself.
    pub(crate) fn note(
        &mut self,
        sku: &Sku,
        line_no: u32,
        qty: Quantity,
        moved: Moved,
        reason: MovementReason,
    ) -> Result<Noted, Refusal> {
        let Some(movement_id) = self.ids.next() else {
            return Err(Refusal::field("lines", "each line needs a movement id"));
        };
        let Document { kind, id, user_id, at } = self.document;
        let row = self.row(sku);
        row.updated_at = at;
        let movement = Movement {
            movement_id,
            sku: sku.clone(),
            qty,
            cost: moved.cost,
            correction: moved.correction,
            balance_after: row.qty,
            reason,
            reference_type: kind.to_owned(),
            reference_id: id.to_owned(),
            line_no,
            unit_cost: average(moved.cost.saturating_abs(), qty.saturating_abs()),
            user_id: user_id.clone(),
            at,
            negative: row.qty < 0,
        };
        let noted = Noted {
            cost: movement.cost,
            correction: movement.correction,
            balance_after: movement.balance_after,
        };
        self.movements.push(movement);
        Ok(noted)
    }

    /// The ID of the movement that was noted last.
    pub(crate) fn last_id(&self) -> Option<MovementId> {
        self.movements.last().map(|movement| movement.movement_id.clone())
    }

    /// The movements and the rows afterwards.
    pub(crate) fn done(self) -> Rows {
        Rows::of_stock(self.movements, self.rows.into_values().collect())
    }
}
