//! Points (docs/arithmetic.md#points): points of a sale, their lots, and their liability.

use crate::model::base::figures::{BasisPoints, Money, Points};
use crate::model::base::money::{product, share};

mod account;
mod lot;
pub use account::{Cause, PointsAccount, PointsEntry, PointsReason, expiry};
pub(crate) use lot::days_after;
pub use lot::{Lot, LotPart, Lots};

/// The multiplier of a member without a tier: 1.
pub const MULTIPLIER_BP: BasisPoints = BasisPoints::WHOLE;

/// `⌊⌊base / earn_per⌋ × multiplier / 10000⌋` with `base` = total − the amount paid with points.
///
/// A store whose `earn_per` is 0 or less gives no points.
pub fn earned(base: Money, earn_per: Money, multiplier_bp: BasisPoints) -> Points {
    if base <= 0 || earn_per <= 0 {
        return Points::ZERO;
    }
    let steps = base.get().checked_div(earn_per.get()).unwrap_or(0);
    let points = product(steps, multiplier_bp).checked_div(BasisPoints::WHOLE.into()).unwrap_or(0);
    Points::saturating_from(points)
}

/// Points that the rest of a sale would have earned after `refunded` of its `total` went back.
///
/// The points that paid go back in proportion, so that no buy-and-return loop earns anything.
pub fn kept(
    total: Money,
    points_paid: Money,
    refunded: Money,
    earn_per: Money,
    multiplier_bp: BasisPoints,
) -> Points {
    let back = Money::try_from(share(points_paid, refunded, total.max(Money::new(1)))).unwrap_or(points_paid);
    let left = total.saturating_sub(refunded).saturating_sub(points_paid.saturating_sub(back));
    earned(left, earn_per, multiplier_bp)
}

/// Whole points that go back in all once `refunded` of the `paid` that `redeemed` points settled
/// went back.
pub fn back(redeemed: Points, paid: Money, refunded: Money) -> Points {
    Points::try_from(share(redeemed, refunded, paid.max(Money::new(1)))).unwrap_or(redeemed)
}
