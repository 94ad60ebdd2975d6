//! Expired points of a member by the reports of all stores. Only head office decides on expiry
//! (docs/arithmetic.md#points).
//!
//! A store reports only the lots that it knew. So head office replays all entries in the order of their days and
//! compares what should have expired by a day with what was recorded as expired. Points that were redeemed in time but
//! reported late are restored, and running it again changes nothing.

use crate::model::base::figures::Points;
use crate::model::people::points::{LotPart, Lots, PointsReason};
use jiff::civil::Date;
use std::collections::BTreeMap;

/// Lifetime in days of points that were given back after their date, where the store does not state it.
const RESTORE_DAYS: u32 = 30;

/// An entry of a member's points, with the fields that expiry uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpiryEntry {
    /// Reason for the movement.
    pub reason: PointsReason,
    /// Points of the movement, signed.
    pub points: Points,
    /// The last day of their lot, as the store reported it; `None` if they live for ever, or it was not reported.
    pub expires: Option<Date>,
    /// The sale that earned or redeemed them; empty if there is none.
    pub transaction_id: String,
    /// Business date of the entry.
    pub business_date: Date,
}

/// Expiry of a member's points on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Expiry {
    /// Points to expire; below 0: expired points that had been redeemed in time, and are given back.
    pub points: Points,
    /// The last day of the points that expire next. `None` if points don't expire or there are none.
    pub next: Option<Date>,
}

/// A member's lots, followed through the reports of stores, in the order of their days.
#[derive(Debug, Clone)]
pub struct LotFold {
    today: Date,
    lots: Lots,
    /// Points that had to expire so far, less those recorded as expired.
    due: Points,
    expired: Points,
    /// Lots that each sale's redemption took and did not give back.
    taken: BTreeMap<String, Vec<LotPart>>,
    /// The last day of the points that each sale earned.
    earned: BTreeMap<String, Option<Date>>,
}

impl LotFold {
    /// A fold without entries, for the day `today`.
    pub fn new(today: Date) -> Self {
        let (taken, earned) = (BTreeMap::new(), BTreeMap::new());
        Self { today, lots: Lots::default(), due: Points::ZERO, expired: Points::ZERO, taken, earned }
    }

    pub fn add(&mut self, reported: &ExpiryEntry) {
        // A day that has not come, by a clock that runs ahead, lets nothing expire.
        let day = reported.business_date.min(self.today);
        self.pass(day);
        let lost = reported.points.saturating_neg();
        match reported.reason {
            PointsReason::Expire => self.expired = self.expired.saturating_add(lost),
            PointsReason::Redeem if lost > 0 => self.redeem(reported, lost, day),
            PointsReason::GiveBack if lost < 0 => self.give_back(reported, day),
            _ if lost > 0 => drop(self.lots.reverse(self.last_day(reported), lost)),
            _ if reported.points > 0 => {
                let expires = self.last_day(reported);
                if reported.reason == PointsReason::Earn {
                    self.earned.insert(reported.transaction_id.clone(), expires);
                }
                self.lots.earn("", reported.points, expires);
            }
            _ => {}
        }
    }

    pub fn done(mut self) -> Expiry {
        self.pass(self.today);
        let next = self.lots.lots.iter().filter_map(|lot| lot.expires).min();
        Expiry { points: self.due.saturating_sub(self.expired), next }
    }

    /// Begins a day: points past their last day have expired.
    fn pass(&mut self, day: Date) {
        self.due = self.due.saturating_add(sum(&self.lots.expire(day)));
    }

    /// Last day of a sale's points: it is the same, whichever store reports it.
    fn last_day(&self, reported: &ExpiryEntry) -> Option<Date> {
        let known = Some(&reported.transaction_id).filter(|id| !id.is_empty());
        known.and_then(|id| self.earned.get(id)).copied().unwrap_or(reported.expires)
    }

    /// Two stores may have redeemed the same points: the missing ones are owed.
    fn redeem(&mut self, reported: &ExpiryEntry, points: Points, day: Date) {
        let found = points.min(self.lots.usable(day));
        let from = self.lots.redeem(found, day).unwrap_or_default();
        self.lots.reverse(None, points.saturating_sub(sum(&from)));
        self.taken.entry(reported.transaction_id.clone()).or_default().extend(from);
    }

    fn give_back(&mut self, reported: &ExpiryEntry, day: Date) {
        let days = reported.expires.and_then(|last| day.until(last).ok()).map(|span| span.get_days());
        let days = days.and_then(|days| u32::try_from(days).ok()).unwrap_or(RESTORE_DAYS);
        let taken = self.taken.entry(reported.transaction_id.clone()).or_default();
        let back = reported.points.min(sum(taken));
        self.lots.restore_points(taken, back, day, days);
        self.lots.earn("", reported.points.saturating_sub(back), reported.expires);
    }
}

fn sum(parts: &[LotPart]) -> Points {
    parts.iter().map(|part| part.points).sum()
}
