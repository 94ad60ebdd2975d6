//! Figures with their units: the compiler refuses a rate where an amount is expected.
//!
//! In JSON and in rows a figure is a plain 64-bit integer. Only a figure within ±[`FIGURE_MAX`] may be stored:
//! [`figure`] and [`sum`] check computed values. The operators that are named `saturating_…` don't, so that a total
//! that is too large can still be seen and refused.
//!
//! [`figure`]: crate::model::base::money::figure
//! [`sum`]: crate::model::base::money::sum

use crate::model::base::limits::FIGURE_MAX;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::iter::Sum;

/// `a / b` rounded half up, for `a < 0` the mirror image; `b` must be above 0.
pub fn half_up(a: i128, b: i128) -> i128 {
    let floor = a.saturating_abs().checked_div(b).unwrap_or(0);
    let rest = a.saturating_abs().checked_rem(b).unwrap_or(0);
    let up = i128::from(rest.saturating_mul(2) >= b);
    floor.saturating_add(up).saturating_mul(a.signum())
}

macro_rules! figures {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(i64);

        impl $name {
            /// Nothing.
            pub const ZERO: Self = Self(0);

            /// The figure of that value.
            pub const fn new(value: i64) -> Self {
                Self(value)
            }

            /// The value as an integer.
            pub const fn get(self) -> i64 {
                self.0
            }

            /// The sum; `None` beyond ±[`FIGURE_MAX`].
            pub fn checked_add(self, other: Self) -> Option<Self> {
                self.0.checked_add(other.0).map(Self).filter(|sum| sum.is_sound())
            }

            /// The difference; `None` beyond ±[`FIGURE_MAX`].
            pub fn checked_sub(self, other: Self) -> Option<Self> {
                self.0.checked_sub(other.0).map(Self).filter(|difference| difference.is_sound())
            }

            /// The sum; it stops at the limits of 64 bits.
            #[must_use]
            pub const fn saturating_add(self, other: Self) -> Self {
                Self(self.0.saturating_add(other.0))
            }

            /// The difference; it stops at the limits of 64 bits.
            #[must_use]
            pub const fn saturating_sub(self, other: Self) -> Self {
                Self(self.0.saturating_sub(other.0))
            }

            /// The figure with the opposite sign.
            #[must_use]
            pub const fn saturating_neg(self) -> Self {
                Self(self.0.saturating_neg())
            }

            /// The figure without its sign.
            #[must_use]
            pub const fn saturating_abs(self) -> Self {
                Self(self.0.saturating_abs())
            }

            /// So many times the figure; it stops at the limits of 64 bits.
            #[must_use]
            pub const fn saturating_mul(self, times: i64) -> Self {
                Self(self.0.saturating_mul(times))
            }

            /// The remainder of dividing by `part`; `None` if `part` is 0.
            pub fn checked_rem(self, part: Self) -> Option<Self> {
                self.0.checked_rem(part.0).map(Self)
            }

            /// `-1`, `0` or `1`.
            pub const fn signum(self) -> i64 {
                self.0.signum()
            }

            /// A value that was computed in 128 bits, limited to 64 bits.
            #[must_use]
            pub fn saturating_from(value: i128) -> Self {
                let limit = if value < 0 { i64::MIN } else { i64::MAX };
                Self(i64::try_from(value).unwrap_or(limit))
            }

            /// Whether it may be stored: it is within ±[`FIGURE_MAX`].
            pub const fn is_sound(self) -> bool {
                -FIGURE_MAX <= self.0 && self.0 <= FIGURE_MAX
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
        impl From<i64> for $name {
            fn from(value: i64) -> Self {
                Self(value)
            }
        }
        impl From<$name> for i64 {
            fn from(figure: $name) -> Self {
                figure.0
            }
        }
        impl TryFrom<i128> for $name {
            type Error = std::num::TryFromIntError;

            fn try_from(value: i128) -> Result<Self, Self::Error> {
                i64::try_from(value).map(Self)
            }
        }
        impl From<$name> for i128 {
            fn from(figure: $name) -> Self {
                Self::from(figure.0)
            }
        }
        // A figure compares with a number, so that limits and tests need no unit.
        impl PartialEq<i64> for $name {
            fn eq(&self, other: &i64) -> bool {
                self.0 == *other
            }
        }
        impl PartialEq<$name> for i64 {
            fn eq(&self, other: &$name) -> bool {
                *self == other.0
            }
        }
        impl PartialOrd<i64> for $name {
            fn partial_cmp(&self, other: &i64) -> Option<Ordering> {
                self.0.partial_cmp(other)
            }
        }
        impl PartialOrd<$name> for i64 {
            fn partial_cmp(&self, other: &$name) -> Option<Ordering> {
                self.partial_cmp(&other.0)
            }
        }
        /// Stops at the limits of 64 bits.
        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
                parts.fold(Self::ZERO, Self::saturating_add)
            }
        }
        impl Sum<$name> for i64 {
            fn sum<I: Iterator<Item = $name>>(parts: I) -> Self {
                parts.sum::<$name>().get()
            }
        }
        /// In documents it is an integer, whatever its unit.
        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                i64::inline_schema()
            }

            fn schema_name() -> Cow<'static, str> {
                i64::schema_name()
            }

            fn schema_id() -> Cow<'static, str> {
                i64::schema_id()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                i64::json_schema(generator)
            }
        }
    )+};
}

