//! The receiving command, as it comes in.

use crate::model::base::fields::Fields;
use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::Sku;
use crate::model::base::limits::{
    FIGURE_MAX, ID_BYTES_MAX, ITEMS_MAX, PRICE_MAX, QTY_MAX, REFERENCE_CHARS_MAX, SKU_BYTES_MAX,
    TEXT_CHARS_MAX,
};
use crate::model::base::refusal::Refusal;
use crate::model::inventory::barcode::SCAN_BYTES_MAX;
use crate::rules::selling::sale::check_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Request body of `POST /api/receiving`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewReceiving {
    /// Purchase order of the goods. Null for goods without an order.
    #[schemars(length(min = 1, max = ID_BYTES_MAX))]
    pub po_id: Option<String>,
    /// Supplier of the goods. Null if it is not known.
    #[schemars(length(min = 1, max = ID_BYTES_MAX))]
    pub supplier_id: Option<String>,
    /// Number of the supplier's delivery note. Each number can be received once per supplier. A blank number counts as none.
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    pub delivery_note_no: Option<String>,
    /// Reference in free text. Null for none.
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    pub reference: Option<String>,
    /// Received lines, 1–500.
    #[schemars(length(min = 1, max = ITEMS_MAX))]
    pub lines: Vec<NewReceivingLine>,
    /// Note in free text. Null for none.
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub note: Option<String>,
}

/// Line of a new receipt of goods: one received SKU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewReceivingLine {
    /// SKU of the product. May be omitted if `code` names it.
    #[serde(default)]
    #[schemars(length(max = SKU_BYTES_MAX))]
    pub sku: Sku,
    /// Code that was scanned, in place of `sku`. `qty` and `rejected_qty` then count scans, each of as many pieces as
    /// the code stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = SCAN_BYTES_MAX))]
    pub code: Option<String>,
    /// Pieces accepted into stock, 0–1,000,000.
    #[schemars(range(min = 0, max = QTY_MAX))]
    pub qty: Quantity,
    /// Cost of one piece in minor currency units. Defaults to the order's cost, or else the average cost.
    #[schemars(range(min = 0, max = PRICE_MAX))]
    pub unit_cost: Option<Money>,
    /// Total cost of all accepted pieces, in place of `unit_cost`, in minor currency units: the exact value that goes
    /// into stock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = FIGURE_MAX))]
    pub line_total: Option<Money>,
    /// Pieces that were delivered and refused at the door. Defaults to 0.
    #[schemars(range(min = 0, max = QTY_MAX))]
    pub rejected_qty: Option<Quantity>,
    /// Note in free text. Null for none.
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    pub note: Option<String>,
}

crate::rules::selling::sale::scanned!(NewReceivingLine, "lines", |line| {
    let rejected = line.rejected_qty.as_mut().map(|qty| ("rejected_qty", qty));
    [("qty", &mut line.qty)].into_iter().chain(rejected).collect()
});

impl NewReceiving {
    /// Checks that need no data of the store.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        let ids = [("po_id", &self.po_id), ("supplier_id", &self.supplier_id)];
        for (path, id) in ids {
            if let Some(id) = id {
                fields.id(path, id);
            }
        }
        fields.text("delivery_note_no", self.delivery_note_no.as_deref(), REFERENCE_CHARS_MAX);
        fields.text("reference", self.reference.as_deref(), REFERENCE_CHARS_MAX);
        fields.text("note", self.note.as_deref(), TEXT_CHARS_MAX);
        fields.count("lines", self.lines.len(), 1..=ITEMS_MAX);
        for (place, line) in self.lines.iter().take(ITEMS_MAX).enumerate() {
            line.check(place, &mut fields);
        }
        fields.done()
    }
}

/// Checks that a line states the total cost of its pieces, or the cost of each, not both.
pub(crate) fn check_total(fields: &mut Fields, path: String, (total, unit): (Option<Money>, Option<Money>)) {
    if total.is_some() && unit.is_some() {
        fields.wrong(path, "can't be combined with unit_cost: send only one of them");
    } else {
        fields.range_of(path, total, 0..=FIGURE_MAX);
    }
}

impl NewReceivingLine {
    fn check(&self, place: usize, fields: &mut Fields) {
        let at = |field: &str| format!("lines[{place}].{field}");
        check_name(self, place, fields);
        fields.range(at("qty"), self.qty, 0..=QTY_MAX);
        fields.range_of(at("unit_cost"), self.unit_cost, 0..=PRICE_MAX);
        check_total(fields, at("line_total"), (self.line_total, self.unit_cost));
        if self.qty == 0 && self.line_total.is_some_and(|total| total > 0) {
            fields.wrong(at("line_total"), "must be 0 or omitted: nothing was accepted");
        }
        fields.range_of(at("rejected_qty"), self.rejected_qty, 0..=QTY_MAX);
        fields.text(at("note"), self.note.as_deref(), REFERENCE_CHARS_MAX);
        if self.qty == 0 && self.rejected_qty.unwrap_or(Quantity::ZERO) == 0 {
            fields.wrong(at("qty"), "must be above 0, unless rejected_qty is");
        }
    }
}
