//! Meaning of the marks in the figures of a column: the whole column decides it, never one figure alone.

use crate::sheet::figure::{Decimal, FIGURE_MAX, Figure, NoFigure, UNIT, Written};
use domain::model::base::currency::Currency;
use domain::model::base::figures::Money;

/// Marks that may group digits or begin a fraction.
const MARKS: [char; 2] = ['.', ','];
/// Decimal places that are kept.
const PLACES: usize = 6;

/// Evidence about the marks from one figure's digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// No separators.
    Plain,
    /// This one begins a fraction, whatever the rest of the column is; with how many digits.
    Fraction(char, usize),
    /// This one groups digits, whatever the rest of the column is.
    Groups(char),
    /// This mark may be either: three digits follow it, at most three precede it.
    Either(char),
    /// No reading is left.
    Malformed,
}

fn shape(digits: &str) -> Shape {
    let is_mark = |c: char| MARKS.contains(&c);
    let spaced = digits.contains(|c: char| !c.is_ascii_digit() && !is_mark(c));
    let marks: Vec<char> = digits.chars().filter(|c| is_mark(*c)).collect();
    let Some(last) = marks.last().copied() else { return Shape::Plain };
    let (before, behind) = digits.rsplit_once(last).unwrap_or_default();
    let (places, same) = (behind.len(), marks.iter().filter(|mark| **mark == last).count());
    match (marks.len(), same) {
        (1, _)
            if spaced || places != 3 || before.len() > 3 || before.is_empty() || before.starts_with('0') =>
        {
            Shape::Fraction(last, places)
        }
        (1, _) => Shape::Either(last),
        (_, 1) => Shape::Fraction(last, places),
        (all, same) if all == same => Shape::Groups(last),
        _ => Shape::Malformed,
    }
}

/// Evidence on one mark in a column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Evidence {
    fraction: bool,
    /// A fraction of three digits that can't be a group.
    three_places: bool,
    groups: bool,
    /// A figure whose mark may do either.
    either: Option<String>,
}

/// Evidence of the figures of a column so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FigureColumn {
    point: Evidence,
    comma: Evidence,
    currency: Currency,
}

impl FigureColumn {
    /// A column of amounts: its figures are read as smallest units of the currency.
    pub fn of_amounts(currency: Currency) -> Self {
        Self { currency, ..Self::default() }
    }

    /// Looks at a figure.
    pub fn see(&mut self, written: &Written) {
        match shape(&written.digits) {
            Shape::Fraction(mark, places) => {
                let other = if mark == '.' { ',' } else { '.' };
                if written.digits.contains(other) {
                    self.of_mut(other).groups = true;
                }
                let evidence = self.of_mut(mark);
                evidence.fraction = true;
                evidence.three_places |= places == 3;
            }
            Shape::Groups(mark) => self.of_mut(mark).groups = true,
            Shape::Either(mark) => {
                self.of_mut(mark).either.get_or_insert_with(|| written.digits.clone());
            }
            Shape::Plain | Shape::Malformed => {}
        }
    }

    fn of_mut(&mut self, mark: char) -> &mut Evidence {
        if mark == '.' { &mut self.point } else { &mut self.comma }
    }

    fn of(&self, mark: char) -> &Evidence {
        if mark == '.' { &self.point } else { &self.comma }
    }

    /// Decides how the column is read. `separator` is what separates the cells of its file: with semicolons, points
    /// group digits, and a comma within a cell of a file with comma separators groups them too.
    pub fn decide(&self, configured: Decimal, separator: char) -> FigureReading {
        let configured = match configured {
            Decimal::Auto => return self.decided(separator),
            Decimal::None => None,
            Decimal::Point => Some('.'),
            Decimal::Comma => Some(','),
        };
        let doubtful = MARKS.map(|mark| {
            let seen = self.of(mark);
            match configured == Some(mark) {
                // Said to begin fractions, and some figures show groups, or no fraction is surely as long as a group.
                true => seen.groups || !(seen.three_places || self.has_three_places()),
                // Said to group, and some figures show fractions.
                false => seen.fraction,
            }
        });
        let (groups_only, currency) = (configured.is_none(), self.currency);
        FigureReading { decimal: configured, groups_only, doubtful, currency }
    }

    /// Whether amounts of the currency have as many digits behind the mark as a group has.
    fn has_three_places(&self) -> bool {
        self.currency.exponent() == 3
    }

