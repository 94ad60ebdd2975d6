//! Open amounts of payables by the time since their due date.

use crate::model::base::figures::Money;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Time since the due date of an open amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgeBucket {
    /// Not due yet.
    NotDue,
    /// Overdue by 1 to 30 days.
    Days1To30,
    /// Overdue by 31 to 60 days.
    Days31To60,
    /// Overdue by 61 to 90 days.
    Days61To90,
    /// Overdue by more than 90 days.
    DaysOver90,
}

/// Age on `as_of` of an amount that is due on `due`.
pub fn bucket(due: Date, as_of: Date) -> AgeBucket {
    match as_of.since(due).map_or(i32::MAX, |since| since.get_days()) {
        ..=0 => AgeBucket::NotDue,
        1..=30 => AgeBucket::Days1To30,
        31..=60 => AgeBucket::Days31To60,
        61..=90 => AgeBucket::Days61To90,
        _ => AgeBucket::DaysOver90,
    }
}

/// Open amounts by age; credits and advances are negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Ageing {
    /// Not due yet, in minor currency units.
    pub not_due: Money,
    /// Overdue by 1 to 30 days, in minor currency units.
    pub days_1_30: Money,
    /// Overdue by 31 to 60 days, in minor currency units.
    pub days_31_60: Money,
    /// Overdue by 61 to 90 days, in minor currency units.
    pub days_61_90: Money,
    /// Overdue by more than 90 days, in minor currency units.
    pub days_over_90: Money,
    /// Supplier credits that are not applied to an invoice, in minor currency units; negative.
    pub credits: Money,
    /// Advance payments that are not allocated to an invoice, in minor currency units; negative.
    pub advances: Money,
    /// Sum of all columns, in minor currency units.
    pub total: Money,
}

impl Ageing {
    /// Adds the open amount of an invoice.
    pub fn owe(&mut self, due: Date, as_of: Date, open: Money) {
        let sum = match bucket(due, as_of) {
            AgeBucket::NotDue => &mut self.not_due,
            AgeBucket::Days1To30 => &mut self.days_1_30,
            AgeBucket::Days31To60 => &mut self.days_31_60,
            AgeBucket::Days61To90 => &mut self.days_61_90,
            AgeBucket::DaysOver90 => &mut self.days_over_90,
        };
        *sum = sum.saturating_add(open);
        self.total = self.total.saturating_add(open);
    }

    /// Adds the open amount of a credit note.
    pub fn credit(&mut self, open: Money) {
        self.credits = self.credits.saturating_sub(open);
        self.total = self.total.saturating_sub(open);
    }

    /// Adds an advance.
    pub fn advance(&mut self, open: Money) {
        self.advances = self.advances.saturating_sub(open);
        self.total = self.total.saturating_sub(open);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    /// The vector U4, and the days beside its bounds.
    #[test]
    fn open_amounts_age_by_whole_days() {
        let as_of = date(2026, 12, 31);
        for (due, expected) in [
            (date(2027, 1, 1), AgeBucket::NotDue),
            (date(2026, 12, 31), AgeBucket::NotDue),
            (date(2026, 12, 30), AgeBucket::Days1To30),
            (date(2026, 12, 1), AgeBucket::Days1To30),
            (date(2026, 11, 30), AgeBucket::Days31To60),
            (date(2026, 11, 1), AgeBucket::Days31To60),
            (date(2026, 10, 31), AgeBucket::Days61To90),
            (date(2026, 10, 2), AgeBucket::Days61To90),
            (date(2026, 10, 1), AgeBucket::DaysOver90),
            (date(2020, 2, 29), AgeBucket::DaysOver90),
        ] {
            assert_eq!(bucket(due, as_of), expected, "{due}");
        }
    }

    #[test]
    fn credits_and_advances_are_negative() {
        let mut ageing = Ageing::default();
        ageing.owe(date(2026, 12, 1), date(2026, 12, 31), 500.into());
        ageing.owe(date(2027, 1, 31), date(2026, 12, 31), 70.into());
        ageing.credit(100.into());
        ageing.advance(20.into());
        let expected = Ageing {
            not_due: 70.into(),
            days_1_30: 500.into(),
            credits: (-100).into(),
            advances: (-20).into(),
            total: 450.into(),
            ..Ageing::default()
        };
        assert_eq!(ageing, expected);
    }
}
