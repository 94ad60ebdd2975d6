//! Purchasing: suppliers of head office, and its orders for stores.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{Sku, StoreId};
use crate::model::base::money::{product, share};
use crate::model::base::time::UtcMs;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a supplier may be ordered from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SupplierState {
    /// May be ordered from.
    #[default]
    Active,
    /// No longer ordered from.
    Inactive,
}

/// A supplier that head office buys from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Supplier {
    /// ID of the supplier, `sup_…`.
    pub supplier_id: String,
    /// Short unique code of the supplier.
    pub code: String,
    /// Name of the supplier.
    pub name: String,
    /// Tax number. Null for none.
    pub tax_id: Option<String>,
    /// Telephone number. Null for none.
    pub phone: Option<String>,
    /// E-mail address. Null for none.
    pub email: Option<String>,
    /// Postal address. Null for none.
    pub address: Option<String>,
    /// Days from the date of an invoice until it is due. Null if none were agreed.
    pub payment_terms_days: Option<u32>,
    /// Days from order to delivery. Null if they are not known.
    pub lead_time_days: Option<u32>,
    /// Whether the supplier may be ordered from.
    pub state: SupplierState,
    /// When the supplier was last changed.
    pub updated_at: UtcMs,
}

/// State of a purchase order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrderState {
    /// May still be changed.
    Draft,
    /// Approved by a responsible user.
    Approved,
    /// Sent to the supplier and the store.
    Sent,
    /// Some of the goods were received.
    PartiallyReceived,
    /// All goods were received.
    Received,
    /// Nothing more is expected.
    Closed,
    /// Cancelled before anything was received.
    Cancelled,
}

impl OrderState {
    /// The name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Approved => "approved",
            Self::Sent => "sent",
            Self::PartiallyReceived => "partially_received",
            Self::Received => "received",
            Self::Closed => "closed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether a store may receive against it.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Sent | Self::PartiallyReceived)
    }
}

/// State of a line of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PurchaseOrderLineState")]
pub enum LineState {
    /// Nothing was received yet.
    #[default]
    Open,
    /// Some of it was received, and more is expected.
    Partial,
    /// Received in full.
    Received,
    /// Closed although not everything was received.
    Closed,
}

/// Point to check before an order is approved. It does not prevent the approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PurchaseOrderWarning")]
pub struct OrderWarning {
    /// Kind of warning.
    pub code: OrderWarningCode,
    /// Line number. Null for the whole order.
    pub line_no: Option<u32>,
    /// Figure that the supplier requires, in pieces. For the total of the order, in minor currency units.
    pub expected: i64,
}

/// Kind of conflict between an order and its supplier's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PurchaseOrderWarningCode")]
pub enum OrderWarningCode {
    /// The quantity is not a multiple of the pack size.
    NotAPack,
    /// The quantity is below the minimum quantity of this price.
    BelowMinQty,
    /// The total is below the supplier's minimum order total.
    BelowMinOrderTotal,
}

/// Line of an order: one product.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct OrderLine {
    /// Line number, starting at 1.
    pub line_no: u32,
    /// SKU of the product.
    pub sku: Sku,
    /// Ordered quantity in pieces.
    pub qty: Quantity,
    /// Price per piece in minor currency units, rounded if the line has a total.
    pub unit_cost: Money,
    /// Total cost of all pieces in minor currency units, if the line was ordered by its total. Null if it was ordered
    /// by price per piece.
    #[serde(default)]
    pub line_total: Option<Money>,
    /// Pieces received so far.
    pub received_qty: Quantity,
    /// Pieces that were delivered and refused at the door.
    #[serde(default)]
    pub rejected_qty: Quantity,
    /// Pieces that were invoiced.
    #[serde(default)]
    pub invoiced_qty: Quantity,
    /// Number of pieces that were returned to the supplier.
    #[serde(default)]
    pub returned_qty: Quantity,
    /// Whether a user closed the line: no further receipts are expected.
    #[serde(default)]
    pub closed: bool,
    /// State of the line.
    #[serde(default)]
    pub state: LineState,
    /// Expected delivery date of this line. Null if it is the order's.
    #[serde(default)]
    pub expected_at: Option<Date>,
}

