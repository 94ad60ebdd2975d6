//! A member's points as the interface shows them.

use crate::model::base::figures::Points;
use crate::model::base::ids::MemberId;
use crate::model::base::time::UtcMs;
use crate::model::people::points::{PointsAccount, PointsEntry, PointsReason};
use schemars::JsonSchema;
use serde::Serialize;

/// One change of a member's points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PointsEntry")]
pub struct EntryView {
    /// When the points moved.
    pub at: UtcMs,
    /// Points of the movement, signed.
    pub points: Points,
    /// Reason for the movement.
    pub reason: PointsReason,
    /// ID of the document that moved the points.
    pub reference_id: String,
    /// Points of the member after the movement.
    pub balance_after: Points,
}

/// Answer to `GET /api/members/:id/points`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Points")]
pub struct PointsView {
    /// Member whose points these are.
    pub member_id: MemberId,
    /// Points of the member. Negative if the member owes points.
    pub balance: Points,
    /// Part of `balance` in points that was not yet sent to head office, signed; 0 if there is none.
    pub pending_sync: Points,
    /// Sum of the earned points, without reversed ones.
    pub lifetime_earned: Points,
    /// Sum of the redeemed points, without those that were given back.
    pub lifetime_redeemed: Points,
    /// Point movements, newest first.
    pub entries: Vec<EntryView>,
    /// Cursor of the next page. Null on the last page.
    pub next_cursor: Option<String>,
}

/// Points of a member after a manager's correction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AdjustedPoints {
    /// Member whose points were corrected.
    pub member_id: MemberId,
    /// Points of the member after the correction.
    pub balance: Points,
    /// The recorded points movement.
    pub entry: EntryView,
}

impl From<&PointsEntry> for EntryView {
    fn from(entry: &PointsEntry) -> Self {
        let PointsEntry { at, points, reason, balance_after, .. } = *entry;
        Self { at, points, reason, reference_id: entry.reference_id.clone(), balance_after }
    }
}

impl AdjustedPoints {
    /// The account afterwards and the entry that made it.
    pub fn new(account: &PointsAccount, entry: &PointsEntry) -> Self {
        Self { member_id: account.member_id.clone(), balance: account.balance(), entry: entry.into() }
    }
}
