//! Receiving: a supplier's goods come in.

use crate::model::base::ids::{ReceivingId, Sku, StoreId, UserId};
use crate::model::base::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Line of a receiving document: one received SKU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReceivingLine {
    /// Line number, starting at 1.
    pub line_no: u32,
    /// SKU of the product.
    pub sku: Sku,
    /// Its name at the time.
    pub name: String,
    /// Pieces accepted into stock.
    pub qty: i64,
    /// Pieces that came and went back; no stock, no cost.
    pub rejected_qty: i64,
    /// Cost per piece, rounded where the line said its total.
    pub unit_cost: i64,
    /// Total cost of the accepted pieces: the line's total, or qty × unit_cost.
    pub cost: i64,
    /// Booked to cost of goods where stock was below zero.
    pub correction: i64,
    /// Stock on hand after the receipt.
    pub balance_after: i64,
    /// No cost was known: neither given, nor ordered, nor an average.
    pub cost_missing: bool,
    /// Free-text note.
    pub note: Option<String>,
}

/// A posted receiving document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Receiving {
    /// `rcv_…`
    pub receiving_id: ReceivingId,
    /// State of the document: `posted` or `reversed`.
    pub state: String,
    /// Store that received the goods.
    pub store_id: StoreId,
    /// Order, supplier, delivery note and free reference, where known.
    pub po_id: Option<String>,
    /// Supplier of the goods, if known.
    pub supplier_id: Option<String>,
    /// The supplier's delivery note: one receipt each.
    pub delivery_note_no: Option<String>,
    /// Free-text reference.
    pub reference: Option<String>,
    /// Received lines.
    pub lines: Vec<ReceivingLine>,
    /// Sum of the line costs.
    pub total_cost: i64,
    /// Free-text note.
    pub note: Option<String>,
    /// By its own time.
    pub business_date: jiff::civil::Date,
    /// User who recorded the receipt.
    pub created_by: UserId,
    /// When the receipt was recorded.
    pub created_at: UtcMs,
    /// Points to check. The receipt was posted in spite of them.
    #[serde(default)]
    pub warnings: Vec<ReceivingWarning>,
}

/// Kind of possible problem of a receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReceivingWarningCode {
    /// A count that was posted before found more of the product than was expected: perhaps these pieces.
    CountedBefore,
    /// A receipt of the last days has the same lines, and one of the two lacks a supplier or a delivery note.
    RepeatsReceipt,
}

/// Something that is worth a look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReceivingWarning {
    /// Kind of warning.
    pub code: ReceivingWarningCode,
    /// The count, or the other receipt.
    pub document_id: String,
    /// The product that the count found.
    pub sku: Option<Sku>,
    /// Pieces that the count found beyond what was expected.
    pub found: Option<i64>,
    /// When the count or the other receipt was posted.
    pub at: UtcMs,
}
