//! Lots: points live until a date, and are spent in the order in which they die (docs/arithmetic.md#points).

use crate::model::base::figures::Points;
use crate::model::base::ids::MemberId;
use crate::model::base::refusal::Refusal;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Points of one expiry date. Points with the same date form one lot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lot {
    /// Document that earned the first of the lot's points.
    pub lot_id: String,
    /// Remaining points, above 0.
    pub points: Points,
    /// Last day on which the points may be used. Null if they never expire.
    pub expires: Option<Date>,
}

/// So many points taken from, or put into, a lot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LotPart {
    /// ID of the lot.
    pub lot_id: String,
    /// Points of the part.
    pub points: Points,
    /// Expiry date of the lot. Null if it never expires.
    pub expires: Option<Date>,
}

/// A member's points by lot. `debt` is what reversals took beyond them: the next points fill it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Lots {
    /// In the order of spending: earliest expiry first, then earliest earned.
    pub lots: Vec<Lot>,
    /// Points that the member owes; above 0 only while there are no lots.
    pub debt: Points,
}

impl Lots {
    /// Σ lots − debt.
    pub fn balance(&self) -> Points {
        self.sum(|_| true).saturating_sub(self.debt)
    }

    /// Points that may be spent on `on`: lots past their date are refused, whether or not their expiry is recorded.
    pub fn usable(&self, on: Date) -> Points {
        self.sum(|lot| !past(lot.expires, on))
    }

    fn sum(&self, counts: impl Fn(&Lot) -> bool) -> Points {
        let lots = self.lots.iter().filter(|lot| counts(lot));
        lots.map(|lot| lot.points).sum()
    }

    /// Puts points in; a debt is filled first.
    pub fn earn(&mut self, lot_id: &str, points: Points, expires: Option<Date>) -> Option<LotPart> {
        let filled = self.debt.min(points);
        self.debt = self.debt.saturating_sub(filled);
        let points = points.saturating_sub(filled);
        if points <= 0 {
            return None;
        }
        let same = self.lots.iter_mut().find(|lot| lot.expires == expires);
        let lot_id = if let Some(lot) = same {
            lot.points = lot.points.saturating_add(points);
            lot.lot_id.clone()
        } else {
            self.lots.push(Lot { lot_id: lot_id.to_owned(), points, expires });
            // A stable sort keeps the order of earning. Lots that never expire come last.
            self.lots.sort_by_key(|lot| (lot.expires.is_none(), lot.expires));
            lot_id.to_owned()
        };
        Some(LotPart { lot_id, points, expires })
    }

    /// Spends points on `on`, from the lots that die first.
    ///
    /// # Errors
    /// `insufficient_points`; nothing changed.
    pub fn redeem(&mut self, points: Points, on: Date) -> Result<Vec<LotPart>, Refusal> {
        if points > self.usable(on) || self.debt > 0 {
            return Err(Refusal::InsufficientPoints {
                member_id: MemberId::default(),
                balance: self.balance(),
                reserved: Points::ZERO,
                available: self.usable(on),
                requested: points,
            });
        }
        Ok(self.take(points, |lot| !past(lot.expires, on)))
    }

    /// Returns points to the lots that they were `taken` from, in reverse order.
    ///
    /// `taken` is what has not been returned yet. A lot that has expired by `on` is extended by `restore_days`.
    pub fn restore_points(
        &mut self,
        taken: &mut Vec<LotPart>,
        points: Points,
        on: Date,
        restore_days: u32,
    ) -> Vec<LotPart> {
        let mut left = points;
        let mut put = Vec::new();
        while left > 0 {
            let Some(part) = taken.last_mut() else { break };
            let back = part.points.min(left);
            left = left.saturating_sub(back);
            part.points = part.points.saturating_sub(back);
            let dead = past(part.expires, on);
            let lot_id = if dead { format!("{}*", part.lot_id) } else { part.lot_id.clone() };
            let expires = if dead { Some(days_after(on, restore_days)) } else { part.expires };
            put.extend(self.earn(&lot_id, back, expires));
            if part.points == 0 {
                taken.pop();
            }
        }
        put
    }

