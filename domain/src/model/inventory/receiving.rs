//! Receiving: a supplier's goods come in.

use crate::model::base::ids::{ReceivingId, Sku, StoreId, UserId};
use crate::model::base::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One received sku.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReceivingLine {
    /// 1-based.
    pub line_no: u32,
    /// The product.
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
    /// On hand afterwards.
    pub balance_after: i64,
    /// No cost was known: neither given, nor ordered, nor an average.
    pub cost_missing: bool,
    /// A note.
    pub note: Option<String>,
}

/// A posted receiving document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Receiving {
    /// `rcv_…`
    pub receiving_id: ReceivingId,
    /// `posted` or `reversed`.
    pub state: String,
    /// The shop.
    pub store_id: StoreId,
    /// Order, supplier, delivery note and free reference, where known.
    pub po_id: Option<String>,
    /// The supplier.
    pub supplier_id: Option<String>,
    /// The supplier's delivery note: one receipt each.
    pub delivery_note_no: Option<String>,
    /// Free reference.
    pub reference: Option<String>,
    /// What came.
    pub lines: Vec<ReceivingLine>,
    /// Σ line costs.
    pub total_cost: i64,
    /// A note.
    pub note: Option<String>,
    /// By its own time.
    pub business_date: jiff::civil::Date,
    /// Who.
    pub created_by: UserId,
    /// When.
    pub created_at: UtcMs,
    /// What is worth a look: it was posted all the same.
    #[serde(default)]
    pub warnings: Vec<ReceivingWarning>,
}

/// What may be wrong with a receipt.
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
    /// What it is.
    pub code: ReceivingWarningCode,
    /// The count, or the other receipt.
    pub document_id: String,
    /// The product that the count found.
    pub sku: Option<Sku>,
    /// How many pieces more it found.
    pub found: Option<i64>,
    /// When the count was posted, or the other receipt.
    pub at: UtcMs,
}
