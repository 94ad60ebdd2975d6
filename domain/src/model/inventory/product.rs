//! Products of a shop.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::Sku;
use crate::model::base::limits::QTY_MAX;
use crate::model::base::time::UtcMs;
use crate::model::inventory::barcode;
use crate::model::inventory::barcode::SCAN_BYTES_MAX;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A code that a scanner reads, with the number of pieces that it stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Barcode {
    /// Barcode or other code as a scanner reads it.
    #[schemars(length(min = 1, max = SCAN_BYTES_MAX))]
    pub code: String,
    /// Number of pieces that one scan stands for.
    #[schemars(range(min = 1, max = QTY_MAX))]
    pub pack_qty: Quantity,
}

/// Whether a product is sold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProductState {
    /// May be sold.
    #[default]
    Active,
    /// May not be sold.
    Inactive,
}

/// A product of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Product {
    /// Product code (SKU).
    pub sku: Sku,
    /// Name of the product.
    pub name: String,
    /// Price of one piece in minor currency units. It applies if no other price is set for the product.
    pub price: Money,
    /// When `price` was set. Prices for all stores that began before this time no longer apply.
    pub price_set_at: UtcMs,
    /// Tax rate in basis points. Null for the store's default.
    pub tax_rate_bp: Option<u32>,
    /// Tax code that explains a rate of 0, for example `exempt`. Null for none.
    pub tax_code: Option<String>,
    /// Code of the category. Null for none.
    pub category: Option<String>,
    /// Codes by which a scanner finds the product.
    pub barcodes: Vec<Barcode>,
    /// First estimate of the cost of one piece, in minor currency units, for stock that was never received. Null for
    /// none.
    pub cost: Option<Money>,
    /// On-hand quantity at or below which the product should be ordered. Null if there is no such level.
    pub reorder_level: Option<Quantity>,
    /// Whether stock of the product is kept.
    pub track_stock: bool,
    /// Whether the product may be sold.
    pub state: ProductState,
    /// When the product was last changed.
    pub updated_at: UtcMs,
}

/// A barcode or SKU that a change would give to a product, but that another active product has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TakenBarcode {
    /// The barcode or SKU that is taken.
    pub code: String,
    /// Product that would get the code.
    pub sku: Sku,
    /// Product that has the code.
    pub taken_by: Sku,
    /// Line of the imported file that names the code. Omitted without a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

impl Product {
    /// Whether the product may be sold.
    pub fn is_active(&self) -> bool {
        self.state == ProductState::Active
    }

    /// The code of a single piece, or the first code if there is none.
    pub fn barcode(&self) -> Option<&Barcode> {
        self.barcodes.iter().find(|barcode| barcode.pack_qty == 1).or_else(|| self.barcodes.first())
    }

    /// The product's code that a scan names, in any form that scanners send.
    pub fn code_of(&self, scan: &str) -> Option<&Barcode> {
        let scan = barcode::normal(scan);
        self.barcodes.iter().find(|known| barcode::normal(&known.code) == scan)
    }

    /// Whether a scanned code names the product.
    pub fn has_code(&self, scan: &str) -> bool {
        self.code_of(scan).is_some()
    }

    /// Doubts about the product's codes, for people.
    pub fn doubts(&self) -> Vec<String> {
        self.barcodes.iter().filter_map(|known| barcode::doubt(&known.code)).collect()
    }

    /// The sku and the codes, as codes are compared: no other product that is sold has one of them.
    pub fn normal_codes(&self) -> BTreeSet<String> {
        let codes = self.barcodes.iter().map(|known| known.code.as_str());
        codes.chain([self.sku.as_str()]).map(barcode::normal).collect()
    }

    /// An active product without further fields.
    pub fn new(sku: Sku, name: String, price: Money, at: UtcMs) -> Self {
        Self {
            sku,
            name,
            price,
            price_set_at: at,
            tax_rate_bp: None,
            tax_code: None,
            category: None,
            barcodes: Vec::new(),
            cost: None,
            reorder_level: None,
            track_stock: true,
            state: ProductState::Active,
            updated_at: at,
        }
    }
}
