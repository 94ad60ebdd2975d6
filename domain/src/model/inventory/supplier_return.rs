//! Goods that went back to a supplier.

use crate::model::base::ids::{Sku, StoreId, SupplierReturnId, UserId};
use crate::model::base::time::UtcMs;
use crate::model::inventory::stock::StockPlace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Line of a supplier return: one SKU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SupplierReturnLine {
    /// Line number, starting at 1.
    pub line_no: u32,
    /// SKU of the product.
    pub sku: Sku,
    /// Name of the product at that time.
    pub name: String,
    /// Returned quantity in pieces.
    pub qty: i64,
    /// Amount claimed from the supplier.
    pub claim: i64,
    /// Value at which the pieces left stock.
    pub stock_cost: i64,
    /// Stock after the return: on hand, or damaged if the goods were taken from there.
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
    /// Receiving document that the goods came with.
    pub reference: Option<String>,
    /// Stock that the goods were taken from.
    pub bucket: StockPlace,
    /// Returned lines.
    pub lines: Vec<SupplierReturnLine>,
    /// Sum of the claims.
    pub claim: i64,
    /// Sum of the stock costs. Its difference from `claim` is purchase variance.
    pub stock_cost: i64,
    /// Free-text note.
    pub note: Option<String>,
    /// Business date of the document, by its own time.
    pub business_date: jiff::civil::Date,
    /// User who recorded the return.
    pub created_by: UserId,
    /// When the return was recorded.
    pub created_at: UtcMs,
}
