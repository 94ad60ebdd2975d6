//! How much of an order line may be received (docs/arithmetic.md#receiving-orders-and-transfers).

use crate::model::base::figures::{BasisPoints, Quantity};
use crate::model::base::money::share;
use crate::model::base::refusal::{OverReceived, Refusal};

/// A line of a purchase order and its receipts so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderLine {
    pub ordered: Quantity,
    /// Accepted in all receipts.
    pub received: Quantity,
    /// Rejected in all receipts.
    pub rejected: Quantity,
}

/// State of an order line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderLineState {
    /// Nothing was accepted yet.
    Open,
    /// Less was accepted than ordered.
    Partial,
    /// All ordered pieces were accepted.
    Received,
}

impl OrderLine {
    /// The most that may be accepted: `ordered + ⌊ordered × tolerance / 10000⌋`.
    pub fn limit(&self, tolerance_bp: BasisPoints) -> Quantity {
        let more = share(self.ordered, tolerance_bp, BasisPoints::WHOLE);
        self.ordered.saturating_add(Quantity::saturating_from(more))
    }

    /// The line after one more receipt.
    ///
    /// # Errors
    /// `over_receipt` beyond the limit.
    pub fn receive(
        &self,
        qty: Quantity,
        rejected: Quantity,
        tolerance_bp: BasisPoints,
    ) -> Result<Self, Refusal> {
        let limit = self.limit(tolerance_bp);
        let received = self.received.saturating_add(qty);
        if received > limit {
            return Err(Refusal::OverReceipt(Box::new(OverReceived::new("", limit, self.received, qty))));
        }
        let rejected = self.rejected.saturating_add(rejected);
        Ok(Self { ordered: self.ordered, received, rejected })
    }

    /// Pieces still to come.
    pub fn open(&self) -> Quantity {
        self.ordered.saturating_sub(self.received).max(Quantity::ZERO)
    }

    /// State of the order line.
    pub fn state(&self) -> OrderLineState {
        if self.received >= self.ordered {
            OrderLineState::Received
        } else if self.received > 0 {
            OrderLineState::Partial
        } else {
            OrderLineState::Open
        }
    }
}
