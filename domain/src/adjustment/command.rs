//! The adjustment command, as it comes in.

use super::AdjustmentReason;
use crate::fields::{Fields, TEXT_BYTES_MAX};
use crate::ids::Sku;
use crate::product::SKU_BYTES_MAX;
use crate::refusal::Refusal;
use crate::sale::{ITEMS_MAX, QTY_MAX};
use crate::stock::StockPlace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `POST /adjustments`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAdjustment {
    /// Why.
    pub reason: AdjustmentReason,
    /// What the goods are taken from: those that can be sold, or those that were put aside.
    #[serde(default)]
    pub bucket: StockPlace,
    /// What, 1–500.
    pub lines: Vec<NewAdjustmentLine>,
    /// A note.
    pub note: Option<String>,
    /// Waits for a manager instead of needing one now.
    pub request_approval: Option<bool>,
}

/// One sku.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAdjustmentLine {
    /// The product.
    pub sku: Sku,
    /// Signed pieces, not 0.
    pub qty: i64,
}

impl NewAdjustment {
    /// What can be told without looking at the shop; the sign fits the reason.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        fields.count("lines", self.lines.len(), 1..=ITEMS_MAX);
        for (place, line) in self.lines.iter().take(ITEMS_MAX).enumerate() {
            let path = format!("lines[{place}].qty");
            fields.name(format!("lines[{place}].sku"), line.sku.as_str(), SKU_BYTES_MAX);
            fields.range(path.clone(), line.qty, -QTY_MAX..=QTY_MAX);
            if self.bucket == StockPlace::Damaged && line.qty >= 0 {
                fields.wrong(path.clone(), "must be below 0: damaged goods can only leave");
            }
            if !self.reason.fits(line.qty) {
                fields.wrong(path, "does not fit the reason");
            }
        }
        fields.text("note", self.note.as_deref(), TEXT_BYTES_MAX);
        fields.done()
    }
}