impl OrderLine {
    /// Cost of `n` of its pieces. If the line has a total, their share of it, rounded down, so that all pieces
    /// together cost the total.
    pub fn value_of(&self, n: Quantity) -> Money {
        let value = match self.line_total {
            Some(total) => share(total, n, self.qty.max(Quantity::new(1))),
            None => product(n, self.unit_cost),
        };
        Money::saturating_from(value)
    }

    /// Pieces that may still be received.
    pub fn open_qty(&self) -> Quantity {
        if self.closed {
            Quantity::ZERO
        } else {
            self.qty.saturating_sub(self.received_qty).max(Quantity::ZERO)
        }
    }

    /// The state that follows from its receipts.
    fn settled(&self) -> LineState {
        if self.received_qty >= self.qty {
            LineState::Received
        } else if self.closed {
            LineState::Closed
        } else if self.received_qty > 0 {
            LineState::Partial
        } else {
            LineState::Open
        }
    }
}

/// Line of a proposed revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposedLine {
    /// Line of the order. Null adds a line.
    pub line_no: Option<u32>,
    /// SKU of the product.
    pub sku: Sku,
    /// Number of pieces.
    pub qty: Quantity,
    /// Price per piece in minor currency units.
    pub unit_cost: Money,
    /// Total cost of all pieces in minor currency units, if the line is ordered by its total. Null if it is ordered by
    /// price per piece.
    #[serde(default)]
    pub line_total: Option<Money>,
    /// Expected delivery date of this line. Null if it is the order's.
    pub expected_at: Option<Date>,
}

/// Revision to a higher total that waits for the approval of another user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposedRevision {
    /// User who proposed the revision.
    pub by: String,
    /// When the revision was proposed.
    pub at: UtcMs,
    /// Reason given for the revision.
    pub reason: String,
    /// Total of the order after the revision, in minor currency units.
    pub total: Money,
    /// All lines of the order after the revision.
    pub lines: Vec<ProposedLine>,
    /// Expected delivery date. Null if it does not change.
    pub expected_at: Option<Date>,
    /// Note in free text. Null if it does not change.
    pub note: Option<String>,
}

/// Purchase order of head office for a store; kind `purchase_order` of the feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PurchaseOrder {
    /// ID of the order, `po_…`.
    pub po_id: String,
    /// Supplier of the order.
    pub supplier_id: String,
    /// Store that the goods are ordered for.
    pub store_id: StoreId,
    /// Number of the order, such as `PO-2026-000001`. Empty if head office gave none.
    #[serde(default)]
    pub po_no: String,
    /// State of the order.
    pub state: OrderState,
    /// Number of changes since the order was sent.
    pub revision: u32,
    /// Expected delivery date. Null if none is known.
    pub expected_at: Option<Date>,
    /// Ordered products.
    pub lines: Vec<OrderLine>,
    /// Sum of the lines' costs, in minor currency units.
    pub total: Money,
    /// Note in free text. Null for none.
    pub note: Option<String>,
    /// User who created the document.
    pub created_by: String,
    /// When the order was created.
    pub created_at: UtcMs,
    /// Users who changed the lines, the supplier or the store after the order was created.
    #[serde(default)]
    pub writers: Vec<String>,
    /// Revision that waits for the approval of another user. Null for none.
    #[serde(default)]
    pub proposed: Option<ProposedRevision>,
    /// User who submitted the order for approval. Null if nobody did.
    #[serde(default)]
    pub submitted_by: Option<String>,
    /// When the order was submitted for approval. Null if it was not.
    #[serde(default)]
    pub submitted_at: Option<UtcMs>,
    /// Reason of the rejection. Null if it was not rejected.
    #[serde(default)]
    pub rejected_reason: Option<String>,
    /// User who approved the document. Null until it is approved.
    pub approved_by: Option<String>,
    /// Approved total, in minor currency units; a revision above it needs a new approval. Null until the order is
    /// approved.
    #[serde(default)]
    pub approved_total: Option<Money>,
    /// When the order was sent to its store and its supplier. Null if it was not.
    #[serde(default)]
    pub sent_at: Option<UtcMs>,
    /// When head office requested the cancellation. Null if it did not. If goods arrive all the same, the order is not
    /// cancelled: check `state`.
    pub cancel_requested_at: Option<UtcMs>,
    /// Whether the store has received the cancellation. Goods that arrive after that have no order.
    #[serde(default)]
    pub cancel_final: bool,
    /// Reason for closing or cancelling the order. Null if none was given.
    #[serde(default)]
    pub closed_reason: Option<String>,
    /// Points to check before the order is approved.
    #[serde(default)]
    pub warnings: Vec<OrderWarning>,
    /// When the order was last changed.
    pub updated_at: UtcMs,
}

