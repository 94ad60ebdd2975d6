//! Cash that moves without a sale.

use serde::{Deserialize, Serialize};

/// Why the drawer was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CashKind {
    /// Cash put in.
    PayIn,
    /// Cash taken out for costs.
    PayOut,
    /// Cash brought to the safe.
    Drop,
    /// Nothing moved: the drawer was only opened.
    NoSale,
}
