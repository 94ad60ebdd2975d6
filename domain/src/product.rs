//! Products: what a shop sells.

use crate::ids::Sku;
use crate::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest sku, in bytes.
pub const SKU_BYTES_MAX: usize = 64;
/// The longest product name, in bytes.
pub const PRODUCT_NAME_BYTES_MAX: usize = 128;

/// A code that a scanner reads, and how many pieces it stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Barcode {
    /// The code.
    pub code: String,
    /// Pieces in one scan.
    pub pack_qty: i64,
}

/// A product of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Product {
    /// Its code.
    pub sku: Sku,
    /// Its name.
    pub name: String,
    /// Unit price in whole currency units.
    pub price: i64,
    /// Tax rate in basis points; none: the store's default.
    pub tax_rate_bp: Option<u32>,
    /// Says why a rate is 0, for example `exempt`.
    pub tax_code: Option<String>,
    /// Category name.
    pub category: Option<String>,
    /// Codes that name it at a scanner.
    pub barcodes: Vec<Barcode>,
    /// First cost estimate per piece, for stock that was never received.
    pub cost: Option<i64>,
    /// On-hand quantity at or below which it should be ordered.
    pub reorder_level: Option<i64>,
    /// Whether stock is kept for it.
    pub track_stock: bool,
    /// Whether it may be sold.
    pub active: bool,
    /// When it was last changed.
    pub updated_at: UtcMs,
}
