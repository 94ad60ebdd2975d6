//! Adjustments: stock written off, found or corrected, with a reason.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{AdjustmentId, Sku, StoreId, UserId};
use crate::model::base::refusal::Refusal;
use crate::model::base::time::UtcMs;
use crate::model::inventory::stock::StockPlace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reason for a stock adjustment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AdjustmentReason {
    /// Goods are broken.
    Damaged,
    /// Goods are past their date.
    Expired,
    /// Goods were stolen.
    Theft,
    /// Goods are missing.
    Loss,
    /// Goods were found again.
    Found,
    /// Goods were given away as samples.
    Sample,
    /// The recorded figure was wrong, in either direction.
    Correction,
}

/// State of an adjustment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AdjustmentState {
    /// Waits for a manager; no stock has moved.
    Pending,
    /// Stock has moved.
    Posted,
    /// Rejected by a manager; no stock moved.
    Rejected,
    /// Reversed by a second set of stock movements.
    Reversed,
}

/// Line of an adjustment: one adjusted SKU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AdjustmentLine {
    /// Line number, starting at 1.
    pub line_no: u32,
    /// SKU of the product.
    pub sku: Sku,
    /// Name of the product at that time.
    pub name: String,
    /// Number of pieces, signed, not 0.
    pub qty: Quantity,
    /// Signed cost of the moved pieces, in minor currency units. An estimate while the adjustment is pending.
    pub cost: Money,
    /// Correction of the estimated cost of pieces that were sold below zero stock, in minor currency units.
    pub correction: Money,
    /// Pieces on hand after the adjustment. Null while the adjustment is pending.
    pub balance_after: Option<Quantity>,
}

/// A stock adjustment document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Adjustment {
    /// ID of the adjustment, `adj_…`.
    pub adjustment_id: AdjustmentId,
    /// State of the adjustment.
    pub state: AdjustmentState,
    /// Store of the adjustment.
    pub store_id: StoreId,
    /// Reason for the adjustment.
    pub reason: AdjustmentReason,
    /// Stock that the goods are taken from.
    pub bucket: StockPlace,
    /// Whether the goods were set aside as damaged instead of leaving the stock.
    #[serde(default)]
    pub keep: bool,
    /// Lines of the adjustment.
    pub lines: Vec<AdjustmentLine>,
    /// Sum of the lines' signed costs, in minor currency units. An estimate while the adjustment is pending.
    pub value: Money,
    /// Note in free text. Null for none.
    pub note: Option<String>,
    /// Business date of the document, by its own time.
    pub business_date: jiff::civil::Date,
    /// User who requested the adjustment.
    pub created_by: UserId,
    /// When the adjustment was created.
    pub created_at: UtcMs,
    /// User who approved or rejected the adjustment. Null if no approval was needed, or while it is pending.
    pub decided_by: Option<UserId>,
    /// When the adjustment was approved or rejected. Null if it was not.
    pub decided_at: Option<UtcMs>,
}

impl AdjustmentReason {
    /// The reason's name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Damaged => "damaged",
            Self::Expired => "expired",
            Self::Theft => "theft",
            Self::Loss => "loss",
            Self::Found => "found",
            Self::Sample => "sample",
            Self::Correction => "correction",
        }
    }

    /// Whether this many pieces fit the reason: goods are found, or gone; a figure is wrong both ways.
    pub fn fits(self, qty: Quantity) -> bool {
        match self {
            Self::Found => qty > 0,
            Self::Correction => qty != 0,
            _ => qty < 0,
        }
    }
}

impl AdjustmentState {
    /// The state's name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Posted => "posted",
            Self::Rejected => "rejected",
            Self::Reversed => "reversed",
        }
    }

    /// `invalid_state`, with the possible steps.
    pub fn refusal(self) -> Refusal {
        let steps: &[&str] = match self {
            Self::Pending => &["approve", "reject"],
            Self::Posted => &["reverse"],
            _ => &[],
        };
        let allowed = steps.iter().map(|step| (*step).to_owned()).collect();
        Refusal::InvalidState { state: self.name().to_owned(), allowed }
    }
}
