//! The liability of points: the deferred part of a sale, and the pool that contains it (IFRS 15).

use crate::model::base::figures::{BasisPoints, Money, Points};
use crate::model::base::money::{half_up, product};

/// Deferral of a sale's points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deferred {
    /// Value of the points alone, at the expected redemption.
    pub standalone: Money,
    /// Their share of the price, which is deferred.
    pub deferred: Money,
}

/// Defers a part of `net` (without tax) for `earned` points that are worth `redeem_value` each and
/// are redeemed at `redemption_bp`.
pub fn defer(net: Money, earned: Points, redeem_value: Money, redemption_bp: BasisPoints) -> Deferred {
    let face = product(earned, redeem_value);
    let standalone = redemption_bp.of(face);
    let whole = i128::from(net).saturating_add(standalone);
    let deferred = match whole {
        ..=0 => 0,
        _ => half_up(i128::from(net).saturating_mul(standalone), whole),
    };
    // Neither is above the value of the points.
    Deferred { standalone: Money::saturating_from(standalone), deferred: Money::saturating_from(deferred) }
}

/// The liability of all points: one pool, released at its average.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pool {
    /// Points that are outstanding.
    pub points: Points,
    /// Liability of the points.
    pub value: Money,
}

impl Pool {
    /// Adds points and their deferral.
    pub fn add(&mut self, points: Points, value: Money) {
        self.points = self.points.saturating_add(points);
        self.value = self.value.saturating_add(value);
    }

    /// Releases points: `half_up(V × p, P)`, the last take all.
    pub fn release(&mut self, points: Points) -> Money {
        let released = if points >= self.points {
            self.value
        } else {
            Money::try_from(half_up(product(self.value, points), self.points.into())).unwrap_or(self.value)
        };
        self.points = self.points.saturating_sub(points);
        self.value = self.value.saturating_sub(released);
        released
    }
}
