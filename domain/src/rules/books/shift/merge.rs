//! Merges the reports of two copies of a store about one shift, which was open when one of them was restored or cloned.

use crate::model::base::figures::Money;
use crate::model::base::ids::UserId;
use crate::model::base::time::UtcMs;
use crate::model::books::shift::{Cash, Recount, Shift, ShiftState, ShiftTotals};

/// Merges a shift as `known` here with another copy's record of it (`reported`). All counts of both are kept and the
/// latest one is valid. The first count is that of the copy that has a Z report, otherwise the earlier one.
///
/// The sums are those of a received Z, which includes everything before it, even what no record reports. If this copy
/// did more in the shift, or other cash movements, the sums are computed from the records so far, because the Z lacks
/// what this copy did.
pub fn merged(known: &Shift, reported: Shift) -> Shift {
    if reported.state != ShiftState::Closed {
        return known.clone();
    }
    let of_z = reported.z_no.is_some() && known.z_no.is_none() && !did_more(&known.totals, &reported.totals);
    let totals = if of_z { reported.totals.clone() } else { known.totals.clone() };
    let reversed = known.reversed.union(&reported.reversed).cloned().collect();
    if known.state != ShiftState::Closed {
        return Shift { totals, reversed, ..reported }.balanced();
    }
    // In the same millisecond their content decides, so that every copy chooses the same.
    let place = |shift: &Shift| {
        let by = (shift.closed_by.clone(), shift.counted_cash, shift.note.clone());
        (shift.z_no.is_none(), shift.closed_at, by)
    };
    let (first, other) =
        if place(&reported) < place(known) { (reported, known.clone()) } else { (known.clone(), reported) };
    let same = place(&first) == place(&other);
    let mut recounts: Vec<Recount> = other.recounts.clone();
    recounts.extend(as_recount(&other).filter(|_| !same));
    recounts.retain(|recount| Some(recount.at) >= first.closed_at && !same_count(&first.recounts, recount));
    recounts.extend(first.recounts.iter().cloned());
    recounts.sort_by(|one, other| place_of(one).cmp(&place_of(other)));
    Shift { totals, reversed, recounts, ..first }.balanced()
}

/// The count that closed a shift, as a later count of it.
fn as_recount(shift: &Shift) -> Option<Recount> {
    Some(Recount {
        before: Money::ZERO,
        counted_cash: shift.counted_cash?,
        variance: Money::ZERO,
        reason: shift.note.clone().unwrap_or_default(),
        business_date: shift.business_date,
        user_id: shift.closed_by.clone()?,
        at: shift.closed_at?,
    })
}

/// Whether a copy's sums contain movements that the other's lack.
fn did_more(known: &ShiftTotals, reported: &ShiftTotals) -> bool {
    let cash = |sums: &ShiftTotals| (sums.pay_in, sums.pay_out, sums.drops);
    known.sales_count > reported.sales_count
        || known.returns_count > reported.returns_count
        || cash(known) != cash(reported)
}

/// Identity of a count, which also gives its place among others.
fn place_of(count: &Recount) -> (UtcMs, &UserId, Money, &str) {
    (count.at, &count.user_id, count.counted_cash, &count.reason)
}

fn same_count(known: &[Recount], one: &Recount) -> bool {
    known.iter().any(|other| place_of(other) == place_of(one))
}

impl Shift {
    /// Variance of each count, after the sums or the counts of a closed shift have changed.
    #[must_use]
    pub fn balanced(mut self) -> Self {
        let Some(mut before) = self.counted_cash else { return self };
        let expected = Cash::of(&self).expected;
        self.expected_cash = Some(expected);
        self.variance = Some(before.saturating_sub(expected));
        for recount in &mut self.recounts {
            recount.variance = recount.counted_cash.saturating_sub(expected);
            recount.before = std::mem::replace(&mut before, recount.counted_cash);
        }
        self
    }
}
