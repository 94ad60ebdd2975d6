//! A supplier's price for a product: its first day and its minimum quantity.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::Sku;
use crate::model::base::time::UtcMs;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a supplier price is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SupplierPriceState {
    /// The price applies on the days from `from` to `to`.
    #[default]
    Active,
    /// The price no longer applies.
    Inactive,
}

/// A supplier price, identified by supplier, SKU, `min_qty` and `from`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SupplierPrice {
    /// ID of the supplier price, `spp_…`.
    pub row_id: String,
    /// Supplier of the price list.
    pub supplier_id: String,
    /// SKU of the product.
    pub sku: Sku,
    /// The supplier's own code of the product. Null for none.
    pub supplier_sku: Option<String>,
    /// Price per piece in minor currency units.
    pub unit_cost: Money,
    /// Minimum number of pieces for this price.
    pub min_qty: Quantity,
    /// Number of pieces in a pack.
    pub pack_qty: Quantity,
    /// First day of the price. Null if it always applied.
    pub from: Option<Date>,
    /// Last day of the price. Null if it applies until the next price.
    pub to: Option<Date>,
    /// Days from order to delivery. Null for the supplier's lead time.
    pub lead_time_days: Option<u32>,
    /// Whether this is the default supplier of the product.
    pub preferred: bool,
    /// Whether the price is valid.
    pub state: SupplierPriceState,
    /// When the row was last changed.
    pub updated_at: UtcMs,
}

impl SupplierPrice {
    /// Whether it counts on a day.
    pub fn counts_on(&self, day: Date) -> bool {
        self.state == SupplierPriceState::Active
            && self.from.is_none_or(|from| from <= day)
            && self.to.is_none_or(|to| day <= to)
    }
}