    /// Takes earned points away: from the lot of `expires`, then the others; the rest is a debt.
    pub fn reverse(&mut self, expires: Option<Date>, points: Points) -> Vec<LotPart> {
        let mut parts = self.take(points, |lot| lot.expires == expires);
        let taken = |parts: &[LotPart]| parts.iter().map(|part| part.points).sum();
        parts.extend(self.take(points.saturating_sub(taken(&parts)), |_| true));
        let owed = points.saturating_sub(taken(&parts));
        self.debt = self.debt.saturating_add(owed);
        parts
    }

    /// Adjusts the lots to head office's balance. Surplus points were earned in other stores and don't expire unless
    /// head office reports it. Missing points were spent or expired in other stores; they are taken from the lots that
    /// expire first.
    pub fn meet(&mut self, balance: Points, lot_id: &str) {
        let apart = balance.saturating_sub(self.balance());
        if apart > 0 {
            self.earn(lot_id, apart, None);
        } else if apart < 0 {
            let gone = apart.saturating_neg();
            let taken = self.take(gone, |_| true);
            let taken = taken.iter().map(|part| part.points).sum();
            self.debt = self.debt.saturating_add(gone.saturating_sub(taken));
        }
    }

    /// Takes away every lot whose date is before `on`: at the hub, or in a store without one.
    pub fn expire(&mut self, on: Date) -> Vec<LotPart> {
        self.take(Points::new(i64::MAX), |lot| past(lot.expires, on))
    }

    /// Applies an entry of a recovered record: positive `points` went into these parts, negative ones came out of them;
    /// the rest filled a debt, or became one.
    pub(super) fn replay(&mut self, points: Points, parts: &[LotPart]) {
        let reported = parts.iter().map(|part| part.points).sum();
        let rest = points.saturating_abs().saturating_sub(reported).max(Points::ZERO);
        if points > 0 {
            self.debt = self.debt.saturating_sub(rest).max(Points::ZERO);
            for part in parts {
                self.earn(&part.lot_id, part.points, part.expires);
            }
            return;
        }
        let mut owed = rest;
        for part in parts {
            let taken =
                self.take(part.points, |lot| lot.lot_id == part.lot_id && lot.expires == part.expires);
            let found = taken.iter().map(|part| part.points).sum();
            owed = owed.saturating_add(part.points.saturating_sub(found));
        }
        // The lot is missing or has fewer points than reported. The balance counts: the rest is taken from other lots,
        // and what they lack is a debt.
        let taken = self.take(owed, |_| true);
        let found = taken.iter().map(|part| part.points).sum();
        self.debt = self.debt.saturating_add(owed.saturating_sub(found));
    }

    /// Takes up to `points` from the lots that fit, in their order.
    fn take(&mut self, points: Points, fits: impl Fn(&Lot) -> bool) -> Vec<LotPart> {
        let mut left = points;
        let mut parts = Vec::new();
        for lot in self.lots.iter_mut().filter(|lot| fits(lot)) {
            let part = lot.points.min(left);
            left = left.saturating_sub(part);
            lot.points = lot.points.saturating_sub(part);
            if part > 0 {
                parts.push(LotPart { lot_id: lot.lot_id.clone(), points: part, expires: lot.expires });
            }
        }
        self.lots.retain(|lot| lot.points > 0);
        parts
    }
}

/// Whether a lot can't be used on `on` any more; it can through its date.
fn past(expires: Option<Date>, on: Date) -> bool {
    expires.is_some_and(|date| date < on)
}

/// Limited to the calendar's last day.
pub(crate) fn days_after(on: Date, days: u32) -> Date {
    on.saturating_add(jiff::Span::new().try_days(days).unwrap_or_default())
}
