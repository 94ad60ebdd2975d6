//! The check of a receipt: the hub knows the sale and what stores took back of it, and reserves the pieces
//! for one return.

use crate::model::base::ids::{ReturnId, Sku};
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
    pub sku: Sku,
    /// Quantity in pieces.
    pub qty: i64,
}

/// `POST /api/sync/receipts/reserve`: repeating the same return gets the same answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReserveReceipt {
    /// Return that the pieces are reserved for.
    pub return_id: ReturnId,
    /// Receipt number of the sale.
    pub receipt_no: String,
    /// Returned lines, 1–500.
    pub items: Vec<ReservePieces>,
}

/// Answer to [`ReserveReceipt`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReservedReceipt {
    /// The sale as its store reported it. `returned_qty` of a line counts the pieces of it that came back by now, or
    /// are reserved for another return.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub transaction: Transaction,
    /// The same by store, with the amounts: for the asking store its posted returns, for others also what they have
    /// reserved.
    pub taken: Vec<TakenBack>,
    /// Current time of the hub's clock.
    pub hub_time: UtcMs,
}

/// `POST /api/sync/receipts/release`: the return does not take place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseReceipt {
    /// The return that does not take place.
    pub return_id: ReturnId,
}

/// Answer to [`ReleaseReceipt`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReleasedReceipt {
    /// Current time of the hub's clock.
    pub hub_time: UtcMs,
}
