//! How much of an order line may be received (docs/arithmetic.md#receiving-orders-and-transfers).

use crate::model::base::figures::BasisPoints;
use crate::model::base::money::share;
use crate::model::base::refusal::{OverReceived, Refusal};

/// A line of a purchase order and what came of it so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderLine {
    pub ordered: i64,
    /// Accepted in all receipts.
    pub received: i64,
    /// Rejected in all receipts.
    pub rejected: i64,
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
    pub fn limit(&self, tolerance_bp: BasisPoints) -> i64 {
        let more = share(self.ordered, tolerance_bp, BasisPoints::WHOLE);
        self.ordered.saturating_add(i64::try_from(more).unwrap_or(i64::MAX))
    }

    /// The line after one more receipt.
    ///
    /// # Errors
    /// `over_receipt` beyond the limit.
    pub fn receive(&self, qty: i64, rejected: i64, tolerance_bp: BasisPoints) -> Result<Self, Refusal> {
        let limit = self.limit(tolerance_bp);
        let received = self.received.saturating_add(qty);
        if received > limit {
            return Err(Refusal::OverReceipt(Box::new(OverReceived::new("", limit, self.received, qty))));
        }
        let rejected = self.rejected.saturating_add(rejected);
        Ok(Self { ordered: self.ordered, received, rejected })
    }

    /// Pieces still to come.
    pub fn open(&self) -> i64 {
        self.ordered.saturating_sub(self.received).max(0)
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
