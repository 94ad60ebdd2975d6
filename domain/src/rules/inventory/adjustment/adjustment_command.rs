//! The adjustment command, as it comes in.

use crate::model::base::fields::Fields;
use crate::model::base::figures::Quantity;
use crate::model::base::ids::Sku;
use crate::model::base::limits::{ITEMS_MAX, QTY_MAX, SKU_BYTES_MAX, TEXT_CHARS_MAX};
use crate::model::base::refusal::Refusal;
use crate::model::inventory::adjustment::AdjustmentReason;
use crate::model::inventory::barcode::SCAN_BYTES_MAX;
use crate::model::inventory::stock::StockPlace;
use crate::rules::selling::sale::check_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Request body of `POST /api/adjustments`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAdjustment {
    /// Reason for the adjustment.
    pub reason: AdjustmentReason,
    /// Stock that the goods are taken from: sellable stock, or stock that was set aside as damaged.
    #[serde(default)]
    pub bucket: StockPlace,
    /// Whether damaged goods are set aside in the store instead of being written off. Defaults to false.
    #[serde(default)]
    pub keep: bool,
    /// Lines of the adjustment, 1–500.
    #[schemars(length(min = 1, max = ITEMS_MAX))]
    pub lines: Vec<NewAdjustmentLine>,
    /// Note in free text. Null for none.
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub note: Option<String>,
    /// Whether the adjustment waits for a manager instead of requiring an approval now. Defaults to false.
    pub request_approval: Option<bool>,
}

/// Line of a new adjustment: one SKU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAdjustmentLine {
    /// SKU of the product. May be omitted if `code` names it.
    #[serde(default)]
    #[schemars(length(max = SKU_BYTES_MAX))]
    pub sku: Sku,
    /// Code that was scanned, in place of `sku`. `qty` then counts scans, each of as many pieces as the code stands
    /// for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = SCAN_BYTES_MAX))]
    pub code: Option<String>,
    /// Number of pieces, signed, not 0.
    #[schemars(range(min = -QTY_MAX, max = QTY_MAX))]
    pub qty: Quantity,
}

crate::rules::selling::sale::scanned!(NewAdjustmentLine, "lines", |line| vec![("qty", &mut line.qty)]);

impl NewAdjustment {
    /// Checks that need no data of the store, including that the sign fits the reason.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        fields.count("lines", self.lines.len(), 1..=ITEMS_MAX);
        for (place, line) in self.lines.iter().take(ITEMS_MAX).enumerate() {
            let path = format!("lines[{place}].qty");
            check_name(line, place, &mut fields);
            fields.range(path.clone(), line.qty, -QTY_MAX..=QTY_MAX);
            if self.bucket == StockPlace::Damaged && line.qty >= 0 {
                fields.wrong(path.clone(), "must be below 0: damaged goods can only leave");
            }
            if !self.reason.fits(line.qty) {
                fields.wrong(path, "does not fit the reason");
            }
        }
        let may_keep = self.reason == AdjustmentReason::Damaged && self.bucket == StockPlace::OnHand;
        if self.keep && !may_keep {
            fields.wrong("keep", "applies only to the reason damaged and goods on hand");
        }
        fields.text("note", self.note.as_deref(), TEXT_CHARS_MAX);
        fields.done()
    }
}
