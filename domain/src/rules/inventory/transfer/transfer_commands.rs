//! The transfers' commands, as they come in.

use crate::model::base::fields::Fields;
use crate::model::base::figures::Quantity;
use crate::model::base::ids::{Sku, StoreId};
use crate::model::base::limits::{ITEMS_MAX, QTY_MAX, SKU_BYTES_MAX, TEXT_CHARS_MAX};
use crate::model::base::refusal::Refusal;
use crate::model::inventory::barcode::SCAN_BYTES_MAX;
use crate::model::inventory::transfer::Resolution;
use crate::rules::selling::sale::check_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Request body of `POST /api/transfers`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTransfer {
    /// Store that the goods are sent to.
    #[schemars(length(min = 1))]
    pub to_store_id: StoreId,
    /// Lines, 1–500; each SKU once.
    #[schemars(length(min = 1, max = ITEMS_MAX))]
    pub lines: Vec<NewTransferLine>,
    /// Note in free text. Null for none.
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub note: Option<String>,
    /// Whether to record the transfer only, so that no goods leave yet. Defaults to false.
    pub draft: Option<bool>,
}

/// One SKU to send or to receive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTransferLine {
    /// SKU of the product. May be omitted if `code` names it.
    #[serde(default)]
    #[schemars(length(max = SKU_BYTES_MAX))]
    pub sku: Sku,
    /// Code that was scanned, in place of `sku`. `qty` then counts scans, each of as many pieces as the code stands
    /// for. Codes of one product are added up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = SCAN_BYTES_MAX))]
    pub code: Option<String>,
    /// Number of pieces.
    #[schemars(range(min = 0, max = QTY_MAX))]
    pub qty: Quantity,
}

crate::rules::selling::sale::scanned!(NewTransferLine, "lines", |line| vec![("qty", &mut line.qty)]);

/// Request body of `POST /api/transfers/:id/receive`: SKUs that are not listed count as not received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceiveTransfer {
    /// Received products.
    #[schemars(length(max = ITEMS_MAX))]
    pub lines: Vec<NewTransferLine>,
}

/// Request body of `POST /api/transfers/:id/resolve`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolveTransfer {
    /// Outcomes of missing pieces, in order.
    #[schemars(length(min = 1, max = ITEMS_MAX))]
    pub lines: Vec<ResolveLine>,
}

/// Outcome of missing pieces of one SKU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolveLine {
    /// SKU of the product.
    #[schemars(length(min = 1, max = SKU_BYTES_MAX))]
    pub sku: Sku,
    /// Number of pieces.
    #[schemars(range(min = 1, max = QTY_MAX))]
    pub qty: Quantity,
    /// Outcome of the missing pieces.
    pub resolution: Resolution,
}

/// Adds the pieces of lines with the same SKU up, as a carton and single pieces of one product have by their codes. A
/// sum above the largest quantity stays apart, and is refused.
pub fn add_up_skus(lines: &mut Vec<NewTransferLine>) {
    let mut places: BTreeMap<Sku, usize> = BTreeMap::new();
    let mut summed: Vec<NewTransferLine> = Vec::new();
    for line in lines.drain(..) {
        let place = *places.entry(line.sku.clone()).or_insert(summed.len());
        let sum = summed.get_mut(place).map(|known| (known.qty.saturating_add(line.qty), known));
        match sum {
            Some((qty, known)) if qty <= QTY_MAX => known.qty = qty,
            _ => summed.push(line),
        }
    }
    *lines = summed;
}

impl NewTransfer {
    /// Checks that need no data of the store.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self, own: &StoreId) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        fields.id("to_store_id", self.to_store_id.as_str());
        if self.to_store_id == *own {
            fields.wrong("to_store_id", "is this store");
        }
        fields.count("lines", self.lines.len(), 1..=ITEMS_MAX);
        lines(&self.lines, 1, &mut fields);
        fields.text("note", self.note.as_deref(), TEXT_CHARS_MAX);
        fields.done()
    }
}

impl ReceiveTransfer {
    /// Checks that need no data of the transfer.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        fields.count("lines", self.lines.len(), 0..=ITEMS_MAX);
        lines(&self.lines, 0, &mut fields);
        fields.done()
    }
}

impl ResolveTransfer {
    /// Checks that need no data of the transfer.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        fields.count("lines", self.lines.len(), 1..=ITEMS_MAX);
        for (place, line) in self.lines.iter().take(ITEMS_MAX).enumerate() {
            fields.code(format!("lines[{place}].sku"), line.sku.as_str(), SKU_BYTES_MAX);
            fields.range(format!("lines[{place}].qty"), line.qty, 1..=QTY_MAX);
        }
        fields.done()
    }
}

fn lines(lines: &[NewTransferLine], least: i64, fields: &mut Fields) {
    let mut seen = BTreeSet::new();
    for (place, line) in lines.iter().take(ITEMS_MAX).enumerate() {
        check_name(line, place, fields);
        fields.range(format!("lines[{place}].qty"), line.qty, least..=QTY_MAX);
        // Which product a code names is looked up later.
        if !line.sku.0.is_empty() && !seen.insert(&line.sku) {
            fields.wrong(format!("lines[{place}].sku"), "appears twice");
        }
    }
}
