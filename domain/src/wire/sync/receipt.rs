//! The check of a receipt: the hub knows the sale and what stores took back of it, and reserves the pieces
//! for one return.

use crate::model::base::figures::Quantity;
use crate::model::base::ids::{ReturnId, Sku};
use crate::model::base::limits::{ITEMS_MAX, QTY_MAX, REFERENCE_CHARS_MAX, SKU_BYTES_MAX};
use crate::model::base::time::UtcMs;
use crate::model::selling::returns::TakenBack;
use crate::model::selling::transaction::Transaction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Pieces of one product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReservePieces {
    /// SKU of the product.
    #[schemars(length(min = 1, max = SKU_BYTES_MAX))]
    pub sku: Sku,
    /// Number of pieces.
    #[schemars(range(min = 1, max = QTY_MAX))]
    pub qty: Quantity,
}

/// Request body of `POST /api/sync/receipts/reserve`. A repeated request for the same return gets the same answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReserveReceipt {
    /// Return that the pieces are reserved for.
    #[schemars(length(min = 1))]
    pub return_id: ReturnId,
    /// Receipt number of the sale.
    #[schemars(length(min = 1, max = REFERENCE_CHARS_MAX))]
    pub receipt_no: String,
    /// Returned lines, 1–500.
    #[schemars(length(min = 1, max = ITEMS_MAX))]
    pub items: Vec<ReservePieces>,
}

/// Answer to `POST /api/sync/receipts/reserve`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReservedReceipt {
    /// The sale as its store reported it. `returned_qty` of a line includes pieces that were returned since, or are
    /// reserved for another return.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub transaction: Transaction,
    /// Returned pieces and amounts by store: posted returns of all stores, and pieces that other stores than the asking
    /// one have reserved.
    pub taken: Vec<TakenBack>,
    /// Current time of the hub's clock.
    pub hub_time: UtcMs,
}

/// Request body of `POST /api/sync/receipts/release`: releases the pieces that were reserved for a return that is not
/// made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseReceipt {
    /// ID of the return that is not made.
    pub return_id: ReturnId,
}

/// Answer to `POST /api/sync/receipts/release`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReleasedReceipt {
    /// Current time of the hub's clock.
    pub hub_time: UtcMs,
}
