//! The count of a shift as head office has it, independent of which copies of the store reported it and in which
//! order. It is [`merged`](crate::rules::books::shift::merged) from the reports.

use crate::model::base::figures::Money;
use crate::model::base::ids::UserId;
use crate::model::base::time::UtcMs;
use crate::model::books::shift::Shift;

/// A shift that was counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CountedShift {
    /// Z number, given by the copy of the store that continued.
    pub z_no: Option<u64>,
    /// When the first count was.
    pub closed_at: Option<UtcMs>,
    /// User who made the first count.
    pub closed_by: Option<UserId>,
    pub counted_cash: Money,
    /// Expected cash, as recorded by the copy with the Z report.
    pub expected_cash: Money,
    /// Cash of the latest count, which applies.
    pub last_counted: Money,
    /// When the latest count was made.
    pub last_counted_at: UtcMs,
}

impl CountedShift {
    /// A shift as one record reports it: for a recount the latest count; `None` if it was not counted.
    pub fn from_record(shift: &Shift, recounted: bool) -> Option<Self> {
        let counted_cash = shift.counted_cash?;
        let recount = shift.recounts.last().filter(|_| recounted);
        let closed_at = shift.closed_at.unwrap_or_default();
        Some(Self {
            z_no: shift.z_no,
            closed_at: shift.closed_at,
            closed_by: shift.closed_by.clone(),
            counted_cash,
            expected_cash: shift.expected_cash.unwrap_or(Money::ZERO),
            last_counted: recount.map_or(counted_cash, |recount| recount.counted_cash),
            last_counted_at: recount.map_or(closed_at, |recount| recount.at),
        })
    }

    /// Adds the report of another record, perhaps of another copy of the store.
    #[must_use]
    pub fn with(self, reported: Self) -> Self {
        let (known_rank, reported_rank) = (self.count_rank(), reported.count_rank());
        let of_z = reported.z_no.is_some() && self.z_no.is_none();
        let news = of_z || reported_rank == known_rank;
        let expected_cash = if news { reported.expected_cash } else { self.expected_cash };
        // Of two counts at one moment, the one that did not close the shift is the later.
        let later = reported.last_counted_at > self.last_counted_at
            || (reported.last_counted_at == self.last_counted_at && reported_rank >= known_rank);
        let (last_counted, last_counted_at) = if later {
            (reported.last_counted, reported.last_counted_at)
        } else {
            (self.last_counted, self.last_counted_at)
        };
        let first = if reported_rank < known_rank { reported } else { self };
        Self { expected_cash, last_counted, last_counted_at, ..first }
    }

    /// Whether this count is the first one: that of the copy with a Z report, otherwise the earlier one.
    pub fn is_first(&self, known: &Self) -> bool {
        self.count_rank() <= known.count_rank()
    }

    /// The order of [`merged`](crate::rules::books::shift::merged). The amount decides between two counts of one user
    /// in one millisecond.
    fn count_rank(&self) -> CountRank {
        CountRank {
            without_z: self.z_no.is_none(),
            closed_at: self.closed_at,
            closed_by: self.closed_by.clone(),
            counted_cash: self.counted_cash,
        }
    }
}

/// Rank of a first count, lowest first. The order of the fields is the order of comparison.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct CountRank {
    without_z: bool,
    closed_at: Option<UtcMs>,
    closed_by: Option<UserId>,
    counted_cash: Money,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_counts_of_one_person_in_one_millisecond_have_one_order_in_either_arrival_order() {
        let [one, other] = [500, 700].map(|counted| CountedShift {
            closed_at: Some(UtcMs(7)),
            counted_cash: Money::new(counted),
            last_counted: Money::new(counted),
            last_counted_at: UtcMs(7),
            ..CountedShift::default()
        });
        let heard = [one.clone().with(other.clone()), other.with(one)];
        assert_eq!(
            heard.map(|shift| (shift.counted_cash, shift.last_counted)),
            [(500.into(), 700.into()); 2]
        );
    }
}
