//! Business days.

use crate::model::base::ids::{ShiftId, UserId};
use crate::model::base::time::UtcMs;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A sealed business day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Day {
    /// The sealed business date.
    pub business_date: Date,
    /// Shifts of the day, all closed.
    pub shift_ids: Vec<ShiftId>,
    /// User who sealed it. Null if the start of the next day did.
    pub sealed_by: Option<UserId>,
    /// When the day was sealed.
    pub sealed_at: UtcMs,
    /// Reason given if the day was sealed before it was over.
    pub reason: Option<String>,
}

/// A sealed business day that was reopened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReopenedDay {
    /// The reopened business date.
    pub business_date: Date,
    /// User who unsealed it. Null if it was unsealed by a later document.
    pub reopened_by: Option<UserId>,
    /// When the day was reopened.
    pub reopened_at: UtcMs,
    /// Date before whose end the day does not seal itself again.
    pub open_until: Date,
    /// Reason given for reopening the day.
    pub reason: Option<String>,
}
