//! A store's own settings of a product.

use crate::model::base::figures::Quantity;
use crate::model::base::ids::Sku;
use crate::model::inventory::product::Product;
use crate::model::people::member::FieldMark;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Name of the field with the reorder level.
pub(crate) const LEVEL: &str = "reorder_level";

/// Name of the field with the place on the shelf.
pub(crate) const PLACE: &str = "shelf_place";

/// The store's settings of a product; a field without a mark was never written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ProductSettings {
    /// SKU of the product.
    pub sku: Sku,
    /// On-hand quantity at or below which the product should be ordered. Null if there is no such level.
    pub reorder_level: Option<Quantity>,
    /// Place in the store where the product is kept. Null if none is recorded.
    pub shelf_place: Option<String>,
    /// Last write of each field.
    pub marks: BTreeMap<String, FieldMark>,
}

impl ProductSettings {
    /// Empty settings of a product.
    pub fn of(sku: Sku) -> Self {
        Self { sku, ..Self::default() }
    }

    /// Sets the fields of a product of the catalogue that the store has set itself.
    pub fn apply_to(&self, product: &mut Product) {
        if self.marks.contains_key(LEVEL) {
            product.reorder_level = self.reorder_level;
        }
    }

    /// Whether head office has this value of a field by now.
    pub fn is_back(&self, field: &str, value: &Value) -> bool {
        self.value(field) == *value && self.marks.get(field).is_some_and(|mark| !mark.open)
    }

    pub(crate) fn value(&self, field: &str) -> Value {
        if field == LEVEL { json!(self.reorder_level) } else { json!(self.shelf_place) }
    }
}
