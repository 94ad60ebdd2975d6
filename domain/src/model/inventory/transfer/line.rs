//! A line in transit: its arrived pieces, and the settlement of the rest
//! (docs/arithmetic.md#receiving-orders-and-transfers).

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{Sku, UserId};
use crate::model::base::money::share;
use crate::model::base::refusal::{OverReceived, Refusal};
use crate::model::base::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Outcome of pieces that were sent and not received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// The pieces are lost.
    Lost,
    /// The pieces can't be sold.
    Damaged,
    /// The pieces never left the sender.
    FoundAtSource,
    /// The pieces did arrive at the receiver.
    FoundAtDestination,
}

/// One settled part of a shortfall.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Resolved {
    /// Outcome of the pieces.
    pub resolution: Resolution,
    /// Number of pieces.
    pub qty: Quantity,
    /// Cost of the pieces, in minor currency units.
    pub cost: Money,
    /// User who settled it.
    pub user_id: UserId,
    /// When the shortfall was settled.
    pub at: UtcMs,
}

/// One sku of a transfer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TransferLine {
    /// Line number, starting at 1.
    pub line_no: u32,
    /// SKU of the product.
    pub sku: Sku,
    /// Name of the product at that time.
    pub name: String,
    /// Quantity sent, in pieces.
    pub qty: Quantity,
    /// Value at which the pieces left stock, in minor currency units; 0 in a draft.
    pub cost: Money,
    /// Pieces received. Null if nothing was received yet.
    pub received_qty: Option<Quantity>,
    /// Cost of the received pieces.
    pub in_cost: Money,
    /// Parts of the shortfall that were settled so far.
    pub resolved: Vec<Resolved>,
}

impl TransferLine {
    /// The line with `k` pieces received.
    ///
    /// # Errors
    /// `over_receipt` for more than was sent.
    pub fn receive(&mut self, k: Quantity) -> Result<(), Refusal> {
        if k > self.qty {
            let over =
                OverReceived::new(self.sku.as_str(), self.qty, self.received_qty.unwrap_or_default(), k);
            return Err(Refusal::OverReceipt(Box::new(over)));
        }
        self.in_cost = self.cost_of(k);
        self.received_qty = Some(k);
        Ok(())
    }

    /// Settles `qty` more of the missing pieces; cumulative by piece, the last take all.
    ///
    /// # Errors
    /// `validation_failed` for more than is missing.
    pub fn resolve(
        &mut self,
        path: &str,
        resolution: Resolution,
        qty: Quantity,
        user_id: UserId,
        at: UtcMs,
    ) -> Result<Money, Refusal> {
        let pending = self.pending();
        if qty < 1 || qty > pending {
            return Err(Refusal::field(
                path,
                format!(
                    "must be 1 to {pending}, the number of pieces of {} that are not resolved yet",
                    self.sku
                ),
            ));
        }
        let before = self.accounted();
        let cost = self.cost_of(before.saturating_add(qty)).saturating_sub(self.cost_of(before));
        self.resolved.push(Resolved { resolution, qty, cost, user_id, at });
        Ok(cost)
    }

    /// Pieces sent and not received. It is 0 before the receipt.
    pub fn short(&self) -> Quantity {
        self.received_qty.map_or(Quantity::ZERO, |received| self.qty.saturating_sub(received))
    }

    /// Pieces without a recorded outcome yet.
    pub fn pending(&self) -> Quantity {
        self.received_qty.map_or(Quantity::ZERO, |_| self.qty.saturating_sub(self.accounted()))
    }

    /// Value that is still in transit.
    pub fn in_transit_value(&self) -> Money {
        self.cost.saturating_sub(self.cost_of(self.accounted()))
    }

    /// Pieces that left and neither arrived nor were settled.
    pub fn in_transit_qty(&self) -> Quantity {
        self.qty.saturating_sub(self.accounted()).max(Quantity::ZERO)
    }

    /// Pieces received or settled.
    fn accounted(&self) -> Quantity {
        let settled = self.resolved.iter().map(|part| part.qty);
        settled.fold(self.received_qty.unwrap_or_default(), Quantity::saturating_add)
    }

    /// Cost of the first `k` pieces, never above the line's.
    fn cost_of(&self, k: Quantity) -> Money {
        Money::try_from(share(self.cost, k, self.qty.max(Quantity::new(1)))).unwrap_or(self.cost)
    }
}
