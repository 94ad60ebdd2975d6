//! The safe, and deposits from it at the bank.

use crate::model::base::figures::Money;
use crate::model::base::ids::{CashId, UserId};
use crate::model::base::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Cash deposit to the bank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Deposit {
    /// ID of the cash movement, `csh_…`.
    pub deposit_id: CashId,
    /// Amount in minor currency units. Negative if it reverses another deposit.
    pub amount: Money,
    /// Deposit that this one reverses. Null for none.
    pub reverses: Option<CashId>,
    /// Reason for reversing the other deposit. Null if this one reverses none.
    pub reason: Option<String>,
    /// Number of the deposit bag.
    pub bag_no: String,
    /// Bank account that the cash goes to.
    pub bank_account: String,
    /// When the cash left the store.
    pub deposited_at: UtcMs,
    /// Business date of the deposit.
    pub business_date: jiff::civil::Date,
    /// User who recorded it.
    pub user_id: UserId,
    /// When the deposit was recorded.
    pub at: UtcMs,
}

/// Opening amount of the safe. The latest one applies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SafeOpening {
    /// Opening amount in minor currency units.
    pub amount: Money,
    /// Previous opening amount, in minor currency units. Null if none was set.
    pub before: Option<Money>,
    /// Reason for the opening amount, or the person who counted it.
    pub reason: String,
    /// Business date of the opening.
    pub business_date: jiff::civil::Date,
    /// User who set the opening amount.
    pub user_id: UserId,
    /// When the opening was recorded.
    pub at: UtcMs,
}

/// Cash in the safe by the store's own books, which begin with the recorded opening amount.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Safe {
    /// Balance of the safe, in minor currency units: `opening` + `drops` + `counted` − `floats` − `deposited`.
    pub balance: Money,
    /// Opening amount of the safe, in minor currency units. Null if none was recorded: `balance` may then be below the
    /// actual cash.
    pub opening: Option<Money>,
    /// Sum of the opening floats, in minor currency units.
    pub floats: Money,
    /// Sum of the cash drops, in minor currency units.
    pub drops: Money,
    /// Sum of the cash counted at the closes of shifts, in minor currency units. A recounted shift counts with its
    /// latest count.
    pub counted: Money,
    /// Sum of the deposits, in minor currency units; reversed deposits are not included.
    pub deposited: Money,
}