figures! {
    /// A rate, a limit or a multiplier in hundredths of a percent.
    BasisPoints,
    /// Amounts of money, in minor currency units.
    Money,
    /// Points of members. Their worth is money.
    Points,
    /// Pieces of goods: on hand, moved, ordered, counted.
    Quantity,
}

impl BasisPoints {
    /// 100 %.
    pub const WHOLE: Self = Self(10_000);

    /// That part of an amount, half up.
    pub fn of(self, amount: impl Into<i128>) -> i128 {
        half_up(amount.into().saturating_mul(self.into()), Self::WHOLE.into())
    }

    /// The rate in per cent: `11` for 1100, `8.25` for 825.
    pub fn percent(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, part) = (self.0.unsigned_abs() / 100, self.0.unsigned_abs() % 100);
        let text = format!("{sign}{whole}.{part:02}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

impl Money {
    /// The amount for pieces at this price or cost for each, limited to 64 bits.
    #[must_use]
    pub const fn times(self, pieces: Quantity) -> Self {
        self.saturating_mul(pieces.get())
    }
}

// Documents state rates that can't be negative as `u32`.
impl From<u32> for BasisPoints {
    fn from(rate: u32) -> Self {
        Self(i64::from(rate))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn a_figure_is_an_integer_in_json_in_documents_and_in_rows() {
        assert_eq!(serde_json::to_string(&BasisPoints::new(-7)).unwrap(), "-7");
        assert_eq!(serde_json::from_str::<BasisPoints>("-7").unwrap(), BasisPoints::new(-7));
        assert!(serde_json::from_str::<BasisPoints>("0.5").is_err());
        assert_eq!(schemars::schema_for!(Option<BasisPoints>), schemars::schema_for!(Option<i64>));
    }

    #[test]
    fn a_sum_beyond_the_largest_figure_is_none() {
        let most = BasisPoints::new(FIGURE_MAX);
        assert_eq!(most.checked_add(BasisPoints::new(1)), None);
        assert_eq!(most.saturating_neg().checked_sub(BasisPoints::new(1)), None);
        assert_eq!(most.checked_sub(BasisPoints::new(1)), Some(BasisPoints::new(FIGURE_MAX - 1)));
        assert_eq!(BasisPoints::new(i64::MAX).checked_add(most), None);
        assert!(!most.saturating_add(BasisPoints::new(1)).is_sound());
        assert_eq!([BasisPoints::new(i64::MAX), most].into_iter().sum::<BasisPoints>(), i64::MAX);
    }

    #[test]
    fn rates_are_percentages() {
        for (rate, shown) in
            [(0, "0"), (1_100, "11"), (750, "7.5"), (1_025, "10.25"), (5, "0.05"), (-50, "-0.5")]
        {
            assert_eq!(BasisPoints::new(rate).percent(), shown);
        }
    }

    #[test]
    fn a_part_of_an_amount_is_half_up() {
        assert_eq!(BasisPoints::new(1_100).of(1_000), 110);
        assert_eq!(BasisPoints::new(1).of(5_000), 1);
        assert_eq!(BasisPoints::new(1).of(-5_000), -1);
        assert_eq!(BasisPoints::WHOLE.of(i64::MAX), i128::from(i64::MAX));
    }
}
