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
    /// User who sealed the day. Null if it was sealed automatically at the start of the next day.
    pub sealed_by: Option<UserId>,
    /// When the day was sealed.
    pub sealed_at: UtcMs,
    /// Reason given for sealing the day before it was over. Null for other days.
    pub reason: Option<String>,
}

/// A sealed business day that was reopened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReopenedDay {
    /// The reopened business date.
    pub business_date: Date,
    /// User who unsealed the day. Null if a late document unsealed it.
    pub reopened_by: Option<UserId>,
    /// When the day was reopened.
    pub reopened_at: UtcMs,
    /// The day is not sealed again automatically before the end of this date.
    pub open_until: Date,
    /// Reason given for reopening the day. Null if none was given.
    pub reason: Option<String>,
}
