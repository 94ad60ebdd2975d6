//! Figures as other programs write them: the text before, within and after the digits.

use crate::sheet::cell::{is_nothing, plain};
use crate::sheet::currency::{currency_code, is_crowns, one_currency};
use crate::sheet::sign_words::{Direction, SignWords};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The largest figure that is accepted.
pub(super) const FIGURE_MAX: i64 = 1_000_000_000_000;
/// Figures are kept in millionths.
pub(super) const UNIT: i64 = 1_000_000;
/// Signs that take money away: hyphens, dashes, the minus of mathematics and the full-width one.
const MINUS: [char; 8] =
    ['-', '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2212}', '\u{ff0d}'];
/// Marks that only group digits.
const SPACES: [char; 7] = [' ', '\u{a0}', '\u{202f}', '\u{2007}', '\u{2009}', '\'', '\u{2019}'];

/// Decimal separator of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum Decimal {
    /// Detected from all figures of a column.
    #[default]
    #[serde(rename = "auto")]
    Auto,
    /// No decimal separator: every mark groups digits.
    #[serde(rename = "none")]
    None,
    /// `,`
    #[serde(rename = ",")]
    Comma,
    /// `.`
    #[serde(rename = ".")]
    Point,
}

/// A figure in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Figure(pub(super) i64);

impl Figure {
    /// The figure in whole units.
    pub fn from_whole(whole: i64) -> Self {
        Self(whole.saturating_mul(UNIT))
    }

    /// The figure in millionths of a unit.
    pub fn from_millionths(millionths: i64) -> Self {
        Self(millionths)
    }

    /// The figure, if it is whole.
    pub fn whole(self) -> Option<i64> {
        let rest = self.0.checked_rem(UNIT).unwrap_or_default();
        (rest == 0).then(|| self.0.checked_div(UNIT).unwrap_or_default())
    }

    /// The nearest whole figure; halves are rounded away from 0.
    pub fn rounded(self) -> i64 {
        let half = UNIT.checked_div(2).unwrap_or_default();
        let moved = if self.0 < 0 { self.0.saturating_sub(half) } else { self.0.saturating_add(half) };
        moved.checked_div(UNIT).unwrap_or_default()
    }

    /// The figure in millionths.
    pub fn millionths(self) -> i64 {
        self.0
    }

    /// Adds two figures.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Difference of the two figures.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The figure with the other sign.
    #[must_use]
    pub fn negated(self) -> Self {
        Self(self.0.saturating_neg())
    }

    /// The figure without its sign.
    #[must_use]
    pub fn unsigned(self) -> Self {
        Self(self.0.saturating_abs())
    }
}

/// Reason why a cell is no figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoFigure {
    /// It is not a figure, or its digits are grouped in an unknown way.
    Malformed,
    /// A spreadsheet would run it.
    Formula,
    /// A spreadsheet has shortened it to a power of ten.
    Shortened,
    /// It has more than one sign, or its sign and the word beside it disagree.
    Signs,
    /// It is above the largest figure, which is this one.
    TooLarge(String),
    /// Its mark may group digits or begin a fraction: both readings.
    Doubtful(String, String),
}

impl std::fmt::Display for NoFigure {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Malformed => out.write_str("is not a number, or its digits are not grouped in threes"),
            Self::Formula => out.write_str("is a formula, not a figure"),
            Self::Shortened => out.write_str(
                "was shortened by a spreadsheet: format the column as a number, and export it again",
            ),
            Self::Signs => out.write_str("has two signs that disagree"),
            Self::TooLarge(most) => write!(out, "must be at most {most}"),
            Self::Doubtful(one, other) => {
                write!(out, "may be {one} or {other}: set which mark begins a fraction (decimal)")
            }
        }
    }
}

/// A figure as it was written: its digits with their marks, and the text beside them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Digits with their separators.
    pub(super) digits: String,
    /// Whether a sign or brackets mark it as below 0.
    pub negative: bool,
    /// The word beside it.
    pub direction: Option<Direction>,
    /// The code of the currency beside it; `$` and `¥` stand for themselves.
    pub currency: Option<&'static str>,
}

impl Written {
    /// Reads a cell; `None` if it is empty.
    ///
    /// # Errors
    /// Why it is no figure.
    pub fn of(cell: &str, words: &SignWords) -> Result<Option<Self>, NoFigure> {
        if is_nothing(cell) {
            return Ok(None);
        }
        let text: String = plain(cell).chars().map(half_width).collect();
        if text.starts_with(['=', '@']) {
            return Err(NoFigure::Formula);
        }
        let Some((before, digits, behind)) = parts(&text) else {
            return if beside(&text, words).is_ok_and(|sides| sides.is_only_currency()) {
                Ok(None)
            } else {
                Err(NoFigure::Malformed)
            };
        };
        if is_shortened(digits) {
            return Err(NoFigure::Shortened);
        }
        let is_digit = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',') || SPACES.contains(&c);
        if !digits.chars().all(is_digit) {
            return Err(NoFigure::Malformed);
        }
        let behind = without_dash_fraction(behind);
        let sides = beside(before, words)?.joined(beside(behind, words)?)?;
        let negative = sides.is_negative()?;
        if negative && sides.direction.is_some() && !sides.bracketed {
            // `-5 DB` takes money away once; `-5 CR` could mean either.
            if sides.direction == Some(Direction::In) {
                return Err(NoFigure::Signs);
            }
        }
        let (direction, currency) = (sides.direction, sides.currency);
        Ok(Some(Self { digits: digits.to_owned(), negative, direction, currency }))
    }

    /// Whether the figure has a sign of its own.
    pub fn is_signed(&self) -> bool {
        self.negative || self.direction.is_some()
    }

    /// The direction that its sign or its word gives. `None` for a figure without either.
    pub fn own_direction(&self) -> Option<Direction> {
        self.direction.or(self.negative.then_some(Direction::Out))
    }

    /// Whether it has a digit other than 0.
    pub fn has_value(&self) -> bool {
        self.digits.contains(|c: char| ('1'..='9').contains(&c))
    }

    /// Whether it takes money away, by its sign or its word.
    pub(super) fn is_out(&self) -> bool {
        self.negative || self.direction == Some(Direction::Out)
    }
}

