//! Goods that went back to a supplier.

use crate::model::base::ids::{Sku, StoreId, SupplierReturnId, UserId};
use crate::model::base::time::UtcMs;
use crate::model::inventory::stock::StockPlace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One sku that went back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SupplierReturnLine {
    /// 1-based.
    pub line_no: u32,
    /// The product.
    pub sku: Sku,
    /// Its name at the time.
    pub name: String,
    /// Pieces.
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
    /// The shop.
    pub store_id: StoreId,
    /// The supplier.
    pub supplier_id: String,
    /// The receipt that they came with.
    pub reference: Option<String>,
    /// What the goods were taken from.
    pub bucket: StockPlace,
    /// What went back.
    pub lines: Vec<SupplierReturnLine>,
    /// Σ claims.
    pub claim: i64,
    /// Σ stock costs; the difference is purchase variance.
    pub stock_cost: i64,
    /// A note.
    pub note: Option<String>,
    /// By its own time.
    pub business_date: jiff::civil::Date,
    /// Who.
    pub created_by: UserId,
    /// When.
    pub created_at: UtcMs,
}
