//! Goods that went back to a supplier.

use crate::model::base::figures::{Money, Quantity};
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
    pub qty: Quantity,
    /// Amount claimed from the supplier, in minor currency units.
    pub claim: Money,
    /// Value at which the pieces left stock, in minor currency units.
    pub stock_cost: Money,
    /// Pieces left in the stock that the goods were taken from: on hand, or damaged.
    pub balance_after: Quantity,
}

/// A posted supplier return.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SupplierReturn {
    /// ID of the supplier return, `srt_…`.
    pub supplier_return_id: SupplierReturnId,
    /// Store that returned the goods.
    pub store_id: StoreId,
    /// Supplier that the goods were returned to.
    pub supplier_id: String,
    /// Receipt of the goods. Null for none.
    pub reference: Option<String>,
    /// Stock that the goods were taken from.
    pub bucket: StockPlace,
    /// Returned lines.
    pub lines: Vec<SupplierReturnLine>,
    /// Sum of the lines' claims, in minor currency units.
    pub claim: Money,
    /// Sum of the lines' stock costs, in minor currency units. Its difference from `claim` is purchase variance.
    pub stock_cost: Money,
    /// Note in free text. Null for none.
    pub note: Option<String>,
    /// Business date of the document, by its own time.
    pub business_date: jiff::civil::Date,
    /// User who recorded the return.
    pub created_by: UserId,
    /// When the return was recorded.
    pub created_at: UtcMs,
}
