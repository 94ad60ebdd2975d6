//! Stock: quantity and value per sku, moved only by append-only movements.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{MovementId, Sku, UserId};
use crate::model::base::time::UtcMs;
use crate::model::inventory::product::Product;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reason for a stock movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MovementReason {
    /// Goods were sold.
    Sale,
    /// A sale was voided.
    SaleVoid,
    /// A customer returned goods.
    Return,
    /// Goods were received from a supplier.
    Receiving,
    /// Goods were sent to another store.
    TransferOut,
    /// Goods were received from another store.
    TransferIn,
    /// Goods were written off, found or corrected.
    Adjustment,
    /// A stock count found a difference.
    Opname,
    /// Opening stock.
    Opening,
}

impl MovementReason {
    /// The reason's name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sale => "sale",
            Self::SaleVoid => "sale_void",
            Self::Return => "return",
            Self::Receiving => "receiving",
            Self::TransferOut => "transfer_out",
            Self::TransferIn => "transfer_in",
            Self::Adjustment => "adjustment",
            Self::Opname => "opname",
            Self::Opening => "opening",
        }
    }
}

/// A sku's current stock (docs/arithmetic.md#cost-of-stock: `q`, `v`, `u`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Stock {
    /// SKU of the product.
    pub sku: Sku,
    /// Pieces on hand; may be below zero.
    pub qty: Quantity,
    /// Value of the stock in minor currency units; 0 or of the sign of `qty`.
    pub value: Money,
    /// Last unit cost, shown as the average cost.
    pub last_cost: Money,
    /// Pieces that are reserved and can't be sold.
    pub reserved: Quantity,
    /// Pieces that can't be sold; not in `qty`.
    pub damaged: Quantity,
    /// Cost of the damaged pieces.
    pub damaged_value: Money,
    /// Number of movements so far: two counts with the same number saw the same stock.
    pub moves: u64,
    /// When the stock last moved. 0 if it never did.
    pub updated_at: UtcMs,
}

/// One change of a product's stock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Movement {
    /// ID of the movement, `mov_…`.
    pub movement_id: MovementId,
    /// SKU of the product.
    pub sku: Sku,
    /// Number of pieces, signed.
    pub qty: Quantity,
    /// Signed cost of these pieces, as posted to the books, in minor currency units.
    pub cost: Money,
    /// Correction of the estimated cost of pieces that were sold below zero stock, booked to cost of goods now, in
    /// minor currency units.
    pub correction: Money,
    /// Pieces on hand after the movement.
    pub balance_after: Quantity,
    /// Reason for the movement.
    pub reason: MovementReason,
    /// Type of the document that caused the movement: `transaction`, `receiving`, …
    pub reference_type: String,
    /// ID of the document that caused the movement.
    pub reference_id: String,
    /// Line of the document that caused the movement.
    pub line_no: u32,
    /// Cost of one piece, for display: `cost` / `qty`, in minor currency units.
    pub unit_cost: Money,
    /// User who caused the movement.
    pub user_id: UserId,
    /// When the stock moved.
    pub at: UtcMs,
    /// Whether the stock on hand was below zero afterwards.
    pub negative: bool,
}

impl Stock {
    /// The row of a product that never moved: its own cost is the first estimate.
    pub fn seed(product: &Product) -> Self {
        Self { sku: product.sku.clone(), last_cost: product.cost.unwrap_or(Money::ZERO), ..Self::default() }
    }
}

/// Stock that a document takes goods from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StockPlace {
    /// Sellable stock.
    #[default]
    OnHand,
    /// Stock that was set aside as damaged.
    Damaged,
}