/// Text on one side of the digits.
#[derive(Debug, Default, Clone, Copy)]
struct Beside {
    minus: usize,
    plus: usize,
    opened: usize,
    closed: usize,
    bracketed: bool,
    /// Whether a minus follows the opening bracket, as in `(-500)`.
    minus_within: bool,
    direction: Option<Direction>,
    currency: Option<&'static str>,
}

impl Beside {
    fn joined(self, other: Self) -> Result<Self, NoFigure> {
        if self.direction.is_some() && other.direction.is_some() {
            return Err(NoFigure::Malformed);
        }
        let currency = one_currency(self.currency, other.currency).ok_or(NoFigure::Malformed)?;
        let (opened, closed) =
            (self.opened.saturating_add(other.opened), self.closed.saturating_add(other.closed));
        Ok(Self {
            minus: self.minus.saturating_add(other.minus),
            plus: self.plus.saturating_add(other.plus),
            opened,
            closed,
            bracketed: opened == 1 && closed == 1,
            minus_within: self.minus_within || other.minus_within,
            direction: self.direction.or(other.direction),
            currency,
        })
    }

    fn is_negative(&self) -> Result<bool, NoFigure> {
        let brackets = match (self.opened, self.closed) {
            (0, 0) => 0,
            (1, 1) => 1,
            _ => return Err(NoFigure::Malformed),
        };
        match (self.minus.saturating_add(brackets), self.plus) {
            (0, 0 | 1) => Ok(false),
            (1, 0) => Ok(true),
            // The brackets repeat the minus within them.
            (2, 0) if self.minus_within && brackets == 1 => Ok(true),
            _ => Err(NoFigure::Signs),
        }
    }

    /// Whether it is a currency with a dash at most: `Rp -` is how accountants write nothing.
    fn is_only_currency(&self) -> bool {
        self.currency.is_some()
            && self.direction.is_none()
            && self.minus <= 1
            && self.plus == 0
            && self.opened == 0
    }
}

fn half_width(c: char) -> char {
    match c {
        '\u{ff10}'..='\u{ff19}' => {
            u32::from(c).checked_sub(0xff10).and_then(|digit| char::from_digit(digit, 10)).unwrap_or(c)
        }
        '\u{ff0b}' => '+',
        '\u{ff0c}' => ',',
        '\u{ff0e}' => '.',
        c => c,
    }
}

/// Text before the digits, the digits with their marks, and the text behind them.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let first = text.find(|c: char| c.is_ascii_digit())?;
    let last = text.rfind(|c: char| c.is_ascii_digit())?;
    // `.00` begins with its mark; `Rp.5` does not.
    let before = text.get(..first)?;
    let marked = before.strip_suffix(['.', ',']).filter(|rest| !rest.ends_with(char::is_alphabetic));
    let first = if marked.is_some() { first.checked_sub(1)? } else { first };
    let end = last.checked_add(1)?;
    Some((text.get(..first)?, text.get(first..end)?, text.get(end..)?))
}

/// `1.5E+6` and the like.
fn is_shortened(digits: &str) -> bool {
    let is_figure =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
    digits.split_once(['e', 'E']).is_some_and(|(figure, power)| {
        is_figure(figure) && is_figure(power.strip_prefix(['+', '-']).unwrap_or(power))
    })
}

/// `100,-` and `100,--` are 100 without a fraction.
fn without_dash_fraction(behind: &str) -> &str {
    let Some(rest) = behind.strip_prefix([',', '.']) else { return behind };
    let without = rest.trim_start_matches(MINUS);
    if without.len() < rest.len() { without } else { behind }
}

fn beside(text: &str, words: &SignWords) -> Result<Beside, NoFigure> {
    let mut found = Beside::default();
    let mut rest = text.trim_matches(|c: char| c.is_whitespace());
    while let Some(c) = rest.chars().next() {
        let behind = rest.get(c.len_utf8()..).unwrap_or_default();
        found.minus_within |= found.opened > 0 && MINUS.contains(&c);
        let count = match c {
            c if MINUS.contains(&c) => Some(&mut found.minus),
            '+' => Some(&mut found.plus),
            '(' => Some(&mut found.opened),
            ')' => Some(&mut found.closed),
            _ => None,
        };
        if let Some(count) = count {
            *count = count.saturating_add(1);
            rest = behind.trim_start();
            continue;
        }
        let ends = |c: char| c.is_whitespace() || MINUS.contains(&c) || matches!(c, '+' | '(' | ')');
        let end = rest.find(ends).unwrap_or(rest.len());
        let (word, behind) = (rest.get(..end).unwrap_or_default(), rest.get(end..).unwrap_or_default());
        // `KR` is the word for money received, `kr` the mark of crowns.
        let direction = words.direction(word).filter(|_| !is_crowns(word));
        match (direction, currency_code(word)) {
            (Some(direction), _) if found.direction.is_none() => found.direction = Some(direction),
            (None, Some(code)) if found.currency.is_none() => found.currency = Some(code),
            _ => return Err(NoFigure::Malformed),
        }
        rest = behind.trim_start();
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
