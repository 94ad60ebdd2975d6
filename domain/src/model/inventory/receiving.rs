//! Receiving: a supplier's goods come in.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{ReceivingId, Sku, StoreId, UserId};
use crate::model::base::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Line of a receipt of goods: one received SKU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReceivingLine {
    /// Line number, starting at 1.
    pub line_no: u32,
    /// SKU of the product.
    pub sku: Sku,
    /// Name of the product at that time.
    pub name: String,
    /// Pieces accepted into stock.
    pub qty: Quantity,
    /// Pieces that were delivered and refused at the door. They do not go into stock and have no cost.
    pub rejected_qty: Quantity,
    /// Cost of one piece, in minor currency units; rounded if the line states a total.
    pub unit_cost: Money,
    /// Total cost of the accepted pieces, in minor currency units: the line's total, or `qty` × `unit_cost`.
    pub cost: Money,
    /// Amount booked to cost of goods because stock was below zero, in minor currency units.
    pub correction: Money,
    /// Pieces on hand after the receipt.
    pub balance_after: Quantity,
    /// Whether the cost was unknown: none was given, the order has none, and there was no average cost.
    pub cost_missing: bool,
    /// Note in free text. Null for none.
    pub note: Option<String>,
}

/// A posted receipt of goods.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Receiving {
    /// ID of the receipt, `rcv_…`.
    pub receiving_id: ReceivingId,
    /// State of the document: `posted` or `reversed`.
    #[schemars(extend("enum" = ["posted", "reversed"]))]
    pub state: String,
    /// Store that received the goods.
    pub store_id: StoreId,
    /// Purchase order of the goods. Null for goods without an order.
    pub po_id: Option<String>,
    /// Supplier of the goods. Null if it is not known.
    pub supplier_id: Option<String>,
    /// Number of the supplier's delivery note. Each number can be received once per supplier. Null for none.
    pub delivery_note_no: Option<String>,
    /// Reference in free text. Null for none.
    pub reference: Option<String>,
    /// Received lines.
    pub lines: Vec<ReceivingLine>,
    /// Sum of the lines' costs, in minor currency units.
    pub total_cost: Money,
    /// Note in free text. Null for none.
    pub note: Option<String>,
    /// Receipt that this one corrects, since head office could not post it. Null if it corrects none.
    #[serde(default)]
    pub resubmits: Option<ReceivingId>,
    /// Receipt that corrects this one. Null if none does.
    #[serde(default)]
    pub replaced_by: Option<ReceivingId>,
    /// Business date of the document, by its own time.
    pub business_date: jiff::civil::Date,
    /// User who recorded the receipt.
    pub created_by: UserId,
    /// When the receipt was recorded.
    pub created_at: UtcMs,
    /// Points to check. They do not prevent the receipt.
    #[serde(default)]
    pub warnings: Vec<ReceivingWarning>,
}

/// Kind of possible problem of a receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReceivingWarningCode {
    /// A count that is open, or was posted in the last days, found more of the product than expected, perhaps these
    /// pieces.
    CountedBefore,
    /// A receipt of the last days has the same lines or the same delivery note, and one of the two has no supplier or
    /// delivery note.
    RepeatsReceipt,
}

/// Point to check about a receipt, or about a received transfer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReceivingWarning {
    /// Kind of warning.
    pub code: ReceivingWarningCode,
    /// ID of the count or the other receipt.
    pub document_id: String,
    /// Product of which the count found more. Null for other warnings.
    pub sku: Option<Sku>,
    /// Number of pieces that the count found in addition to the expected ones. Null for other warnings.
    pub found: Option<Quantity>,
    /// When the count or the other receipt was posted. For an open count, when the product was counted.
    pub at: UtcMs,
}
