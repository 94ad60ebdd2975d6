//! A member's points: the current row, and the entries that made it.

use crate::model::base::figures::{Money, Points};
use crate::model::base::ids::{MemberId, UserId};
use crate::model::base::refusal::Refusal;
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::people::points::{LotPart, Lots, days_after};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Source of the lot of points that head office reports, and whose movements this store does not know.
const HUB_LOT: &str = "hub";

/// Reason for a points movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PointsReason {
    /// A sale earned the points.
    Earn,
    /// The points paid for a sale.
    Redeem,
    /// A return or a void removed points that a sale had earned.
    Reverse,
    /// A return or a void restored points that had been used to pay.
    GiveBack,
    /// A manager corrected the points.
    Adjust,
    /// The points expired.
    Expire,
    /// Points that the member had before points were kept in this system.
    Opening,
}

/// One change of a member's points. It is never changed or deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PointsEntry {
    /// `<document>:<reason>`: a cause that is sent twice has one entry.
    pub entry_id: String,
    /// Member whose points changed.
    pub member_id: MemberId,
    /// Points of the movement, signed.
    pub points: Points,
    /// Reason for the movement.
    pub reason: PointsReason,
    /// ID of the document that moved the points.
    pub reference_id: String,
    /// Points of the member after the movement.
    pub balance_after: Points,
    /// Lots that the points were taken from or added to.
    pub lots: Vec<LotPart>,
    /// Business date of the entry.
    pub business_date: Date,
    /// User who caused the movement.
    pub user_id: UserId,
    /// When the points moved.
    pub at: UtcMs,
    /// Value of one point, in minor currency units, at the store that moved them; 0 if the store did not state it.
    #[serde(default)]
    pub worth: Money,
}

/// A member's points as they are now.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PointsAccount {
    /// Member whose points these are.
    pub member_id: MemberId,
    /// Points on hand, by expiry.
    pub lots: Lots,
    /// Sum of the earned points, without reversed ones.
    pub lifetime_earned: Points,
    /// Sum of the redeemed points, without those that were given back.
    pub lifetime_redeemed: Points,
    /// Points that were redeemed while head office was away, and that are not in its balance yet.
    pub redeemed_apart: Points,
    /// When the points last moved.
    pub updated_at: UtcMs,
}

/// Details of a points entry apart from the points.
#[derive(Debug, Clone, Copy)]
pub struct Cause<'a> {
    /// ID of the document that moves the points.
    pub reference_id: &'a str,
    /// Business date of the entry.
    pub business_date: Date,
    /// User who causes the movement.
    pub user_id: &'a UserId,
    /// When the points move.
    pub at: UtcMs,
    /// Value of one point at this store; 0 if it is not needed.
    pub worth: Money,
}

impl PointsAccount {
    /// A member that never had points.
    pub fn new(member_id: MemberId) -> Self {
        Self { member_id, ..Self::default() }
    }

    /// Points that may be spent or owed.
    pub fn balance(&self) -> Points {
        self.lots.balance()
    }

    /// Adds earned points, which expire after `expires`.
    pub fn earn(&mut self, points: Points, expires: Option<Date>, cause: &Cause<'_>) -> PointsEntry {
        let into = self.lots.earn(cause.reference_id, points, expires);
        self.lifetime_earned = self.lifetime_earned.saturating_add(points);
        self.entry(points, PointsReason::Earn, into.into_iter().collect(), cause)
    }

    /// Redeems points. `reserved`: points that unfinished sales hold. `apart`: head office is away, so that the limit
    /// `points_offline_limit` applies.
    ///
    /// # Errors
    /// `insufficient_points`.
    pub fn redeem(
        &mut self,
        points: Points,
        reserved: Points,
        apart: bool,
        rules: &Rules,
        cause: &Cause<'_>,
    ) -> Result<PointsEntry, Refusal> {
        let usable = self.lots.usable(cause.business_date);
        let allowance =
            rules.policy.points_offline_limit.saturating_sub(self.redeemed_apart).max(Points::ZERO);
        let most = if apart { allowance.min(usable) } else { usable };
        let available = most.saturating_sub(reserved).max(Points::ZERO);
        if points > available {
            return Err(Refusal::InsufficientPoints {
                member_id: self.member_id.clone(),
                balance: self.balance(),
                reserved,
                available,
                requested: points,
            });
        }
        let from = self.lots.redeem(points, cause.business_date)?;
        if apart {
            self.redeemed_apart = self.redeemed_apart.saturating_add(points);
        }
        self.lifetime_redeemed = self.lifetime_redeemed.saturating_add(points);
        Ok(self.entry(points.saturating_neg(), PointsReason::Redeem, from, cause))
    }

