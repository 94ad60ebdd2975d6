//! Months of the books: which one may be closed, and which one ends a fiscal year.

use jiff::civil::{Date, date};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Calendar month, `YYYY-MM`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Month(Date);

impl Month {
    /// The month of a day.
    pub fn of(day: Date) -> Self {
        Self(day.first_of_month())
    }

    /// A month by its name.
    pub fn parse(name: &str) -> Option<Self> {
        let first: Date = (name.len() == 7).then(|| format!("{name}-01").parse().ok()).flatten()?;
        Some(Self(first))
    }

    /// The months of a year, the last first.
    pub fn of_year(year: i16) -> impl Iterator<Item = Self> {
        (1..=12).rev().map(move |month| Self(date(year, month, 1)))
    }

    pub fn first(self) -> Date {
        self.0
    }

    pub fn last(self) -> Date {
        self.0.last_of_month()
    }

    /// The one after it; the calendar's last month itself.
    #[must_use]
    pub fn next(self) -> Self {
        self.last().tomorrow().map_or(self, Self)
    }

    /// Whether a fiscal year that begins with this month, 1 to 12, ends with it.
    pub fn ends_year(self, first_month: i8) -> bool {
        self.next().0.month() == first_month
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.strftime("%Y-%m"))
    }
}

impl From<Month> for String {
    fn from(month: Month) -> Self {
        month.to_string()
    }
}

impl TryFrom<String> for Month {
    type Error = String;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::parse(&name).ok_or_else(|| format!("{name} is not a month of the form YYYY-MM"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn months_follow_one_another_and_end_years() {
        let month = |name: &str| Month::parse(name).unwrap();
        assert_eq!(month("2026-11").next().to_string(), "2026-12");
        assert_eq!(month("2026-12").next().to_string(), "2027-01");
        assert_eq!(month("2028-02").last(), date(2028, 2, 29));
        assert!(month("2026-12").ends_year(1) && month("2026-03").ends_year(4));
        assert!(!month("2026-11").ends_year(1));
        for wrong in ["2026-13", "2026-1", "2026-11-01", "", "x", "2026-00"] {
            assert_eq!(Month::parse(wrong), None, "{wrong}");
        }
        assert_eq!(Month::of_year(2026).next(), Some(month("2026-12")));
    }
}
