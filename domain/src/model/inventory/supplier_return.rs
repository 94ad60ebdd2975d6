//! Goods that went back to a supplier.

use crate::model::base::ids::{Sku, StoreId, SupplierReturnId, UserId};
use crate::model::base::time::UtcMs;
use crate::model::inventory::stock::StockPlace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One sku that went back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SupplierReturnLine {
    /// Line number, starting at 1.
    pub line_no: u32,
    /// SKU of the product.
    pub sku: Sku,
    /// Its name at the time.
    pub name: String,
    /// Returned quantity in pieces.
    pub qty: i64,
    /// Amount claimed from the supplier.
    pub claim: i64,
    /// Value at which they left stock.
    pub stock_cost: i64,
    /// Afterwards on hand, or put aside, wherever they were taken from.
    pub balance_after: i64,
}

/// A posted supplier return.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SupplierReturn {
    /// `srt_…`
    pub supplier_return_id: SupplierReturnId,
    /// Store that returned the goods.
    pub store_id: StoreId,
    /// Supplier that the goods went back to.
    pub supplier_id: String,
    /// The receipt that they came with.
    pub reference: Option<String>,
    /// Stock that the goods were taken from.
    pub bucket: StockPlace,
    /// Returned lines.
    pub lines: Vec<SupplierReturnLine>,
    /// Sum of the claims.
    pub claim: i64,
    /// Σ stock costs; the difference is purchase variance.
    pub stock_cost: i64,
    /// Free-text note.
    pub note: Option<String>,
    /// By its own time.
    pub business_date: jiff::civil::Date,
    /// User who recorded the return.
    pub created_by: UserId,
    /// When the return was recorded.
    pub created_at: UtcMs,
}
