//! The hub's treatment of a record: applied, already known, or kept raw for later (docs/protocol.md#push). Pure, so
//! that the hub and the simulation run the same rules.

/// State of a record's event at the hub before it is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// No record of the event, in any epoch.
    Nothing,
    /// The same event with the same text.
    SameText,
    /// Another text under the same ID.
    OtherText,
}

/// Data with which the hub judges a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    /// State of its event, in another record.
    pub before: Before,
    /// Whether an earlier record of its aggregate, in any epoch, is parked and blocks later ones.
    pub behind: bool,
    /// Whether this program can read the record.
    pub understood: bool,
    /// Whether the records that it requires have arrived.
    pub complete: bool,
}

/// Outcome of a record. No rule of business is among the reasons to park one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Its effects are applied.
    Apply,
    /// Stored raw, effects skipped.
    Duplicate,
    /// Stored raw and kept for later.
    Park(Why),
}

/// Reason why a record is parked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Its event's ID came before with another text.
    Reused,
    /// An earlier record of its aggregate is parked.
    Behind,
    /// It can't be read, or the database refuses its effects.
    NotUnderstood,
    /// A record that it requires has not come yet.
    Waits,
}

impl Why {
    /// Whether later records of the same aggregate are parked behind it. A waiting record blocks none, since the
    /// record that it waits for may follow. Neither does another event with a known ID.
    pub fn holds_up(self) -> bool {
        matches!(self, Self::Behind | Self::NotUnderstood)
    }

    /// Whether it is tried again when a record of its aggregate was applied.
    pub fn waits(self) -> bool {
        self == Self::Waits
    }
}

/// Judges a record, at its first arrival and when it is tried again.
pub fn judge(case: Case) -> Verdict {
    match case {
        Case { before: Before::SameText, .. } => Verdict::Duplicate,
        Case { before: Before::OtherText, .. } => Verdict::Park(Why::Reused),
        Case { behind: true, .. } => Verdict::Park(Why::Behind),
        Case { understood: false, .. } => Verdict::Park(Why::NotUnderstood),
        Case { complete: false, .. } => Verdict::Park(Why::Waits),
        Case { .. } => Verdict::Apply,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_judged_by_what_is_known_first_and_by_what_it_needs_last() {
        let fine = Case { before: Before::Nothing, behind: false, understood: true, complete: true };
        let table = [
            (fine, Verdict::Apply),
            (Case { complete: false, ..fine }, Verdict::Park(Why::Waits)),
            (Case { understood: false, complete: false, ..fine }, Verdict::Park(Why::NotUnderstood)),
            (Case { behind: true, understood: false, ..fine }, Verdict::Park(Why::Behind)),
            (Case { before: Before::OtherText, behind: true, ..fine }, Verdict::Park(Why::Reused)),
            (Case { before: Before::SameText, behind: true, understood: false, ..fine }, Verdict::Duplicate),
        ];
        for (case, expected) in table {
            assert_eq!(judge(case), expected, "{case:?}");
        }
        let held_up: Vec<bool> =
            [Why::Reused, Why::Behind, Why::NotUnderstood, Why::Waits].map(Why::holds_up).into();
        assert_eq!(held_up, [false, true, true, false]);
    }
}