    fn decided(&self, separator: char) -> FigureReading {
        let by_places = self.has_three_places();
        let reading = |decimal: Option<char>, doubtful: [bool; 2]| {
            let [point, comma] = doubtful;
            let doubtful = match decimal.filter(|_| by_places) {
                Some('.') => [false, comma],
                Some(_) => [point, false],
                None => doubtful,
            };
            FigureReading { decimal, groups_only: false, doubtful, currency: self.currency }
        };
        let other = |mark: char| if mark == '.' { ',' } else { '.' };
        let fractions: Vec<char> = MARKS.into_iter().filter(|mark| self.of(*mark).fraction).collect();
        let grouping: Vec<char> = MARKS.into_iter().filter(|mark| self.of(*mark).groups).collect();
        match (fractions.as_slice(), grouping.as_slice()) {
            ([decimal], groups) if !groups.contains(decimal) => {
                let own = !self.of(*decimal).three_places;
                reading(Some(*decimal), MARKS.map(|mark| mark == *decimal && own))
            }
            // The other mark was not seen to begin a fraction: alone before three digits it may group as well.
            ([], [group]) => reading(Some(other(*group)), MARKS.map(|mark| mark != *group)),
            ([], []) => {
                let by_file = match separator {
                    ';' => Some('.'),
                    ',' => Some(','),
                    _ => None,
                };
                match by_file {
                    Some(group) => reading(Some(other(group)), MARKS.map(|mark| by_places || mark != group)),
                    None => reading(None, [true, true]),
                }
            }
            _ => reading(None, [true, true]),
        }
    }

    /// Whether no figure has shown the meaning of a mark.
    pub fn is_undecided(&self) -> bool {
        [&self.point, &self.comma].iter().all(|seen| !seen.fraction && !seen.groups)
    }

    /// A figure of the column that may be read in two ways and that nothing else in it explains.
    pub fn example<'a>(&'a self, reading: &FigureReading) -> Option<&'a str> {
        let doubtful = MARKS.iter().zip(reading.doubtful).filter(|(_, doubtful)| *doubtful);
        doubtful.filter_map(|(mark, _)| self.of(*mark).either.as_deref()).next()
    }
}

/// Reading of the figures of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FigureReading {
    /// The mark that begins a fraction; `None` if each figure shows it by itself.
    decimal: Option<char>,
    /// No mark begins a fraction.
    groups_only: bool,
    /// Whether a point, and a comma, alone before three digits may be either.
    doubtful: [bool; 2],
    /// The currency of amounts: of euros, a written 1 counts as 100.
    currency: Currency,
}

impl FigureReading {
    /// The figure, with its sign.
    ///
    /// # Errors
    /// The reason why it is not a figure.
    pub fn figure(&self, written: &Written) -> Result<Figure, NoFigure> {
        let value = self.unsigned(&written.digits)?;
        Ok(if written.is_out() { value.negated() } else { value })
    }

    fn unsigned(&self, digits: &str) -> Result<Figure, NoFigure> {
        let (whole, fraction) = match shape(digits) {
            Shape::Malformed => return Err(NoFigure::Malformed),
            Shape::Plain => (digits, ""),
            Shape::Groups(mark) if self.decimal == Some(mark) => return Err(NoFigure::Malformed),
            Shape::Groups(_) => (digits, ""),
            Shape::Fraction(..) if self.groups_only => return Err(NoFigure::Malformed),
            Shape::Fraction(mark, _) if self.decimal.is_some_and(|decimal| decimal != mark) => {
                return Err(NoFigure::Malformed);
            }
            Shape::Fraction(mark, _) => digits.rsplit_once(mark).unwrap_or_default(),
            Shape::Either(mark) => {
                let (whole, fraction) = digits.split_once(mark).unwrap_or_default();
                if MARKS.iter().zip(self.doubtful).any(|(known, doubtful)| *known == mark && doubtful) {
                    let (grouped, split) = (format!("{whole}{fraction}"), format!("{whole}.{fraction}"));
                    return Err(NoFigure::Doubtful(grouped, split));
                }
                if self.decimal == Some(mark) { (whole, fraction) } else { (digits, "") }
            }
        };
        let whole =
            if whole.is_empty() { "0".to_owned() } else { ungrouped(whole).ok_or(NoFigure::Malformed)? };
        let too_large = || NoFigure::TooLarge(self.currency.decimal(Money::new(FIGURE_MAX)));
        let whole: i64 = whole.parse().map_err(|_| too_large())?;
        let (kept, cut) = fraction.split_at_checked(PLACES).unwrap_or((fraction, ""));
        if !fraction.bytes().all(|byte| byte.is_ascii_digit()) || !cut.bytes().all(|byte| byte == b'0') {
            return Err(NoFigure::Malformed);
        }
        let part: i64 = format!("{kept:0<PLACES$}").parse().map_err(|_| NoFigure::Malformed)?;
        let exact = i128::from(whole).saturating_mul(i128::from(UNIT)).saturating_add(i128::from(part));
        let counted = exact.saturating_mul(i128::from(self.currency.units()));
        if counted > i128::from(FIGURE_MAX).saturating_mul(i128::from(UNIT)) {
            return Err(too_large());
        }
        i64::try_from(counted).map(Figure).map_err(|_| too_large())
    }
}

