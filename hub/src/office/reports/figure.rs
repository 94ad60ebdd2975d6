//! Figures of reports: sums, and figures derived from them.

use domain::model::base::figures::{BasisPoints, Money};
use domain::model::base::money::{half_up, product, shown};
use edge::csv;
use std::cell::Cell;

/// A figure of a row.
pub struct Figure {
    /// Name of the figure.
    pub name: &'static str,
    /// Source of a figure.
    pub of: Of,
    /// Whether it is an amount of money. Otherwise it counts something, or is a rate.
    pub is_money: bool,
}

/// Source of a figure.
pub enum Of {
    /// A sum of the rows.
    Sum(&'static str),
    /// The others of its row.
    Others(fn(&Figures<'_>) -> Option<i64>),
    /// A sum that only others follow from.
    Hidden(&'static str),
    /// Such rows have no part of their own in it.
    Nothing,
}

impl Figure {
    /// A value of it in a CSV file.
    pub fn cell(&self, value: Option<i64>) -> csv::Cell<'static> {
        if self.is_money { value.map(Money::new).into() } else { value.into() }
    }

    /// Whether it is in rows.
    pub fn is_shown(&self) -> bool {
        !matches!(self.of, Of::Hidden(_))
    }
}

/// An amount that is a sum.
pub const fn sum(name: &'static str, sql: &'static str) -> Figure {
    Figure { name, of: Of::Sum(sql), is_money: true }
}

/// A number of pieces, documents or points that is a sum.
pub const fn count(name: &'static str, sql: &'static str) -> Figure {
    Figure { name, of: Of::Sum(sql), is_money: false }
}

/// A rate or a number that follows from others.
pub const fn derived(name: &'static str, of: fn(&Figures<'_>) -> Option<i64>) -> Figure {
    Figure { name, of: Of::Others(of), is_money: false }
}

/// An amount that follows from others.
pub const fn derived_amount(name: &'static str, of: fn(&Figures<'_>) -> Option<i64>) -> Figure {
    Figure { name, of: Of::Others(of), is_money: true }
}

/// A sum that is not shown, and others follow from.
pub const fn hidden(name: &'static str, sql: &'static str) -> Figure {
    Figure { name, of: Of::Hidden(sql), is_money: false }
}

/// A figure that such rows do not have.
pub const fn nothing(name: &'static str) -> Figure {
    Figure { name, of: Of::Nothing, is_money: false }
}

/// The figures of a row, by their names.
pub struct Figures<'a> {
    /// Figures of the source.
    pub names: &'static [Figure],
    /// Value of each figure, in the same order.
    pub values: &'a [Option<i64>],
    /// Number of days that the figures cover.
    pub days: i64,
    /// Whether a figure above the largest amount was asked for: figures that follow from it are hidden as well.
    pub hidden: Cell<bool>,
}

impl Figures<'_> {
    /// A figure; 0 if there is none.
    pub fn get(&self, name: &str) -> i64 {
        let place = self.names.iter().position(|figure| figure.name == name);
        let value = place.and_then(|place| self.values.get(place).copied().flatten());
        if value.is_some_and(|value| shown(value).is_none()) {
            self.hidden.set(true);
        }
        value.unwrap_or_default()
    }

    /// Part of a whole in basis points. `None` if there is no whole.
    pub fn share_bp(&self, part: &str, whole: &str) -> Option<i64> {
        share_bp(self.get(part), self.get(whole))
    }
}

/// Part of a whole in basis points, half up. `None` if there is no whole.
pub fn share_bp(part: i64, whole: i64) -> Option<i64> {
    let share = half_up(product(part, BasisPoints::WHOLE), i128::from(whole));
    i64::try_from(share).ok().filter(|_| whole > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_in_basis_points_half_up_and_of_nothing_there_is_none() {
        assert_eq!(share_bp(1, 3), Some(3_333));
        assert_eq!(share_bp(1, 20_000), Some(1));
        assert_eq!(share_bp(-1, 3), Some(-3_333));
        assert_eq!(share_bp(5, 0), None);
        assert_eq!(share_bp(5, -5), None);
    }
}
