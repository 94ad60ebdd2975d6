//! Goods that a person wrote off without an approval.

use crate::model::base::figures::Money;
use crate::model::base::ids::UserId;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// Cost of the goods that a person without the role of a manager wrote off on a business day without an approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenOff {
    pub user_id: UserId,
    /// The last day on which the person wrote something off.
    pub business_date: Date,
    /// Cost of that day, in minor currency units.
    pub value: Money,
}