impl PurchaseOrder {
    /// Whether it was ever sent to its store.
    pub fn was_sent(&self) -> bool {
        !matches!(self.state, OrderState::Draft | OrderState::Approved)
    }

    /// Adds `qty` received pieces of `sku` to the order, or subtracts returned ones (below 0): line by line, with the
    /// rest on the last line of the sku. Returns false if the order has no such sku.
    pub fn receive(&mut self, sku: &Sku, qty: Quantity) -> bool {
        let mut left = qty;
        let mut last = None;
        for (index, line) in self.lines.iter_mut().enumerate().filter(|(_, line)| line.sku == *sku) {
            let open = line.open_qty();
            let part = left.clamp(line.received_qty.saturating_neg().min(Quantity::ZERO), open);
            line.received_qty = line.received_qty.saturating_add(part);
            left = left.saturating_sub(part);
            last = Some(index);
        }
        let Some(line) = last.and_then(|index| self.lines.get_mut(index)) else { return false };
        line.received_qty = line.received_qty.saturating_add(left).max(Quantity::ZERO);
        true
    }

    /// Sets the state that follows from the receipts, for each line and the order; a state that people closed stays.
    /// Only a store that knows of no cancellation receives goods for an order, so receipts override it, and prove that
    /// the order was sent. Once all of them are reversed, the cancellation applies again.
    pub fn settle(&mut self) {
        for line in &mut self.lines {
            line.state = line.settled();
        }
        if self.state == OrderState::Closed {
            return;
        }
        let done = !self.lines.is_empty()
            && self.lines.iter().all(|line| line.closed || line.received_qty >= line.qty);
        let came = self.lines.iter().any(|line| line.received_qty > 0);
        self.state = match self.state {
            OrderState::PartiallyReceived | OrderState::Received
                if !came && self.cancel_requested_at.is_some() =>
            {
                OrderState::Cancelled
            }
            OrderState::Sent | OrderState::PartiallyReceived | OrderState::Received if !came => {
                if done {
                    OrderState::Received
                } else {
                    OrderState::Sent
                }
            }
            state if !came => state,
            _ if done => OrderState::Received,
            _ => OrderState::PartiallyReceived,
        };
    }
}

/// Receipts of one line of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OrderLineReceipt {
    pub line_no: u32,
    /// Pieces accepted in all receipts that count.
    pub received: Quantity,
    /// Pieces that were delivered and refused at the door.
    pub rejected: Quantity,
}

/// Receiving progress of an order at this store. A row of its own, since head office's copy of the order may be older
/// than the last receipt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OrderProgress {
    /// ID of the order, `po_…`.
    pub po_id: String,
    pub lines: Vec<OrderLineReceipt>,
}

#[cfg(test)]
pub(crate) mod tests;
