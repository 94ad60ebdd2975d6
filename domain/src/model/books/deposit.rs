//! The safe, and what is brought from it to the bank.

use crate::model::base::ids::{CashId, UserId};
use crate::model::base::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Cash deposit to the bank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Deposit {
    /// `csh_…`
    pub deposit_id: CashId,
    /// Amount in whole currency units. Negative if it takes another deposit back.
    pub amount: i64,
    /// Deposit that it takes back.
    pub reverses: Option<CashId>,
    /// Reason for taking the other deposit back.
    pub reason: Option<String>,
    /// Number of the deposit bag.
    pub bag_no: String,
    /// Bank account that the cash goes to.
    pub bank_account: String,
    /// When the cash left the store.
    pub deposited_at: UtcMs,
    /// Business date that it counts for.
    pub business_date: jiff::civil::Date,
    /// User who recorded it.
    pub user_id: UserId,
    /// When the deposit was recorded.
    pub at: UtcMs,
}

/// Opening amount of the safe. The latest one counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SafeOpening {
    /// Opening amount in whole currency units.
    pub amount: i64,
    /// Previous opening balance. Null if none was set.
    pub before: Option<i64>,
    /// Reason for the opening, or the person who counted it.
    pub reason: String,
    /// Business date that it counts for.
    pub business_date: jiff::civil::Date,
    /// User who set it.
    pub user_id: UserId,
    /// When the opening was recorded.
    pub at: UtcMs,
}

/// Cash in the safe by the store's own books, which begin with the recorded opening amount.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Safe {
    /// Balance of the safe: opening + drops + counted − floats − deposited.
    pub balance: i64,
    /// Opening balance when the books began. Null if none was recorded: `balance` may then be below the actual cash.
    pub opening: Option<i64>,
    /// Sum of the opening floats.
    pub floats: i64,
    /// Sum of the cash drops.
    pub drops: i64,
    /// Sum of the cash counted at closes. For a recounted shift, the latest count.
    pub counted: i64,
    /// Sum of the deposits, less those that were taken back.
    pub deposited: i64,
}