    /// Removes points that a sale earned from the lot that expires after `expires`.
    pub fn reverse(&mut self, points: Points, expires: Option<Date>, cause: &Cause<'_>) -> PointsEntry {
        let from = self.lots.reverse(expires, points);
        self.lifetime_earned = self.lifetime_earned.saturating_sub(points);
        self.entry(points.saturating_neg(), PointsReason::Reverse, from, cause)
    }

    /// Returns spent points to the lots that they were taken from. `taken`: the
    /// parts that were not returned yet.
    pub fn restore_points(
        &mut self,
        taken: &mut Vec<LotPart>,
        points: Points,
        rules: &Rules,
        cause: &Cause<'_>,
    ) -> PointsEntry {
        let into =
            self.lots.restore_points(taken, points, cause.business_date, rules.policy.points_restore_days);
        self.lifetime_redeemed = self.lifetime_redeemed.saturating_sub(points);
        self.entry(points, PointsReason::GiveBack, into, cause)
    }

    /// Expires lots whose date has passed, in a store without a hub. `None` if there are none.
    pub fn expire(&mut self, cause: &Cause<'_>) -> Option<PointsEntry> {
        let gone = self.lots.expire(cause.business_date);
        let points: Points = gone.iter().map(|part| part.points).sum();
        (points > 0).then(|| self.entry(points.saturating_neg(), PointsReason::Expire, gone, cause))
    }

    /// Adopts head office's balance, with the store's own entries that it does not contain yet.
    pub fn meet(&mut self, balance: Points, uncovered: &[PointsEntry], at: UtcMs) {
        let own = uncovered.iter().map(|entry| entry.points).sum();
        let balance = balance.saturating_add(own);
        if balance != self.balance() {
            self.lots.meet(balance, HUB_LOT);
            self.updated_at = at;
        }
    }

    /// Applies an entry of a recovered record.
    pub(crate) fn replay(&mut self, entry: &PointsEntry) {
        self.lots.replay(entry.points, &entry.lots);
        match entry.reason {
            PointsReason::Earn | PointsReason::Reverse => {
                self.lifetime_earned = self.lifetime_earned.saturating_add(entry.points);
            }
            PointsReason::Redeem | PointsReason::GiveBack => {
                self.lifetime_redeemed = self.lifetime_redeemed.saturating_sub(entry.points);
            }
            PointsReason::Adjust | PointsReason::Expire | PointsReason::Opening => {}
        }
        self.updated_at = self.updated_at.max(entry.at);
    }

    /// Makes the entry of a movement that was applied.
    pub(crate) fn entry(
        &mut self,
        points: Points,
        reason: PointsReason,
        lots: Vec<LotPart>,
        cause: &Cause<'_>,
    ) -> PointsEntry {
        self.updated_at = cause.at;
        PointsEntry {
            entry_id: format!("{}:{}", cause.reference_id, reason.name()),
            member_id: self.member_id.clone(),
            points,
            reason,
            reference_id: cause.reference_id.to_owned(),
            balance_after: self.balance(),
            lots,
            business_date: cause.business_date,
            user_id: cause.user_id.clone(),
            at: cause.at,
            worth: cause.worth,
        }
    }
}

impl PointsReason {
    /// The reason's name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Earn => "earn",
            Self::Redeem => "redeem",
            Self::Reverse => "reverse",
            Self::GiveBack => "give_back",
            Self::Adjust => "adjust",
            Self::Expire => "expire",
            Self::Opening => "opening",
        }
    }
}

/// Last day of points earned on `on`. `None` if they never expire.
pub fn expiry(on: Date, rules: &Rules) -> Option<Date> {
    let days = rules.policy.points_expire_days;
    (days > 0).then(|| days_after(on, days))
}