/// The digits without the marks between groups; groups have three digits, or two where the last one has three, as in
/// `12,34,567`.
fn ungrouped(text: &str) -> Option<String> {
    let Some(mark) = text.chars().find(|c| !c.is_ascii_digit()) else { return Some(text.to_owned()) };
    let parts: Vec<&str> = text.split(mark).collect();
    let (first, rest) = parts.split_first()?;
    let (last, between) = rest.split_last()?;
    let digits = parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    let by_threes = (1..=3).contains(&first.len()) && between.iter().all(|part| part.len() == 3);
    let by_twos = mark == ',' && (1..=2).contains(&first.len()) && between.iter().all(|part| part.len() == 2);
    let fits = digits && last.len() == 3 && (by_threes || by_twos) && !first.starts_with('0');
    fits.then(|| parts.concat())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use crate::sheet::SignWords;

    fn read(cells: &[&str], configured: Decimal, separator: char) -> Vec<Result<i64, NoFigure>> {
        let words = SignWords::default();
        let written: Vec<Written> =
            cells.iter().map(|cell| Written::of(cell, &words).unwrap().unwrap()).collect();
        let mut column = FigureColumn::default();
        written.iter().for_each(|written| column.see(written));
        let reading = column.decide(configured, separator);
        written.iter().map(|written| reading.figure(written).map(Figure::millionths)).collect()
    }

    #[test]
    fn a_column_decides_what_its_marks_mean() {
        use Decimal::{Auto, Comma, None, Point};
        for (cells, configured, separator, figures) in [
            (
                ["10,930,941.82", "12,345", "-2,469.13"],
                Auto,
                ',',
                [10_930_941_820_000, 12_345_000_000, -2_469_130_000],
            ),
            (["1.234", "12,5", "7"], Auto, '\t', [1_234_000_000, 12_500_000, 7_000_000]),
            (["155.400", "2.331", "0"], Auto, ';', [155_400_000_000, 2_331_000_000, 0]),
            (["155,400", "2,331", "0"], Auto, ',', [155_400_000_000, 2_331_000_000, 0]),
            (["1.234.567", "1.234", ".00"], None, ',', [1_234_567_000_000, 1_234_000_000, 0]),
            (["12,34,567.00", "1 234.5", "0.125"], Auto, ',', [1_234_567_000_000, 1_234_500_000, 125_000]),
            (["1.234,00", "500", "-7,25"], Comma, ',', [1_234_000_000, 500_000_000, -7_250_000]),
            (["1,234.00", "1,234", "1 000"], Point, ',', [1_234_000_000, 1_234_000_000, 1_000_000_000]),
            (["0.125", "1.500", "2.5"], Auto, ',', [125_000, 1_500_000, 2_500_000]),
        ] {
            let found: Vec<_> = read(&cells, configured, separator).into_iter().map(Result::ok).collect();
            let expected = match configured {
                // Declared to have no fractions: `.00` is not a group.
                None => vec![Some(figures[0]), Option::None, Option::None],
                _ => figures.map(Some).to_vec(),
            };
            assert_eq!(found, expected, "{cells:?}");
        }
    }

    #[test]
    fn no_figure_is_read_as_a_thousandth_of_another() {
        use Decimal::{Auto, None, Point};
        for (cells, configured, separator) in [
            // In a file with comma separators, nothing decides it.
            (["1.234", "5.678"], Auto, '\t'),
            (["155.400", "12"], Auto, ','),
            // A fraction and a group with one mark.
            (["155.40", "155.400"], Auto, ','),
            (["155.40", "155.400"], Point, ','),
            (["1.234.567", "1.234"], Point, ','),
            (["155.40", "155.400"], None, ','),
            (["1.234.567", "12,345"], Auto, ','),
            (["1,5", "1.5"], Auto, '\t'),
        ] {
            let found = read(&cells, configured, separator);
            let refused = found.iter().any(Result::is_err) || cells == ["1,5", "1.5"];
            assert!(refused, "{cells:?}: {found:?}");
            let doubtful = |found: &&Result<i64, NoFigure>| matches!(found, Err(NoFigure::Doubtful(..)));
            let either = cells.iter().any(|cell| matches!(shape(cell), Shape::Either(_)));
            assert!(!either || found.iter().any(|found| doubtful(&found)), "{cells:?}: {found:?}");
        }
    }

    #[test]
    fn figures_have_bounds_and_groups() {
        for cells in [["1000000000001"], ["12.34.567"], ["1,234.567,8"], ["1,2345,678"]] {
            assert!(read(&cells, Decimal::Auto, ',').iter().all(Result::is_err), "{cells:?}");
        }
        assert_eq!(read(&["1000000000000"], Decimal::Auto, ','), [Ok(1_000_000_000_000_000_000)]);
    }
}
