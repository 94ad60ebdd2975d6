//! Request bodies of counts of stock, with the checks that need no data.

use crate::model::base::fields::Fields;
use crate::model::base::figures::Quantity;
use crate::model::base::ids::Sku;
use crate::model::base::limits::{ITEMS_MAX, QTY_MAX, REFERENCE_CHARS_MAX, SKU_BYTES_MAX, TEXT_CHARS_MAX};
use crate::model::base::refusal::Refusal;
use crate::model::inventory::barcode::SCAN_BYTES_MAX;
use crate::model::inventory::opname::Scope;
use crate::rules::selling::sale::check_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most zones of one product.
pub const ZONES_MAX: usize = 50;

/// Request body of `POST /api/opname`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewOpname {
    /// Scope of the count.
    pub scope: Scope,
    /// Name of the category. Required if `scope` is `category`, and omitted otherwise.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub category: Option<String>,
    /// Products to count, 1–500. Required if `scope` is `skus`, and omitted otherwise.
    #[schemars(length(min = 1, max = ITEMS_MAX), inner(length(min = 1, max = SKU_BYTES_MAX)))]
    pub skus: Option<Vec<Sku>>,
    /// Whether the count hides the expected quantities from the people who count. Lists of stock still show them.
    /// Defaults to false.
    pub blind: Option<bool>,
    /// Note in free text. Null for none.
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub note: Option<String>,
}

/// Request body of `POST /api/opname/:id/counts`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CountOpname {
    /// Counted quantities, 1–500 entries.
    #[schemars(length(min = 1, max = ITEMS_MAX))]
    pub counts: Vec<Count>,
    /// Treatment of pieces that another user counted in the same zone. If it is omitted and there are any, the request
    /// is refused with 409 `already_counted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<CountMode>,
}

/// Treatment of an earlier count of the same zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CountMode {
    /// The pieces are added to the earlier count, for example because two people share a zone.
    Add,
    /// The pieces replace the earlier count.
    Replace,
}

/// Count of a product in one zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Count {
    /// SKU of the product. May be omitted if `code` names it.
    #[serde(default)]
    #[schemars(length(max = SKU_BYTES_MAX))]
    pub sku: Sku,
    /// Code that was scanned, in place of `sku`. `qty` then counts scans, each of as many pieces as the code stands
    /// for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = SCAN_BYTES_MAX))]
    pub code: Option<String>,
    /// Quantity in pieces, 0–1,000,000.
    #[schemars(range(min = 0, max = QTY_MAX))]
    pub qty: Quantity,
    /// Zone that was counted; zones add up. A user who counts a zone again replaces their own count there; for
    /// another user's count see `mode`. Case and extra spaces are ignored; a blank name counts as none.
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    pub zone: Option<String>,
    /// Whether to withdraw the count of this zone, as if nobody had counted there. `qty` must then be 0. Defaults to
    /// false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdraw: Option<bool>,
}

crate::rules::selling::sale::scanned!(Count, "counts", |line| vec![("qty", &mut line.qty)]);

/// Request body of `POST /api/opname/:id/recount`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecountOpname {
    /// Products to recount, 1–500.
    #[schemars(length(min = 1, max = ITEMS_MAX), inner(length(min = 1, max = SKU_BYTES_MAX)))]
    pub skus: Vec<Sku>,
}

/// Request body of `POST /api/opname/:id/post`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PostOpname {
    /// Whether to also post lines of products whose stock moved between two counts. Defaults to false.
    pub accept: Option<bool>,
}

impl NewOpname {
    /// Checks that need no data of the store.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        match (self.scope, &self.category) {
            (Scope::Category, Some(category)) => fields.name("category", category, TEXT_CHARS_MAX),
            (Scope::Category, None) => fields.wrong("category", "is needed"),
            (_, Some(_)) => fields.wrong("category", "applies to the scope category only"),
            (_, None) => {}
        }
        match (self.scope, &self.skus) {
            (Scope::Skus, Some(list)) => skus(list, &mut fields),
            (Scope::Skus, None) => fields.wrong("skus", "is needed"),
            (_, Some(_)) => fields.wrong("skus", "applies to the scope skus only"),
            (_, None) => {}
        }
        fields.text("note", self.note.as_deref(), TEXT_CHARS_MAX);
        fields.done()
    }
}

impl CountOpname {
    /// Checks that need no data of the count.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        fields.count("counts", self.counts.len(), 1..=ITEMS_MAX);
        for (place, count) in self.counts.iter().take(ITEMS_MAX).enumerate() {
            check_name(count, place, &mut fields);
            let most = if count.withdrawn() { 0 } else { QTY_MAX };
            fields.range(format!("counts[{place}].qty"), count.qty, 0..=most);
            fields.text(format!("counts[{place}].zone"), count.zone.as_deref(), REFERENCE_CHARS_MAX);
        }
        fields.done()
    }
}

impl Count {
    /// Whether it withdraws a count.
    pub(crate) fn withdrawn(&self) -> bool {
        self.withdraw.unwrap_or(false)
    }
}

impl RecountOpname {
    /// Checks that need no data of the count.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        skus(&self.skus, &mut fields);
        fields.done()
    }
}

fn skus(list: &[Sku], fields: &mut Fields) {
    fields.count("skus", list.len(), 1..=ITEMS_MAX);
    for (place, sku) in list.iter().take(ITEMS_MAX).enumerate() {
        fields.code(format!("skus[{place}]"), sku.as_str(), SKU_BYTES_MAX);
    }
}
