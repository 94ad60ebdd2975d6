//! Returns: goods come back, money goes back.

use serde::{Deserialize, Serialize};

/// Where returned goods go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disposition {
    /// Back to the shelf.
    Restock,
    /// Kept, can't be sold.
    Damaged,
    /// Kept for the supplier.
    Vendor,
    /// Thrown away.
    None,
}
