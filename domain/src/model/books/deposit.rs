//! The safe, and what is brought from it to the bank.

use crate::model::base::ids::{CashId, UserId};
use crate::model::base::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Cash that left for the bank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Deposit {
    /// `csh_…`
    pub deposit_id: CashId,
    /// Whole currency units; below 0: it takes another deposit back.
    pub amount: i64,
    /// The deposit that it takes back.
    pub reverses: Option<CashId>,
    /// Why it does.
    pub reason: Option<String>,
    /// The bag.
    pub bag_no: String,
    /// Where it goes.
    pub bank_account: String,
    /// When it left.
    pub deposited_at: UtcMs,
    /// The day it counts for.
    pub business_date: jiff::civil::Date,
    /// User who recorded it.
    pub user_id: UserId,
    /// When.
    pub at: UtcMs,
}

/// The opening amount of the safe; the last one counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SafeOpening {
    /// Whole currency units.
    pub amount: i64,
    /// Previous opening balance; null if none was set.
    pub before: Option<i64>,
    /// Why, or who counted it.
    pub reason: String,
    /// The day it counts for.
    pub business_date: jiff::civil::Date,
    /// User who set it.
    pub user_id: UserId,
    /// When.
    pub at: UtcMs,
}

/// Cash in the safe by the store's own books, which begin with what somebody said lay there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Safe {
    /// opening + drops + counted − floats − deposited.
    pub balance: i64,
    /// What lay there when the books began; none: nobody has said, so the balance may be below what is there.
    pub opening: Option<i64>,
    /// Σ opening floats.
    pub floats: i64,
    /// Σ cash dropped.
    pub drops: i64,
    /// Σ cash counted at closes; of a recounted shift the latest count.
    pub counted: i64,
    /// Σ deposits, less those that were taken back.
    pub deposited: i64,
}
