//! How head office knows a shift to be counted, whichever copies of the store counted it, and in whatever order that
//! is heard. It is [`merged`](crate::rules::books::shift::merged) of what it keeps.

use crate::model::base::ids::UserId;
use crate::model::base::time::UtcMs;
use crate::model::books::shift::Shift;

/// A shift that was counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CountedShift {
    /// Z number, as the till that went on gave it.
    pub z_no: Option<u64>,
    /// When the first count was.
    pub closed_at: Option<UtcMs>,
    /// User who made the first count.
    pub closed_by: Option<UserId>,
    pub counted_cash: i64,
    /// Cash that should have been there, as recorded by the copy that has the Z.
    pub expected_cash: i64,
    /// The latest count, which counts.
    pub last_counted: i64,
    /// When the latest count was made.
    pub last_counted_at: UtcMs,
}

impl CountedShift {
    /// A shift as one record reports it: of a recount the latest count; `None` if nobody counted.
    pub fn from_record(shift: &Shift, recounted: bool) -> Option<Self> {
        let counted_cash = shift.counted_cash?;
        let recount = shift.recounts.last().filter(|_| recounted);
        let closed_at = shift.closed_at.unwrap_or_default();
        Some(Self {
            z_no: shift.z_no,
            closed_at: shift.closed_at,
            closed_by: shift.closed_by.clone(),
            counted_cash,
            expected_cash: shift.expected_cash.unwrap_or(0),
            last_counted: recount.map_or(counted_cash, |recount| recount.counted_cash),
            last_counted_at: recount.map_or(closed_at, |recount| recount.at),
        })
    }

    /// With what another record, perhaps of another copy, tells of it.
    #[must_use]
    pub fn with(self, told: Self) -> Self {
        let (known_place, told_place) = (self.place(), told.place());
        let of_z = told.z_no.is_some() && self.z_no.is_none();
        let news = of_z || told_place == known_place;
        let expected_cash = if news { told.expected_cash } else { self.expected_cash };
        // Of two counts at one moment the one that did not close the shift is the later.
        let later = told.last_counted_at > self.last_counted_at
            || (told.last_counted_at == self.last_counted_at && told_place >= known_place);
        let (last_counted, last_counted_at) = if later {
            (told.last_counted, told.last_counted_at)
        } else {
            (self.last_counted, self.last_counted_at)
        };
        let first = if told_place < known_place { told } else { self };
        Self { expected_cash, last_counted, last_counted_at, ..first }
    }

    /// Whether a record of this count tells of the first one: that of the till that went on, else the earlier.
    pub fn is_first(&self, known: &Self) -> bool {
        self.place() <= known.place()
    }

    /// As [`merged`](crate::rules::books::shift::merged) has it: of two of one person in one millisecond by what they say.
    fn place(&self) -> (bool, Option<UtcMs>, Option<UserId>, i64) {
        (self.z_no.is_none(), self.closed_at, self.closed_by.clone(), self.counted_cash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_counts_of_one_person_in_one_millisecond_one_is_first_whichever_is_heard_first() {
        let [one, other] = [500, 700].map(|counted| CountedShift {
            closed_at: Some(UtcMs(7)),
            counted_cash: counted,
            last_counted: counted,
            last_counted_at: UtcMs(7),
            ..CountedShift::default()
        });
        let heard = [one.clone().with(other.clone()), other.with(one)];
        assert_eq!(heard.map(|shift| (shift.counted_cash, shift.last_counted)), [(500, 700); 2]);
    }
}
